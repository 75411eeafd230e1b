"""Tests of confidence bounds and of the schedules of their width."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automl.acquisition.confidence_bound import (
    confidence_score,
    hebo_kappa,
    lower_confidence_bound,
    sawei_kappa,
    upper_confidence_bound,
)

MEAN, STD = np.array([0.3, 0.5]), np.array([0.1, 0.0])
counts = st.integers(1, 10_000)


def test_bounds_lie_kappa_deviations_from_the_mean() -> None:
    np.testing.assert_allclose(lower_confidence_bound(MEAN, STD, kappa=2.0), [0.1, 0.5])
    np.testing.assert_allclose(upper_confidence_bound(MEAN, STD, kappa=2.0), [0.5, 0.5])
    np.testing.assert_allclose(confidence_score(MEAN, STD, kappa=2.0), [-0.1, -0.5])


def test_without_width_only_the_mean_counts() -> None:
    assert np.array_equal(lower_confidence_bound(MEAN, STD, kappa=0.0), MEAN)
    assert np.array_equal(upper_confidence_bound(MEAN, STD, kappa=0.0), MEAN)


@pytest.mark.parametrize("bound", [lower_confidence_bound, upper_confidence_bound])
@pytest.mark.parametrize("kappa", [-1e-9, math.nan, math.inf])
def test_a_width_that_is_none_is_refused(bound, kappa: float) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="kappa"):
        bound(MEAN, STD, kappa=kappa)


def test_predictions_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="same shape"):
        confidence_score(MEAN, np.zeros(3), kappa=1.0)
    with pytest.raises(ValueError, match="negative"):
        upper_confidence_bound(MEAN, -STD, kappa=1.0)


@given(counts, st.integers(1, 100))
def test_both_schedules_are_the_roots_of_their_definitions(t: int, d: int) -> None:
    assert math.exp(sawei_kappa(t, d, beta=0.5) ** 2 / 2) == pytest.approx(d * t**2 / 0.5)
    # Undone in logarithms: t^(2 + d/2) overflows.
    width = hebo_kappa(t, d, delta=0.1) ** 2 - (2 + d / 2) * math.log(t)
    assert math.exp(width) == pytest.approx(math.pi**2 / 0.1, rel=1e-9)


@given(counts, st.integers(1, 100))
def test_no_schedule_falls_with_trials_or_dimensions(t: int, d: int) -> None:
    for kappa in (sawei_kappa, hebo_kappa):
        assert kappa(t, d) <= kappa(t + 1, d)
        assert kappa(t, d) <= kappa(t, d + 1)


def test_the_first_width_of_one_dimension_is_zero() -> None:
    assert sawei_kappa(1, 1) == 0.0


@pytest.mark.parametrize(("t", "d"), [(0, 1), (1, 0)])
def test_counts_below_one_are_refused(t: int, d: int) -> None:
    for kappa in (sawei_kappa, hebo_kappa):
        with pytest.raises(ValueError, match="positive counts"):
            kappa(t, d)


def test_parameters_out_of_range_are_refused() -> None:
    assert sawei_kappa(2, 1, beta=4.0) == 0.0
    for beta in (0.0, 4.1, math.nan):
        with pytest.raises(ValueError, match="beta"):
            sawei_kappa(2, 1, beta=beta)
    for delta in (0.0, 1.0, math.nan):
        with pytest.raises(ValueError, match="delta"):
            hebo_kappa(2, 1, delta=delta)
