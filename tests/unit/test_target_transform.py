"""Tests of the normal scores."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from automl.surrogates.target_transform import gaussian_ranks
from search_space.arrays import FloatArray

values = st.lists(st.integers(-20, 20), max_size=40).map(lambda v: np.array(v, dtype=np.float64))


def test_middle_values_have_the_score_of_their_quantile() -> None:
    n = 101
    scores = gaussian_ranks(np.random.default_rng(0).permutation(n).astype(np.float64))
    assert np.sort(scores)[[30, 50]] == pytest.approx(norm.ppf([30.5 / n, 50.5 / n]), abs=1e-12)


@pytest.mark.parametrize("n", [10, 250, 5000])
def test_extremes_are_clipped(n: int) -> None:
    delta = 1.0 / (4.0 * n**0.25 * math.sqrt(math.pi * math.log(n)))
    scores = gaussian_ranks(np.arange(float(n)))
    assert scores[[0, -1]] == pytest.approx([norm.ppf(delta), -norm.ppf(delta)], rel=1e-9)


def test_an_outlier_is_no_further_away_than_any_largest_value() -> None:
    near, far = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 1e300])
    assert np.array_equal(gaussian_ranks(near), gaussian_ranks(far))


def test_ties_share_the_score_of_their_mean_rank() -> None:
    scores = gaussian_ranks(np.array([1.0, 5.0, 5.0, 5.0, 9.0]))
    assert scores[1:4].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("constant", [np.zeros(0), np.array([3.0]), np.full(7, -2.0)])
def test_nothing_one_value_and_equal_values_have_score_zero(constant: FloatArray) -> None:
    assert gaussian_ranks(constant).tolist() == [0.0] * len(constant)


@given(values)
def test_scores_keep_the_order(x: FloatArray) -> None:
    order = np.argsort(x, kind="stable")
    assert np.all(np.diff(gaussian_ranks(x)[order]) >= 0.0)


@given(values)
def test_negating_values_negates_scores(x: FloatArray) -> None:
    np.testing.assert_allclose(gaussian_ranks(-x), -gaussian_ranks(x), atol=1e-12)


@given(values)
def test_only_order_counts(x: FloatArray) -> None:
    assert np.array_equal(gaussian_ranks(x), gaussian_ranks(np.exp(0.1 * x)))
