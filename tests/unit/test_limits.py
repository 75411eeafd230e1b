"""Cores and memory, from control groups of both versions laid out in a temporary folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from automl.evaluation.limits import available_cores, available_memory_mib

MIB = 2**20
NOTHING: Mapping[str, str] = {}


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend to have 64 cores and 64 GiB."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(64)), raising=False)
    memory = SimpleNamespace(available=64 * 1024 * MIB)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory)


def lay_out(folder: Path, membership: str, files: Mapping[str, str]) -> dict[str, Path]:
    """Write control group files; return the arguments that lead to them."""
    proc, cgroups = folder / "proc", folder / "cgroup"
    contents = {cgroups / name: text for name, text in files.items()}
    contents[proc / "self" / "cgroup"] = membership
    for path, text in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {"proc": proc, "cgroups": cgroups}


def test_without_control_groups_the_affinity_counts(tmp_path: Path) -> None:
    assert available_cores(proc=tmp_path, cgroups=tmp_path, environment=NOTHING) == 64


def test_without_control_groups_the_free_memory_counts(tmp_path: Path) -> None:
    assert available_memory_mib(proc=tmp_path, cgroups=tmp_path) == 64 * 1024


@pytest.mark.parametrize(
    ("quota", "cores"),
    [
        ("400000 100000", 4),
        ("350000 100000", 3),
        ("50000 100000", 1),
        ("25000 50000", 1),
        ("max 100000", 64),
        ("9900000 100000", 64),
    ],
)
def test_quota_of_version_2_is_rounded_down_to_whole_cores(
    tmp_path: Path, quota: str, cores: int
) -> None:
    where = lay_out(tmp_path, "0::/job\n", {"job/cpu.max": quota + "\n"})
    assert available_cores(**where, environment=NOTHING) == cores


def test_smallest_quota_on_the_way_to_the_root_counts(tmp_path: Path) -> None:
    files = {"a/cpu.max": "200000 100000", "a/b/cpu.max": "700000 100000", "a/b/c/cpu.max": "max 1"}
    where = lay_out(tmp_path, "0::/a/b/c\n", files)
    assert available_cores(**where, environment=NOTHING) == 2


def test_a_neighbouring_group_does_not_count(tmp_path: Path) -> None:
    files = {"mine/cpu.max": "max 100000", "other/cpu.max": "100000 100000"}
    where = lay_out(tmp_path, "0::/mine\n", files)
    assert available_cores(**where, environment=NOTHING) == 64


def test_in_a_container_the_path_of_the_host_leads_to_the_root(tmp_path: Path) -> None:
    where = lay_out(tmp_path, "0::/docker/abc\n", {"cpu.max": "300000 100000"})
    assert available_cores(**where, environment=NOTHING) == 3


@pytest.mark.parametrize(("quota", "cores"), [("250000", 2), ("-1", 64)])
def test_quota_of_version_1(tmp_path: Path, quota: str, cores: int) -> None:
    files = {
        "cpu,cpuacct/job/cpu.cfs_quota_us": quota,
        "cpu,cpuacct/job/cpu.cfs_period_us": "100000",
    }
    where = lay_out(tmp_path, "5:memory:/x\n4:cpu,cpuacct:/job\n", files)
    assert available_cores(**where, environment=NOTHING) == cores


def test_version_1_beside_an_empty_version_2(tmp_path: Path) -> None:
    files = {
        "unified/cgroup.procs": "1",
        "cpu/cpu.cfs_quota_us": "500000",
        "cpu/cpu.cfs_period_us": "100000",
    }
    where = lay_out(tmp_path, "3:cpu,cpuacct:/gone\n0::/\n", files)
    assert available_cores(**where, environment=NOTHING) == 5


@pytest.mark.parametrize(("job", "cores"), [("6", 6), ("200", 64), ("", 64), ("4(x2)", 64)])
def test_cores_of_a_batch_job(tmp_path: Path, job: str, cores: int) -> None:
    environment = {"SLURM_CPUS_PER_TASK": job}
    assert available_cores(proc=tmp_path, cgroups=tmp_path, environment=environment) == cores


def test_affinity_below_the_quota_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {3, 5}, raising=False)
    where = lay_out(tmp_path, "0::/\n", {"cpu.max": "400000 100000"})
    assert available_cores(**where, environment=NOTHING) == 2


def test_memory_of_version_2_is_limit_minus_what_cannot_be_reclaimed(tmp_path: Path) -> None:
    files = {
        "job/memory.max": str(1000 * MIB),
        "job/memory.current": str(700 * MIB),
        "job/memory.stat": f"anon 5\ninactive_file {200 * MIB}\nactive_file {90 * MIB}\n",
    }
    where = lay_out(tmp_path, "0::/job\n", files)
    assert available_memory_mib(**where) == 500


def test_memory_of_version_1_counts_the_groups_below(tmp_path: Path) -> None:
    stat = f"inactive_file {1 * MIB}\ntotal_inactive_file {100 * MIB}\n"
    files = {
        "memory/job/memory.limit_in_bytes": str(1000 * MIB),
        "memory/job/memory.usage_in_bytes": str(400 * MIB),
        "memory/job/memory.stat": stat,
    }
    where = lay_out(tmp_path, "5:memory:/job\n", files)
    assert available_memory_mib(**where) == 700


def test_memory_without_a_limit_is_what_is_free(tmp_path: Path) -> None:
    files = {"memory.max": "max", "memory.current": str(MIB)}
    where = lay_out(tmp_path, "0::/\n", files)
    assert available_memory_mib(**where) == 64 * 1024


def test_tightest_memory_limit_on_the_way_to_the_root_counts(tmp_path: Path) -> None:
    files = {
        "a/memory.max": str(300 * MIB),
        "a/memory.current": str(100 * MIB),
        "a/b/memory.max": str(250 * MIB),
        "a/b/memory.current": str(10 * MIB),
    }
    where = lay_out(tmp_path, "0::/a/b\n", files)
    assert available_memory_mib(**where) == 200


def test_memory_beyond_the_limit_is_none_left(tmp_path: Path) -> None:
    files = {"memory.max": str(100 * MIB), "memory.current": str(120 * MIB)}
    where = lay_out(tmp_path, "0::/\n", files)
    assert available_memory_mib(**where) == 0.0


def test_this_machine_gives_plausible_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert 1 <= available_cores() <= (os.cpu_count() or 1)
    assert 0.0 < available_memory_mib() <= psutil.virtual_memory().total / MIB
