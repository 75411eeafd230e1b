"""Tests of the likelihood and its factorisation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from automl.errors import AutoMLError, SurrogateError
from automl.surrogates.gaussian_likelihood import (
    cholesky_factor,
    log_likelihood,
    precision_times,
    solve_lower,
)
from search_space.arrays import FloatArray


def problem(seed: int, n: int = 6) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    return root @ root.T + 0.1 * np.eye(n), rng.normal(size=n)


@pytest.mark.parametrize("n", [1, 2, 6])
def test_the_likelihood_is_the_density_of_a_normal_vector(n: int) -> None:
    matrix, y = problem(n, n)
    value, _ = log_likelihood(matrix, y)
    assert value == pytest.approx(multivariate_normal(cov=matrix).logpdf(y), rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_its_derivative_is_the_limit_of_differences(seed: int) -> None:
    matrix, y = problem(seed)
    _, half = log_likelihood(matrix, y)
    direction = np.random.default_rng(seed + 10).normal(size=matrix.shape)
    direction += direction.T
    up, down = (log_likelihood(matrix + h * direction, y)[0] for h in (1e-6, -1e-6))
    assert np.sum((half + half.T) * direction) == pytest.approx((up - down) / 2e-6, rel=1e-5)
    np.testing.assert_array_equal(half, np.triu(half))


def test_factor_and_solutions_are_those_of_the_matrix() -> None:
    matrix, y = problem(0)
    factor = cholesky_factor(matrix)
    np.testing.assert_array_equal(factor, np.tril(factor))
    np.testing.assert_allclose(factor @ factor.T, matrix, rtol=1e-12)
    right = np.stack([y, 2.0 * y, y[::-1]])
    np.testing.assert_allclose(solve_lower(factor, right.copy()) @ factor.T, right, rtol=1e-9)
    np.testing.assert_allclose(precision_times(factor, y), np.linalg.solve(matrix, y), rtol=1e-9)


def test_a_singular_matrix_is_factorised_with_a_little_more_on_its_diagonal() -> None:
    matrix = 5.0 * np.ones((40, 40))
    factor = cholesky_factor(matrix)
    added = factor @ factor.T - matrix
    np.testing.assert_allclose(added, np.diag(np.diag(added)), atol=1e-12)
    assert 0.0 < np.diag(added).max() <= 5.0 * 1.1e-4


def test_more_is_added_only_as_far_as_needed() -> None:
    matrix = np.diag([1.0, 1.0, -1e-6])
    added = np.diag(cholesky_factor(matrix)) ** 2 - np.diag(matrix)
    assert added == pytest.approx(np.full(3, 2e-5 / 3), rel=0.6)


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (np.diag([1.0, -0.01]), "not positive definite"),
        (np.zeros((2, 2)), "not positive definite"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "not finite"),
    ],
)
def test_matrices_beyond_repair_are_errors_of_their_own(matrix: FloatArray, reason: str) -> None:
    with pytest.raises(SurrogateError, match=reason) as caught:
        cholesky_factor(matrix)
    assert isinstance(caught.value, AutoMLError)
    with pytest.raises(SurrogateError):
        log_likelihood(matrix, np.zeros(2))
