"""Tests of bagging the best models."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automl.ensembles.bagging import bagging_weights, weighted_mean
from search_space.arrays import FloatArray


def test_the_best_models_share_equally_and_of_equals_the_first_take_part() -> None:
    losses = np.array([0.3, 0.1, 0.2, 0.2, 0.1])
    assert bagging_weights(losses, 3).tolist() == [0, 1 / 3, 1 / 3, 0, 1 / 3]


def test_fewer_models_than_asked_for_all_take_part_but_none_without_a_finite_loss() -> None:
    assert bagging_weights(np.array([0.3, np.inf, 0.2, np.nan]), 5).tolist() == [0.5, 0, 0.5, 0]


@pytest.mark.parametrize(("losses", "size"), [([], 5), ([np.inf], 5), ([0.1], 0), ([0.1, 0.2], -1)])
def test_no_model_or_no_size_is_refused(losses: list[float], size: int) -> None:
    with pytest.raises(ValueError, match="bagging needs"):
        bagging_weights(np.array(losses), size)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8))
def test_the_mean_is_that_of_the_best_models_sorted_by_hand(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    losses, predictions = rng.random(6), rng.dirichlet(np.ones(3), size=(6, 4))
    best = sorted(range(6), key=lambda model: losses[model])[:size]
    bagged = weighted_mean(bagging_weights(losses, size), predictions)
    np.testing.assert_allclose(bagged, sum(predictions[i] for i in best) / len(best), atol=1e-15)


def test_models_without_a_share_are_not_looked_at() -> None:
    predictions: FloatArray = np.array([[[0.2, 0.8]], [[np.nan, np.nan]]])
    assert weighted_mean(np.array([1.0, 0.0]), predictions).tolist() == [[0.2, 0.8]]
