"""How much memory a process tree uses beyond what it started with.

Only anonymous and shared anonymous memory counts, swapped out or not: shared libraries, memory
maps of data and address space that is merely reserved cost nothing.
"""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psutil

_RESIDENT: Final = re.compile(rb"(?:RssAnon|RssShmem|VmSwap):\s*(\d+) kB")
_PROPORTIONAL: Final = re.compile(rb"(?:Pss_Anon|Pss_Shmem|SwapPss):\s*(\d+) kB")
_OOM_KILLS: Final = re.compile(rb"^oom_kill (\d+)", re.MULTILINE)


def resident_mib(pid: int) -> float:
    """Return the anonymous memory that a process can see, pages shared with others included."""
    if sys.platform == "linux":
        return _sum_mib(_RESIDENT, Path(f"/proc/{pid}/status"))
    with contextlib.suppress(psutil.Error):
        return float(psutil.Process(pid).memory_info().rss) / 2**20
    return 0.0


def proportional_mib(pid: int) -> float:
    """Return the anonymous memory of a process, each shared page divided among its sharers."""
    path = Path(f"/proc/{pid}/smaps_rollup")
    return (_sum_mib(_PROPORTIONAL, path) if path.exists() else 0.0) or resident_mib(pid)


def _sum_mib(pattern: re.Pattern[bytes], path: Path) -> float:
    try:
        text = path.read_bytes()
    except OSError:  # the process has ended
        return 0.0
    return sum(int(kib) for kib in pattern.findall(text)) / 1024


def oom_kills(path: Path = Path("/proc/vmstat")) -> int:
    """Return how many processes the kernel has killed for lack of memory."""
    with contextlib.suppress(OSError):
        found = _OOM_KILLS.search(path.read_bytes())
        return int(found[1]) if found else 0
    return 0


class MemoryGauge:
    """Measures the growth of a forked process and its descendants.

    Parameters
    ----------
    root : int
        Process that forks: what it has at the start is what its child starts with.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._start = resident_mib(root)
        self._not_before = 0.0

    def growth_mib(self, pids: Sequence[int], threshold: float) -> float | None:
        """Return the growth, or nothing if it is surely below a threshold or was just measured.

        Forked processes share pages, so the sum of what each can see only bounds the growth from
        above. The exact figure takes milliseconds per process and is asked for a tenth of the
        time at most.
        """
        bound = sum(resident_mib(pid) for pid in pids) - self._start
        if len(pids) <= 1:
            return max(0.0, bound)
        now = time.monotonic()
        if bound <= threshold or now < self._not_before:
            return None
        # All distinct pages of the forking process and the tree, minus those it began with.
        total = sum(proportional_mib(pid) for pid in (self._root, *pids))
        self._not_before = time.monotonic() + 10 * (time.monotonic() - now)
        return max(0.0, min(bound, total - self._start))
