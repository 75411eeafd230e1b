"""Tests of the saturating weight and the sum of ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automl.acquisition.rank_sum import rank_sum, saturating_weight
from search_space.arrays import FloatArray


@pytest.mark.parametrize(("n_iterations", "expected"), [(5, 0.0116), (10, 0.0190), (25, 0.0247)])
def test_weight_has_the_values_of_the_formula(n_iterations: int, expected: float) -> None:
    weight = saturating_weight(n_iterations, beta=0.05, tau=0.2)
    assert weight == pytest.approx(expected, abs=5e-5)
    # The sigmoid less one half is half the hyperbolic tangent of half the argument.
    assert weight == pytest.approx(0.025 * math.tanh(0.1 * n_iterations), rel=1e-12)


def test_weight_is_nothing_at_first_and_ends_at_half_of_beta() -> None:
    assert saturating_weight(0, beta=0.05, tau=0.2) == 0.0
    assert saturating_weight(100_000, beta=0.05, tau=0.2) == 0.025


def test_weight_never_falls() -> None:
    weights = [saturating_weight(t, beta=0.05, tau=0.2) for t in range(300)]
    assert weights == sorted(weights)


def test_ranks_are_worked_out_by_hand() -> None:
    performance = np.array([0.2, 0.9, 0.2, -1.0])  # ranks 2.5, 1, 2.5, 4
    diversity = np.array([5.0, 1.0, 7.0, 9.0])  # ranks 3, 4, 2, 1
    np.testing.assert_allclose(
        rank_sum(performance, diversity, weight=0.1), [2.8, 1.4, 2.7, 4.1], rtol=1e-15
    )


def test_without_weight_diversity_decides_nothing_not_even_ties() -> None:
    score = rank_sum(np.array([1.0, 1.0, 0.0]), np.array([0.0, 9.0, 9.0]), weight=0.0)
    assert score.tolist() == [1.5, 1.5, 3.0]


def test_any_weight_lets_diversity_decide_ties() -> None:
    score = rank_sum(np.zeros(3), np.array([1.0, 3.0, 2.0]), weight=1e-6)
    assert np.argmin(score) == 1


def test_the_worst_diversity_costs_the_weight_for_every_other_candidate() -> None:
    c, weight = 5000, 0.025
    performance, diversity = np.zeros(c), np.zeros(c)
    performance[0], diversity[0] = 1.0, -1.0
    score = rank_sum(performance, diversity, weight=weight)
    assert score[0] == 1.0 + weight * c


@given(st.integers(0, 1000), st.integers(1, 30), st.floats(0.0, 1.0))
def test_only_order_counts(seed: int, c: int, weight: float) -> None:
    rng = np.random.default_rng(seed)
    performance, diversity = rng.integers(0, 5, (2, c)).astype(np.float64)
    np.testing.assert_array_equal(
        rank_sum(performance, diversity, weight=weight),
        rank_sum(np.exp(performance), 3.0 * diversity - 7.0, weight=weight),
    )


def test_minus_infinity_is_the_worst_performance() -> None:
    assert rank_sum(np.array([-np.inf, -900.0]), np.zeros(2), weight=0.0).tolist() == [2.0, 1.0]


def test_no_candidates_give_no_scores() -> None:
    assert rank_sum(np.zeros(0), np.zeros(0), weight=0.1).shape == (0,)


@pytest.mark.parametrize("diversity", [np.zeros(3), np.zeros((2, 1))])
def test_shapes_that_differ_are_refused(diversity: FloatArray) -> None:
    with pytest.raises(ValueError, match="must be the same"):
        rank_sum(np.zeros(2), diversity, weight=0.1)


@pytest.mark.parametrize(("performance", "diversity"), [(np.nan, 0.0), (0.0, np.nan)])
def test_a_missing_value_is_refused(performance: float, diversity: float) -> None:
    with pytest.raises(ValueError, match="NaN"):
        rank_sum(np.array([performance]), np.array([diversity]), weight=0.1)
