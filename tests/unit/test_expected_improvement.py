"""Tests of expected improvement and its logarithm."""

from __future__ import annotations

import math

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from automl.acquisition.expected_improvement import expected_improvement, log_expected_improvement

finite = st.floats(-5.0, 5.0)
positive = st.floats(0.01, 10.0)


def at(z: float) -> float:
    """Return log EI of one candidate whose mean is z standard deviations below the incumbent."""
    return float(log_expected_improvement(np.array([-z]), np.array([1.0]), 0.0)[0])


def test_at_the_incumbent_it_is_std_over_root_two_pi() -> None:
    mean, std = np.full(3, 0.4), np.array([0.1, 1.0, 7.0])
    np.testing.assert_allclose(
        expected_improvement(mean, std, 0.4), std / math.sqrt(2 * math.pi), rtol=1e-14
    )


@pytest.mark.parametrize(
    "z", [-55.0, -50.5, -50.0, -49.5, -10.0, -1.0, -1e-9, 0.0, 1e-9, 0.5, 3.0, 20.0]
)
def test_logarithm_agrees_with_many_digits_on_every_branch(z: float) -> None:
    # The two terms cancel but for a part of exp(-z^2 / 2).
    with mpmath.workdps(60 + int(z * z / 4)):
        exact = mpmath.log(mpmath.npdf(z) + z * mpmath.ncdf(z))
        error = float(abs(at(z) - exact) / max(1, abs(exact)))
    assert error < 1e-14


@pytest.mark.parametrize("z", [-60.0, -300.0, -1e4])
def test_far_from_the_incumbent_the_logarithm_agrees_with_quadrature(z: float) -> None:
    # h(z) = phi(z) / z^2 times the integral over u > 0 of u exp(-u - (u / z)^2 / 2).
    integral, _ = quad(lambda u: u * math.exp(-u - 0.5 * (u / z) ** 2), 0.0, 60.0)
    expected = norm.logpdf(z) - 2.0 * math.log(-z) + math.log(integral)
    assert at(z) == pytest.approx(expected, rel=1e-15, abs=1e-10)


@settings(max_examples=30)
@given(finite, positive, finite)
def test_it_agrees_with_quadrature(mean: float, std: float, incumbent: float) -> None:
    def improvement(loss: float) -> float:
        return float((incumbent - loss) * norm.pdf(loss, mean, std))

    lower = min(mean, incumbent) - 12.0 * std
    expected, _ = quad(improvement, lower, incumbent, points=[min(mean, incumbent)], limit=200)
    actual = expected_improvement(np.array([mean]), np.array([std]), incumbent)[0]
    assert actual == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(finite, positive, finite, st.floats(-3.0, 3.0), st.floats(0.1, 10.0))
def test_shifting_changes_nothing_and_scaling_scales(
    mean: float, std: float, incumbent: float, shift: float, scale: float
) -> None:
    original = log_expected_improvement(np.array([mean]), np.array([std]), incumbent)[0]
    moved = log_expected_improvement(
        np.array([scale * mean + shift]), np.array([scale * std]), scale * incumbent + shift
    )[0]
    assert moved == pytest.approx(original + math.log(scale), rel=1e-6, abs=1e-6)


def test_candidates_that_underflow_are_still_told_apart() -> None:
    mean, std = np.array([40.0, 41.0, 60.0]), np.ones(3)
    assert not expected_improvement(mean, std, 0.0).any()
    logarithm = log_expected_improvement(mean, std, 0.0)
    assert np.all(np.isfinite(logarithm))
    assert np.all(np.diff(logarithm) < 0.0)


def test_without_uncertainty_the_improvement_is_certain() -> None:
    mean, std = np.array([0.1, 0.29, 0.3, 0.5]), np.zeros(4)
    expected = [0.2, 0.01, 0.0, 0.0]
    np.testing.assert_allclose(expected_improvement(mean, std, 0.3), expected, rtol=1e-12)
    logarithm = log_expected_improvement(mean, std, 0.3)
    assert np.array_equal(np.isinf(logarithm), [False, False, True, True])


@given(finite, finite)
def test_without_uncertainty_the_definition_holds(mean: float, incumbent: float) -> None:
    improvement = expected_improvement(np.array([mean]), np.zeros(1), incumbent)[0]
    assert improvement == pytest.approx(max(incumbent - mean, 0.0), rel=1e-12)


@pytest.mark.parametrize("mean", [0.1, 0.3])
def test_no_uncertainty_is_the_limit_of_little(mean: float) -> None:
    limit, nearby = expected_improvement(np.full(2, mean), np.array([0.0, 1e-9]), 0.3)
    assert nearby == pytest.approx(limit, abs=1e-9)


@pytest.mark.parametrize("std", [5e-324, 1e-300, 1e-160])
def test_next_to_no_uncertainty_is_like_none(std: float) -> None:
    logarithm = log_expected_improvement(np.array([0.1, 0.5]), np.full(2, std), 0.3)
    np.testing.assert_allclose(logarithm, [math.log(0.2), -math.inf], rtol=1e-12)


def test_no_candidates_give_no_values() -> None:
    assert expected_improvement(np.zeros(0), np.zeros(0), 0.0).shape == (0,)


def test_shapes_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="same shape"):
        expected_improvement(np.zeros(2), np.ones(3), 0.0)


@pytest.mark.parametrize("std", [-1e-9, np.nan])
def test_a_negative_or_missing_standard_deviation_is_refused(std: float) -> None:
    with pytest.raises(ValueError, match="negative"):
        log_expected_improvement(np.zeros(1), np.array([std]), 0.0)
