"""Tests of the upper bound regret and what it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from automl.acquisition.upper_bound_regret import (
    best_share,
    interquartile_mean,
    upper_bound_regret,
)
from search_space.arrays import FloatArray

MEAN, STD = np.array([0.5, 0.3, 0.4]), np.array([0.0, 0.2, 0.05])
samples = arrays(np.float64, st.integers(1, 12), elements=st.floats(-100.0, 100.0))


def test_it_is_the_gap_between_the_bounds() -> None:
    # Upper bounds 0.5, 0.7 and 0.5; the space holds a lower bound of -0.6.
    assert upper_bound_regret(MEAN, STD, -0.6, kappa=2.0) == pytest.approx(1.1)


def test_evaluated_configurations_are_part_of_the_space() -> None:
    # Lower bounds 0.5, -0.1 and 0.3.
    assert upper_bound_regret(MEAN, STD, 0.2, kappa=2.0) == pytest.approx(0.6)


def test_nothing_is_left_where_all_is_certain() -> None:
    assert upper_bound_regret(MEAN, np.zeros(3), 0.3, kappa=2.0) == 0.0


@given(samples, st.floats(0.0, 10.0), st.floats(-200.0, 200.0), st.floats(0.0, 5.0))
def test_it_is_never_negative(mean: FloatArray, std: float, elsewhere: float, kappa: float) -> None:
    assert upper_bound_regret(mean, np.full(mean.shape, std), elsewhere, kappa=kappa) >= 0.0


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(ValueError, match="evaluated"):
        upper_bound_regret(np.zeros(0), np.zeros(0), 0.0, kappa=1.0)
    with pytest.raises(ValueError, match="bound"):
        upper_bound_regret(MEAN, STD, np.nan, kappa=1.0)
    with pytest.raises(ValueError, match="negative"):
        upper_bound_regret(MEAN, -STD, 0.0, kappa=1.0)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.01, [1]), (0.5, [1, 3, 2]), (0.75, [1, 3, 2, 0]), (1.0, [1, 3, 2, 0, 4])],
)
def test_the_best_share_is_rounded_up_and_keeps_the_order_of_equals(
    share: float, expected: list[int]
) -> None:
    assert best_share(np.array([0.4, 0.1, 0.3, 0.2, 0.4]), share=share).tolist() == expected


@pytest.mark.parametrize("share", [0.0, 1.1, np.nan])
def test_a_share_out_of_range_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share"):
        best_share(np.zeros(3), share=share)


def test_a_missing_loss_is_refused() -> None:
    with pytest.raises(ValueError, match="missing"):
        best_share(np.array([0.1, np.nan]), share=1.0)


def test_the_interquartile_mean_of_seven_counts_two_in_part() -> None:
    # Of 1.75 left out at either end: 3, 4 and 5 count fully, 2 and 6 a quarter.
    values = np.array([90.0, 2.0, 3.0, 4.0, 5.0, 10.0, -80.0])
    expected = (0.25 * 2.0 + 3.0 + 4.0 + 5.0 + 0.25 * 10.0) / 3.5
    assert interquartile_mean(values) == pytest.approx(expected)


def test_the_interquartile_mean_of_few_is_their_mean_or_the_middle() -> None:
    assert interquartile_mean(np.array([3.0])) == 3.0
    assert interquartile_mean(np.array([3.0, 5.0])) == 4.0
    assert interquartile_mean(np.array([0.0, 3.0, 5.0, 100.0])) == 4.0


@given(samples)
def test_the_interquartile_mean_is_that_of_four_copies_of_each_value(values: FloatArray) -> None:
    # Of four copies each, a quarter is a whole number of values.
    copies = np.sort(np.repeat(values, 4))
    expected = copies[len(values) : 3 * len(values)].mean()
    assert interquartile_mean(values) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_rows_are_averaged_one_by_one() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 7))
    one_by_one = [float(interquartile_mean(row)) for row in rows]
    np.testing.assert_allclose(interquartile_mean(rows), one_by_one, rtol=1e-14)


def test_no_value_has_no_mean() -> None:
    for nothing in (np.zeros(0), np.zeros((3, 0)), np.array(1.0)):
        with pytest.raises(ValueError, match="at least one"):
            interquartile_mean(nothing)
