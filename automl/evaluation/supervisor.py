"""A small process without threads that imports modules once and forks a child for each call.

It is started by `automl.evaluation.supervisor_process`, never imported by the process that
searches. Everything below it ends with it, and it ends with the process that started it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import os
import shutil
import signal
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, NoReturn

from automl.evaluation.call_watch import CallWatch
from automl.evaluation.calls import CallLimits, Verdict
from automl.evaluation.child import Surroundings, run_child
from automl.evaluation.error_tail import ErrorTail
from automl.evaluation.framing import Frame, widen
from automl.evaluation.memory import MemoryGauge
from automl.evaluation.parent_link import ParentGoneError, ParentLink
from automl.evaluation.processes import become_subreaper, end_descendants
from automl.trial import Status

# A process with much memory takes seconds to end: the reply need not wait, the next call must.
_CLEANING_SECONDS: Final = 1.0
_LAST_CLEANING_SECONDS: Final = 60.0


def main(
    *,
    parent: int,
    folder: str,
    preload: Sequence[str],
    n_threads: int,
    idle_seconds: float,
    startup_seconds: float,
) -> NoReturn:
    """Serve calls until there is nobody, or nothing, to serve.

    Parameters
    ----------
    parent : int
        Process that started this one.
    folder : str
        Private folder, removed at the end.
    preload : sequence of str
        Modules to import.
    n_threads : int
        Threads that a call may use.
    idle_seconds : float
        How long to wait for a call.
    startup_seconds : float
        By then the parent has given up; so does this process.
    """
    link = _take_pipes(parent)
    become_subreaper()
    faulthandler.enable(file=2)
    import resource  # not there on Windows

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGCHLD, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)  # the parent may ignore them, which is inherited
    signal.alarm(int(startup_seconds) + 1)  # ends the process, whatever an import does
    notes = import_all(preload)
    signal.alarm(0)
    gc.disable()
    gc.collect()
    gc.freeze()  # a collection in a child would copy every page that holds an object
    with contextlib.suppress(ParentGoneError):
        link.send({"kind": "ready", "notes": notes})
        while _serve_next(link, Path(folder), n_threads, idle_seconds):
            pass
    end_descendants(_LAST_CLEANING_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _take_pipes(parent: int) -> ParentLink:
    """Move the pipes out of the way of what imported modules print or read."""
    link = ParentLink(os.dup(0), os.dup(1), parent)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return link


def import_all(modules: Sequence[str]) -> list[str]:
    """Import modules; return a line for each that cannot be imported."""
    notes = []
    for module in modules:
        try:
            importlib.import_module(module)
        except BaseException as error:  # noqa: BLE001 - a call may do without it
            text = " ".join(f"{type(error).__name__}: {error}".split())
            notes.append(f"cannot import {module}: {text}")
    return notes


def _serve_next(link: ParentLink, folder: Path, n_threads: int, idle_seconds: float) -> bool:
    """Wait for a call and run it; return whether one came."""
    frame = link.receive(idle_seconds)
    if frame is not None and frame.header["kind"] == "call":
        verdict = _serve(frame, link, folder, n_threads)
        link.send({"kind": "verdict"} | verdict.as_json())
    return frame is not None


def _serve(frame: Frame, link: ParentLink, folder: Path, n_threads: int) -> Verdict:
    """Run a call in a child; return its verdict when nothing of it is left."""
    end_descendants(_LAST_CLEANING_SECONDS)
    request = frame.header
    link.send({"kind": "started"})
    place = folder / str(request["number"])
    try:
        place.mkdir(parents=True)
        with _pipe() as result, _pipe() as stderr:
            widen(result.fd)
            surroundings = Surroundings(
                supervisor=os.getpid(),
                result=result.writer.fileno(),
                stderr=stderr.writer.fileno(),
                unwanted=(link.requests, link.replies, result.fd, stderr.fd),
                folder=place,
                path=tuple(request["path"]),
                n_threads=n_threads,
            )
            child = _forked(frame.body, surroundings)
            result.writer.close()  # so that the end of the child is the end of the pipe
            stderr.writer.close()
            return _watched(child, request, link, result.fd, ErrorTail(stderr.fd))
    except OSError as error:
        return Verdict(
            status=Status.CRASHED, seconds=0.0, reason=f"cannot start a process: {error}"
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _watched(
    child: int, request: Mapping[str, Any], link: ParentLink, result: int, errors: ErrorTail
) -> Verdict:
    """Wait for the end of a call and clear away everything that it started."""
    limits = CallLimits(
        timeout_seconds=request["timeout_seconds"], memory_mib=request["memory_mib"]
    )
    try:
        watch = CallWatch(child, result, limits, MemoryGauge(os.getpid()))
        verdict = watch.until_end(link, request["number"], errors)
    finally:
        end_descendants(_CLEANING_SECONDS)
    if verdict.status is Status.SUCCESS or verdict.traceback:
        return verdict
    return replace(verdict, traceback=errors.text())


def _forked(call: memoryview, surroundings: Surroundings) -> int:
    with warnings.catch_warnings():
        # A module that was imported may have started a thread of its own.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        run_child(call, surroundings)
    return child


class _Pipe(NamedTuple):
    """The two ends of a pipe, the one to read from as a number."""

    fd: int
    writer: IO[bytes]


@contextlib.contextmanager
def _pipe() -> Iterator[_Pipe]:
    """Open a pipe and close both ends in the end."""
    fd, writing = os.pipe()
    with os.fdopen(fd, "rb", 0), os.fdopen(writing, "wb", 0) as writer:
        yield _Pipe(fd, writer)
