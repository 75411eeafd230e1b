"""The talk between a sandbox and its supervisor about one call."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Final

from automl.evaluation.calls import CallLimits, Reply, Verdict
from automl.evaluation.framing import Frame, split_blobs
from automl.evaluation.supervisor_process import (
    SupervisorLostError,
    SupervisorProcess,
    module_path,
)

_LOOK_SECONDS: Final = 0.05
_GRACE_SECONDS: Final = 2.0


class OverdueError(Exception):
    """The supervisor does not keep the limits that it should enforce."""


class Exchange:
    """Sends one call and collects what comes back.

    Parameters
    ----------
    supervisor : SupervisorProcess
        Who runs the call.
    number : int
        Number of the call among the supervisor's.
    limits : CallLimits
        What the call may use.

    Attributes
    ----------
    started : float or None
        When the supervisor took up the call, on the monotonic clock.
    is_cancelled : bool
        Whether the supervisor has been told to end the call.
    """

    def __init__(self, supervisor: SupervisorProcess, number: int, limits: CallLimits) -> None:
        self._supervisor = supervisor
        self._number = number
        self._limits = limits
        self._deadline = inf
        self._body = bytearray()
        self.started: float | None = None
        self.is_cancelled = False

    def send(self, call: bytes, seconds: float) -> None:
        """Send a call that must be taken up within some seconds.

        Raises
        ------
        SupervisorLostError
            If it is not read.
        """
        self._deadline = time.monotonic() + seconds
        header = {
            "kind": "call",
            "number": self._number,
            "path": module_path(),
            "timeout_seconds": self._limits.timeout_seconds,
            "memory_mib": self._limits.memory_mib,
        }
        self._supervisor.send(header, call, seconds=seconds)

    def reply(self, wants_to_cancel: Callable[[], bool]) -> Reply:
        """Wait for the end of the call.

        Parameters
        ----------
        wants_to_cancel : callable
            Asked regularly.

        Raises
        ------
        SupervisorLostError
            If the supervisor has ended, or has not taken up the call in time.
        OverdueError
            If it has let a limit pass.
        """
        while True:
            frame = self._supervisor.receive(_LOOK_SECONDS)
            if frame is not None and (reply := self._take(frame)) is not None:
                return reply
            if frame is None and time.monotonic() > self._deadline:
                raise SupervisorLostError if self.started is None else OverdueError
            if not self.is_cancelled and wants_to_cancel():
                self._cancel()

    def _take(self, frame: Frame) -> Reply | None:
        match frame.header["kind"]:
            case "started":
                self.started = time.monotonic()
                seconds = self._limits.timeout_seconds
                self._deadline = inf if seconds is None else self.started + seconds + _GRACE_SECONDS
            case "part":
                self._body += frame.body
            case "verdict":
                return self._completed(Verdict.from_json(frame.header))
        return None

    def _completed(self, verdict: Verdict) -> Reply:
        try:
            blobs = split_blobs(self._body, verdict.lengths)
        except ValueError:
            # Of a call that failed halfway through its reply.
            blobs = ()
        return Reply(
            status=verdict.status,
            seconds=verdict.seconds,
            memory_mib=verdict.memory_mib,
            reason=verdict.reason,
            traceback=verdict.traceback,
            header=verdict.header,
            blobs=blobs,
        )

    def _cancel(self) -> None:
        self.is_cancelled = True
        self._deadline = min(self._deadline, time.monotonic() + _GRACE_SECONDS)
        cancellation = {"kind": "cancel", "number": self._number}
        self._supervisor.send(cancellation, seconds=_GRACE_SECONDS)
