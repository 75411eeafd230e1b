"""Calls that misbehave: each stands for a way in which a learner can harm the process it runs in.

They are bounded, so that nothing of them outlives a test by much even if it is not stopped.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from automl.evaluation.framing import Payload

SECONDS = 30.0  # how long what should be stopped goes on if it is not
MIB = 2**20

counter = 0  # changed by `count`


def answer() -> Payload:
    return Payload(header={"answer": 42, "pid": os.getpid(), "supervisor": os.getppid()})


def sleep(seconds: float = SECONDS) -> Payload:
    time.sleep(seconds)
    return Payload(header={"slept": seconds})


def ignore_everything() -> Payload:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            time.sleep(1.0)
        except BaseException:  # noqa: BLE001 - that is the point
            continue
    return answer()


def stop_itself() -> Payload:
    os.kill(os.getpid(), signal.SIGSTOP)
    return answer()


def kill_itself() -> Payload:
    os.kill(os.getpid(), signal.SIGKILL)
    return sleep()


def segfault() -> Payload:
    ctypes.string_at(0)
    return answer()


def raise_error(error: BaseException) -> NoReturn:
    raise error


def raise_unprintable() -> NoReturn:
    class UnprintableError(Exception):
        def __str__(self) -> str:  # type: ignore[explicit-override]
            raise ValueError("even this fails")

    raise UnprintableError


def exit_quietly(code: int) -> NoReturn:
    sys.stderr.write("last words\n")
    os._exit(code)


def exit_and_leave_heirs() -> NoReturn:
    fork_sleepers(2)
    os._exit(3)


def close_pipes() -> Payload:
    os.closerange(3, 256)
    return sleep()


def allocate(step_mib: int = 20) -> Payload:
    hoard = []
    for _ in range(100):  # at most 2 GB
        hoard.append(bytearray(b"x") * (step_mib * MIB))
        time.sleep(0.01)
    return answer()


def allocate_in_grandchild() -> Payload:
    child = os.fork()
    if child == 0:
        allocate()
        os._exit(0)
    os.waitpid(child, 0)
    return answer()


def share_with_grandchildren(mib: int, n_children: int) -> Payload:
    """Fork processes that see the same pages: they use no memory of their own."""
    shared = bytearray(b"x") * (mib * MIB)
    fork_sleepers(n_children)
    time.sleep(0.3)
    return Payload(header={"bytes": len(shared)})


def ask_for_the_impossible() -> Payload:
    return Payload(header={"length": len(bytearray(2**60))})


def fork_sleepers(n_children: int, *, with_sessions: bool = False) -> list[int]:
    """Fork processes that sleep; they hold all pipes open and may leave the process group."""
    children = []
    for _ in range(n_children):
        child = os.fork()
        if child == 0:
            if with_sessions:
                os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(SECONDS)
            os._exit(0)
        children.append(child)
    return children


def fork_bomb(pids: Path | None = None, seconds: float = 0.0) -> Payload:
    """Fork children, grandchildren and an orphan in a session of its own; note who they are."""
    children = fork_sleepers(3)
    reading, writing = os.pipe()
    middle = os.fork()
    if middle == 0:
        os.setsid()
        orphans = fork_sleepers(1, with_sessions=True)
        os.write(writing, pickle.dumps(orphans))
        os._exit(0)  # its child is an orphan from now on
    os.waitpid(middle, 0)
    children += pickle.loads(os.read(reading, 1000))
    if pids is not None:
        text = " ".join(str(pid) for pid in [os.getpid(), os.getppid(), *children])
        pids.with_suffix(".new").write_text(text)
        pids.with_suffix(".new").rename(pids)
    time.sleep(seconds)
    return Payload(header={"pids": children})


def kill_supervisor(pids: Path) -> Payload:
    fork_bomb(pids)
    os.kill(os.getppid(), signal.SIGKILL)
    return sleep()


def stop_supervisor() -> Payload:
    os.kill(os.getppid(), signal.SIGSTOP)
    return sleep()


def return_bytes(*lengths: int) -> Payload:
    blobs = tuple(bytes([number + 1]) * length for number, length in enumerate(lengths))
    return Payload(header={"lengths": list(lengths)}, blobs=blobs)


def return_unreadable_header() -> Payload:
    return Payload(header={"value": object()})


def return_something_else() -> list[int]:
    return [1, 2, 3]


def write_garbage() -> Payload:
    """Write to every pipe that is open, the one for the reply among them."""
    for fd in range(3, 64):
        try:
            os.write(fd, b"\xff" * 64)
        except OSError:
            continue
    return answer()


def make_noise() -> Payload:
    sys.stdout.write("noise")
    warnings.warn("noise", stacklevel=1)
    os.write(1, b"raw noise\n" * 100_000)
    os.write(2, b"raw noise\n" * 100_000)
    sys.stderr.write("end of the noise\n")
    return answer()


def read_input() -> Payload:
    return Payload(header={"input": sys.stdin.read()})


def leave_files() -> Payload:
    Path("left_by_learner.tmp").write_bytes(bytes(MIB))
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(b"left, too")
    Path("folder/in/folder").mkdir(parents=True)
    return Payload(header={"files": [str(Path("left_by_learner.tmp").resolve()), file.name]})


def change_surroundings() -> Payload:
    before = surroundings().header
    os.environ["LEFT_BY_LEARNER"] = "yes"
    os.chdir("/")
    sys.path.insert(0, "/left/by/learner")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.umask(0o777)
    return Payload(header=before)


def surroundings() -> Payload:
    umask = os.umask(0)
    os.umask(umask)
    return Payload(
        header={
            "environment": os.environ.get("LEFT_BY_LEARNER"),
            "folder_is_empty": not list(Path.cwd().iterdir()),
            "has_path": "/left/by/learner" in sys.path,
            "ignores_sigterm": signal.getsignal(signal.SIGTERM) is signal.SIG_IGN,
            "umask": umask,
        }
    )


def count() -> Payload:
    global counter
    counter += 1
    return Payload(header={"counter": counter})


def leave_thread_running() -> Payload:
    threading.Thread(target=time.sleep, args=(SECONDS,)).start()
    return answer()


def open_files() -> Payload:
    """Count what the child and its supervisor have open."""
    own, supervisor = Path("/proc/self/fd"), Path(f"/proc/{os.getppid()}/fd")
    return Payload(
        header={"own": len(list(own.iterdir())), "supervisor": len(list(supervisor.iterdir()))}
    )


class FailsToUnpickle:
    """Does something when it is unpickled."""

    def __init__(self, action: Callable[..., object], *arguments: object) -> None:
        self._action = action
        self._arguments = arguments

    def __reduce__(  # type: ignore[explicit-override]
        self,
    ) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self._action, self._arguments
