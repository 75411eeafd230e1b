"""The script that reports the study, with and without figures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.study_folder import write_study

ROOT = Path(__file__).parents[2]
TAUS = """\
# n_trials=3; divbo=0.1.0; a machine
dataset,surrogate,n_observations,seed,tau
wind,lgb,50,0,0.4
wind,lgb,250,0,0.6
"""


def run_report(*arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "bin" / "report"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([path, str(ROOT)]).lstrip(os.pathsep)},
    )


@pytest.mark.slow
def test_tables_frames_and_figures_are_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_study(tmp_path, n_seeds=2)
    (tmp_path / "surrogates.csv").write_text(TAUS)
    output = tmp_path / "report"
    ended = run_report(str(tmp_path), "--output", str(output))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (output / "report.md").read_text(encoding="utf-8") == ended.stdout
    assert ended.stdout.startswith("# Report of the study\n\n2 data sets, 6 searches, 2 seeds")
    figures = sorted(path.stem for path in output.glob("*.png"))
    assert figures == [
        "critical_difference",
        "fig2_wind",
        "fig3_validation_ranks",
        "fig4_test_quake",
        "fig4_test_ranks",
        "fig4_test_wind",
        "fig4_validation_quake",
        "fig4_validation_wind",
        "fig5_quake",
        "fig5_wind",
        "fig6_quake",
        "fig6_wind",
    ]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in output.glob("*.png"))


@pytest.mark.slow
def test_without_matplotlib_there_are_tables_and_one_line(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=1)
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "matplotlib.py").write_text("raise ImportError('hidden')\n")
    ended = run_report(str(tmp_path), "--output", str(tmp_path / "report"), path=str(hidden))
    assert ended.returncode == 0
    assert ended.stderr == "report: figures need matplotlib: pip install 'divbo[plots]'\n"
    assert "| quake |" in ended.stdout
    assert (tmp_path / "report" / "table_1.csv").exists()
    assert list((tmp_path / "report").glob("*.png")) == []


@pytest.mark.slow
def test_an_empty_folder_is_one_line(tmp_path: Path) -> None:
    ended = run_report(str(tmp_path))
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.startswith(f"report: {tmp_path} holds no finished run")
    assert ended.stderr.count("\n") == 1


@pytest.mark.slow
def test_surrogates_are_told_without_runs_and_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "surrogates.csv").write_text(TAUS)
    ended = run_report(str(tmp_path), "--output", str(tmp_path))
    assert ended.returncode == 0
    assert "| wind | lgb | 250 | 0.6 |" in ended.stdout
    told, *others = ended.stderr.splitlines()
    assert told.startswith(f"report: {tmp_path} holds no finished run")
    assert all("figures need matplotlib" in line for line in others)  # where it is not installed
    assert (tmp_path / "surrogates.csv").read_text() == TAUS
    written = {path.name for path in tmp_path.iterdir()} - {"fig2_wind.png"}
    assert written == {"surrogates.csv", "taus.csv", "report.md"}


@pytest.mark.slow
def test_damaged_surrogates_are_one_line_and_the_runs_are_told(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=1)
    (tmp_path / "surrogates.csv").write_bytes(b"\xff\xff\n")
    ended = run_report(str(tmp_path))
    assert ended.returncode == 0
    assert "| quake |" in ended.stdout
    assert ended.stderr.startswith(f"report: {tmp_path / 'surrogates.csv'} is damaged")
    assert ended.stderr.count("\n") == 1
