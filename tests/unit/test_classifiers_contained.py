"""One thread, no expected warnings, parameters that the data tell."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
import pytest
import scipy.sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from threadpoolctl import threadpool_info, threadpool_limits

from search_space.arrays import FloatArray, IntArray
from search_space.classifiers.contained import (
    ContainedClassifier,
    contained,
    narrow,
    weight_argument,
)
from search_space.classifiers.decision_values import DecisionValueClassifier
from search_space.classifiers.logistic_regression import OneVsRestClassifier

X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([4, 6, 6])


def threads_allowed() -> int:
    return max(int(pool["num_threads"]) for pool in threadpool_info())


class Witness(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Notes how many threads it may use, and warns."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale

    def fit(self, X: FloatArray, y: IntArray) -> Self:  # noqa: ARG002
        """Look around."""
        warnings.warn("not converged", ConvergenceWarning, stacklevel=1)
        self.classes_ = np.unique(y)
        self.threads_ = [threads_allowed()]
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Return the only column."""
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
        self.threads_.append(threads_allowed())
        return np.asarray(self.scale * X[:, 0])

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the logistic function of the only column."""
        values = expit(self.decision_function(X))
        return np.column_stack([1.0 - values, values])


@pytest.mark.parametrize(
    "wrapper", [ContainedClassifier, DecisionValueClassifier, OneVsRestClassifier]
)
def test_wrapped_classifiers_have_one_thread_and_a_mute(wrapper: type) -> None:
    with threadpool_limits(limits=2):
        model = wrapper(Witness()).fit(X, Y)
        probabilities = model.predict_proba(X)
        assert threads_allowed() == 2
    inner = model.estimators_[0] if wrapper is OneVsRestClassifier else model.estimator_
    assert inner.threads_ == [1, 1]
    np.testing.assert_allclose(probabilities[:, 1], expit(X[:, 0]))
    np.testing.assert_array_equal(model.classes_, [4, 6])


def test_other_warnings_are_heard() -> None:
    with contained(), pytest.warns(FutureWarning, match="soon"):
        warnings.warn("soon", FutureWarning, stacklevel=1)


def test_data_parameters_are_set_on_the_clone_only() -> None:
    model = ContainedClassifier(Witness(), data_parameters=lambda X, y: {"scale": len(X) + y[0]})
    model.fit(X, Y)
    assert model.estimator_.scale == 7
    assert model.estimator.scale == 1.0


@pytest.mark.parametrize(
    "wrapper", [ContainedClassifier, DecisionValueClassifier, OneVsRestClassifier]
)
def test_unfitted_classifiers_say_so(wrapper: type) -> None:
    with pytest.raises(NotFittedError):
        wrapper(Witness()).predict(X)


def test_absent_weights_are_not_handed_on() -> None:
    assert weight_argument(None) == {}
    assert list(weight_argument(np.ones(2))) == ["sample_weight"]


def test_wide_indices_are_narrowed_and_values_shared() -> None:
    table = scipy.sparse.csr_array(np.eye(3))
    parts = (table.data, table.indices.astype(np.int64), table.indptr.astype(np.int64))
    wide = scipy.sparse.csr_array(parts, shape=table.shape)
    assert wide.indices.dtype == np.int64
    narrowed = narrow(wide)
    assert narrowed.indices.dtype == narrowed.indptr.dtype == np.int32
    assert np.shares_memory(narrowed.data, wide.data)
    np.testing.assert_array_equal(narrowed.toarray(), np.eye(3))
    assert wide.indices.dtype == np.int64


def test_tables_that_need_no_narrowing_are_handed_through() -> None:
    table = scipy.sparse.csr_array(np.eye(3))
    assert narrow(table) is table
    assert narrow(X) is X
    huge = scipy.sparse.csr_array((1, 2**40))
    assert narrow(huge) is huge
