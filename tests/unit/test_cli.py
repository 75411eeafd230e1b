"""The command line without a search: options, exit codes, and who hears of what."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from fakes.command_line import FIT, fail

from automl import command_fit, command_leaderboard
from automl.cli import main
from automl.command_result import CommandResult
from automl.errors import AutoMLWarning
from automl.estimator import AutoClassifier

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "required: COMMAND"),
        (("train",), "invalid choice: 'train'"),
        (("fit", "train.csv"), "required: --target, --model"),
        (("fit",), "required: TRAIN, --target, --model"),
        (("predict", "a.model"), "required: DATA, --output"),
        (("leaderboard",), "required: MODEL"),
        ((*FIT, "--tim", "3"), "unknown option --tim"),
        ((*FIT, "--time-limi", "5"), "unknown option --time-limi; did you mean --time-limit"),
        ((*FIT, "--time-limi=5"), "unknown option --time-limi; did you mean --time-limit?"),
        ((*FIT, "extra", "--seed", "1"), "unexpected argument 'extra'; see automl fit --help"),
        (("fit", "t.csv", "--Target", "y"), "unknown option --Target; did you mean --target?"),
        ((*FIT, "-t", "5"), "unknown option -t; see automl fit --help"),
        (("predict", "--probs"), "unknown option --probs; did you mean --proba?"),
        ((*FIT, "--target", "width"), "option --target is given twice"),
        ((*FIT, "--seed=1", "--seed", "-1"), "option --seed is given twice"),
        (
            (*FIT, "--optimizer", "tpe"),
            "must be one of divbo, bo, random, rising_bandit",
        ),
        (
            (*FIT, "--search-space", "Fast"),
            "found 'Fast'; did you mean 'fast'? see automl fit",
        ),
        ((*FIT, "--quiet", "--verbose"), "not allowed with argument --quiet"),
        ((*FIT, "--time-limit", "0"), "--time-limit: must be a positive number or none"),
        ((*FIT, "--time-limit", "nan"), "--time-limit: must be a positive number or none"),
        ((*FIT, "--time-limit", "1 h"), "found '1 h'"),
        ((*FIT, "--time-limit"), "--time-limit: expected one argument"),
        ((*FIT, "--trials", "0"), "--trials: must be a whole number of at least 1"),
        ((*FIT, "--trials", "1.5"), "--trials: must be a whole number of at least 1"),
        ((*FIT, "--trial-time-limit", "-1"), "must be a positive number, auto or none"),
        ((*FIT, "--memory-limit", "2G"), "--memory-limit: must be a positive number"),
        ((*FIT, "--jobs", "0"), "--jobs: must be a number of workers"),
        ((*FIT, "--jobs", "two"), "--jobs: must be a number of workers"),
        ((*FIT, "--seed", "-1"), "--seed: must be a whole number from 0 to 4294967295"),
        ((*FIT, "--seed", "x"), "--seed: must be a whole number from 0 to 4294967295"),
        ((*FIT, "--seed", "99999999999"), "--seed: must be a whole number from 0 to 4294967295"),
        ((*FIT, "--cv", "1"), "--cv: must be auto, holdout, a number of folds"),
        ((*FIT, "--cv", "2.5"), "found '2.5'"),
        ((*FIT, "--cv", "five"), "found 'five'"),
        ((*FIT, "--include", ","), "--include: must be names with commas"),
        ((*FIT, "--ensemble-size", "0"), "--ensemble-size: must be a whole number"),
        (("demo", "--time-limit", "none"), "--time-limit: must be a positive number, found 'none'"),
        (("leaderboard", "a.model", "--top", "0"), "--top: must be a whole number"),
    ],
)
def test_a_wrong_option_is_one_line(
    argv: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in fail(argv, capsys)


def test_an_unknown_bundled_table_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there are: credit-g, quake" in fail(("demo", "--data", "iris"), capsys)


@pytest.mark.usefixtures("folder")
def test_ctrl_c_ends_with_130_and_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command_fit, "read_table", interrupt)
    assert main(FIT) == 130
    assert capsys.readouterr() == ("", "automl: error: interrupted\n")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("error", [RuntimeError("ours"), OSError("ours"), ValueError("ours")])
def test_an_error_of_our_own_is_not_hidden(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object) -> None:
        raise error

    monkeypatch.setattr(AutoClassifier, "fit", break_down)
    with pytest.raises(type(error), match="ours"):
        main(FIT)


def test_our_warnings_are_one_line_and_others_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def warn(_: Any) -> CommandResult:
        warnings.warn("two\nlines, raise time_limit", AutoMLWarning, stacklevel=1)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("theirs", RuntimeWarning, stacklevel=1)
        return CommandResult("done\n")

    monkeypatch.setattr(command_leaderboard, "run", warn)
    with pytest.warns(RuntimeWarning, match="theirs"):
        assert main(("leaderboard", "a.model")) == 0
    assert capsys.readouterr() == ("done\n", "automl: warning: two lines, raise --time-limit\n")


@pytest.mark.usefixtures("folder")
def test_a_reader_that_has_gone_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    code = (
        "from automl.cli import CommandResult, _write; "
        "raise SystemExit(_write(CommandResult('x\\n' * 10_000)))"
    )
    try:
        ended = subprocess.run(
            [sys.executable, "-c", code],
            stdout=writer,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=False,
        )
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, b"")
