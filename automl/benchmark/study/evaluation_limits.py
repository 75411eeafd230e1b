"""What one evaluation of a study may use, and whose fault it is that one failed.

Time is that of the processor: what a configuration needs of it hardly depends on what else the
machine does meanwhile, so that a failure by this limit is the configuration's own. A failure that
may be the machine's, as a full disk or a kill from outside, says nothing of the configuration.
"""

from __future__ import annotations

import math
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from automl.errors import AutoMLError
from automl.evaluation.calls import CallLimits, Reply
from automl.trial import Status

# Of the clock, for each second of the processor and for the start: a busy machine shares it out.
_PATIENCE, _START_SECONDS = 10.0, 10.0

_LIMIT = re.compile(r"(?:used|returned) more than \d+ MiB")
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_REQUEST = re.compile(r"Unable to allocate ([\d.]+) (B|KiB|MiB|GiB|TiB|PiB|EiB)(?:ytes)?\b")
_OWN_SIGNALS = ("SIGSEGV", "SIGABRT", "SIGFPE", "SIGILL")
# An exception as a child tells it: the name of its class, then what it says.
_EXCEPTION = re.compile(r"\w+(?::|$)")
_OF_THE_MACHINE = re.compile(
    r"\[Errno \d+\]|MemoryError|bad_alloc|annot allocate memory|start new thread"
    r"|^(?:ImportError|ModuleNotFoundError|KeyboardInterrupt)\b",
    re.MULTILINE,
)


class MachineError(AutoMLError):
    """An evaluation failed, and it cannot be told that its configuration is to blame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationLimits:
    """What one evaluation may use.

    Attributes
    ----------
    cpu_seconds : float
        Seconds of the processor; an evaluation has one thread.
    memory_mib : float
        Memory above the start.
    """

    cpu_seconds: float = 60.0
    memory_mib: float = 4096.0

    @property
    def of_call(self) -> CallLimits:
        """Limits from outside: wall-clock time enough for a busy machine."""
        seconds = _PATIENCE * self.cpu_seconds + _START_SECONDS
        return CallLimits(
            timeout_seconds=seconds if math.isfinite(seconds) else None,
            memory_mib=self.memory_mib,
        )

    @contextmanager
    def enforced(self) -> Iterator[None]:
        """End this process by a signal if it uses more of the processor meanwhile."""
        if not math.isfinite(self.cpu_seconds):
            yield
            return
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # it may be ignored, which is inherited
        signal.setitimer(signal.ITIMER_PROF, self.cpu_seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)


def own_failure(reply: Reply, limits: EvaluationLimits) -> tuple[Status, str]:
    """Return how an evaluation failed and why, if its configuration or a limit is to blame.

    Parameters
    ----------
    reply : Reply
        Of an evaluation without success.
    limits : EvaluationLimits
        That it had.

    Raises
    ------
    MachineError
        If that cannot be told.
    """
    status, reason = reply.status, reply.reason
    if status is Status.CRASHED and "(SIGPROF)" in reason:
        seconds = limits.cpu_seconds
        return Status.TIMEOUT, f"used more than {seconds:.3g} s of the processor"
    if status is Status.OUT_OF_MEMORY and _is_over(reason, limits.memory_mib):
        return status, reason
    if status is Status.CRASHED and _is_own_crash(reply):
        return status, reason
    raise MachineError(
        f"an evaluation ended ({status}: {reason}) and it cannot be told whether its "
        "configuration or the machine is to blame, so nothing of it is stored: look for what the "
        "machine lacks, such as memory or disk space, take fewer jobs if it is busy, and run the "
        "same again"
    )


def _is_over(reason: str, limit_mib: float) -> bool:
    """Return whether the limit was passed, or would have been by what was asked for."""
    request = _REQUEST.search(reason)
    if request is None:
        return _LIMIT.fullmatch(reason) is not None
    return float(request[1]) * 1024.0 ** (_UNITS.index(request[2]) - 2) > limit_mib


def _is_own_crash(reply: Reply) -> bool:
    """Return whether a learner raised an error of its own, or did what the processor refuses."""
    if any(f"({name})" in reply.reason for name in _OWN_SIGNALS):
        return not _OF_THE_MACHINE.search(reply.traceback)
    is_exception = _EXCEPTION.match(reply.reason) and reply.reason.split(":")[0] in reply.traceback
    return bool(is_exception) and not _OF_THE_MACHINE.search(f"{reply.reason}\n{reply.traceback}")
