"""Process trees: find every descendant of a process, and end it.

On Linux a subreaper adopts its orphaned descendants, so nothing leaves the tree, not even a
process that starts a session of its own. Elsewhere such a process is lost from sight.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

import psutil

MARK: Final = "DIVBO_SANDBOX"  # environment variable that every descendant inherits

_PR_SET_PDEATHSIG: Final = 1  # linux/prctl.h
_PR_SET_CHILD_SUBREAPER: Final = 36
_LIBC: Final = ctypes.CDLL(None) if sys.platform == "linux" else None
_HAS_CHILDREN_FILES: Final = Path("/proc/thread-self/children").exists()


def become_subreaper() -> None:
    """Adopt descendants whose own parent ends, where the system can do that."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Have this process killed when the thread that forked it ends.

    Parameters
    ----------
    parent : int
        Process that should be the parent: it may have ended already.
    """
    _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(1)


def volunteer_for_the_oom_killer() -> None:
    """Have the kernel, when it runs out of memory, choose this process before any other."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def descendants(root: int) -> list[int]:
    """Return the processes below a process, parents before their children."""
    if not _HAS_CHILDREN_FILES:
        with contextlib.suppress(psutil.Error):
            return [process.pid for process in psutil.Process(root).children(recursive=True)]
        return []
    found = _children(root)
    for pid in found:  # grows while it is walked
        found.extend(_children(pid))
    return found


def _children(pid: int) -> list[int]:
    """Return the processes that any thread of a process started or adopted."""
    found: list[int] = []
    with contextlib.suppress(OSError):  # the process has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found.extend(int(child) for child in (thread / "children").read_text().split())
    return found


def end_descendants(seconds: float) -> bool:
    """Kill everything below this process and wait until it is gone.

    A process may fork while its tree is being walked, hence the rounds: with a subreaper,
    having no child left means having no descendant left.

    Returns
    -------
    bool
        Whether nothing is left.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for pid in descendants(os.getpid()):
            kill(pid)
        if not _reap():
            return True
        time.sleep(0.0005)
    return False


def _reap() -> bool:
    """Collect the children that have ended; return whether some have not."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def kill(pid: int) -> None:
    """End a process, if it still exists."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def end_marked(mark: str, seconds: float) -> None:
    """Kill every process whose environment carries a mark; for trees that lost their root."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        marked = [process.pid for process in psutil.process_iter() if _mark(process) == mark]
        if not marked:
            return
        for pid in marked:
            kill(pid)
        time.sleep(0.002)


def _mark(process: psutil.Process) -> str | None:
    with contextlib.suppress(psutil.Error, OSError):
        environment: dict[str, str] = process.environ()
        return environment.get(MARK)
    return None


def exit_reason(code: int) -> str:
    """Return one line on how a process ended.

    Parameters
    ----------
    code : int
        Exit code, or the negative number of the signal that ended it.

    Examples
    --------
    >>> exit_reason(-11)
    'killed by signal 11 (SIGSEGV)'
    >>> exit_reason(1)
    'ended with exit code 1 and no reply'
    """
    if code >= 0:
        return f"ended with exit code {code} and no reply"
    names = {int(number): number.name for number in signal.Signals}
    return f"killed by signal {-code} ({names.get(-code, 'no name')})"


def _prctl(option: int, argument: int) -> None:
    if _LIBC is not None:
        _LIBC.prctl(option, argument, 0, 0, 0)
