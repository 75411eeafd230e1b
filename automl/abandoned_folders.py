"""Temporary folders that processes leave behind which are killed and cannot remove them.

A folder says whose it is, and the next fit removes those of owners that have ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import stat
from pathlib import Path
from typing import Final

import psutil

MARK: Final = ".owner.json"
"""File in a temporary folder that says which process it belongs to."""

PREFIX: Final = "automl-"
"""How the names of temporary folders begin."""


def mark(folder: Path) -> None:
    """Write into a temporary folder that it belongs to this process."""
    (folder / MARK).write_text(json.dumps(_owner(os.getpid())))


def sweep(place: Path) -> None:
    """Remove the temporary folders of fits whose process has ended without doing so.

    Only folders of this user are touched, and only those with a mark that was written on this
    machine, or in this container: elsewhere the same number is another process.

    Parameters
    ----------
    place : Path
        Where temporary folders are.
    """
    with contextlib.suppress(OSError):  # leftovers are no reason to refuse a fit
        for folder in place.glob(f"{PREFIX}*"):
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        if not _is_mine(folder, stat.S_IFDIR) or not _is_mine(folder / MARK, stat.S_IFREG):
            return False
        mark = json.loads((folder / MARK).read_text())
        pid = mark["pid"]
        # A number that is in use again belongs to a process with another start.
        return bool(_home() == mark["home"] and _start(pid) != mark["start"])
    except (OSError, ValueError, TypeError, KeyError, psutil.AccessDenied):
        return False  # no mark of ours, or nothing to be learnt of its process


def _is_mine(path: Path, kind: int) -> bool:
    """Return whether a path is of a kind, itself and not through a link, and of this user."""
    found = path.lstat()
    return stat.S_IFMT(found.st_mode) == kind and found.st_uid == os.getuid()


def _owner(pid: int) -> dict[str, object]:
    return {"pid": pid, "start": _start(pid), "home": _home()}


def _home() -> str:
    """Return where numbers of processes mean what they mean here: the machine and its container."""
    with contextlib.suppress(OSError):
        return f"{socket.gethostname()} {Path('/proc/self/ns/pid').readlink()}"
    return socket.gethostname()


def _start(pid: int) -> float | None:
    """Return when a process started, always the same number for one; None if it has ended."""
    try:
        if not Path("/proc/self/stat").exists():
            return float(psutil.Process(pid).create_time())
        # Ticks since the start of the machine, field 22: unlike the time of day, no clock that is
        # set anew changes them. The name of the program, field 2, may hold blanks and brackets.
        return float(Path(f"/proc/{int(pid)}/stat").read_text().rpartition(")")[2].split()[19])
    except (FileNotFoundError, ProcessLookupError, psutil.NoSuchProcess):
        return None
