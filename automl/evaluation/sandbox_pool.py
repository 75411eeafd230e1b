"""Idle sandboxes of this process, for whichever worker slot needs one next.

A worker process of a pool runs one trial after another and is told nothing in between; without a
place to keep its sandbox each trial would import everything anew. This is the only state that the
package keeps per process.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from automl.evaluation.calls import SandboxSettings
from automl.evaluation.sandbox import Sandbox


class _Shelf:
    """Sandboxes that nobody uses, by their settings."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: defaultdict[SandboxSettings, list[Sandbox]] = defaultdict(list)

    def take(self, settings: SandboxSettings) -> Sandbox:
        """Return an idle sandbox, or a new one."""
        with self._lock:
            idle = self._idle[settings]
            return idle.pop() if idle else Sandbox(settings)

    def put(self, settings: SandboxSettings, sandbox: Sandbox) -> None:
        """Keep a sandbox for the next who asks."""
        with self._lock:
            self._idle[settings].append(sandbox)

    def clear(self) -> list[Sandbox]:
        """Return all sandboxes and forget them."""
        with self._lock:
            idle = [sandbox for sandboxes in self._idle.values() for sandbox in sandboxes]
            self._idle.clear()
        return idle


_shelf = _Shelf()


@contextmanager
def borrowed_sandbox(settings: SandboxSettings) -> Iterator[Sandbox]:
    """Lend a sandbox that nobody else uses meanwhile.

    Parameters
    ----------
    settings : SandboxSettings
        How calls are prepared.
    """
    shelf, owner = _shelf, os.getpid()
    sandbox = shelf.take(settings)
    try:
        yield sandbox
    finally:
        if os.getpid() == owner:  # not in a process forked from inside
            shelf.put(settings, sandbox)


def close_sandboxes() -> None:
    """End the idle sandboxes of this process."""
    for sandbox in _shelf.clear():
        sandbox.close()


def _start_afresh() -> None:
    """Leave the sandboxes, and the lock as it happens to be, to the process forked from."""
    global _shelf
    _shelf = _Shelf()


atexit.register(close_sandboxes)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
