"""The command ``automl leaderboard`` on a small model."""

from __future__ import annotations

import pytest
from fakes.command_line import fail

from automl.cli import main


@pytest.mark.usefixtures("folder")
def test_leaderboard_prints_the_trials(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("leaderboard", "a.model")) == 0
    written = capsys.readouterr()
    assert [line.split()[0] for line in written.out.splitlines()] == ["trial", "0", "1", "2"]
    assert written.err == ""


@pytest.mark.usefixtures("folder")
def test_leaderboard_prints_at_most_the_top(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("leaderboard", "a.model", "--top", "1")) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "1 of 2 models; 3 trials finished, 1 failed (1 timeout), 1 cancelled at the end."
    )


@pytest.mark.usefixtures("folder")
def test_leaderboard_prints_the_failures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("leaderboard", "a.model", "--failures")) == 0
    table = capsys.readouterr().out
    assert "mlp      timeout" in table
    assert "cancelled at" in table
    assert "qda" not in table


@pytest.mark.usefixtures("folder")
def test_leaderboard_prints_one_trial(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("leaderboard", "a.model", "--trial", "0")) == 0
    text = capsys.readouterr().out
    assert "  classifier:logistic_regression:C  0.98765\n" in text
    assert "weight   1\n" in text


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--trial", "4"), "--trial 4: no such trial; the trials are 0 to 3\n"),
        (("--trial", "-1"), "--trial: must be a whole number that is not negative"),
        (("--trial", "best"), "--trial: must be a whole number that is not negative"),
        (("--trial", "1", "--failures"), "not allowed with argument"),
        (("--trial", "1", "--top", "3"), "--top has no effect with --trial"),
    ],
)
def test_a_trial_that_is_not_there_is_one_line(
    options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in fail(("leaderboard", "a.model", *options), capsys)
