"""Calls in workers of a joblib backend, on this machine or another one.

A worker that can reach the folder of the table maps it into memory. One that cannot asks for the
table's files, keeps a copy of its own until it ends, and maps that.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cloudpickle
import joblib

from automl.data.table_store import TableHandle
from automl.evaluation.calls import CallLimits, Reply, SandboxSettings
from automl.evaluation.framing import Payload
from automl.evaluation.sandbox_pool import borrowed_sandbox
from automl.trial import Status


@dataclass(frozen=True, slots=True)
class Request:
    """What travels to a worker for one call.

    Attributes
    ----------
    settings : SandboxSettings
        The sandbox that the call runs in.
    call : bytes
        The pickled call; it has an attribute `table`.
    limits : CallLimits
        What the call may use.
    table : TableHandle
        Where the table is on the machine that sends.
    files : mapping of str to bytes, or None
        The table itself, if the worker asked for it.
    """

    settings: SandboxSettings
    call: bytes
    limits: CallLimits
    table: TableHandle
    files: Mapping[str, bytes] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back: a reply in parts that can be pickled, or the wish for the table."""

    reply: Reply | None = None
    blobs: tuple[bytes, ...] = ()


class RemoteRun:
    """Runs calls in workers of a joblib backend.

    Parameters
    ----------
    backend : joblib backend
        The active one.
    settings : SandboxSettings
        The sandbox of each worker.
    n_slots : int
        Calls that run at the same time.
    table : TableHandle
        Where the table is on this machine.
    """

    def __init__(
        self, backend: Any, settings: SandboxSettings, n_slots: int, table: TableHandle
    ) -> None:
        self._backend = backend
        self._settings = settings
        self._n_slots = max(2, n_slots)  # joblib runs a single job in the calling process
        self._table = table

    def __call__(self, call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:
        """Run one call to its end."""
        if cancelled.is_set():
            return Reply(status=Status.CANCELLED, seconds=0.0, reason="the search was stopped")
        request = Request(self._settings, call, limits, self._table)
        answer = self._ask(request)
        if answer.reply is None:
            answer = self._ask(replace(request, files=_read_files(Path(self._table.path))))
        if answer.reply is None:
            raise RuntimeError("a worker asked twice for the table")
        return replace(answer.reply, blobs=tuple(memoryview(blob) for blob in answer.blobs))

    def _ask(self, request: Request) -> Answer:
        # The active backend belongs to a thread, so each slot activates it for itself.
        with joblib.parallel_config(backend=self._backend, n_jobs=self._n_slots):
            answer: Answer = joblib.Parallel()([joblib.delayed(answer_request)(request)])[0]
        return answer


def answer_request(request: Request) -> Answer:
    """Run the call of a request in a sandbox that stays with this worker process."""
    folder = _local_folder(request)
    if folder is None:
        return Answer()
    call = request.call
    if folder != request.table.path:
        call = cloudpickle.dumps(_Relocated(request.call, folder))
    with borrowed_sandbox(request.settings) as sandbox:
        reply = sandbox.run(call, request.limits)
    # Views of memory do not travel between processes.
    return Answer(replace(reply, blobs=()), tuple(bytes(blob) for blob in reply.blobs))


@dataclass(frozen=True, slots=True)
class _Relocated:
    """A pickled call whose table lies elsewhere on this machine."""

    call: bytes
    folder: str

    def __call__(self) -> Payload:
        call = cloudpickle.loads(self.call)
        payload: Payload = replace(call, table=replace(call.table, path=self.folder))()
        return payload


_COPIES: dict[str, str] = {}  # tables that this process was sent, by the folder they came from
_COPIES_LOCK = threading.Lock()


def _local_folder(request: Request) -> str | None:
    """Return where the table is on this machine, or None if it has to be sent."""
    origin = request.table.path
    if Path(origin).is_dir():
        return origin
    with _COPIES_LOCK:
        if origin not in _COPIES and request.files is not None:
            _COPIES[origin] = _write_files(request.files)
        return _COPIES.get(origin)


def _read_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _write_files(files: Mapping[str, bytes]) -> str:
    folder = tempfile.mkdtemp(prefix="automl-table-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, content in files.items():
        (Path(folder) / name).write_bytes(content)
    return folder
