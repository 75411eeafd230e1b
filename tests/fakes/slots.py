"""Calls that run in the slot's own thread, under the control of a test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import cloudpickle

from automl.evaluation.calls import CallLimits, Reply
from automl.parallel.slots import Run
from automl.trial import Status

PATIENCE = 10.0  # seconds until a test that waits in vain fails


def answer(call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:  # noqa: ARG001
    """Succeed at once with the call itself as the result."""
    return Reply(status=Status.SUCCESS, seconds=0.0, blobs=(memoryview(call),))


def opens(run: Run) -> Callable[[], AbstractContextManager[Run]]:
    """Return what every slot opens to run its calls by the given function."""
    return lambda: nullcontext(run)


class Gates:
    """Runs each call until the test opens its gate or the slots are cancelled."""

    def __init__(self, *names: bytes) -> None:
        self._gates = {name: threading.Event() for name in names}
        self.started = {name: threading.Event() for name in names}
        self.limits: dict[bytes, CallLimits] = {}

    def run(self, call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:
        """Wait for the gate, then succeed with the call itself as the result."""
        self.limits[call] = limits
        self.started[call].set()
        for _ in range(int(PATIENCE / 0.002)):
            if self._gates[call].wait(0.002):
                return Reply(status=Status.SUCCESS, seconds=0.0, blobs=(memoryview(call),))
            if cancelled.is_set():
                return Reply(status=Status.CANCELLED, seconds=0.0, reason="cancelled")
        raise TimeoutError(f"the gate of {call!r} was never opened")

    def open(self, name: bytes) -> None:
        """Let a call end."""
        self._gates[name].set()

    def wait_for_start(self, *names: bytes) -> None:
        """Return when all these calls have begun."""
        for name in names:
            assert self.started[name].wait(PATIENCE)


class Places:
    """Counts how many slots opened and closed the place where their calls run."""

    def __init__(self) -> None:
        self.n_opened = 0
        self.n_closed = 0
        self._lock = threading.Lock()

    @contextmanager
    def open(self) -> Iterator[Run]:
        """Open the place of one slot."""
        with self._lock:
            self.n_opened += 1
        yield answer
        with self._lock:
            self.n_closed += 1


def run_here(call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:  # noqa: ARG001
    """Run a call in the slot's own thread, as a sandbox would in a child."""
    try:
        payload = cloudpickle.loads(call)()
    except Exception as error:  # noqa: BLE001 - like the sandbox
        return Reply(status=Status.CRASHED, seconds=0.0, reason=f"{type(error).__name__}: {error}")
    blobs = tuple(memoryview(bytes(blob)) for blob in payload.blobs)
    return Reply(status=Status.SUCCESS, seconds=0.0, header=payload.header, blobs=blobs)
