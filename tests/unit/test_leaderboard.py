"""Trials as rows."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import pandas as pd
import pytest
from fakes.histories import (
    crashes,
    filled_history,
    mixed_job,
    stays_pending,
    succeed,
    times_out,
)
from hypothesis import given
from hypothesis import strategies as st

from automl.leaderboard import (
    TrialCounts,
    TrialRecord,
    is_failure,
    leaderboard_frame,
    trial_records,
)
from automl.trial import Status


def record(trial: int, loss: float, status: str = "success") -> TrialRecord:
    return TrialRecord(
        trial=trial,
        learner="cheap",
        loss=loss,
        seconds=1.0,
        status=status,
        reason="",
        traceback="",
        memory_mib=0.0,
        origin="random",
        configuration={"classifier": "cheap"},
    )


def test_every_finished_trial_has_a_record_in_the_order_of_numbers() -> None:
    fates = (times_out, stays_pending, succeed, crashes)
    history = filled_history(mixed_job(), fates)
    records = trial_records(history)
    assert [r.trial for r in records] == [0, 2, 3]
    assert [r.status for r in records] == ["timeout", "success", "crashed"]
    assert [r.reason for r in records] == ["it had to fail", "", "it had to fail"]
    assert [math.isinf(r.loss) for r in records] == [True, False, True]
    assert records[1].loss == history.success_losses()[0]


def test_a_record_holds_plain_values_of_the_configuration() -> None:
    job = mixed_job()
    for trial_record, trial in zip(
        trial_records(history := filled_history(job, [succeed] * 12)), history.trials, strict=True
    ):
        assert trial_record.configuration == dict(trial.configuration)
        kinds = {type(value) for value in trial_record.configuration.values()}
        assert kinds <= {str, int, float}
        assert trial_record.learner == trial_record.configuration["classifier"]
        assert trial_record.origin == "random"


def test_rows_rise_by_loss_and_number_then_come_failures_then_cancelled_trials() -> None:
    records = [
        record(0, math.inf, "cancelled"),
        record(1, 0.3),
        record(2, 0.1),
        record(3, 0.3),
        record(4, math.inf, "timeout"),
        record(5, math.inf, "crashed"),
    ]
    frame = leaderboard_frame(records, {})
    assert frame["trial"].tolist() == [2, 1, 3, 4, 5, 0]
    assert frame["status"].tolist() == [*["success"] * 3, "timeout", "crashed", "cancelled"]


def test_weights_are_those_of_the_ensemble_and_zero_elsewhere() -> None:
    frame = leaderboard_frame([record(0, 0.5), record(1, 0.2), record(2, 0.4)], {2: 0.25, 1: 0.75})
    assert dict(zip(frame["trial"], frame["weight"], strict=True)) == {0: 0.0, 1: 0.75, 2: 0.25}


def test_the_columns_are_those_that_are_promised_also_without_a_trial() -> None:
    columns = ["trial", "learner", "loss", "seconds", "status", "weight", "configuration"]
    assert list(leaderboard_frame([record(0, 0.1)], {}).columns) == columns
    empty = leaderboard_frame([], {})
    assert list(empty.columns) == columns
    assert len(empty) == 0


@pytest.mark.parametrize(
    ("statuses", "text"),
    [
        ([], "0 trials finished, 0 failed"),
        ([Status.SUCCESS], "1 trial finished, 0 failed"),
        (["cancelled"], "0 trials finished, 0 failed, 1 cancelled at the end"),
        (["crashed", "success", "success"], "3 trials finished, 1 failed (1 crashed)"),
    ],
)
def test_counts_are_read_as_a_sentence(statuses: list[str], text: str) -> None:
    assert str(TrialCounts.of(statuses)) == text


@given(st.lists(st.sampled_from(Status)))
def test_every_trial_is_a_success_a_failure_or_cancelled(statuses: list[Status]) -> None:
    counts = TrialCounts.of(statuses)
    assert counts.n_finished + counts.n_cancelled == len(statuses)
    assert counts.n_finished - counts.n_failed == statuses.count(Status.SUCCESS)
    assert counts.n_cancelled == statuses.count(Status.CANCELLED)
    assert counts.n_failed == sum(map(is_failure, statuses))


CONFIGURATION = {"classifier": "cheap", **{f"classifier:cheap:p{n}": n for n in range(20)}}


@pytest.mark.parametrize("columns", [80, 200])
def test_a_printed_leaderboard_shows_every_column_in_the_width_of_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    records = [
        replace(
            record(n, 0.123456789 + n / 99),
            configuration=CONFIGURATION,
            learner="logistic_regression",
        )
        for n in range(20)
    ]
    board = leaderboard_frame(records, {0: 1.0})
    for frame in (board, board.head(3), board[board["trial"] > 7]):
        head, *rows = repr(frame).splitlines()
        assert head.split() == list(board.columns)
        assert all("p0=0" in row for row in rows)
        assert len(head) <= columns
    assert board["configuration"][0] == CONFIGURATION


def test_a_printed_leaderboard_shortens_what_pandas_shows_in_notebooks() -> None:
    board = leaderboard_frame([replace(record(0, 0.5), configuration=CONFIGURATION)], {})
    html = board._repr_html_()
    assert "p0=0 p1=1" in html
    assert "classifier:cheap" not in html


def test_frames_made_of_a_leaderboard_are_printed_whatever_they_hold() -> None:
    board = leaderboard_frame([record(0, 0.5), record(1, 0.25)], {})
    made: list[pd.DataFrame] = [
        board[["trial", "loss"]],
        board.isna(),
        board.describe(include="all"),
        board.T,
        board[:0],
        pd.concat([board, board], axis=1),
        pickle.loads(pickle.dumps(board)),
    ]
    for frame in made:
        assert repr(frame)
        assert frame._repr_html_()
