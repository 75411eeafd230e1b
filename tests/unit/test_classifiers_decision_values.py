"""Probabilities from decision values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.svm import SVC, LinearSVC

from search_space.arrays import FloatArray
from search_space.classifiers.decision_values import DecisionValueClassifier, probabilities_from

any_number = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize("value", [-20.0, -3.0, 0.0, 0.5, 20.0])
def test_two_classes_follow_the_logistic_function(value: float) -> None:
    expected = 1.0 / (1.0 + math.exp(-value))
    first, second = probabilities_from(np.array([value]))[0]
    assert second == pytest.approx(expected, rel=1e-12)
    assert first == pytest.approx(1.0 - expected, rel=1e-6)


def test_two_classes_are_clipped_at_twenty() -> None:
    clipped = probabilities_from(np.array([-1e9, -20.0, 20.0, np.inf]))
    np.testing.assert_array_equal(clipped[0], clipped[1])
    np.testing.assert_array_equal(clipped[2], clipped[3])
    assert 0.0 < clipped[0, 1] < 1e-8


def test_more_classes_follow_the_softmax() -> None:
    powers = np.exp([1.0, 2.0, 4.0])
    probabilities = probabilities_from(np.array([[1.0, 2.0, 4.0]]))
    np.testing.assert_allclose(probabilities, [powers / powers.sum()])


def test_undecided_rows_get_equal_probabilities() -> None:
    np.testing.assert_array_equal(probabilities_from(np.array([np.nan])), [[0.5, 0.5]])
    three = probabilities_from(np.array([[np.nan, 1.0, 2.0], [0.0, 0.0, np.inf]]))
    np.testing.assert_allclose(three, [[1 / 3, 1 / 3, 1 / 3], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_whose_difference_is_no_number_are_decided(dtype: type[np.floating[Any]]) -> None:
    largest = np.finfo(dtype).max
    probabilities = probabilities_from(np.array([[-largest, 0.0, largest]], dtype=dtype))
    np.testing.assert_array_equal(probabilities, [[0.0, 0.0, 1.0]])


@given(arrays(np.float64, (4, 3), elements=any_number), arrays(np.float64, 5, elements=any_number))
def test_any_values_give_probabilities(several: FloatArray, two: FloatArray) -> None:
    for probabilities in (probabilities_from(several), probabilities_from(two)):
        assert probabilities.min() >= 0.0
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


@given(arrays(np.float64, (2, 3), elements=st.floats(-50, 50)), st.floats(-50, 50))
def test_a_common_shift_of_all_classes_changes_nothing(values: FloatArray, shift: float) -> None:
    expected = probabilities_from(values)
    np.testing.assert_allclose(probabilities_from(values + shift), expected, atol=1e-9)


@pytest.mark.parametrize("estimator", [SVC(), LinearSVC(random_state=0)])
def test_labels_are_those_of_the_machine(estimator: SVC | LinearSVC) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.choice([3, 8], 60)
    model = DecisionValueClassifier(estimator).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), estimator.fit(X, y).predict(X))
