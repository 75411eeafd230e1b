"""Products of the most important columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace, Integer
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import PolynomialFeatures

from search_space.arrays import FloatArray, IntArray
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator

_COLUMNS_BY_DEGREE = {2: 25, 3: 10}
_TREES = 50


class ImportantProducts(TransformerMixin, BaseEstimator):
    """Appends the products of columns that a small LightGBM model finds important.

    Parameters
    ----------
    degree : int
        Most factors of a product: 2 combines 25 columns, 3 combines 10.
    interaction_only : bool
        Whether a column may occur in a product only once.
    seed : int
        Seed of the model.
    """

    def __init__(self, degree: int, interaction_only: bool, seed: int) -> None:
        self.degree = degree
        self.interaction_only = interaction_only
        self.seed = seed

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Choose the columns from training rows."""
        self.chosen_ = self._important(X, y)
        products = PolynomialFeatures(
            self.degree, interaction_only=self.interaction_only, include_bias=False
        )
        self.products_ = products.fit(X[:1, self.chosen_])
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return all columns and, after them, the products."""
        products = np.asarray(self.products_.transform(X[:, self.chosen_]))
        # The first terms are the columns themselves.
        return np.hstack([X, products[:, len(self.chosen_) :]])

    def _important(self, X: FloatArray, y: IntArray) -> IntArray:
        n_chosen = _COLUMNS_BY_DEGREE[self.degree]
        if X.shape[1] <= n_chosen:
            return np.arange(X.shape[1], dtype=np.int64)
        from lightgbm import LGBMClassifier  # takes longer to import than small tables to fit

        model = LGBMClassifier(
            n_estimators=_TREES, n_jobs=1, random_state=self.seed, verbose=-1, deterministic=True
        )
        importance = model.fit(X, y).feature_importances_
        return np.sort(np.argsort(-importance, kind="stable")[:n_chosen])


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Integer("degree", (2, 3), default=2),
        Categorical("interaction_only", (False, True), default=False),
    )
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    make = partial(
        _make,
        degree=hyperparameters["degree"],
        interaction_only=hyperparameters["interaction_only"],
        seed=context.seed,
    )
    return SizedOperator(make)


def _make(n_rows: int, n_columns: int, **options: Any) -> ImportantProducts:
    """Return the operator; `options` are those of ImportantProducts."""
    return ImportantProducts(**options)


COMPONENT = Component(
    name="polynomial",
    stage=Stage.PREPROCESSOR,
    space=_space,
    build=_build,
    modules=("lightgbm",),
)
