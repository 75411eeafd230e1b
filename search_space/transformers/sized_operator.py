"""Operators that are made when the shape of their input is known."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin
from threadpoolctl import threadpool_limits

from search_space.arrays import Features, FloatArray, IntArray

LARGEST_OUTPUT = 1e30
"""Outputs are cut to plus and minus this value, so that they fit into single precision."""


class SizedOperator(TransformerMixin, BaseEstimator):
    """A transformer that is made in ``fit``, once the numbers of rows and columns are known.

    The output is finite, has at least one column, and no warning is raised. Linear algebra is held
    to one thread: many fits run side by side.

    Parameters
    ----------
    make : callable
        ``make(n_rows, n_columns)`` returns an unfitted transformer.
    """

    def __init__(self, make: Callable[[int, int], Any]) -> None:
        self.make = make

    def fit(self, X: Features, y: IntArray | None = None) -> Self:
        """Make the transformer and fit it to training rows."""
        with quiet_arrays(), threadpool_limits(limits=1):
            self.transformer_ = self.make(*X.shape).fit(X, y)
            # An operator may find nothing in constant columns.
            self.is_empty_ = self.transformer_.transform(X[:1]).shape[1] == 0
        return self

    def transform(self, X: Features) -> Features:
        """Return the transformed rows, or the first column where nothing was found at fit time."""
        if self.is_empty_:
            return X[:, :1]
        with quiet_arrays(), threadpool_limits(limits=1):
            return _finite_features(self.transformer_.transform(X))


@contextmanager
def quiet_arrays() -> Iterator[None]:
    """Hold back what an operator says of unusual columns, and make it put out arrays."""
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        config_context(transform_output="default"),
    ):
        warnings.simplefilter("ignore")
        yield


def finite(X: FloatArray) -> FloatArray:
    """Return `X` with NaN replaced by 0 and values cut to what single precision can hold."""
    # NaN fails the comparison too; copying is left to the rare case.
    if X.size == 0 or max(X.max(), -X.min()) <= LARGEST_OUTPUT:
        return X
    return np.clip(np.nan_to_num(X), -LARGEST_OUTPUT, LARGEST_OUTPUT)


def _finite_features(X: Any) -> Features:
    """Return finite values in an array of ours."""
    if scipy.sparse.issparse(X):
        sparse = scipy.sparse.csr_array(X)
        sparse.data = finite(sparse.data)
        return sparse
    return finite(np.asarray(X, dtype=np.float64))
