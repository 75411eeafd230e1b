"""The script that compares tuning methods, on problems that are formulas."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def benchmark(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "bin" / "benchmark_hpo"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.slow
def test_runs_are_kept_skipped_and_reported(tmp_path: Path) -> None:
    folder, frames = str(tmp_path / "runs"), tmp_path / "frames"
    wanted = ["--problems", "branin", "conditional", "--seeds", "2", "--evaluations", "12"]
    first = benchmark("run", folder, *wanted)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == "4 runs: 0 were there, 0 failed.\n"
    again = benchmark("run", folder, *wanted)
    assert again.stdout == "4 runs: 4 were there, 0 failed.\n"
    told = benchmark("report", folder, "--frames", str(frames))
    assert told.stdout.startswith("2 problems, 1 methods, 2 seeds, 12 evaluations.")
    assert "| random | 1 |" in told.stdout
    assert (frames / "ranks.csv").exists()
    of_other = tmp_path / "runs" / "branin" / "random" / "0.csv"
    of_other.write_text(of_other.read_text().replace("; python=", "; python=0."))
    mixed = benchmark("report", folder)
    assert mixed.stdout == told.stdout
    assert mixed.stderr.startswith("benchmark_hpo: Runs with different versions of packages")
    assert mixed.stderr.count("\n") == 1
    later = benchmark("report", str(frames / "best.csv"))
    assert later.stdout == told.stdout.split("\n\n## Seconds")[0] + "\n"


@pytest.mark.slow
def test_mistakes_are_one_line(tmp_path: Path) -> None:
    unknown = benchmark("run", str(tmp_path), "--problems", "lcbench/3945")
    assert unknown.returncode == 1
    assert unknown.stderr.startswith("benchmark_hpo: No problem is called 'lcbench/3945'")
    assert unknown.stderr.count("\n") == 1
    assert benchmark("report", str(tmp_path)).stderr.count("\n") == 1


@pytest.mark.slow
def test_help_explains_and_problems_are_listed(tmp_path: Path) -> None:
    assert "rbv2_xgboost/ID" in benchmark("--help").stdout
    assert "--yahpo-data" in benchmark("run", "--help").stdout
    listed = benchmark("run", str(tmp_path), "--problems", "bbob/f0*", "branin", "--list")
    assert len(listed.stdout.splitlines()) == 1 + 9 * 3
