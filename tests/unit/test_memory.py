"""Memory of process trees, against what processes are known to have allocated."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

import pytest

from automl.evaluation.memory import MemoryGauge, oom_kills, proportional_mib, resident_mib

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    # The process of the tests may have threads, of which the forked ones need nothing.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


@contextmanager
def forked(action: Callable[[], object]) -> Iterator[int]:
    """Fork a process that does something, keeps the result, and waits to be ended."""
    ready, ready_end = os.pipe()
    wait, wait_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(wait_end)
        kept = action()
        os.write(ready_end, b"1")
        os.read(wait, 1)
        os._exit(kept is None)
    os.close(wait)
    os.read(ready, 1)
    try:
        yield child
    finally:
        for fd in (wait_end, ready, ready_end):
            os.close(fd)
        os.waitpid(child, 0)


def allocate(mib: int) -> bytearray:
    return bytearray(b"x") * (mib * 2**20)


def test_allocating_and_freeing_changes_what_is_resident() -> None:
    before = resident_mib(os.getpid())
    hoard = allocate(50)
    assert resident_mib(os.getpid()) - before == pytest.approx(50, abs=5)
    del hoard
    assert resident_mib(os.getpid()) - before == pytest.approx(0, abs=5)


def test_process_that_has_ended_uses_nothing() -> None:
    with forked(lambda: 1) as pid:
        pass
    assert resident_mib(pid) == 0.0
    assert proportional_mib(pid) == 0.0


def test_growth_of_one_process_is_what_it_allocated() -> None:
    gauge = MemoryGauge(os.getpid())
    with forked(lambda: allocate(40)) as pid:
        growth = gauge.growth_mib([pid], inf)
    assert growth == pytest.approx(40, abs=5)


def test_growth_of_several_processes_counts_shared_pages_once() -> None:
    hoard = allocate(100)
    gauge = MemoryGauge(os.getpid())
    with forked(lambda: allocate(30)) as first, forked(lambda: allocate(20)) as second:
        growth = gauge.growth_mib([first, second], 0.0)
    # Each also sees the 100 MiB from before.
    assert growth == pytest.approx(50, abs=15)
    assert len(hoard) == 100 * 2**20


def test_exact_growth_is_not_asked_for_where_the_bound_suffices() -> None:
    gauge = MemoryGauge(os.getpid())
    with forked(lambda: allocate(30)) as first, forked(lambda: 1) as second:
        assert gauge.growth_mib([first, second], inf) is None


def test_exact_growth_is_not_asked_for_all_the_time() -> None:
    gauge = MemoryGauge(os.getpid())
    with forked(lambda: allocate(30)) as first, forked(lambda: 1) as second:
        assert gauge.growth_mib([first, second], 0.0) is not None
        assert gauge.growth_mib([first, second], 0.0) is None


def test_kills_by_the_system_are_read(tmp_path: Path) -> None:
    file = tmp_path / "vmstat"
    assert oom_kills(file) == 0
    file.write_text("pgfault 5\noom_kill 17\nother_oom_kill 3\n")
    assert oom_kills(file) == 17
    file.write_text("pgfault 5\n")
    assert oom_kills(file) == 0
