"""Numeric and categorical columns of a table, treated apart."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone

from search_space.arrays import FloatArray, IntArray


class ByKind(TransformerMixin, BaseEstimator):
    """Applies one transformer to the numeric columns, another one to the categorical columns.

    Numeric columns come first, in what goes in and in what comes out.

    Parameters
    ----------
    n_categorical : int
        How many of the last columns are categorical.
    numeric, categorical : transformer or None
        What the columns of a kind go through; None leaves them as they are.
    """

    def __init__(
        self, n_categorical: int, *, numeric: Any | None = None, categorical: Any | None = None
    ) -> None:
        self.n_categorical = n_categorical
        self.numeric = numeric
        self.categorical = categorical

    def fit(self, X: FloatArray, y: IntArray | None = None) -> Self:
        """Fit a clone of each transformer to the training rows of its columns."""
        numeric, categorical = self._split(X)
        with config_context(transform_output="default"):
            self.numeric_ = _fitted(self.numeric, numeric, y)
            self.categorical_ = _fitted(self.categorical, categorical, y)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the transformed columns, numeric ones first."""
        numeric, categorical = self._split(X)
        with config_context(transform_output="default"):
            numeric = _transformed(self.numeric_, numeric)
            categorical = _transformed(self.categorical_, categorical)
        return np.hstack([numeric, categorical])

    def _split(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        n_numeric = X.shape[1] - self.n_categorical
        return X[:, :n_numeric], X[:, n_numeric:]


def _fitted(transformer: Any | None, X: FloatArray, y: IntArray | None) -> Any | None:
    if transformer is None or X.shape[1] == 0:
        return None
    return clone(transformer).fit(X, y)


def _transformed(transformer: Any | None, X: FloatArray) -> FloatArray:
    return X if transformer is None else np.asarray(transformer.transform(X), dtype=np.float64)
