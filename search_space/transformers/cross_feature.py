"""Products of pairs of one-hot columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from ConfigSpace import ConfigurationSpace, Integer
from sklearn.base import BaseEstimator, TransformerMixin

from search_space.arrays import FloatArray, IntArray
from search_space.bounds import MOST_CELLS
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator

_MOST_COLUMNS = 200


class BinaryProducts(TransformerMixin, BaseEstimator):
    """Appends the products of pairs of columns that hold only 0 and 1.

    One-hot columns are recognised by that on the training rows, so a numeric column of zeros and
    ones counts as one. Products that are the same in all training rows are left out.

    Parameters
    ----------
    most_products : int
        Products computed before those that do not vary are removed.
    random_state : int
        Seed of the choice among more than 200 columns, or fewer where `most_products` asks.
    """

    def __init__(self, most_products: int, random_state: int) -> None:
        self.most_products = most_products
        self.random_state = random_state

    def fit(self, X: FloatArray, y: IntArray | None = None) -> Self:
        """Choose the pairs from training rows."""
        binary = np.flatnonzero(((X == 0.0) | (X == 1.0)).all(axis=0))
        # n columns make n (n - 1) / 2 pairs.
        n_allowed = int((1.0 + np.sqrt(1.0 + 8.0 * self.most_products)) / 2.0)
        n_chosen = min(len(binary), _MOST_COLUMNS, n_allowed)
        rng = np.random.default_rng(self.random_state)
        chosen = np.sort(rng.choice(binary, n_chosen, replace=False))
        left, right = np.triu_indices(n_chosen, k=1)
        # Ones of a product are counted by a matrix product, without building all columns.
        ones = (X[:, chosen].T @ X[:, chosen])[left, right]
        varies = (ones > 0.5) & (ones < len(X) - 0.5)
        self.left_, self.right_ = chosen[left[varies]], chosen[right[varies]]
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return all columns and, after them, the products."""
        return np.hstack([X, X[:, self.left_] * X[:, self.right_]])


def _unsuitable(task: TaskProperties) -> str | None:
    return None if task.categorical else "there are no categorical columns to combine"


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Integer("random_state", (1, 100_000), default=1))
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    return SizedOperator(partial(_make, random_state=hyperparameters["random_state"]))


def _make(n_rows: int, n_columns: int, *, random_state: int) -> BinaryProducts:
    return BinaryProducts(max(1, MOST_CELLS // n_rows), random_state)


COMPONENT = Component(
    name="cross_feature",
    stage=Stage.PREPROCESSOR,
    space=_space,
    build=_build,
    unsuitable=_unsuitable,
)
