"""What happens in the forked child: prepare the process, run the call, send what it returned."""

from __future__ import annotations

import gc
import importlib
import json
import os
import pickle
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from automl.evaluation.calls import Verdict
from automl.evaluation.framing import Payload, chunks, raw, write_frame
from automl.evaluation.memory import resident_mib
from automl.evaluation.processes import die_with_parent, volunteer_for_the_oom_killer
from automl.evaluation.threads import allow_threads
from automl.trial import Status

_REASON_CHARACTERS: Final = 500
_TRACEBACK_CHARACTERS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a child finds when it starts.

    Attributes
    ----------
    supervisor : int
        Process that forked it.
    result : int
        Pipe for what the call returns.
    stderr : int
        Pipe for what the call writes to stderr.
    unwanted : tuple of int
        Pipes of the supervisor, to be closed.
    folder : Path
        Working directory, also for temporary files.
    path : tuple of str
        Where modules are found.
    n_threads : int
        Threads that OpenMP and BLAS may use.
    """

    supervisor: int
    result: int
    stderr: int
    unwanted: tuple[int, ...]
    folder: Path
    path: tuple[str, ...]
    n_threads: int


def run_child(call: memoryview, surroundings: Surroundings) -> NoReturn:
    """Run a pickled call in this freshly forked process, send its verdict and end the process."""
    code = 1
    try:
        _settle(surroundings)
        _answer(call, surroundings.result)
        code = 0
    finally:
        # Neither buffers nor exit handlers nor threads of the learner may delay the end.
        os._exit(code)


def _settle(surroundings: Surroundings) -> None:
    os.setsid()
    die_with_parent(surroundings.supervisor)
    volunteer_for_the_oom_killer()
    os.dup2(surroundings.stderr, 2)
    for fd in (*surroundings.unwanted, surroundings.stderr):
        os.close(fd)
    os.chdir(surroundings.folder)
    for variable in ("TMPDIR", "JOBLIB_TEMP_FOLDER"):
        os.environ[variable] = str(surroundings.folder)
    tempfile.tempdir = None  # forget what was found before
    sys.path[:] = surroundings.path
    importlib.invalidate_caches()
    allow_threads(surroundings.n_threads)
    gc.enable()


def _answer(call: memoryview, result: int) -> None:
    started = time.perf_counter()
    resident = resident_mib(os.getpid())
    try:
        payload = _checked(pickle.loads(call)())
        blobs = [raw(blob) for blob in payload.blobs]
        lengths = tuple(len(blob) for blob in blobs)
        verdict = Verdict(
            status=Status.SUCCESS, seconds=0.0, header=dict(payload.header), lengths=lengths
        ).as_json()
        json.dumps(verdict)  # now, while it can be told what is wrong
    except BaseException as error:  # noqa: BLE001 - whatever a learner throws is a result
        verdict = _failure(error).as_json()
        blobs = []
    verdict["seconds"] = time.perf_counter() - started
    verdict["memory_mib"] = max(0.0, resident_mib(os.getpid()) - resident)
    for blob in blobs:
        for chunk in chunks(blob):
            write_frame(result, {"kind": "part"}, chunk)
    write_frame(result, {"kind": "verdict"} | verdict)


def _checked(payload: object) -> Payload:
    if not isinstance(payload, Payload):
        raise TypeError(f"the call returned {type(payload).__name__} instead of a Payload")
    return payload


def _failure(error: BaseException) -> Verdict:
    trace = error.__traceback__
    return Verdict(
        status=Status.OUT_OF_MEMORY if isinstance(error, MemoryError) else Status.CRASHED,
        seconds=0.0,
        reason=_one_line(error),
        traceback=_formatted(error.with_traceback(trace.tb_next if trace else None)),
    )


def _one_line(error: BaseException) -> str:
    """Return the class and text of an error, whose own methods may be faulty too."""
    name = type(error).__name__
    try:
        text = " ".join(str(error)[: 10 * _REASON_CHARACTERS].split())
    except BaseException:  # noqa: BLE001 - see above
        text = "(its text cannot be shown)"
    return f"{name}: {text}"[:_REASON_CHARACTERS] if text else name


def _formatted(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error))[-_TRACEBACK_CHARACTERS:]
    except BaseException:  # noqa: BLE001 - see above
        return ""
