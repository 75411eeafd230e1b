"""A random forest whose trees disagree where little is known.

The prediction is the mean of the trees' predictions, its variance the variance across trees [1]_.
Sizes follow the probabilistic random forest of OpenBox [2]_, with which DivBO models the loss.

References
----------
.. [1] Hutter, Hoos, Leyton-Brown (2011). Sequential Model-Based Optimization for General
   Algorithm Configuration. LION 5, section 4.1.
.. [2] Li et al. (2021). OpenBox: A Generalized Black-box Optimization Service. KDD.
   https://arxiv.org/abs/2106.00421
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from automl.surrogates.surrogate import check_observations, check_positive
from search_space.arrays import FloatArray

# Differs from [2]: its trees split the levels of a category into any two sets, scikit-learn's
# cannot. Categories therefore have to come as one column for each level.


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomForest:
    """Settings of the forest.

    Attributes
    ----------
    n_trees : int
        Trees, each grown on as many rows as there are observations, drawn with replacement.
    feature_fraction : float
        Share of the columns that each split may choose from, in (0, 1].
    min_rows_to_split, min_rows_in_leaf : int
        Rows that a node needs to be split, and that each side of a split must keep.
    variance_floor : float, loss squared
        Smallest predicted variance, positive: no configuration is ever taken for certain.
    """

    n_trees: int = 10
    feature_fraction: float = 5 / 6
    min_rows_to_split: int = 3
    min_rows_in_leaf: int = 3
    variance_floor: float = 1e-5

    def __post_init__(self) -> None:
        check_positive(n_trees=self.n_trees, variance_floor=self.variance_floor)

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> FittedForest:
        """Grow the trees; see :class:`automl.surrogates.surrogate.Surrogate`."""
        check_observations(X, y)
        rows = X.astype(np.float32)
        trees = tuple(self._grow(rows, y, rng) for _ in range(self.n_trees))
        return FittedForest(trees=trees, variance_floor=self.variance_floor)

    def _grow(self, X: Any, y: FloatArray, rng: np.random.Generator) -> Any:
        """Return one tree on a bootstrap sample."""
        drawn = rng.integers(len(y), size=len(y))
        tree = DecisionTreeRegressor(
            max_features=max(1, int(self.feature_fraction * X.shape[1])),
            min_samples_split=self.min_rows_to_split,
            min_samples_leaf=self.min_rows_in_leaf,
            random_state=int(rng.integers(2**31)),
        )
        return tree.fit(X[drawn], y[drawn], check_input=False).tree_


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedForest:
    """A grown forest, of whatever kind of trees.

    Attributes
    ----------
    trees : tuple
        The trees, in scikit-learn's compiled form.
    variance_floor : float, loss squared
        Smallest predicted variance.
    """

    trees: tuple[Any, ...]
    variance_floor: float

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean over the trees and the standard deviation across them.

        Parameters
        ----------
        X : (n, d) array
            Encoded configurations.

        Returns
        -------
        mean, std : (n,) arrays, loss
            The standard deviation is at least the root of the floor.

        Raises
        ------
        ValueError
            If the number of columns is not that of the observations.
        """
        rows = rows_for_trees(X, self.trees[0].n_features)
        of_trees = np.stack([tree.predict(rows)[:, 0] for tree in self.trees])
        variance = np.maximum(of_trees.var(axis=0), self.variance_floor)
        return of_trees.mean(axis=0), np.sqrt(variance)


def rows_for_trees(X: FloatArray, n_columns: int) -> Any:
    """Return encoded configurations in the form that compiled trees take.

    Raises
    ------
    ValueError
        If the number of columns is another one.
    """
    # The estimators' own predict checks and converts X once per tree, which costs more than the
    # trees themselves. Compiled trees check nothing, and would read beyond the array.
    if X.ndim != 2 or X.shape[1] != n_columns:
        raise ValueError(f"X must be (n, {n_columns}), not {X.shape}")
    return np.ascontiguousarray(X, dtype=np.float32)
