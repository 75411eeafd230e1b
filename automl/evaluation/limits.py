"""How many cores and how much memory this process may use, containers and batch jobs included.

Control groups limit a process at each level of their tree, in two versions [1]_ [2]_.

References
----------
.. [1] The Linux kernel documentation, "Control Group v2", sections "CPU" and "Memory".
   https://docs.kernel.org/admin-guide/cgroup-v2.html
.. [2] The Linux kernel documentation, "Memory Resource Controller" and "CFS Bandwidth Control".
   https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Final

import psutil

_PROC: Final = Path("/proc")
_CGROUPS: Final = Path("/sys/fs/cgroup")
# Pages of files that were not used lately: the kernel gives them up before it refuses memory.
_RECLAIMABLE: Final = re.compile(r"^(total_)?inactive_file (\d+)$", re.MULTILINE)


def available_cores(
    *,
    proc: Path = _PROC,
    cgroups: Path = _CGROUPS,
    environment: Mapping[str, str] = os.environ,
) -> int:
    """Return the number of cores that may be kept busy, at least 1.

    A share of a core is not counted: a process that uses up its quota is stopped for a while,
    which falsifies whatever it measures.

    Parameters
    ----------
    proc, cgroups : Path
        Where the kernel shows processes and control groups.
    environment : mapping
        Environment variables, as a batch system sets them.
    """
    job = environment.get("SLURM_CPUS_PER_TASK", "")
    bounds = [float(_allowed_cores()), float(job) if job.isdecimal() else inf]
    for group in _groups("cpu", proc, cgroups):
        quota = _numbers(group / "cpu.max") or [
            *_numbers(group / "cpu.cfs_quota_us"),
            *_numbers(group / "cpu.cfs_period_us"),
        ]
        if len(quota) == 2 and quota[1] > 0.0:
            bounds.append(quota[0] / quota[1])
    return max(1, int(min(bounds)))


def available_memory_mib(*, proc: Path = _PROC, cgroups: Path = _CGROUPS) -> float:
    """Return how much memory can still be used, in MiB.

    Parameters
    ----------
    proc, cgroups : Path
        Where the kernel shows processes and control groups.
    """
    bounds = [float(psutil.virtual_memory().available)]
    for group in _groups("memory", proc, cgroups):
        limit = _numbers(group / "memory.max") or _numbers(group / "memory.limit_in_bytes")
        usage = _numbers(group / "memory.current") or _numbers(group / "memory.usage_in_bytes")
        if limit and usage:
            bounds.append(limit[0] - max(0.0, usage[0] - _reclaimable_bytes(group)))
    return max(0.0, min(bounds)) / 2**20


def _allowed_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _groups(controller: str, proc: Path, cgroups: Path) -> Iterator[Path]:
    """Yield the folders of the control groups that this process is in, innermost first."""
    for line in _text(proc / "self" / "cgroup").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":  # version 2, mounted alone or beside version 1
            roots = [cgroups, cgroups / "unified"]
        elif controller in controllers.split(","):
            roots = [cgroups / controllers, cgroups / controller]
        else:
            continue
        root = next((root for root in roots[::-1] if root.is_dir()), cgroups)
        # In a container the path may be the host's, of which nothing exists below the root.
        inner = root / path.lstrip("/")
        yield from (group for group in (inner, *inner.parents) if group.is_relative_to(root))


def _numbers(path: Path) -> list[float]:
    """Return the numbers in a file, infinite where there is no limit; none without the file."""
    values = [inf if word == "max" else float(word) for word in _text(path).split()]
    return [inf if value < 0.0 else value for value in values]


def _reclaimable_bytes(group: Path) -> float:
    """Return the size of unused file pages in a group and below it."""
    found = {
        total: float(size) for total, size in _RECLAIMABLE.findall(_text(group / "memory.stat"))
    }
    return found.get("total_", found.get("", 0.0))  # version 1 gives both; the total is recursive


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
