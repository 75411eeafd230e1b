"""The command ``automl leaderboard`` on a small model."""

from __future__ import annotations

import pytest

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
    assert "cancelled at" in table.splitlines()[-1]
    assert "qda" not in table
