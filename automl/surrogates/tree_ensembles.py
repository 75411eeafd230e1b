"""Further ensembles of trees: extremely randomised trees, and boosted trees that know their error.

The sizes are those of DensBO [1]_: ten trees, otherwise scikit-learn's defaults. Mean and variance
of the randomised trees [2]_ are those across trees, as for the forest. A single boosted model [3]_
has no variance, for its trees predict what the trees before them left over. Several are therefore
boosted side by side, each on a bootstrap sample of the observations; the variance of their
predictions tells what the observations leave open [4]_, and the squared error of their mean on
the observations, which is added, what such models cannot express.

References
----------
.. [1] DensBO: Dynamic Ensembling of Surrogate Models for Hyperparameter Optimisation. Submitted to
   ICLR 2025, sections 4 and C.
.. [2] Geurts, Ernst, Wehenkel (2006). Extremely randomized trees. Machine Learning 63, 3-42.
.. [3] Friedman (2001). Greedy Function Approximation: A Gradient Boosting Machine. The Annals of
   Statistics 29, 1189-1232.
.. [4] Malinin, Prokhorenkova, Ustimenko (2021). Uncertainty in Gradient Boosting via Ensembles.
   ICLR. https://arxiv.org/abs/2006.10562
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from automl.surrogates.random_forest import FittedForest, rows_for_trees
from automl.surrogates.surrogate import check_observations, check_positive
from search_space.arrays import FloatArray

# Differs from [1]: its public code takes the spread of the outputs of a model's stages for the
# deviation of its prediction. Stages fit residuals, so that spread falls with the learning rate
# and not with what is known; here it is that of whole models. The learning rate is 0.3 and not
# 0.1: after ten steps of a tenth a third of every difference would be left unlearned. Splits of
# randomised trees choose from half of the columns and not from all: a column of zeros and ones has
# one threshold only, so that on choices the trees would be copies of each other, without variance.


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraTrees:
    """Settings of extremely randomised trees.

    Attributes
    ----------
    n_trees : int
        Trees, each grown on all observations with thresholds drawn at random.
    feature_fraction : float
        Share of the columns that each split may choose from, in (0, 1].
    min_rows_in_leaf : int
        Rows that each side of a split must keep.
    variance_floor : float, loss squared
        Smallest predicted variance, positive.
    """

    n_trees: int = 10
    feature_fraction: float = 0.5
    min_rows_in_leaf: int = 1
    variance_floor: float = 1e-5

    def __post_init__(self) -> None:
        check_positive(n_trees=self.n_trees, variance_floor=self.variance_floor)
        if not 0.0 < self.feature_fraction <= 1.0:
            raise ValueError(f"feature_fraction must be in (0, 1], not {self.feature_fraction}")

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> FittedForest:
        """Grow the trees; see :class:`automl.surrogates.surrogate.Surrogate`."""
        check_observations(X, y)
        rows = np.ascontiguousarray(X, dtype=np.float32)
        target = np.ascontiguousarray(y, dtype=np.float64)
        trees = tuple(
            ExtraTreeRegressor(
                max_features=max(1, int(self.feature_fraction * X.shape[1])),
                min_samples_leaf=self.min_rows_in_leaf,
                random_state=int(seed),
            )
            .fit(rows, target, check_input=False)
            .tree_
            for seed in rng.integers(2**31, size=self.n_trees)
        )
        return FittedForest(trees=trees, variance_floor=self.variance_floor)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientBoosting:
    """Settings of boosted models, side by side.

    Attributes
    ----------
    n_stages : int
        Trees of a model.
    n_models : int
        Models, at least two, each on as many rows as there are observations, drawn with
        replacement.
    learning_rate : float
        Share of a tree's prediction that is added, in (0, 1].
    max_depth : int
        Splits from the root to a leaf at most.
    variance_floor : float, loss squared
        Smallest predicted variance, positive.
    """

    n_stages: int = 10
    n_models: int = 5
    learning_rate: float = 0.3
    max_depth: int = 3
    variance_floor: float = 1e-5

    def __post_init__(self) -> None:
        check_positive(n_stages=self.n_stages, variance_floor=self.variance_floor)
        if self.n_models < 2 or not 0.0 < self.learning_rate <= 1.0:
            raise ValueError(
                f"n_models must be at least 2 and learning_rate in (0, 1], "
                f"not {self.n_models} and {self.learning_rate}"
            )

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> FittedGradientBoosting:
        """Boost the models; see :class:`automl.surrogates.surrogate.Surrogate`."""
        check_observations(X, y)
        rows = np.ascontiguousarray(X, dtype=np.float32)
        # Rows have to be left out, not only weighted: otherwise all models would put thresholds
        # between the same two rows, and be of one mind where nothing was observed.
        samples = rng.integers(len(y), size=(self.n_models, len(y)))
        models = tuple(self._boost(rows[drawn], y[drawn], rng) for drawn in samples)
        fitted = FittedGradientBoosting(
            models=models, learning_rate=self.learning_rate, residual_variance=self.variance_floor
        )
        residual = float(np.mean((fitted.predict(X)[0] - y) ** 2))
        return replace(fitted, residual_variance=max(residual, self.variance_floor))

    def _boost(self, rows: Any, y: FloatArray, rng: np.random.Generator) -> BoostedTrees:
        """Return one model."""
        start = float(np.mean(y))
        residuals = y - start
        trees = []
        for seed in rng.integers(2**31, size=self.n_stages):
            tree = DecisionTreeRegressor(max_depth=self.max_depth, random_state=int(seed))
            grown = tree.fit(rows, residuals, check_input=False).tree_
            residuals = residuals - self.learning_rate * grown.predict(rows)[:, 0]
            trees.append(grown)
        return BoostedTrees(start=start, trees=tuple(trees))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoostedTrees:
    """One boosted model.

    Attributes
    ----------
    start : float, loss
        What is predicted before the first tree.
    trees : tuple
        The trees, in scikit-learn's compiled form.
    """

    start: float
    trees: tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedGradientBoosting:
    """Boosted models.

    Attributes
    ----------
    models : tuple of BoostedTrees
        The models.
    learning_rate : float
        Share of a tree's prediction that is added.
    residual_variance : float, loss squared
        Mean squared error of the models' mean on the observations, at least the floor.
    """

    models: tuple[BoostedTrees, ...]
    learning_rate: float
    residual_variance: float

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean of the models, and the deviation across them and of their error.

        Parameters
        ----------
        X : (n, d) array
            Encoded configurations.

        Returns
        -------
        mean, std : (n,) arrays, loss
            The standard deviation is at least the root of the residual variance.

        Raises
        ------
        ValueError
            If the number of columns is not that of the observations.
        """
        rows = rows_for_trees(X, self.models[0].trees[0].n_features)
        of_models = np.empty((len(self.models), len(rows)))
        for prediction, model in zip(of_models, self.models, strict=True):
            prediction[:] = model.start
            for tree in model.trees:
                prediction += self.learning_rate * tree.predict(rows)[:, 0]
        variance = of_models.var(axis=0, ddof=1) + self.residual_variance
        return of_models.mean(axis=0), np.sqrt(variance)
