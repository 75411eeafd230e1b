"""Ensemble selection after every model is the selection from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automl.ensembles import running_selection
from automl.ensembles.criteria import Models, criterion_for
from automl.ensembles.running_selection import running_selections
from automl.ensembles.selection import select
from automl.scoring import as_metric
from search_space.arrays import FloatArray, IntArray


def library(seed: int, n_models: int, n_rows: int, n_classes: int) -> tuple[FloatArray, IntArray]:
    """Return models that share their errors in part, two of them equal, and codes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=n_rows)
    shared = rng.normal(size=(n_rows, n_classes)) + 1.2 * np.eye(n_classes)[codes]
    scale = rng.uniform(0.5, 2.5, size=(n_models, 1, 1))
    values = np.exp(2.0 * shared + scale * rng.normal(size=(n_models, n_rows, n_classes)))
    predictions = values / values.sum(axis=2, keepdims=True)
    predictions[-1] = predictions[0]
    return predictions, codes


@pytest.mark.parametrize(
    ("scoring", "n_classes"),
    [
        ("accuracy", 2),
        ("accuracy", 5),
        ("balanced_accuracy", 3),
        ("neg_log_loss", 3),
        ("roc_auc", 2),
        ("neg_brier_score", 3),
    ],
)
def test_every_selection_is_that_of_the_models_so_far(scoring: str, n_classes: int) -> None:
    predictions, codes = library(n_classes, 20, 50, n_classes)
    metric = as_metric(scoring, np.arange(n_classes))
    running = list(running_selections(predictions, codes, metric, 8))
    assert len(running) == 20
    for n_models, selection in enumerate(running, start=1):
        expected = select(predictions[:n_models], codes, metric, 8)
        assert selection.order == expected.order
        assert np.array_equal(selection.weights, expected.weights)
        np.testing.assert_allclose(selection.losses, expected.losses, rtol=1e-12)
    assert len({selection.order for selection in running}) > 3


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 7))
def test_error_rates_with_many_ties_agree_as_well(seed: int, n_models: int, size: int) -> None:
    predictions, codes = library(seed, n_models, 9, 3)
    predictions = np.round(predictions, 1) + 0.05
    metric = as_metric("accuracy", np.arange(3))
    for n, selection in enumerate(running_selections(predictions, codes, metric, size), start=1):
        assert selection.order == select(predictions[:n], codes, metric, size).order


def test_metrics_without_a_batched_form_agree_as_well() -> None:
    predictions, codes = library(1, 6, 30, 3)
    metric = as_metric("f1_macro", np.arange(3))
    for n, selection in enumerate(running_selections(predictions, codes, metric, 3), start=1):
        assert selection.order == select(predictions[:n], codes, metric, 3).order


def test_a_model_that_is_never_chosen_is_judged_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    predictions, codes = library(0, 30, 40, 3)
    always_wrong = np.eye(3)[(codes + 1) % 3]
    predictions = np.concatenate([predictions, np.repeat(always_wrong[None], 30, axis=0)])
    n_judged: list[int] = []

    class Counting:
        """Notes how many models it is asked about."""

        def __init__(self, *arguments: object) -> None:
            self._criterion = criterion_for(*arguments)  # type: ignore[arg-type]

        def losses_if_added(self, models: Models) -> FloatArray:
            losses = self._criterion.losses_if_added(models)
            n_judged.append(len(losses))
            return losses

        def add(self, model: int) -> None:
            self._criterion.add(model)

        def __copy__(self) -> Counting:
            other = object.__new__(Counting)
            other._criterion = running_selection.copy.copy(self._criterion)
            return other

    monkeypatch.setattr(running_selection, "criterion_for", Counting)
    selections = running_selections(predictions, codes, as_metric("accuracy", np.arange(3)), 5)
    for _ in range(30):
        next(selections)
    n_judged.clear()
    assert len(list(selections)) == 30
    assert n_judged == [1] * (4 * 30)


def test_no_round_is_refused() -> None:
    predictions, codes = library(0, 3, 10, 3)
    with pytest.raises(ValueError, match="at least one round"):
        next(running_selections(predictions, codes, as_metric("accuracy", np.arange(3)), 0))
