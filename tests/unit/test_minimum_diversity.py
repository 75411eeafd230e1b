"""Tests of the expected minimum diversity to a pool."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automl.acquisition.minimum_diversity import minimum_diversity
from search_space.arrays import FloatArray


def value_of(
    mean: FloatArray, std: FloatArray, *, n_samples: int = 15, seed: int = 0
) -> FloatArray:
    return minimum_diversity(mean, std, n_samples=n_samples, rng=np.random.default_rng(seed))


@given(st.integers(0, 1000), st.integers(1, 5), st.integers(1, 4))
def test_without_uncertainty_it_is_the_smallest_mean(seed: int, c: int, p: int) -> None:
    mean = np.random.default_rng(seed).normal(size=(c, p))
    np.testing.assert_allclose(value_of(mean, np.zeros((c, p))), mean.min(axis=1), rtol=1e-14)


def test_of_a_pool_of_one_it_is_the_mean_in_expectation() -> None:
    value = value_of(np.array([[0.3]]), np.array([[2.0]]), n_samples=40_000)[0]
    assert value == pytest.approx(0.3, abs=4 * 2.0 / math.sqrt(40_000))


def test_of_two_alike_it_falls_by_std_over_root_pi() -> None:
    # The smaller of two standard normals: mean -1 / sqrt(pi), variance 1 - 1 / pi.
    value = value_of(np.full((1, 2), 0.3), np.full((1, 2), 2.0), n_samples=40_000)[0]
    tolerance = 4 * 2.0 * math.sqrt((1 - 1 / math.pi) / 40_000)
    assert value == pytest.approx(0.3 - 2.0 / math.sqrt(math.pi), abs=tolerance)


def test_of_two_unlike_it_agrees_with_the_closed_form() -> None:
    # Clark (1961), The Greatest of a Finite Set of Random Variables: with theta^2 the variance of
    # the difference and a = (m2 - m1) / theta, E min = m1 Phi(a) + m2 Phi(-a) - theta phi(a).
    (m1, s1), (m2, s2) = (0.0, 0.5), (0.6, 1.5)
    theta = math.hypot(s1, s2)
    a = (m2 - m1) / theta
    below, density = 0.5 * math.erfc(-a / math.sqrt(2)), math.exp(-a * a / 2) / math.sqrt(math.tau)
    expected = m1 * below + m2 * (1 - below) - theta * density
    value = value_of(np.array([[m1, m2]]), np.array([[s1, s2]]), n_samples=40_000)[0]
    assert value == pytest.approx(expected, abs=4 * 1.0 / math.sqrt(40_000))


def test_it_never_exceeds_the_smallest_expected_diversity_by_more_than_chance() -> None:
    rng = np.random.default_rng(1)
    mean, std = rng.normal(size=(50, 6)), rng.random((50, 6))
    assert np.all(value_of(mean, std, n_samples=5000) <= mean.min(axis=1) + 0.06)


def test_candidates_believed_alike_get_the_same_value() -> None:
    mean, std = np.tile([0.1, 0.2, 0.4], (4, 1)), np.full((4, 3), 0.7)
    assert len(set(value_of(mean, std, n_samples=3))) == 1


def test_a_candidate_more_diverse_by_a_constant_gains_just_that() -> None:
    mean, std = np.array([[0.1, 0.5], [0.3, 0.7]]), np.full((2, 2), 0.7)
    lower, higher = value_of(mean, std, n_samples=2)
    assert higher - lower == pytest.approx(0.2, abs=1e-12)


def test_the_same_generator_gives_the_same_values_and_another_others() -> None:
    mean, std = np.zeros((3, 2)), np.ones((3, 2))
    assert np.array_equal(value_of(mean, std, seed=1), value_of(mean, std, seed=1))
    assert not np.array_equal(value_of(mean, std, seed=1), value_of(mean, std, seed=2))


def test_no_candidates_give_no_values() -> None:
    assert value_of(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize(
    ("mean", "std"),
    [
        (np.zeros((2, 3)), np.zeros((2, 2))),
        (np.zeros((2, 0)), np.zeros((2, 0))),
        (np.zeros(3), np.zeros(3)),
    ],
)
def test_shapes_that_do_not_fit_are_refused(mean: FloatArray, std: FloatArray) -> None:
    with pytest.raises(ValueError, match="must be the same"):
        value_of(mean, std)


def test_no_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        value_of(np.zeros((1, 1)), np.zeros((1, 1)), n_samples=0)


@pytest.mark.parametrize("std", [-0.1, np.nan])
def test_a_negative_or_missing_standard_deviation_is_refused(std: float) -> None:
    with pytest.raises(ValueError, match="negative"):
        value_of(np.zeros((1, 1)), np.array([[std]]))
