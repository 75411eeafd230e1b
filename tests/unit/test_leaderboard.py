"""Trials as rows."""

from __future__ import annotations

import math

from fakes.histories import (
    crashes,
    filled_history,
    mixed_job,
    stays_pending,
    succeed,
    times_out,
)

from automl.leaderboard import TrialRecord, leaderboard_frame, trial_records


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


def test_rows_rise_by_loss_with_failures_last_and_early_trials_first_among_equals() -> None:
    records = [
        record(0, math.inf, "timeout"),
        record(1, 0.3),
        record(2, 0.1),
        record(3, 0.3),
        record(4, math.inf, "crashed"),
    ]
    frame = leaderboard_frame(records, {})
    assert frame["trial"].tolist() == [2, 1, 3, 0, 4]
    assert frame["status"].tolist() == ["success", "success", "success", "timeout", "crashed"]


def test_weights_are_those_of_the_ensemble_and_zero_elsewhere() -> None:
    frame = leaderboard_frame([record(0, 0.5), record(1, 0.2), record(2, 0.4)], {2: 0.25, 1: 0.75})
    assert dict(zip(frame["trial"], frame["weight"], strict=True)) == {0: 0.0, 1: 0.75, 2: 0.25}


def test_the_columns_are_those_that_are_promised_also_without_a_trial() -> None:
    columns = ["trial", "learner", "loss", "seconds", "status", "weight", "configuration"]
    assert list(leaderboard_frame([record(0, 0.1)], {}).columns) == columns
    empty = leaderboard_frame([], {})
    assert list(empty.columns) == columns
    assert len(empty) == 0
