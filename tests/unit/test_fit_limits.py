"""What one evaluation may use, and the time that a search leaves to what comes after it."""

from __future__ import annotations

import math

import pytest
from fakes.histories import Fate, crashes, filled_history, mixed_job, stays_pending

from automl import AutoClassifier
from automl.budget import Budget
from automl.fit_limits import (
    TimeReserve,
    expected_refit_seconds,
    memory_limit_mib,
    trial_seconds,
)
from automl.history import History
from automl.settings import Settings, check_settings
from automl.trial import Outcome, Status


def settings(**parameters: object) -> Settings:
    return check_settings(AutoClassifier(**parameters))  # type: ignore[arg-type]  # of all kinds


def with_seconds(seconds: list[float], losses: list[float] | None = None) -> History:
    history = filled_history(mixed_job(), [stays_pending] * len(seconds))
    for number, value in enumerate(seconds):
        loss = losses[number] if losses is not None else 0.1 * number
        history.record(Outcome(number=number, status=Status.SUCCESS, loss=loss, seconds=value))
    return history


def reserved(history: History, seconds: float = 100.0, **parameters: object) -> float:
    budget = Budget(seconds=seconds)
    reserve = TimeReserve(budget, settings(**parameters), n_splits=5, n_workers=1)
    reserve(history.outcomes[-1], history)
    return budget.reserved


def test_an_evaluation_takes_what_is_asked_for_or_an_eighth_or_ten_minutes() -> None:
    assert trial_seconds(settings(time_limit=80.0, trial_time_limit=3.0)) == 3.0
    assert trial_seconds(settings(time_limit=80.0)) == 10.0
    assert trial_seconds(settings(time_limit=None, n_trials=3)) == 600.0
    assert math.isinf(trial_seconds(settings(trial_time_limit=None)))


def test_workers_share_the_free_memory_unless_an_amount_is_asked_for() -> None:
    assert memory_limit_mib(512.0, 4) == 512.0
    assert memory_limit_mib(math.inf, 4) is None
    one, four = memory_limit_mib(None, 1), memory_limit_mib(None, 4)
    assert one is not None
    assert four is not None
    assert one == pytest.approx(4 * four, rel=0.2)  # other processes come and go


def test_twice_the_expected_refits_and_the_end_are_reserved() -> None:
    history = with_seconds([4.0] * 3)  # each 1 s on all rows
    assert reserved(history) == pytest.approx(6.5, abs=0.01)
    assert reserved(history, refit=False) == pytest.approx(0.5, abs=0.01)


def test_a_quarter_of_the_time_is_the_most_that_is_reserved() -> None:
    assert reserved(with_seconds([400.0]), seconds=100.0) == 25.0


def test_without_a_time_limit_nothing_is_reserved() -> None:
    assert reserved(with_seconds([4.0]), seconds=math.inf) == 0.0


# The estimate


def test_a_refit_on_all_rows_takes_a_fold_and_what_the_fold_left_out() -> None:
    history = with_seconds([6.0, 12.0, 30.0])
    # Five folds: a fit takes 1.2, 2.4 and 6 s on 4/5 of the rows, 1.5, 3 and 7.5 s on all.
    assert expected_refit_seconds(history, n_splits=5, n_workers=1) == pytest.approx(12.0)
    # Two folds: 3, 6 and 15 s on half of the rows.
    assert expected_refit_seconds(history, n_splits=2, n_workers=1) == pytest.approx(48.0)
    # One hold-out part of a quarter: 48 s on 3/4 of the rows.
    assert expected_refit_seconds(history, n_splits=1, n_workers=1) == pytest.approx(64.0)


def test_workers_share_the_refits_but_the_longest_has_to_end() -> None:
    history = with_seconds([6.0, 12.0, 30.0, 12.0])
    # 1.5, 3, 7.5 and 3 s.
    assert expected_refit_seconds(history, n_splits=5, n_workers=2) == pytest.approx(7.5)
    history = with_seconds([12.0] * 6)
    assert expected_refit_seconds(history, n_splits=5, n_workers=2) == pytest.approx(9.0)
    assert expected_refit_seconds(history, n_splits=5, n_workers=64) == pytest.approx(3.0)


def test_the_ten_best_trials_stand_for_the_members() -> None:
    losses = [0.9] * 5 + [0.1] * 10
    history = with_seconds([1000.0] * 5 + [4.0] * 10, losses)
    # Ten fits of 1 s on all rows.
    assert expected_refit_seconds(history, n_splits=5, n_workers=1) == pytest.approx(10.0)


@pytest.mark.parametrize("fates", [(), (crashes, stays_pending)])
def test_without_a_success_no_time_is_needed(fates: tuple[Fate, ...]) -> None:
    history = filled_history(mixed_job(), fates)
    assert expected_refit_seconds(history, n_splits=5, n_workers=2) == 0.0
