"""Tests of the transform of losses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import skew, yeojohnson_llf
from sklearn.preprocessing import PowerTransformer

from automl.surrogates.output_transform import (
    FittedTransform,
    OutputTransform,
    Shape,
    most_likely_power,
)
from search_space.arrays import FloatArray

any_finite = st.floats(allow_nan=False, allow_infinity=False)
ordinary = st.floats(-1e6, 1e6)


def as_array(values: list[float]) -> FloatArray:
    return np.array(values, dtype=np.float64)


def skewed(seed: int = 0, n: int = 200) -> FloatArray:
    return np.random.default_rng(seed).lognormal(sigma=1.0, size=n)


@pytest.mark.parametrize("seed", range(3))
def test_positive_losses_have_the_box_cox_transform_of_scikit_learn(seed: int) -> None:
    y = skewed(seed) + 0.2
    fitted = OutputTransform().fit(y)
    theirs = PowerTransformer("box-cox").fit((y / y.std())[:, np.newaxis])
    assert fitted.shape is Shape.BOX_COX
    assert fitted.power == pytest.approx(theirs.lambdas_[0], abs=1e-4)
    expected = theirs.transform((y / y.std())[:, np.newaxis])[:, 0]
    np.testing.assert_allclose(fitted.apply(y), expected, atol=1e-4)


@pytest.mark.parametrize("shift", [0.0, -1.0, -3.0])
def test_losses_of_zero_and_below_have_the_yeo_johnson_transform_of_scikit_learn(
    shift: float,
) -> None:
    y = skewed() + shift
    y[0] = min(shift, 0.0)
    fitted = OutputTransform().fit(y)
    theirs = PowerTransformer("yeo-johnson").fit((y / y.std())[:, np.newaxis])
    assert fitted.shape is Shape.YEO_JOHNSON
    expected = theirs.transform((y / y.std())[:, np.newaxis])[:, 0]
    np.testing.assert_allclose(fitted.apply(y), expected, atol=2e-3)


def test_the_power_of_losses_far_below_zero_is_at_least_as_likely_as_that_of_scikit_learn() -> None:
    y = skewed() - 100.0
    x = y / y.std()
    theirs = PowerTransformer("yeo-johnson").fit(x[:, np.newaxis]).lambdas_[0]
    ours = most_likely_power(Shape.YEO_JOHNSON, x)
    assert yeojohnson_llf(ours, x) >= yeojohnson_llf(theirs, x)


def test_the_result_is_standardised_and_less_skewed() -> None:
    for y in (skewed(), skewed() - 1.0, -skewed()):
        z = OutputTransform().fit(y).apply(y)
        assert z.mean() == pytest.approx(0.0, abs=1e-9)
        assert z.std() == pytest.approx(1.0)
        assert abs(skew(z)) < 0.3 * abs(skew(y))


def test_narrow_losses_are_unskewed_too() -> None:
    y = 0.3 + 1e-4 * skewed()
    assert abs(skew(OutputTransform().fit(y).apply(y))) < 0.5
    assert skew(y) > 1.5


def test_one_outlier_leaves_the_others_apart() -> None:
    y = np.array([0.30, 0.31, 0.32, 0.33, 1e6])
    z = OutputTransform().fit(y).apply(y)
    assert z[3] - z[0] > 1e3 * (y[3] - y[0]) / y.std()


def test_outliers_stay_apart_from_each_other() -> None:
    # The most likely power would spread the many and leave nothing of the two good ones.
    y = np.array([1e-4, 2e-4, *(1.0 + 5e-3 * np.linspace(-1.0, 1.0, 200))])
    z = OutputTransform().fit(y).apply(y)
    assert np.all(np.diff(z) > 0.0)


def test_losses_next_to_zero_are_taken_for_zero() -> None:
    y = np.array([1e-200, 0.1, 0.2, 0.4])
    assert OutputTransform().fit(y).shape is Shape.YEO_JOHNSON
    assert OutputTransform().fit(np.maximum(y, 1e-9)).shape is Shape.BOX_COX


@given(st.lists(ordinary, min_size=1, max_size=30), st.lists(ordinary, max_size=30))
def test_the_order_of_any_losses_is_kept(fitted_on: list[float], later: list[float]) -> None:
    transform = OutputTransform().fit(as_array(fitted_on))
    z = transform.apply(np.sort(as_array([*fitted_on, *later])))
    assert np.all(np.diff(z) >= -1e-9 * np.maximum(1.0, np.abs(z[1:])))


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=30, unique=True))
def test_losses_that_differ_clearly_stay_apart(losses: list[int]) -> None:
    y = np.sort(np.array(losses, dtype=np.float64))
    assert np.all(np.diff(OutputTransform().fit(y).apply(y)) > 0.0)


@given(st.lists(any_finite, min_size=1, max_size=20), st.lists(any_finite, max_size=20))
def test_everything_is_finite_whatever_the_losses(
    fitted_on: list[float], later: list[float]
) -> None:
    y = as_array(fitted_on)
    transform = OutputTransform().fit(y)
    assert np.isfinite(transform.apply(np.array([*fitted_on, *later]))).all()


@given(st.lists(st.floats(1e-9, 1e9), min_size=2, max_size=20))
def test_units_of_the_loss_do_not_matter(losses: list[float]) -> None:
    y = as_array(losses)
    z = OutputTransform().fit(y).apply(y)
    # Losses equal up to rounding may be told apart in one unit only.
    if np.ptp(y) > 1e-6 * y.max():
        np.testing.assert_allclose(OutputTransform().fit(8.0 * y).apply(8.0 * y), z, atol=1e-6)


@pytest.mark.parametrize("y", [[0.3], [0.3] * 5, [0.0], [0.0] * 3, [-2.0] * 4, [1e300] * 3])
def test_of_equal_losses_their_value_is_subtracted(y: list[float]) -> None:
    fitted = OutputTransform().fit(as_array(y))
    assert fitted.shape is Shape.NONE
    assert fitted.apply(as_array(y)).tolist() == [0.0] * len(y)
    if abs(y[0]) < 1e3:
        np.testing.assert_allclose(fitted.apply(as_array(y) + 0.5), 0.5, rtol=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_where_logarithms_lose_all_differences_losses_are_only_standardised(sign: float) -> None:
    y = sign * np.array([1e16, 1e16 + 2.0, 1e16 + 4.0])
    fitted = OutputTransform(power=True).fit(y)
    assert np.isfinite(fitted.apply(y)).all()
    assert np.all(np.diff(sign * fitted.apply(y)) > 0.0)


def test_without_powers_losses_are_only_standardised() -> None:
    y = skewed()
    fitted = OutputTransform(power=False).fit(y)
    later = np.array([-5.0, 100.0])
    for losses in (y, later):
        np.testing.assert_allclose(fitted.apply(losses), (losses - y.mean()) / y.std(), atol=1e-9)


@pytest.mark.parametrize("shift", [0.0, -3.0])
def test_beyond_the_losses_fitted_on_the_transform_is_its_tangent(shift: float) -> None:
    y = np.sort(skewed()) + 0.1 + shift
    fitted = OutputTransform().fit(y)
    for end, side in ((y[0], -1.0), (y[-1], 1.0)):
        h = 1e-5 * abs(end)
        inner = (fitted.apply(np.array([end])) - fitted.apply(np.array([end - side * h]))) / h
        for distance in (0.01, 1.0, 10.0):
            beyond = np.array([end + side * distance])
            outer = (fitted.apply(beyond) - fitted.apply(np.array([end]))) / distance
            np.testing.assert_allclose(outer, inner, rtol=1e-3)


def test_a_later_loss_below_zero_comes_below_all_positive_ones() -> None:
    fitted = OutputTransform().fit(skewed())
    assert fitted.shape is Shape.BOX_COX
    z = fitted.apply(np.array([-2.0, -1.0, 0.0, skewed().min()]))
    assert np.all(np.diff(z) > 0.0)


def test_a_power_of_one_is_found_for_normal_losses_and_of_zero_for_log_normal_ones() -> None:
    normal = np.random.default_rng(0).normal(size=5000)
    assert most_likely_power(Shape.YEO_JOHNSON, normal) == pytest.approx(1.0, abs=0.05)
    logs = normal - normal.mean()
    assert most_likely_power(Shape.BOX_COX, np.exp(logs)) == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("losses", [np.zeros(0), np.array([0.1, np.nan]), np.zeros((2, 1))])
def test_losses_that_cannot_be_transformed_are_refused(losses: FloatArray) -> None:
    with pytest.raises(ValueError, match="must be"):
        OutputTransform().fit(losses)


def test_fitting_and_applying_leave_arguments_alone() -> None:
    y = skewed()
    y.flags.writeable = False
    assert isinstance(OutputTransform().fit(y), FittedTransform)
    for losses in (y, -y):
        assert not np.shares_memory(OutputTransform().fit(losses).apply(losses), losses)
    assert not np.shares_memory(OutputTransform(power=False).fit(y).apply(y), y)
