"""What stands in for missing numbers. A missing category is a level of its own, see encoders.

Whatever the training rows look like, missing values are taken at prediction time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer

from search_space.arrays import Features, FloatArray, IntArray
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.variance_filter import VarianceFilter

NO_IMPUTER = "none"
"""Name of the imputer that leaves missing values where they are."""


class Imputer(TransformerMixin, BaseEstimator):
    """Puts numeric columns first and fills their gaps.

    Parameters
    ----------
    numeric, categorical : tuple of int
        Positions of the columns of each kind.
    strategy : str or None
        ``"mean"``, ``"median"`` or ``"most_frequent"`` of the training rows; None fills nothing.
        A column without any value among them is filled with 0.
    variance_threshold : float or None
        Numeric columns whose variance is not above it are removed afterwards; None keeps all.
    """

    def __init__(
        self,
        numeric: tuple[int, ...],
        categorical: tuple[int, ...],
        strategy: str | None,
        variance_threshold: float | None = None,
    ) -> None:
        self.numeric = numeric
        self.categorical = categorical
        self.strategy = strategy
        self.variance_threshold = variance_threshold

    def fit(self, X: FloatArray, y: IntArray | None = None) -> Self:
        """Learn the fill values from training rows."""
        self.imputer_ = self.filter_ = None
        if not self.numeric:
            return self
        numeric = X[:, self.numeric]
        if self.strategy is not None:
            self.imputer_ = SimpleImputer(strategy=self.strategy, keep_empty_features=True)
            numeric = np.asarray(self.imputer_.fit_transform(numeric))
        if self.variance_threshold is not None:
            self.filter_ = VarianceFilter(self.variance_threshold).fit(numeric)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return numeric columns without gaps, then the level codes."""
        numeric = X[:, self.numeric]
        if self.imputer_ is not None:
            numeric = np.asarray(self.imputer_.transform(numeric), dtype=np.float64)
        if self.filter_ is not None:
            numeric = self.filter_.transform(numeric)
        return np.hstack([numeric, X[:, self.categorical]])


class ZeroImputer(TransformerMixin, BaseEstimator):
    """Fills the gaps of a sparse table with 0, the median of columns that are mostly 0."""

    def fit(self, X: Features, y: IntArray | None = None) -> Self:
        """Learn nothing."""
        return self

    def transform(self, X: Features) -> Features:
        """Return a copy without missing values."""
        filled = scipy.sparse.csr_array(X, copy=True)
        filled.data = np.where(np.isnan(filled.data), 0.0, filled.data)
        return filled


def _build(
    hyperparameters: Mapping[str, Any],
    context: BuildContext,
    *,
    strategy: str | None,
    variance_threshold: float | None = None,
) -> Imputer | ZeroImputer:
    if context.task.is_sparse:
        return ZeroImputer()
    return Imputer(context.task.numeric, context.task.categorical, strategy, variance_threshold)


def _nothing_to_fill(task: TaskProperties) -> str | None:
    if not task.has_missing or not task.numeric:
        return "no numeric value is missing"
    return None


def _imputer(strategy: str) -> Component:
    return Component(
        name=strategy,
        stage=Stage.IMPUTER,
        build=partial(_build, strategy=strategy),
        unsuitable=_nothing_to_fill,
    )


MEDIAN = _imputer("median")
MEAN = _imputer("mean")
MOST_FREQUENT = _imputer("most_frequent")
NONE = Component(
    name=NO_IMPUTER,
    stage=Stage.IMPUTER,
    build=partial(_build, strategy=None),
    unsuitable=_nothing_to_fill,
)

IMPUTERS = (MEDIAN, MEAN, MOST_FREQUENT, NONE)
"""What is searched; the first one is the default."""

FIXED_IMPUTER = Component(
    name="median_of_varying",
    stage=Stage.IMPUTER,
    build=partial(_build, strategy="median", variance_threshold=1e-7),
    handles_sparse=True,
)
"""MindWare's preparation, which is not searched: medians, and no column of variance 1e-7."""
