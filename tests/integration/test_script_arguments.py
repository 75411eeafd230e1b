"""Scripts meet wrong arguments with one message, before anything is run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def script(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "bin" / name), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["benchmark_accuracy", "--results", "r.csv", "--jobs", "0"],
            "argument --jobs: must be a number of workers",
        ),
        (
            ["benchmark_accuracy", "--results", "r.csv", "--tables", "quak"],
            "argument --tables: must be one of",
        ),
        (["benchmark_accuracy", "--results", "FOLDER"], "'FOLDER' is a folder; name a file in it"),
        (
            ["benchmark_hpo", "trace", "branin", "--output", "FOLDER"],
            "--output 'FOLDER' is a folder; name a file in it",
        ),
        (
            ["benchmark_hpo", "trace", "branin", "--output", "a.csv", "--plot", "FOLDER/no/b.png"],
            "no file can be written in folder 'FOLDER/no'",
        ),
        (
            ["benchmark_overhead", "--time-limits", "-1"],
            "argument --time-limits: must be a positive number, found '-1'",
        ),
        (["soak", "--evaluations", "0"], "argument --evaluations: must be a whole number"),
    ],
)
def test_wrong_arguments_are_told(arguments: list[str], told: str, tmp_path: Path) -> None:
    name, *others = [text.replace("FOLDER", str(tmp_path)) for text in arguments]
    found = script(name, *others)
    assert found.returncode in (1, 2)
    assert told.replace("FOLDER", str(tmp_path)) in found.stderr
    assert "Traceback" not in found.stderr
    assert not any(tmp_path.iterdir())
