"""What is left of fits that were killed, and what only looks like that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from automl import abandoned_folders as module
from automl.abandoned_folders import MARK, sweep
from automl.work_folder import work_folder

OWNER = """
import sys, time
from automl.work_folder import work_folder
with work_folder(None, None) as folder:
    print(folder.path, flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a place for temporary folders that is this test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def killed(place: Path) -> Path:
    """Return the folder of a process that was killed."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(place)}
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.parent == place
        (folder / "models").mkdir()
        (folder / "models" / "0.models").write_bytes(b"large")
        sweep(place)
        assert folder.exists()  # its owner lives
        process.kill()
    return folder


def rewrite(folder: Path, **values: Any) -> None:
    mark = json.loads((folder / MARK).read_text())
    (folder / MARK).write_text(json.dumps(mark | values))


def test_a_temporary_folder_is_there_and_then_gone(place: Path) -> None:
    with work_folder(None, None) as folder:
        assert folder.path.is_dir()
        assert folder.path.parent == place
    assert list(place.iterdir()) == []


def test_a_temporary_folder_is_removed_after_an_error_too(place: Path) -> None:
    with pytest.raises(ZeroDivisionError), work_folder(None, None):
        raise ZeroDivisionError
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("has_folder", [False, True])
def test_the_next_fit_removes_what_a_killed_one_left(
    killed: Path, place: Path, has_folder: bool
) -> None:
    assert killed.exists()
    with work_folder(place / "run" if has_folder else None, None):
        assert not killed.exists()


def test_the_folder_of_this_process_is_never_swept(place: Path) -> None:
    with work_folder(None, None) as outer, work_folder(None, None) as inner:
        sweep(place)
        assert outer.path.exists()
        assert inner.path.exists()


def test_a_number_that_is_in_use_again_is_another_process(place: Path) -> None:
    with work_folder(None, None) as folder:
        rewrite(folder.path, start=1.5)
        sweep(place)
        assert not folder.path.exists()


@pytest.fixture(params=["no mark", "torn", "other values", "elsewhere", "link", "other name"])
def spared(request: pytest.FixtureRequest, killed: Path, place: Path) -> Path:
    """Return what is left of a killed process, but cannot be known for sure to be that."""
    mark = killed / MARK
    match request.param:
        case "no mark":
            mark.unlink()
        case "torn":
            mark.write_text(mark.read_text()[:-3])
        case "other values":
            mark.write_text("[1, 2]")
        case "elsewhere":
            rewrite(killed, home="another machine")
        case "link":
            killed = killed.rename(place / "users")
            (place / "automl-link").symlink_to(killed)
        case "other name":
            killed = killed.rename(place / "users")
    return killed


def test_what_is_not_surely_abandoned_is_left_alone(spared: Path, place: Path) -> None:
    sweep(place)
    assert (spared / "models" / "0.models").read_bytes() == b"large"


def test_folders_of_other_users_are_left_alone(
    killed: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    sweep(place)
    assert killed.exists()


def test_a_place_that_cannot_be_read_does_no_harm(place: Path) -> None:
    sweep(place / "missing")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux")
def test_a_process_keeps_its_start_and_one_that_ended_has_none() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        start = module._start(process.pid)
        assert start is not None
        assert start == module._start(process.pid)
        process.kill()
    assert module._start(process.pid) is None
