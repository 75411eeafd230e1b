"""The directions that separate the classes best, by linear discriminant analysis."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from search_space.arrays import FloatArray, IntArray
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator
from search_space.variance_filter import VarianceFilter


class SeparatingDirections(TransformerMixin, BaseEstimator):
    """Linear discriminants, one fewer than classes.

    Parameters
    ----------
    shrinks : bool
        Whether the covariance within classes is shrunk as Ledoit and Wolf (2004) do. Where even
        that one is singular, and for False, singular directions are left out.
    """

    def __init__(self, shrinks: bool) -> None:
        self.shrinks = shrinks

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Find the directions from training rows."""
        if not np.ptp(X, axis=0).any():
            self.directions_ = FunctionTransformer()
            return self
        if self.shrinks:
            try:
                # Of the solvers that can transform, only this one can shrink the covariance.
                shrunk = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto")
                self.directions_ = shrunk.fit(X, y)
                return self
            except np.linalg.LinAlgError:  # the classes do not vary at all
                pass
        self.directions_ = LinearDiscriminantAnalysis(solver="svd").fit(X, y)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the coordinates along the directions."""
        separated: FloatArray = np.asarray(self.directions_.transform(X))
        return separated


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Categorical("shrinkage", ("none", "auto"), default="none"))
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    return SizedOperator(partial(_make, shrinks=hyperparameters["shrinkage"] == "auto"))


def _make(n_rows: int, n_columns: int, *, shrinks: bool) -> Pipeline:
    return Pipeline([("varying", VarianceFilter(0.0)), ("separate", SeparatingDirections(shrinks))])


COMPONENT = Component(name="lda_decomposer", stage=Stage.PREPROCESSOR, space=_space, build=_build)
