"""Which trials form the ensemble, and what happens where none can."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fakes.histories import crashes, filled_history, mixed_job, succeed

from automl.ensembles.selection import select
from automl.ensembles.tolerance import loss_tolerance
from automl.history import History
from automl.member_choice import choose_members
from automl.scoring import as_metric


def history_of(n_successes: int, scoring: Any = None) -> History:
    """Return a history of successes and a crash; losses are always those of the log loss."""
    history = filled_history(mixed_job(), [succeed] * n_successes + [crashes])
    if scoring is not None:
        metric = as_metric(scoring, history.problem.metric.classes)
        history.problem = replace(history.problem, metric=metric)
    return history


def test_it_is_greedy_selection_among_the_trials_better_than_the_class_frequencies() -> None:
    history = history_of(12)
    losses = history.success_losses()
    history.baseline_loss = float(np.sort(losses)[7])
    library = [
        n for n, loss in zip(history.successes, losses, strict=True) if loss < np.sort(losses)[7]
    ]
    expected = select(
        history.predictions.stack(library), history.problem.codes, history.problem.metric, 25
    )
    choice = choose_members(history, 25, scoring_seconds=math.inf)
    assert choice.shortfall == ""
    assert choice.loss == expected.loss
    assert choice.weights == {library[i]: expected.weights[i] for i in expected.members}


def test_labels_are_judged_within_a_standard_error_unless_a_single_model_is_wanted() -> None:
    history = history_of(12, "accuracy")
    history.baseline_loss = math.inf
    problem, stack = history.problem, history.predictions.stack(history.successes)
    best = stack[int(history.success_losses().argmin())]
    tolerance = loss_tolerance(problem.metric, problem.codes, best)
    assert tolerance > 0.0
    expected = select(stack, problem.codes, problem.metric, 10, tolerance=tolerance)
    choice = choose_members(history, 10, scoring_seconds=math.inf)
    assert choice.weights == {history.successes[i]: expected.weights[i] for i in expected.members}
    single = choose_members(history, 1, scoring_seconds=math.inf)
    plain = select(stack, problem.codes, problem.metric, 1)
    assert list(single.weights) == [history.successes[i] for i in plain.members]


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc_ovr"])
def test_rows_count_as_much_as_they_weigh(scoring: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tolerances: list[float] = []

    def noted(*arguments: Any) -> float:
        tolerances.append(loss_tolerance(*arguments))
        return tolerances[-1]

    monkeypatch.setattr("automl.member_choice.loss_tolerance", noted)
    history = history_of(12, scoring)
    history.baseline_loss = math.inf
    weights = np.random.default_rng(0).random(len(history.problem.codes))
    history.problem = problem = replace(history.problem, sample_weight=weights)
    stack = history.predictions.stack(history.successes)
    best = stack[int(history.success_losses().argmin())]
    tolerance = loss_tolerance(problem.metric, problem.codes, best, weights)
    expected = select(
        stack, problem.codes, problem.metric, 10, tolerance=tolerance, sample_weight=weights
    )
    choice = choose_members(history, 10, scoring_seconds=math.inf)
    assert choice.weights == {history.successes[i]: expected.weights[i] for i in expected.members}
    assert choice.loss == expected.loss
    assert tolerances == [tolerance]
    assert tolerance == 0.0 or tolerance != loss_tolerance(problem.metric, problem.codes, best)


def test_without_a_success_nothing_is_chosen() -> None:
    history = history_of(0)
    choice = choose_members(history, 25, scoring_seconds=math.inf)
    assert (choice.weights, choice.loss, choice.shortfall) == ({}, history.baseline_loss, "")


def test_where_none_is_better_than_the_class_frequencies_the_best_stands_alone() -> None:
    history = history_of(5)
    history.baseline_loss = 0.0
    choice = choose_members(history, 25, scoring_seconds=math.inf)
    assert history.best is not None
    assert choice.weights == {history.best.number: 1.0}
    assert choice.loss == history.best.loss
    assert "no model has a lower loss than the class frequencies (0)" in choice.shortfall


@pytest.mark.parametrize("error", [ZeroDivisionError("by zero"), MemoryError("far too much")])
def test_where_selection_fails_the_best_stands_alone_with_the_reason(error: Exception) -> None:
    seen: list[int] = []

    def fails_later(estimator: Any, X: Any, y: Any) -> float:
        seen.append(len(y))
        if len(seen) > tried_out:
            raise error
        return float((estimator.predict(X) == y).mean())

    tried_out = 10**9
    history = history_of(5, fails_later)
    tried_out = 0
    choice = choose_members(history, 25, scoring_seconds=math.inf)
    assert history.best is not None
    assert choice.weights == {history.best.number: 1.0}
    assert str(error) in choice.shortfall
    assert "ensemble selection failed" in choice.shortfall


def test_a_slow_scorer_chooses_among_fewer_trials() -> None:
    def slow(estimator: Any, X: Any, y: Any) -> float:
        calls.append(len(y))
        return float((estimator.predict(X) == y).mean())

    calls: list[int] = []
    history = history_of(12, slow)
    history.baseline_loss = math.inf
    calls.clear()
    choose_members(history, 25, scoring_seconds=math.inf)
    n_unhurried = len(calls)
    calls.clear()
    choice = choose_members(history, 25, scoring_seconds=1e-9)
    assert list(choice.weights) == [history.best.number if history.best else None]
    assert len(calls) < n_unhurried
