"""Calls in worker processes: their results, their order, and their end with their owner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from automl.benchmark.worker_calls import calls_as_they_end

_OWNER = """
import sys
from pathlib import Path
from automl.benchmark.worker_calls import calls_as_they_end
from test_worker_calls import note_and_sleep

list(calls_as_they_end(note_and_sleep, [(Path(sys.argv[1]), n) for n in range(2)], n_jobs=2))
"""


def note_and_sleep(folder: Path, number: int) -> None:
    partial = folder / f"{number}.partial"
    partial.write_text(str(os.getpid()))
    partial.rename(folder / f"{number}.pid")
    time.sleep(600.0)


def late_first(number: int) -> tuple[int, int]:
    time.sleep(1.0 if number == 0 else 0.0)
    return number, os.getpid()


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # an ended one that nobody has waited for


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_come_in_the_order_of_the_arguments_if_that_is_wanted(n_jobs: int) -> None:
    found = list(
        calls_as_they_end(late_first, [(n,) for n in range(4)], n_jobs=n_jobs, in_order=True)
    )
    assert [number for number, _ in found] == [0, 1, 2, 3]
    assert {process == os.getpid() for _, process in found} == {n_jobs == 1}


def test_otherwise_in_the_order_of_ending() -> None:
    found = list(calls_as_they_end(late_first, [(n,) for n in range(4)], n_jobs=2))
    assert sorted(number for number, _ in found) == [0, 1, 2, 3]
    assert found[0][0] != 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_when_their_owner_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    owner = subprocess.Popen(
        [sys.executable, "-c", _OWNER, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )
    deadline = time.monotonic() + 120.0
    while len(notes := list(tmp_path.glob("*.pid"))) < 2:
        assert owner.poll() is None
        assert time.monotonic() < deadline, "no worker has started"
        time.sleep(0.1)
    workers = [int(note.read_text()) for note in notes]
    assert all(is_running(worker) for worker in workers)
    owner.send_signal(number)
    owner.wait(60.0)
    while any(is_running(worker) for worker in workers):
        assert time.monotonic() < deadline, "workers are still there"
        time.sleep(0.1)
