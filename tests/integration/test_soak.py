"""What a search leaves behind is found, and it is nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from automl.benchmark.soak import Check, Holdings, Report, checks, holdings, settled, surroundings

SCRIPT = Path(__file__).parents[2] / "bin" / "soak"
CLEAN = Holdings(
    processes=0,
    threads=1,
    file_handles=5,
    temporary_files=0,
    shared_memory=2,
    memory_megabytes=100.0,
)


@pytest.mark.slow
def test_a_search_with_misbehaving_learners_leaves_nothing_behind() -> None:
    command = [sys.executable, str(SCRIPT), "--evaluations", "15"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    summary, head, _, *rows = done.stdout.splitlines()
    assert summary.startswith("15 evaluations in ")
    assert head == "| what | before | after | at most | ok |"
    assert len(rows) == 7
    assert all(row.endswith("| ok |") for row in rows)


@pytest.fixture
def before() -> Iterator[Holdings]:
    with surroundings():
        yield holdings()


def worse(before: Holdings) -> list[str]:
    """Return what is above its bound now, other processes of the machine aside."""
    after = holdings()
    return [c.what for c in checks(before, after) if not c.is_ok and c.what != "shared memory"]


def test_a_process_that_was_left_behind_is_found_though_its_parent_has_ended(
    before: Holdings,
) -> None:
    orphan = "import subprocess; print(subprocess.Popen(['sleep', '60']).pid)"
    with subprocess.Popen([sys.executable, "-c", orphan], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = parent.stdout.readline().decode().strip()
    assert worse(before) == ["processes"]
    subprocess.run(["kill", pid], check=True)


def test_an_open_file_is_found(before: Holdings) -> None:
    with Path("/dev/null").open():
        assert worse(before) == ["file handles"]
    assert worse(before) == []


def test_a_temporary_file_in_a_folder_is_found(before: Holdings) -> None:
    Path(tempfile.mkdtemp(), "left").write_text("x")
    after = holdings()
    assert after.temporary_files == before.temporary_files + 2


def test_the_folder_of_temporary_files_is_the_former_one_again() -> None:
    folder = tempfile.gettempdir()
    with surroundings():
        assert tempfile.gettempdir() != folder
    assert tempfile.gettempdir() == folder


def test_some_growth_of_the_memory_is_allowed() -> None:
    (allowed,) = checks(CLEAN, replace(CLEAN, memory_megabytes=199.0))[-1:]
    assert allowed.is_ok
    (refused,) = checks(CLEAN, replace(CLEAN, memory_megabytes=201.0))[-1:]
    assert refused.row() == "| memory megabytes | 100 | 201 | 200 | ABOVE |"
    assert not Report("", (allowed, refused)).is_ok


def test_what_is_still_ending_is_waited_for() -> None:
    looks = iter([replace(CLEAN, processes=2), replace(CLEAN, processes=1), CLEAN])
    assert settled(lambda: next(looks), CLEAN) == CLEAN


def test_what_does_not_end_is_reported() -> None:
    left = replace(CLEAN, shared_memory=3)
    assert settled(lambda: left, CLEAN, patience=0.2) == left
    assert Check("shared memory", 2, 3, 2) in checks(CLEAN, left)
