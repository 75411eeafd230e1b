"""A sandbox under test: runs calls, and looks for what they leave behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import cloudpickle
import psutil
from fakes import hostile

from automl.evaluation.calls import CallLimits, Reply, SandboxSettings
from automl.evaluation.sandbox import Sandbox


def answer_in_a_sandbox() -> Reply:
    """Run a call in a sandbox that is made for it; for processes that a test starts."""
    with Sandbox(SandboxSettings()) as sandbox:
        return Runner(sandbox)(hostile.answer)


class Runner:
    """Runs calls in a sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def __call__(
        self,
        call: Callable[[], object] | bytes,
        *,
        seconds: float | None = 20.0,
        mib: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> Reply:
        """Run a call, pickled or not, and return what came of it."""
        data = call if isinstance(call, bytes) else cloudpickle.dumps(call)
        limits = CallLimits(timeout_seconds=seconds, memory_mib=mib)
        return self._sandbox.run(data, limits, cancelled)


def supervisors() -> list[psutil.Process]:
    """Return the supervisors that this process has started and that have not ended."""
    return [process for process in psutil.Process().children() if is_supervisor(process)]


def leftovers() -> list[psutil.Process]:
    """Return what runs below the supervisors of this process."""
    return [child for process in supervisors() for child in process.children(recursive=True)]


def is_supervisor(process: psutil.Process) -> bool:
    try:
        return any("automl.evaluation.supervisor" in word for word in process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False


def is_running(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Wait for something to happen; return whether it did."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
