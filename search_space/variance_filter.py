"""Removal of columns that are constant on the training rows."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from search_space.arrays import FloatArray, IntArray


class VarianceFilter(TransformerMixin, BaseEstimator):
    """Keeps the columns that vary, and at least one.

    Parameters
    ----------
    threshold : float
        Columns whose variance is not above it are removed.
    """

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def fit(self, X: FloatArray, y: IntArray | None = None) -> Self:
        """Find the columns that vary among training rows."""
        with np.errstate(over="ignore"):
            variance = np.var(X, axis=0)
        # The variance of equal numbers is not exactly 0 in floating point, their range is.
        varies = (variance > self.threshold) & (np.ptp(X, axis=0) > 0.0)
        if not varies.any():
            varies[np.argmax(variance)] = True
        self.kept_ = np.flatnonzero(varies)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the columns kept."""
        kept: FloatArray = X[:, self.kept_]
        return kept
