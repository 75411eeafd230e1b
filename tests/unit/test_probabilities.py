"""The contract of class probabilities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from automl.probabilities import (
    InvalidPredictionsError,
    aligned,
    checked_probabilities,
)
from search_space.arrays import FloatArray

positive = st.floats(0.01, 1.0)


def matrices(dtype: type = np.float64) -> st.SearchStrategy[npt.NDArray[np.floating]]:
    """Return probabilities as learners give them, in their own precision."""
    shapes = st.tuples(st.integers(1, 6), st.integers(2, 5))
    raw = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=positive))
    return raw.map(lambda x: (x / x.sum(axis=1, keepdims=True)).astype(dtype))


@given(matrices())
def test_proper_probabilities_pass_unchanged(p: FloatArray) -> None:
    found = checked_probabilities(p, p.shape[0], np.arange(p.shape[1]))
    np.testing.assert_allclose(found, p, rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


@given(matrices(np.float32))
def test_single_precision_is_brought_to_sums_of_one_in_double_precision(p: FloatArray) -> None:
    found = checked_probabilities(p, p.shape[0], np.arange(p.shape[1]))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_values_just_outside_the_interval_are_clipped() -> None:
    found = checked_probabilities([[-5e-4, 1.0005], [0.5, 0.5]], 2, np.arange(2))
    assert found.tolist() == [[0.0, 1.0], [0.5, 0.5]]


def test_the_argument_is_not_written_to() -> None:
    p = np.array([[-5e-4, 1.0005]])
    checked_probabilities(p, 1, np.arange(2))
    assert p.tolist() == [[-5e-4, 1.0005]]


@pytest.mark.parametrize(
    ("p", "match"),
    [
        ([0.5, 0.5], r"shape \(2,\), expected \(2, 2\)"),
        ([[0.5, 0.5]], r"shape \(1, 2\), expected \(2, 2\)"),
        ([[0.2, 0.3, 0.5]] * 2, r"shape \(2, 3\), expected \(2, 2\)"),
        ([[0.5, 0.5], [np.nan, 0.5]], "NaN or infinity in 1 rows"),
        ([[np.inf, -np.inf], [np.nan, 0.5]], "NaN or infinity in 2 rows"),
        ([[0.5, 0.5], [-0.1, 1.1]], r"values in \[-0.1, 1.1\], expected \[0, 1\]"),
        ([[0.5, 0.5], [0.5, 0.4]], r"sum to values in \[0.9, 1\], expected 1"),
        ([[0.0, 0.0], [0.5, 0.5]], r"sum to values in \[0, 1\], expected 1"),
        ([[0.5, 0.5], [0.6, 0.6]], r"sum to values in \[1, 1.2\], expected 1"),
    ],
)
def test_everything_else_is_refused_with_what_was_found(p: list[list[float]], match: str) -> None:
    with pytest.raises(InvalidPredictionsError, match=match):
        checked_probabilities(p, 2, np.arange(2))


def test_a_negative_value_is_refused_though_no_other_is_too_large() -> None:
    with pytest.raises(InvalidPredictionsError, match=r"values in \[-0.1, 0.55\]"):
        checked_probabilities([[-0.1, 0.55, 0.55]], 1, np.arange(3))


@pytest.mark.parametrize(("excess", "passes"), [(0.0009, True), (0.0011, False)])
def test_the_tolerance_of_a_sum_does_not_grow_with_the_classes(excess: float, passes: bool) -> None:
    p = np.full((1, 2000), (1.0 + excess) / 2000)
    if passes:
        found = checked_probabilities(p, 1, np.arange(2000))
        np.testing.assert_allclose(found, 1 / 2000)
    else:
        with pytest.raises(InvalidPredictionsError, match="sum to"):
            checked_probabilities(p, 1, np.arange(2000))


@given(matrices(), st.data())
def test_each_column_goes_to_its_class_and_unseen_classes_get_zero(
    p: FloatArray, data: st.DataObject
) -> None:
    n_classes = p.shape[1] + data.draw(st.integers(0, 3))
    codes = data.draw(st.permutations(range(n_classes)))[: p.shape[1]]
    found = aligned(p, np.array(codes), n_classes)
    assert found.shape == (p.shape[0], n_classes)
    for column, code in enumerate(codes):
        assert np.array_equal(found[:, code], p[:, column])
    unseen = sorted(set(range(n_classes)) - set(codes))
    assert not found[:, unseen].any()
