"""What lies where, and how large it may get."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import automl

ROOT = Path(automl.__file__).resolve().parents[1]
OURS = ("automl", "search_space", "tests", "bin")
LONGEST_FILE = 450
TOP_LEVEL = {
    ".ci",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "automl",
    "bin",
    "datasets",
    "pyproject.toml",
    "search_space",
    "tests",
}


def python_files() -> list[Path]:
    return sorted(path for folder in OURS for path in (ROOT / folder).rglob("*.py"))


def tracked_files() -> list[str]:
    """Return what git tracks or would track; skip where there is no checkout."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
        text=True,
        cwd=ROOT,
    )
    return listed.stdout.splitlines()


def test_the_top_level_holds_what_is_named_here_and_nothing_else() -> None:
    assert {name.split("/")[0] for name in tracked_files()} == TOP_LEVEL


def test_datasets_holds_data_only() -> None:
    # A Python package of that name would overwrite the one of Hugging Face in the wheel.
    assert [str(path) for path in (ROOT / "datasets").rglob("*.py*")] == []


def test_no_file_grows_too_long() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in python_files()
    }
    assert len(lengths) > 100
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE} == {}


def test_every_package_of_the_wheel_is_marked_as_typed() -> None:
    assert (ROOT / "automl" / "py.typed").exists()
    assert (ROOT / "search_space" / "py.typed").exists()
