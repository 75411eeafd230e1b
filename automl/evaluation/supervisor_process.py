"""The parent's handle on a supervisor: starts it, talks to it, makes sure that it ends."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

from automl.errors import SandboxError
from automl.evaluation.calls import SandboxSettings
from automl.evaluation.error_tail import shown
from automl.evaluation.framing import CHUNK_BYTES, Frame, FrameReader, is_ready, write_frame
from automl.evaluation.processes import MARK, end_marked, exit_reason
from automl.evaluation.threads import supervisor_environment

# The parent's module path must be in place before anything of ours can be imported.
_BOOTSTRAP: Final = (
    "import json, sys; settings = json.loads(sys.argv.pop()); sys.path[:] = settings.pop('path'); "
    "from automl.evaluation.supervisor import main; main(**settings)"
)
_PREFIX: Final = "divbo-"
_ENDING_SECONDS: Final = 2.0
_STDERR_BYTES: Final = 16_384


class SupervisorLostError(Exception):
    """The supervisor has ended, or does not read what is sent."""


class SupervisorProcess:
    """A running supervisor.

    Parameters
    ----------
    settings : SandboxSettings
        How it prepares calls.

    Raises
    ------
    SandboxError
        If no process can be started.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        if not hasattr(os, "fork"):
            raise SandboxError("evaluation processes need a POSIX system: this one cannot fork")
        try:
            folder = tempfile.mkdtemp(prefix=_PREFIX)
            self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        except OSError as error:
            raise SandboxError(f"cannot create a temporary folder: {error}") from error
        self._process = _start(settings, folder, self._stderr)
        # Also runs when this object is forgotten and when the interpreter ends.
        self._end = weakref.finalize(self, _end, self._process, folder, self._stderr, os.getpid())
        self._requests = _fd(self._process.stdin)
        self._replies = _fd(self._process.stdout)
        os.set_blocking(self._requests, False)
        self._reader = FrameReader()
        self._frames: deque[Frame] = deque()

    def send(self, header: Mapping[str, Any], body: bytes = b"", *, seconds: float) -> None:
        """Send a request, waiting at most some seconds for the supervisor to read it.

        Raises
        ------
        SupervisorLostError
            If it does not read.
        """
        deadline = time.monotonic() + seconds

        def keep_waiting() -> bool:
            return time.monotonic() < deadline and self._process.poll() is None

        try:
            write_frame(self._requests, header, body, keep_waiting=keep_waiting)
        except OSError as error:  # TimeoutError is one
            raise SupervisorLostError from error

    def receive(self, seconds: float) -> Frame | None:
        """Return the next reply, or nothing if none is complete within the time.

        Raises
        ------
        SupervisorLostError
            If there will be none.
        """
        if not self._frames:
            # Another process may hold a copy of the pipe's other end: so ask for both.
            has_ended = self._process.poll() is not None
            if is_ready(self._replies, select.POLLIN, seconds):
                self._read()
            elif has_ended:
                raise SupervisorLostError
        return self._frames.popleft() if self._frames else None

    def _read(self) -> None:
        data = os.read(self._replies, CHUNK_BYTES)
        if not data:
            raise SupervisorLostError
        self._frames.extend(self._reader.feed(data))

    def last_words(self) -> str:
        """Return the end of what was written to stderr."""
        end = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, end - _STDERR_BYTES))
        return shown(self._stderr.read())

    def kill(self) -> str:
        """End the process, and all it started, at once; return how it ended."""
        _kill(self._process)
        reason = exit_reason(self._process.wait())
        self._end()
        return reason

    def close(self) -> None:
        """Let the process end; when this returns, nothing of it is left."""
        self._end()


def _start(settings: SandboxSettings, folder: str, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    arguments = {
        "path": module_path(),
        "parent": os.getpid(),
        "folder": folder,
        "preload": settings.preload,
        "n_threads": settings.n_threads,
        "idle_seconds": settings.idle_seconds,
        "startup_seconds": settings.startup_seconds,
    }
    try:
        return subprocess.Popen(
            # -P: nothing in the current folder may stand in for a module of the bootstrap.
            [sys.executable, "-P", "-c", _BOOTSTRAP, json.dumps(arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            env=supervisor_environment(os.environ, settings.n_threads) | {MARK: folder},
            start_new_session=True,  # an interrupt from the terminal is for the parent alone
        )
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        stderr.close()
        raise SandboxError(f"cannot start {sys.executable!r}: {error}") from error


def module_path() -> list[str]:
    """Return where this process finds modules, whatever its working directory is later."""
    entries = [Path(entry) for entry in sys.path if isinstance(entry, str)]
    with contextlib.suppress(FileNotFoundError):
        return [str(entry.absolute()) for entry in entries]
    return [str(entry) for entry in entries if entry.is_absolute()]  # the current folder is gone


def _fd(pipe: IO[bytes] | None) -> int:
    if pipe is None:
        raise SandboxError("a pipe to the supervisor is missing")
    return pipe.fileno()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes], folder: str, stderr: IO[bytes], owner: int) -> None:
    for pipe in (process.stdin, process.stdout, stderr):
        if pipe is not None:
            pipe.close()  # of requests: which tells the supervisor to end
    if os.getpid() != owner:
        process.returncode = 0  # a fork of the owner has only copies: nothing to end or warn about
        return
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_ENDING_SECONDS)
    _kill(process)
    if process.wait() != 0:
        end_marked(folder, _ENDING_SECONDS)  # it could not clear away what its calls had started
    shutil.rmtree(folder, ignore_errors=True)
