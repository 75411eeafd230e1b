"""Tests of the covariance over numbers and categories."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automl.surrogates.kernels import MixedKernel, points_of
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

# Columns of a category need not be neighbours.
LAYOUT = ColumnLayout(numeric=(0, 2, 5), categorical=((1, 3), (4, 6, 7)))


def configurations(seed: int, n: int) -> FloatArray:
    """Return encoded configurations, among them inactive numbers and categories."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, 8))
    X[:, [0, 2, 5]] = rng.uniform(0.125, 1.0, size=(n, 3)) * (rng.random((n, 3)) < 0.7)
    for group in LAYOUT.categorical:
        choice = rng.integers(-1, len(group), size=n)
        for row in np.flatnonzero(choice >= 0):
            X[row, group[choice[row]]] = 1.0
    return X


def kernel(seed: int) -> MixedKernel:
    rng = np.random.default_rng(seed)
    return MixedKernel(
        length_scales=np.exp(rng.normal(size=3)),
        weights=np.exp(rng.normal(size=2)),
        variance=float(np.exp(rng.normal())),
    )


def by_definition(k: MixedKernel, a: FloatArray, b: FloatArray) -> float:
    r = math.sqrt(
        sum((a[j] - b[j]) ** 2 / k.length_scales[i] ** 2 for i, j in enumerate((0, 2, 5)))
    )
    m = sum(
        weight * float(list(a[list(group)]) != list(b[list(group)]))
        for weight, group in zip(k.weights, LAYOUT.categorical, strict=True)
    )
    matern = (1 + math.sqrt(5) * r + 5 * r**2 / 3) * math.exp(-math.sqrt(5) * r)
    return float(k.variance * matern * math.exp(-m))


@pytest.mark.parametrize("seed", range(5))
def test_covariances_are_those_of_the_definition(seed: int) -> None:
    A, B, k = configurations(seed, 7), configurations(seed + 100, 4), kernel(seed)
    expected = [[by_definition(k, a, b) for b in B] for a in A]
    computed = k.covariance(points_of(A, LAYOUT), points_of(B, LAYOUT))
    np.testing.assert_allclose(computed, expected, rtol=1e-9)


def test_a_category_without_a_choice_differs_from_every_choice_and_equals_itself() -> None:
    X = np.zeros((4, 8))
    X[:, 1] = 1.0
    X[2, 4], X[3, 6] = 1.0, 1.0
    k = MixedKernel(length_scales=np.ones(3), weights=np.array([1.0, 0.7]), variance=1.0)
    points = points_of(X, LAYOUT)
    differs = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]])
    np.testing.assert_allclose(k.covariance(points, points), np.exp(-0.7 * differs), rtol=1e-12)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 30))
def test_covariance_matrices_are_symmetric_and_without_negative_variance(seed: int, n: int) -> None:
    points, k = points_of(configurations(seed, n), LAYOUT), kernel(seed)
    matrix = k.covariance(points, points)
    np.testing.assert_allclose(matrix, matrix.T, rtol=1e-9)
    np.testing.assert_allclose(np.diag(matrix), k.variance, rtol=1e-9)
    assert np.linalg.eigvalsh(matrix).min() > -1e-7 * k.variance


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10_000))
def test_derivatives_are_the_limits_of_differences(seed: int) -> None:
    points, k = points_of(configurations(seed, 12), LAYOUT), kernel(seed)
    half = np.random.default_rng(seed).normal(size=(12, 12))
    sensitivity = half + half.T
    logs = np.log([*k.length_scales, *k.weights, k.variance])

    def value(at: FloatArray) -> float:
        parameters = np.exp(at)
        moved = MixedKernel(
            length_scales=parameters[:3], weights=parameters[3:5], variance=float(parameters[5])
        )
        return float(np.sum(sensitivity * moved.covariance(points, points)))

    step = 1e-5 * np.eye(len(logs))
    differences = [(value(logs + h) - value(logs - h)) / 2e-5 for h in step]
    scale = float(np.abs(sensitivity).sum()) * k.variance
    np.testing.assert_allclose(
        k.covariance_and_gradient(points)[1](half), differences, rtol=1e-5, atol=1e-7 * scale
    )


@pytest.mark.parametrize(
    "layout",
    [
        ColumnLayout(numeric=tuple(range(8)), categorical=()),
        ColumnLayout(numeric=(), categorical=(tuple(range(8)),)),
    ],
    ids=["numbers only", "categories only"],
)
def test_either_kind_of_column_may_be_missing(layout: ColumnLayout) -> None:
    d, g = len(layout.numeric), len(layout.categorical)
    k = MixedKernel(length_scales=np.ones(d), weights=np.ones(g), variance=2.0)
    X = np.eye(8)[:3]
    points = points_of(X, layout)
    matrix = k.covariance(points, points)
    r = math.sqrt(5.0) * math.sqrt(2.0)
    apart = (1 + r + r**2 / 3) * math.exp(-r) if d else math.exp(-1.0)
    np.testing.assert_allclose(matrix, 2.0 * np.where(np.eye(3) == 1.0, 1.0, apart), rtol=1e-9)
    _, gradient_by = k.covariance_and_gradient(points)
    assert gradient_by(np.ones((3, 3))).shape == (d + g + 1,)


@pytest.mark.parametrize("shape", [(2, 7), (2, 9), (8,)])
def test_other_columns_than_the_layout_has_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="must be"):
        points_of(np.zeros(shape), LAYOUT)


@pytest.mark.parametrize("seed", range(5))
def test_covariances_beside_the_gradient_may_be_written_to(seed: int) -> None:
    k, points = kernel(seed), points_of(configurations(seed, 9), LAYOUT)
    half = np.triu(np.random.default_rng(seed).normal(size=(9, 9)))
    matrix, gradient_by = k.covariance_and_gradient(points)
    np.testing.assert_array_equal(matrix, k.covariance(points, points))
    expected = gradient_by(half)
    matrix[:] = np.nan  # whoever was given it may add noise in place
    np.testing.assert_array_equal(gradient_by(half), expected)
