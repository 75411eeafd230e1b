"""Watches one running call: relays what it returns, enforces its limits, notices its end."""

from __future__ import annotations

import os
import select
import signal
import time
from dataclasses import replace
from math import inf
from typing import Final

from automl.evaluation.calls import CallLimits, Verdict
from automl.evaluation.error_tail import ErrorTail
from automl.evaluation.framing import CHUNK_BYTES, FrameReader, is_ready
from automl.evaluation.memory import MemoryGauge, oom_kills
from automl.evaluation.parent_link import ParentLink
from automl.evaluation.processes import descendants, exit_reason
from automl.trial import Status

_TICK_SECONDS: Final = 0.02
_TICKS_PER_SCAN: Final = 5
_FAREWELL_SECONDS: Final = 0.5
_MAX_FRAME_BYTES: Final = 64 * 2**20


class CallWatch:
    """One running call, as its supervisor sees it.

    Parameters
    ----------
    child : int
        Process that runs the call.
    result : int
        Pipe on which the child sends what the call returns.
    limits : CallLimits
        What the call may use.
    gauge : MemoryGauge
        Knows what the child started with.
    """

    def __init__(self, child: int, result: int, limits: CallLimits, gauge: MemoryGauge) -> None:
        self._child = child
        self._result = result
        self._limits = limits
        self._gauge = gauge
        self._reader = FrameReader(max_bytes=_MAX_FRAME_BYTES)
        self._started = self._next_tick = time.monotonic()
        seconds = limits.timeout_seconds
        self._deadline = inf if seconds is None else self._started + seconds
        self._oom_kills = oom_kills()
        self._exit: int | None = None
        self._tree = [child]
        self._ticks = 0
        self._peak_mib = 0.0
        self._relayed_bytes = 0

    def until_end(self, link: ParentLink, number: int, errors: ErrorTail) -> Verdict:
        """Wait for the call's end, whatever it is; its processes may still be running then.

        Parameters
        ----------
        link : ParentLink
            Where pieces of the reply go, and from where a cancellation comes.
        number : int
            Number of the call, named in its cancellation.
        errors : ErrorTail
            Takes what the call writes to stderr.

        Raises
        ------
        ParentGoneError
            If nobody waits for the reply any more.
        """
        poll = select.poll()
        for fd in (self._result, link.requests, errors.fd):
            poll.register(fd, select.POLLIN)
        while True:
            seconds = max(0.0, self._next_tick - time.monotonic())
            ready = dict(poll.poll(seconds * 1000))
            if errors.fd in ready and not errors.read():
                poll.unregister(errors.fd)
            if self._result in ready and (verdict := self._relay(link)):
                return verdict
            is_due = time.monotonic() >= self._next_tick
            if (is_due or link.requests in ready) and _is_cancellation(link, number):
                return self._failed(Status.CANCELLED, "cancelled")
            if is_due and (verdict := self._tick()):
                return verdict

    def _relay(self, link: ParentLink) -> Verdict | None:
        """Pass on what the child has sent; return the verdict once it is there."""
        data = os.read(self._result, CHUNK_BYTES)
        if not data:
            return self._lost()
        try:
            for frame in self._reader.feed(data):
                if frame.header.get("kind") == "verdict":
                    verdict = Verdict.from_json(frame.header)
                    return replace(verdict, memory_mib=max(verdict.memory_mib, self._peak_mib))
                self._relayed_bytes += len(frame.body)
                link.send({"kind": "part"}, frame.body)
        except (KeyError, TypeError, ValueError) as error:
            return self._failed(Status.CRASHED, f"sent a malformed reply: {error}")
        return self._over_memory("returned", self._relayed_bytes / 2**20)

    def _tick(self) -> Verdict | None:
        self._next_tick = min(time.monotonic() + _TICK_SECONDS, self._deadline)
        is_scan = self._ticks % _TICKS_PER_SCAN == 0
        self._ticks += 1
        if is_scan:
            # Below the supervisor, not below the child: orphans are adopted.
            self._tree = descendants(os.getpid())
        limit = self._limits.memory_mib
        threshold = 0.0 if is_scan else inf if limit is None else limit
        growth = self._gauge.growth_mib(self._tree, threshold) or 0.0
        self._peak_mib = max(self._peak_mib, growth)
        if verdict := self._over_memory("used", growth):
            return verdict
        if time.monotonic() >= self._deadline:
            seconds = self._limits.timeout_seconds or 0.0
            return self._failed(Status.TIMEOUT, f"ran longer than {seconds:.3g} s")
        # A descendant may hold the pipe open after the child's end.
        has_more = is_ready(self._result, select.POLLIN, 0.0)
        return None if has_more or self._exit_status() is None else self._lost()

    def _over_memory(self, verb: str, mib: float) -> Verdict | None:
        limit = self._limits.memory_mib
        if limit is None or mib <= limit:
            return None
        return self._failed(Status.OUT_OF_MEMORY, f"{verb} more than {limit:.0f} MiB")

    def _lost(self) -> Verdict:
        """Say why a child that has closed its pipe did so."""
        deadline = time.monotonic() + _FAREWELL_SECONDS
        while (status := self._exit_status()) is None:
            if time.monotonic() > deadline:
                return self._failed(Status.CRASHED, "closed its pipe without a reply")
            time.sleep(0.001)  # the last steps of ending
        code = os.waitstatus_to_exitcode(status)
        if code == -signal.SIGKILL and oom_kills() > self._oom_kills:
            return self._failed(Status.OUT_OF_MEMORY, "killed by the system, out of memory")
        return self._failed(Status.CRASHED, exit_reason(code))

    def _exit_status(self) -> int | None:
        if self._exit is None:
            pid, status = os.waitpid(self._child, os.WNOHANG)
            self._exit = status if pid else None
        return self._exit

    def _failed(self, status: Status, reason: str) -> Verdict:
        return Verdict(
            status=status,
            seconds=time.monotonic() - self._started,
            memory_mib=self._peak_mib,
            reason=reason,
        )


def _is_cancellation(link: ParentLink, number: int) -> bool:
    frame = link.receive(0.0)
    # The cancellation of an earlier call may have crossed its reply.
    return frame is not None and frame.header == {"kind": "cancel", "number": number}
