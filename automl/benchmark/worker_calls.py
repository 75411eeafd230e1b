"""Calls in worker processes that do not outlive the process that wants what they return."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeVar, cast

import joblib

T = TypeVar("T")

_SECONDS_BETWEEN_LOOKS = 1.0


def calls_as_they_end(
    function: Callable[..., T],
    arguments: Iterable[tuple[Any, ...]],
    *,
    n_jobs: int,
    in_order: bool = False,
) -> Iterator[T]:
    """Call a function many times, several at once, and yield what the calls return.

    joblib's workers end with the process that started them if that ends by itself. If it is
    killed, they would go on with calls of minutes whose results nobody takes: here they end within
    about a second.

    Parameters
    ----------
    function : callable
        Importable by name, for other processes.
    arguments : iterable of tuple
        Of each call.
    n_jobs : int
        Processes at the same time, as joblib counts them; with one the calls are made here.
    in_order : bool
        Whether to yield in the order of the arguments, not in that of ending.
    """
    owner = os.getpid()
    parallel = joblib.Parallel(
        n_jobs=n_jobs, return_as="generator" if in_order else "generator_unordered"
    )
    calls = (joblib.delayed(_call)(owner, function, of_one) for of_one in arguments)
    return cast("Iterator[T]", parallel(calls))


def _call(owner: int, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    _end_with(owner)
    return function(*arguments)


@lru_cache
def _end_with(owner: int) -> None:
    """Let a thread look whether the owner is still the parent of this process, if it is one."""
    if os.getppid() == owner:  # neither the owner itself nor a worker on another machine
        threading.Thread(target=_watch, args=(owner,), daemon=True).start()


def _watch(owner: int) -> None:
    while os.getppid() == owner:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)  # the main thread may be anywhere, and nobody waits for it
