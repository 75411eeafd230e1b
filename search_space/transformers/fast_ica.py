"""Independent components."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import FastICA
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from search_space.arrays import FloatArray, IntArray
from search_space.bounds import bounded_integer, columns, lowest, rows
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator
from search_space.variance_filter import VarianceFilter


class IndependentComponents(TransformerMixin, BaseEstimator):
    """FastICA on as many directions as the columns really span.

    Parameters
    ----------
    algorithm : str
        ``"parallel"`` or ``"deflation"``.
    fun : str
        Measure of how far from normal a direction is: ``"logcosh"``, ``"exp"`` or ``"cube"``.
    n_components : int or None
        Directions kept; None does without whitening and keeps all.
    seed : int
        Seed of the starting directions.
    """

    def __init__(self, algorithm: str, fun: str, n_components: int | None, seed: int) -> None:
        self.algorithm = algorithm
        self.fun = fun
        self.n_components = n_components
        self.seed = seed

    def fit(self, X: FloatArray, y: IntArray | None = None) -> Self:
        """Find the directions from standardised training rows."""
        if not X.any():
            self.ica_ = FunctionTransformer()
            return self
        n_rows, n_columns = X.shape
        # Whitening divides by singular values, of which one-hot columns have some that are 0;
        # without whitening, columns must not be more than rows.
        whiten = self.n_components is not None or n_rows <= n_columns
        n_components = None
        if whiten:
            n_components = min(self.n_components or n_columns, int(np.linalg.matrix_rank(X)))
        self.ica_ = FastICA(
            n_components=n_components,
            algorithm=self.algorithm,
            fun=self.fun,
            whiten="arbitrary-variance" if whiten else False,
            random_state=self.seed,
        ).fit(X)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the coordinates along the directions."""
        components: FloatArray = np.asarray(self.ica_.transform(X))
        return components


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    whiten = Categorical("whiten", (False, True), default=False)
    limit = lowest(rows(task), columns(task))
    n_components = bounded_integer("n_components", (10, 2000), limit, default=100)
    space.add(
        Categorical("algorithm", ("parallel", "deflation"), default="parallel"),
        Categorical("fun", ("logcosh", "exp", "cube"), default="logcosh"),
        whiten,
        n_components,
        EqualsCondition(n_components, whiten, True),
    )
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    make = partial(
        _make,
        algorithm=hyperparameters["algorithm"],
        fun=hyperparameters["fun"],
        n_components=hyperparameters.get("n_components"),
        seed=context.seed,
    )
    return SizedOperator(make)


def _make(n_rows: int, n_columns: int, **options: Any) -> Pipeline:
    """Return FastICA with its preparation; `options` are those of IndependentComponents."""
    # Without standardisation the unwhitened algorithm divides by 0 on columns of large numbers.
    return Pipeline(
        [
            ("varying", VarianceFilter(0.0)),
            ("standard", StandardScaler()),
            ("ica", IndependentComponents(**options)),
        ]
    )


COMPONENT = Component(name="fast_ica", stage=Stage.PREPROCESSOR, space=_space, build=_build)
