"""Worker slots over joblib's active backend, each with a sandbox of its own.

A slot is a thread that hands one call at a time to a sandbox: in this process by default, in a
worker of the backend where the caller chose one with ``joblib.parallel_config``. So every slot
gets its next call the moment it is free, whatever the others do.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Self

import joblib
from joblib.parallel import get_active_backend

from automl.data.table_store import TableHandle
from automl.evaluation.calls import CallLimits, Reply, SandboxSettings
from automl.evaluation.limits import available_cores
from automl.evaluation.sandbox import Sandbox
from automl.parallel.remote import RemoteRun

# These backends spread work over this machine only, which the sandboxes do already.
_LOCAL_BACKENDS = (
    "SequentialBackend",
    "ThreadingBackend",
    "LokyBackend",
    "MultiprocessingBackend",
)

LONGEST_WAIT = 0.5
"""Seconds after which whoever waits for calls looks again whether there is time left."""

Run = Callable[[bytes, CallLimits, threading.Event], Reply]
"""Runs one call to its end; the event kills what runs in this process."""

OpenRun = Callable[[], AbstractContextManager[Run]]
"""What a slot opens once for its lifetime: the place where its calls run."""


def worker_count(n_jobs: int | None) -> int:
    """Return how many calls may run at the same time, as joblib means `n_jobs`.

    Negative numbers count from the cores that this process may keep busy: quotas of control
    groups, affinity and the settings of a SLURM job bound them.
    """
    asked = joblib.effective_n_jobs(n_jobs)
    if n_jobs is None or n_jobs > 0 or not _is_local(get_active_backend(prefer="threads")[0]):
        return int(asked)
    return int(min(asked, max(1, available_cores() + 1 + n_jobs)))


def open_run(settings: SandboxSettings, n_slots: int, table: TableHandle) -> OpenRun:
    """Return where slots run calls under the joblib backend that is active in this thread.

    Parameters
    ----------
    settings : SandboxSettings
        The sandbox of each slot.
    n_slots : int
        Calls that run at the same time.
    table : TableHandle
        The table that the calls read.
    """
    backend, _ = get_active_backend(prefer="threads")
    if _is_local(backend):
        return lambda: _local_run(settings)
    return lambda: nullcontext(RemoteRun(backend, settings, n_slots, table))


def _is_local(backend: object) -> bool:
    return type(backend).__name__ in _LOCAL_BACKENDS


@contextmanager
def _local_run(settings: SandboxSettings) -> Iterator[Run]:
    with Sandbox(settings) as sandbox:
        sandbox.start()  # the imports of the child go on while the caller goes on
        yield sandbox.run


class WorkerSlots:
    """Runs calls, a fixed number at a time; results come back in the order of ending.

    Parameters
    ----------
    open_place : callable
        Opens the place where the calls of one slot run; see `open_run`.
    n_slots : int
        Calls that run at the same time.
    """

    def __init__(self, open_place: OpenRun, n_slots: int) -> None:
        self.n_slots = n_slots
        self._open_place = open_place
        self._calls: queue.SimpleQueue[tuple[int, bytes, CallLimits] | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[tuple[int, Reply | Exception]] = queue.SimpleQueue()
        self._cancelled = threading.Event()
        self._n_running = 0
        self._threads = [
            threading.Thread(target=self._serve, name=f"automl-slot-{i}", daemon=True)
            for i in range(n_slots)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def n_running(self) -> int:
        """Calls whose results were not collected yet."""
        return self._n_running

    @property
    def all_busy(self) -> bool:
        """Whether there is no free slot."""
        return self._n_running >= self.n_slots

    def submit(self, key: int, call: bytes, limits: CallLimits) -> None:
        """Start a call and return at once.

        Raises
        ------
        RuntimeError
            If all slots are busy.
        """
        if self.all_busy:
            raise RuntimeError(f"all {self.n_slots} worker slots are busy")
        self._n_running += 1
        self._calls.put((key, call, limits))

    def collect(self, seconds: float) -> list[tuple[int, Reply]]:
        """Wait until a call ends or the time is up; return the keys and replies that are ready.

        Raises
        ------
        Exception
            What made a slot fail outside a call, e.g. `SandboxError`.
        """
        replies: list[tuple[int, Reply]] = []
        try:
            item = self._ended.get(timeout=min(max(seconds, 0.0), threading.TIMEOUT_MAX))
            while True:
                self._n_running -= 1
                key, reply = item
                if isinstance(reply, Exception):
                    raise reply
                replies.append((key, reply))
                item = self._ended.get_nowait()
        except queue.Empty:
            return replies

    def cancel(self) -> None:
        """Kill what runs here; calls in workers of a remote backend run to their limits."""
        self._cancelled.set()

    def resume(self) -> None:
        """Let calls that are submitted from now on run again."""
        self._cancelled.clear()

    def close(self) -> None:
        """Cancel what runs and end the threads."""
        self.cancel()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _serve(self) -> None:
        with ExitStack() as stack:
            try:
                run = stack.enter_context(self._open_place())
            except Exception as error:  # noqa: BLE001 - whoever collects a call's result gets it
                run = _raising(error)
            while (item := self._calls.get()) is not None:
                key, call, limits = item
                try:
                    self._ended.put((key, run(call, limits, self._cancelled)))
                except Exception as error:  # noqa: BLE001 - crosses to the thread that collects
                    self._ended.put((key, error))


def _raising(error: Exception) -> Run:
    """Return what runs calls in a place that could not be opened."""

    def run(*_: object) -> Reply:
        raise error

    return run
