"""Tests of weighted expected improvement and its terms."""

from __future__ import annotations

import math

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from automl.acquisition.expected_improvement import expected_improvement, log_expected_improvement
from automl.acquisition.weighted_expected_improvement import (
    exploitation_term,
    exploration_term,
    log_weighted_expected_improvement,
    weighted_expected_improvement,
)

finite = st.floats(-5.0, 5.0)
positive = st.floats(0.01, 10.0)
weights = st.floats(0.0, 1.0)


@given(finite, positive, finite)
def test_the_terms_are_those_of_the_formula(mean: float, std: float, incumbent: float) -> None:
    z = (incumbent - mean) / std
    arguments = np.array([mean]), np.array([std]), incumbent
    assert exploration_term(*arguments)[0] == pytest.approx(std * norm.pdf(z), rel=1e-10)
    assert exploitation_term(*arguments)[0] == pytest.approx(z * std * norm.cdf(z), rel=1e-10)


@given(finite, positive, finite, weights)
def test_it_is_the_weighted_sum(mean: float, std: float, incumbent: float, alpha: float) -> None:
    arguments = np.array([mean]), np.array([std]), incumbent
    expected = alpha * exploitation_term(*arguments) + (1 - alpha) * exploration_term(*arguments)
    actual = weighted_expected_improvement(*arguments, alpha=alpha)
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)


@given(finite, positive, finite)
def test_the_named_weights_give_what_they_are_named_for(
    mean: float, std: float, incumbent: float
) -> None:
    arguments = np.array([mean]), np.array([std]), incumbent
    halved = weighted_expected_improvement(*arguments, alpha=0.5)
    np.testing.assert_allclose(halved, 0.5 * expected_improvement(*arguments), rtol=1e-10)
    assert weighted_expected_improvement(*arguments, alpha=1.0) == exploitation_term(*arguments)
    explored = weighted_expected_improvement(*arguments, alpha=0.0)
    np.testing.assert_allclose(explored, exploration_term(*arguments), rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.4999, 0.5])
@pytest.mark.parametrize("z", [-40.0, -10.0, -1.0, 0.0, 0.5, 20.0])
def test_the_logarithm_agrees_with_many_digits(z: float, alpha: float) -> None:
    actual = log_weighted_expected_improvement(np.array([-z]), np.ones(1), 0.0, alpha=alpha)[0]
    with mpmath.workdps(60 + int(z * z / 4)):
        exploit, explore = z * mpmath.ncdf(z), mpmath.npdf(z)
        exact = mpmath.log(mpmath.mpf(alpha) * exploit + (1 - mpmath.mpf(alpha)) * explore)
        error = float(abs(actual - exact) / max(1, abs(exact)))
    assert error < 1e-13


def test_candidates_that_underflow_are_still_told_apart() -> None:
    mean, std = np.array([40.0, 41.0, 1e4]), np.ones(3)
    for alpha in (0.0, 0.25, 0.5):
        assert not weighted_expected_improvement(mean, std, 0.0, alpha=alpha).any()
        logarithm = log_weighted_expected_improvement(mean, std, 0.0, alpha=alpha)
        assert np.all(np.isfinite(logarithm))
        assert np.all(np.diff(logarithm) < 0.0)


@pytest.mark.parametrize("z", [-5.0, -20.0, -35.0])
def test_terms_that_cancel_lose_no_digits(z: float) -> None:
    arguments = np.array([-z]), np.ones(1), 0.0
    actual = weighted_expected_improvement(*arguments, alpha=0.5)
    np.testing.assert_allclose(actual, 0.5 * expected_improvement(*arguments), rtol=1e-11)


def test_half_of_expected_improvement_stays_so_in_the_tail() -> None:
    mean, std = np.array([50.0, 1e4]), np.ones(2)
    actual = log_weighted_expected_improvement(mean, std, 0.0, alpha=0.5)
    expected = log_expected_improvement(mean, std, 0.0) - math.log(2.0)
    np.testing.assert_allclose(actual, expected, rtol=1e-15)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_without_uncertainty_the_certain_improvement_is_weighted(alpha: float) -> None:
    mean = np.array([0.1, 0.3, 0.5])
    actual = weighted_expected_improvement(mean, np.zeros(3), 0.3, alpha=alpha)
    np.testing.assert_allclose(actual, [alpha * 0.2, 0.0, 0.0], rtol=1e-12)
    assert exploration_term(mean, np.zeros(3), 0.3).tolist() == [0.0, 0.0, 0.0]


def test_more_weight_on_exploitation_moves_the_choice_from_uncertain_to_good() -> None:
    mean, std = np.array([0.3, 0.2]), np.array([0.5, 0.1])
    chosen = [
        int(weighted_expected_improvement(mean, std, 0.3, alpha=alpha).argmax())
        for alpha in (0.0, 0.5, 0.8, 1.0)
    ]
    assert chosen == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("alpha", "monotone"),
    [(0.0, False), (0.18, False), (0.19, True), (0.3, True), (0.5, True), (0.51, False)],
)
def test_a_lower_mean_never_scores_worse_for_the_weights_named(
    alpha: float, monotone: bool
) -> None:
    mean = np.linspace(-12.0, 12.0, 4001)
    score = weighted_expected_improvement(mean, np.ones(mean.shape), 0.0, alpha=alpha)
    assert bool(np.all(np.diff(score) <= 0.0)) == monotone


@pytest.mark.parametrize("alpha", [0.6, 0.9, 1.0])
def test_for_greater_weights_it_holds_below_the_incumbent(alpha: float) -> None:
    mean = np.linspace(-12.0, 0.0, 2001)
    score = weighted_expected_improvement(mean, np.ones(mean.shape), 0.0, alpha=alpha)
    assert np.all(np.diff(score) < 0.0)
    hopeless, more_so = weighted_expected_improvement(
        np.array([4.0, 8.0]), np.ones(2), 0.0, alpha=alpha
    )
    assert hopeless < more_so < 0.0


@pytest.mark.parametrize("alpha", [-1e-9, 1.1, math.nan])
def test_a_weight_out_of_range_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        weighted_expected_improvement(np.zeros(1), np.ones(1), 0.0, alpha=alpha)


def test_no_logarithm_is_given_where_the_sum_may_be_negative() -> None:
    with pytest.raises(ValueError, match=r"\[0, 0\.5\]"):
        log_weighted_expected_improvement(np.zeros(1), np.ones(1), 0.0, alpha=0.51)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_predictions_that_are_none_are_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="same shape"):
        weighted_expected_improvement(np.zeros(2), np.ones(3), 0.0, alpha=alpha)
    with pytest.raises(ValueError, match="negative"):
        weighted_expected_improvement(np.zeros(1), -np.ones(1), 0.0, alpha=alpha)
