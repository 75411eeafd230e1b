"""Tests of the probability of improvement and its logarithm."""

from __future__ import annotations

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from automl.acquisition.improvement_probability import (
    improvement_probability,
    log_improvement_probability,
)

finite = st.floats(-5.0, 5.0)
positive = st.floats(0.01, 10.0)


def at(z: float) -> float:
    """Return log PI of one candidate whose mean is z standard deviations below the incumbent."""
    return float(log_improvement_probability(np.array([-z]), np.array([1.0]), 0.0)[0])


@pytest.mark.parametrize(
    "z", [-1e4, -300.0, -38.0, -20.0, -5.0, -1.0, -1e-9, 0.0, 1e-9, 0.5, 1.0, 3.0, 8.0, 20.0]
)
def test_the_logarithm_agrees_with_many_digits_in_both_tails(z: float) -> None:
    # erfc has an asymptotic form of its own in mpmath, so no digits are lost below; above,
    # as many are needed as the probability has nines.
    with mpmath.workdps(150):
        exact = mpmath.log(mpmath.erfc(-mpmath.mpf(z) / mpmath.sqrt(2)) / 2)
        relative = float(abs(at(z) / exact - 1))
    assert relative < 1e-13


def test_at_the_incumbent_it_is_a_half() -> None:
    probability = improvement_probability(np.full(2, 0.4), np.array([0.1, 7.0]), 0.4)
    assert probability.tolist() == [0.5, 0.5]


@given(finite, positive, finite)
def test_it_is_the_cumulative_probability(mean: float, std: float, incumbent: float) -> None:
    actual = improvement_probability(np.array([mean]), np.array([std]), incumbent)[0]
    assert actual == pytest.approx(norm.cdf(incumbent, mean, std), rel=1e-12)


@given(finite, positive, finite)
def test_value_and_logarithm_agree(mean: float, std: float, incumbent: float) -> None:
    arguments = np.array([mean]), np.array([std]), incumbent
    expected = np.exp(log_improvement_probability(*arguments))
    np.testing.assert_allclose(improvement_probability(*arguments), expected, rtol=1e-10, atol=0.0)


def test_candidates_that_underflow_are_still_told_apart() -> None:
    mean, std = np.array([40.0, 41.0, 60.0, 1e4]), np.ones(4)
    assert not improvement_probability(mean, std, 0.0).any()
    logarithm = log_improvement_probability(mean, std, 0.0)
    assert np.all(np.isfinite(logarithm))
    assert np.all(np.diff(logarithm) < 0.0)


def test_without_uncertainty_the_improvement_is_certain_or_impossible() -> None:
    mean = np.array([0.29, 0.3, 0.5])
    assert improvement_probability(mean, np.zeros(3), 0.3).tolist() == [1.0, 0.0, 0.0]
    assert log_improvement_probability(mean, np.zeros(3), 0.3).tolist() == [0.0, -np.inf, -np.inf]


def test_shapes_that_differ_and_negative_deviations_are_refused() -> None:
    with pytest.raises(ValueError, match="same shape"):
        improvement_probability(np.zeros(2), np.ones(3), 0.0)
    with pytest.raises(ValueError, match="negative"):
        log_improvement_probability(np.zeros(1), np.array([-1.0]), 0.0)
