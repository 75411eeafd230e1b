"""The command line as a user runs it: processes, files, signals, a terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest

from automl.benchmark.bundled import load_bundled
from automl.demo import run_demo

ROOT = Path(__file__).parents[2]
FIT = ("fit", "train.csv", "--target", "risk", "--model", "credit.model", "--seed", "0")
FAST = ("--search-space", "fast", "--trials", "3")


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def automl(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "automl", *arguments],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture(scope="module")
def fitted(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Return a folder with tables and a fitted model, and how the fit ended."""
    folder = tmp_path_factory.mktemp("credits")
    X, y = load_bundled("credit-g")
    table = X.assign(risk=y)
    table.iloc[::2].to_csv(folder / "train.csv", index=False)
    table.iloc[1::2].to_parquet(folder / "new.parquet", index=False)
    return folder, automl(*FIT, *FAST, folder=folder)


def test_fit_reports_trials_losses_members_and_the_file(
    fitted: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, ended = fitted
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0] == "3 trials finished, 0 failed"
    assert lines[1].startswith("Loss on validation rows (accuracy): best single model 0.2")
    assert lines[2].startswith("Ensemble members: ")
    assert lines[-1].startswith("Model: credit.model (")
    assert (folder / "credit.model").is_file()


def test_progress_goes_to_standard_error_and_ends_with_what_was_used(
    fitted: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    _, ended = fitted
    last = [line for line in ended.stderr.splitlines() if ": note: " not in line][-1]
    assert re.fullmatch(
        r"automl: asked 3 trials, used [\d.]+ s, 3 trials finished, 0 failed, best loss 0\.2\d+",
        last,
    )


def test_weights_of_the_members_sum_to_one(
    fitted: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    lines = fitted[1].stdout.splitlines()[4:-1]
    assert sum(float(line.split()[0]) for line in lines) == pytest.approx(1.0, abs=0.02)


@pytest.mark.slow
def test_a_model_predicts_in_another_process(
    fitted: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = fitted
    argv = ("predict", "credit.model", "new.parquet", "--output", "out.parquet", "--proba")
    ended = automl(*argv, folder=folder)
    assert (ended.returncode, ended.stdout) == (0, "500 predictions: out.parquet\n")
    assert ended.stderr.startswith("automl: note: column 'risk' is what is predicted")
    table = pd.read_parquet(folder / "out.parquet")
    assert list(table.columns) == ["risk", "probability_bad", "probability_good"]
    assert table.iloc[:, 1:].sum(axis=1).to_numpy() == pytest.approx(1.0)
    truth = pd.read_parquet(folder / "new.parquet")["risk"].astype(str)
    assert (table["risk"].astype(str) == truth).mean() > 0.65


@pytest.mark.slow
def test_the_leaderboard_lists_every_trial(
    fitted: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    ended = automl("leaderboard", "credit.model", folder=fitted[0])
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(ended.stdout.splitlines()) == 5
    assert "gaussian_nb" in ended.stdout


def test_a_wrong_input_ends_with_2_and_one_line(tmp_path: Path) -> None:
    ended = automl("fit", "absent.csv", "--target", "y", "--model", "m", folder=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "automl: error: absent.csv is not there; give a file\n"


def test_help_is_there_in_less_than_a_second(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = automl("--help", folder=tmp_path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.returncode == 0
    # Time of the processor: the clock on the wall depends on what else runs.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.0


@pytest.mark.slow
def test_ctrl_c_ends_with_130_saves_what_there_is_and_leaves_no_process(
    fitted: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, _ = fitted
    argv = (*FIT[:4], "--model", "other.model", "--time-limit", "600", "--search-space", "fast")
    process = subprocess.Popen(
        [sys.executable, "-m", "automl", *argv],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "trial" in process.stderr.readline()  # the search runs
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    out, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "warning: fit was interrupted after" in rest
    assert "Traceback" not in rest
    assert "other.model" in out
    assert children
    assert not psutil.wait_procs(children, timeout=5)[1]
    ended = automl("predict", "other.model", "new.parquet", "--output", "other.csv", folder=folder)
    assert ended.returncode == 0


@pytest.fixture(scope="module")
def fitted_again(fitted: tuple[Path, subprocess.CompletedProcess[str]]) -> tuple[str, str]:
    """Return the results of the same fit once more, and what it wrote to a terminal."""
    folder, _ = fitted
    terminal, inside = pty.openpty()
    with (folder / "results").open("w") as results:
        process = subprocess.Popen(
            [sys.executable, "-m", "automl", *FIT, *FAST, "--force"],
            cwd=folder,
            env=environment() | {"TERM": "xterm", "COLUMNS": "120"},
            stdout=results,
            stderr=inside,
        )
    os.close(inside)
    text = read_to_the_end(terminal, process)
    assert process.returncode == 0, text
    return (folder / "results").read_text(), text


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result(
    fitted: tuple[Path, subprocess.CompletedProcess[str]], fitted_again: tuple[str, str]
) -> None:
    results, _ = fitted_again
    assert results.splitlines()[:-1] == fitted[1].stdout.splitlines()[:-1]


@pytest.mark.slow
def test_a_terminal_shows_a_live_line(fitted_again: tuple[str, str]) -> None:
    _, text = fitted_again
    assert "waiting for the first trial" in text
    assert "\x1b[2K" in text  # the line is written over
    assert re.search(r"asked 3 trials, used [\d.]+ s, 3 trials finished, 0 failed", text)


def read_to_the_end(terminal: int, process: subprocess.Popen[bytes]) -> str:
    """Return what a process wrote to its terminal."""
    content, ends_at = b"", time.monotonic() + 60
    while time.monotonic() < ends_at:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                content += os.read(terminal, 4096)
            except OSError:  # Linux says so when nobody has the other side any more
                break
    os.close(terminal)
    process.wait(timeout=20)
    return content.decode()


# On a slow machine no model may be ready in so little time: it says so and goes on.
@pytest.mark.filterwarnings("ignore::automl.errors.DegradedResultWarning")
@pytest.mark.slow
def test_the_demo_compares_and_checks_the_saved_model() -> None:
    stream = io.StringIO()
    search = run_demo("quake", 4.0, 2, 0, stream)
    text = stream.getvalue()
    assert text.startswith("quake: 2178 rows, 3 columns, 2 classes; 1633 rows to search on, 545 ")
    single = [] if search.ensemble_.is_baseline else ["its best single model"]
    for model in ("this search", *single, "default LightGBM", "default random forest"):
        assert re.search(rf"^{model} +0\.\d{{4}} +\d\.\d{{4}} +\d+\.\d$", text, re.MULTILINE)
    assert f"The ensemble, loss on validation rows {search.ensemble_.loss:.5g} (best" in text
    assert "all 545 test rows have equal probabilities" in text
