"""Runs one call in a child process that can be killed, and says what came of it.

A *supervisor* process imports modules once and forks a child for each call, so that whatever a
call does, to itself, to its parent, to memory, files or other processes, ends with the call.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from automl.errors import SandboxError
from automl.evaluation.calls import CallLimits, Reply, SandboxSettings
from automl.evaluation.exchange import Exchange, OverdueError
from automl.evaluation.supervisor_process import SupervisorLostError, SupervisorProcess
from automl.trial import Status

_LOOK_SECONDS: Final = 0.05
_ATTEMPTS: Final = 3
_NO_TIME: Final = "there was no time left when the evaluation process was ready"


class Sandbox:
    """Runs calls one after another, each in its own child process.

    Works in any process that may fork, daemonic or not, and in any thread, but in one at a time.

    Parameters
    ----------
    settings : SandboxSettings
        How calls are prepared.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self._settings = settings
        self._supervisor: SupervisorProcess | None = None
        self._owner = 0
        self._started = 0.0
        self._is_ready = False
        self._notes: tuple[str, ...] = ()
        self._number = 0

    def start(self) -> None:
        """Start the supervisor, if there is none, and return at once while it imports modules.

        Raises
        ------
        SandboxError
            If processes cannot be started here.
        """
        self._leave_to_owner()
        if self._supervisor is None:
            self._supervisor = SupervisorProcess(self._settings)
            self._owner = os.getpid()
            self._started = time.monotonic()
            self._is_ready = False

    def run(
        self, call: bytes, limits: CallLimits, cancelled: threading.Event | None = None
    ) -> Reply:
        """Run a pickled call without arguments that returns a `Payload`.

        Parameters
        ----------
        call : bytes
            The call, pickled by cloudpickle; it is unpickled in the child.
        limits : CallLimits
            What it may use.
        cancelled : threading.Event or None
            Ends the call when it is set.

        Returns
        -------
        Reply
            How the call ended, also if it failed in whatever way.

        Raises
        ------
        SandboxError
            If the supervisor cannot be started.
        """
        wants_to_cancel = cancelled.is_set if cancelled is not None else lambda: False
        asked_at = time.monotonic()
        left = math.inf if limits.seconds_left is None else limits.seconds_left

        def is_late() -> bool:
            return time.monotonic() - asked_at > left

        try:
            for _ in range(_ATTEMPTS):
                if not self._wait_until_ready(lambda: wants_to_cancel() or is_late()):
                    reason = "cancelled" if wants_to_cancel() else _NO_TIME
                    return Reply(status=Status.CANCELLED, seconds=0.0, reason=reason)
                now_left = limits.after(time.monotonic() - asked_at)
                if (reply := self._attempt(call, now_left, wants_to_cancel)) is not None:
                    notes, self._notes = self._notes, ()
                    return replace(reply, notes=notes)
        except BaseException:
            self._discard()  # the call may still be running
            raise
        raise SandboxError(f"the supervisor ended {_ATTEMPTS} times before it started a call")

    def close(self) -> None:
        """End the supervisor, if there is one; a later `run` starts another."""
        self._leave_to_owner()
        if not self._is_ready or self._supervisor is None:
            self._discard()
            return
        self._supervisor.close()
        self._supervisor = None

    def _leave_to_owner(self) -> None:
        """Forget a supervisor that belongs to the process that this one was forked from."""
        if self._owner != os.getpid():
            self._supervisor = None

    def _wait_until_ready(self, wants_to_cancel: Callable[[], bool]) -> bool:
        """Start the supervisor if need be; return false if the caller lost interest meanwhile."""
        n_starts = 1
        self.start()
        while not self._is_ready and not wants_to_cancel():
            try:
                frame = self._running().receive(_LOOK_SECONDS)
            except SupervisorLostError:
                # An import that fails says why; in silence it was killed, and may do better.
                if n_starts == _ATTEMPTS or self._running().last_words():
                    raise self._start_error("ended") from None
                self._discard()
                self.start()
                n_starts += 1
                continue
            if frame is not None:
                self._is_ready = True
                self._notes = tuple(frame.header["notes"])
            elif time.monotonic() - self._started > self._settings.startup_seconds:
                raise self._start_error(f"took more than {self._settings.startup_seconds} s")
        return not wants_to_cancel()

    def _start_error(self, what: str) -> SandboxError:
        words = self._running().last_words()
        return SandboxError(
            f"the supervisor of evaluations {what} while importing {self._settings.preload}: "
            f"{words or 'it wrote nothing to stderr'}"
        )

    def _attempt(
        self, call: bytes, limits: CallLimits, wants_to_cancel: Callable[[], bool]
    ) -> Reply | None:
        """Run a call; return nothing if the supervisor had ended before it could start it."""
        self._number += 1
        exchange = Exchange(self._running(), self._number, limits)
        try:
            exchange.send(call, self._settings.startup_seconds)
            return exchange.reply(wants_to_cancel)
        except SupervisorLostError:
            words = self._running().last_words()
            reason = f"supervisor {self._discard()}"
            status = Status.CRASHED
        except OverdueError:
            words = ""
            self._discard()
            status, reason = Status.TIMEOUT, "ran too long, and its supervisor did not end it"
        if exchange.started is None:
            return None
        if exchange.is_cancelled:
            status, reason = Status.CANCELLED, "cancelled"
        seconds = time.monotonic() - exchange.started
        return Reply(status=status, seconds=seconds, reason=reason, traceback=words)

    def _running(self) -> SupervisorProcess:
        if self._supervisor is None:
            raise SandboxError("the supervisor is not running")
        return self._supervisor

    def _discard(self) -> str:
        """Kill the supervisor, if there is one, and say how it ended."""
        supervisor, self._supervisor = self._supervisor, None
        return "" if supervisor is None else supervisor.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
