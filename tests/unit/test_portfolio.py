"""Tests of the choice among several acquisition functions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from automl.acquisition.portfolio import hedge_probabilities, portfolio_gains
from search_space.arrays import FloatArray

some_gains = arrays(np.float64, st.integers(1, 9), elements=st.floats(-50.0, 50.0))


def test_gains_are_the_losses_saved() -> None:
    predicted = np.array([[0.3, 0.5], [0.1, 0.5], [0.2, -0.1]])
    np.testing.assert_allclose(portfolio_gains(predicted), [-0.6, -0.9])


def test_who_nominates_lower_losses_is_followed_more() -> None:
    probabilities = hedge_probabilities(portfolio_gains(np.array([[0.3, 0.5, 0.4]])), 2.0)
    assert probabilities[0] > probabilities[2] > probabilities[1]


def test_before_the_first_round_all_are_alike() -> None:
    gains = portfolio_gains(np.zeros((0, 4)))
    assert gains.tolist() == [0.0] * 4
    assert hedge_probabilities(gains, 1.0).tolist() == [0.25] * 4


@given(some_gains, st.floats(0.0, 1.0))
def test_probabilities_are_proportional_to_exponentials(gains: FloatArray, eta: float) -> None:
    expected = np.exp(eta * gains) / np.exp(eta * gains).sum()
    np.testing.assert_allclose(hedge_probabilities(gains, eta), expected, rtol=1e-9)


@given(some_gains, st.floats(0.0, 1e6), st.floats(-50.0, 50.0))
def test_only_differences_count_and_the_sum_is_one(
    gains: FloatArray, eta: float, shift: float
) -> None:
    probabilities = hedge_probabilities(gains, eta)
    assert probabilities.sum() == pytest.approx(1.0)
    # Shifting rounds differences away that so great an eta would see.
    if eta < 100.0:
        np.testing.assert_allclose(
            hedge_probabilities(gains + shift, eta), probabilities, rtol=1e-9
        )


def test_gains_too_great_for_an_exponential_are_still_answered() -> None:
    assert hedge_probabilities(np.array([1e6, 0.0, 1e6]), 1e3).tolist() == [0.5, 0.0, 0.5]


def test_eta_zero_ignores_gains() -> None:
    assert hedge_probabilities(np.array([5.0, -5.0]), 0.0).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 0)), np.array([[np.nan]])])
def test_predictions_that_are_none_are_refused(wrong: FloatArray) -> None:
    with pytest.raises(ValueError, match="predicted"):
        portfolio_gains(wrong)


@pytest.mark.parametrize("wrong", [np.zeros(0), np.zeros((1, 2)), np.array([np.inf])])
def test_gains_that_are_none_are_refused(wrong: FloatArray) -> None:
    with pytest.raises(ValueError, match="gains"):
        hedge_probabilities(wrong, 1.0)


@pytest.mark.parametrize("eta", [-1.0, np.nan, np.inf])
def test_an_eta_out_of_range_is_refused(eta: float) -> None:
    with pytest.raises(ValueError, match="eta"):
        hedge_probabilities(np.zeros(2), eta)
