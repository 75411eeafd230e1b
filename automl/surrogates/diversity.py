"""A model of how differently two configurations predict, learned from all pairs evaluated so far.

n observations give n (n + 1) / 2 pairs with known diversity, a configuration with itself
included. Several boosted models, which differ by the weights of the pairs and the features they
see, are trained on pairs of encodings side by side; their mean and spread are the prediction
[1]_.  Trees of LightGBM are the default; others can take their place.

References
----------
.. [1] Shen et al. (2022). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS,
   section 3.1. https://arxiv.org/abs/2302.03255
.. [2] Rubin (1981). The Bayesian Bootstrap. The Annals of Statistics 9, 130-134.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import lightgbm
import numpy as np
import scipy.sparse

from automl.errors import InputError
from automl.suggestions import did_you_mean, names_in_words
from automl.surrogates.pair_regressors import (
    TreeSettings,
    WeightedPairs,
    boost_xgboost,
    grow_forest,
)
from automl.surrogates.pair_trees import PairTrees, Tree, trees_of
from automl.surrogates.target_transform import gaussian_ranks
from search_space.arrays import FloatArray, IntArray

# Differs from [1]: it trains on both orders of every pair. Here every pair comes in one order,
# drawn at random, and predictions are means over both orders: exactly symmetric instead of
# nearly, with half the rows. The number of pairs is bounded, because the time for a proposal
# grows with it: all pairs of 282 observations are used, and of more a sample of the same size.

_SAME = 1e-9  # encoded values closer than this are no different


class TreeKind(StrEnum):
    """Whose trees a surrogate is made of."""

    LIGHTGBM = "lightgbm"
    XGBOOST = "xgboost"
    RANDOM_FOREST = "random_forest"


def diversity_surrogate(kind: str) -> DiversitySurrogate:
    """Return the surrogate of a kind with sizes that it does well with.

    Raises
    ------
    InputError
        If there is no such kind.

    Examples
    --------
    >>> diversity_surrogate("lightgbm") == DiversitySurrogate()
    True
    """
    kinds = [known.value for known in TreeKind]
    if kind not in kinds:
        raise InputError(
            f"no diversity surrogate is called {kind!r}; there are {names_in_words(kinds)}"
            f"{did_you_mean(kind, kinds)}"
        )
    if kind == TreeKind.RANDOM_FOREST:
        # Rows are read in full, at every split. With 4 trees on 7 of 10 features and all pairs,
        # 250 observations of 101 columns take thirteen times as long; in order little is gained.
        return DiversitySurrogate(
            kind=TreeKind.RANDOM_FOREST,
            max_pairs=10_000,
            feature_fraction=0.5,
            n_trees=2,
            n_leaves=400,
        )
    return DiversitySurrogate(kind=TreeKind(kind))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiversitySurrogate:
    """Settings of the diversity surrogate.

    Attributes
    ----------
    kind : TreeKind
        Whose trees; the sizes below are those that LightGBM's do well with.
    n_members : int
        Models side by side.
    max_pairs : int
        Most pairs to train on.
    feature_fraction : float
        Share of the features that each tree may use, in (0, 1].
    n_trees, n_leaves : int
        Trees of a member, and leaves of a tree at most.
    learning_rate : float
        Step of the boosting, in (0, 1]; a forest has none.
    min_pairs_in_leaf : int
        Pairs that every leaf must hold; XGBoost counts them by their weights.
    max_bins : int
        Values of a feature that are told apart; a forest tells all apart.
    """

    kind: TreeKind = TreeKind.LIGHTGBM
    n_members: int = 5
    max_pairs: int = 40_000
    feature_fraction: float = 0.7
    n_trees: int = 4
    n_leaves: int = 95
    learning_rate: float = 0.6
    min_pairs_in_leaf: int = 5
    max_bins: int = 31

    def fit(
        self, X: FloatArray, diversity: FloatArray, rng: np.random.Generator
    ) -> FittedDiversitySurrogate:
        """Return the model of these observations.

        Parameters
        ----------
        X : (n, d) array
            Encoded configurations, at least one. Training is fastest where most entries are 0,
            as those of inactive hyperparameters are.
        diversity : (n, n) array, in [0, 1]
            Symmetric diversity of every two of them.
        rng : numpy.random.Generator
            Source of every random choice.

        Raises
        ------
        ValueError
            If there is no observation, the shapes do not fit, or a value is not finite.
        """
        n = len(X)
        if n < 1 or diversity.shape != (n, n):
            raise ValueError(f"X {X.shape} and diversity {diversity.shape} must be (n, d), (n, n)")
        if not (np.isfinite(X).all() and np.isfinite(diversity).all()):
            raise ValueError("X and diversity must be finite")
        n_pairs = n * (n + 1) // 2
        # Sorted: LightGBM takes a tenth less time where pairs of one configuration are neighbours.
        drawn = np.sort(rng.choice(n_pairs, size=min(n_pairs, self.max_pairs), replace=False))
        first, second = rng.permuted(_pairs(drawn), axis=0)
        members: tuple[tuple[Tree, ...], ...] = ((),) * self.n_members
        # LightGBM refuses features that all are constant; without trees all pairs look alike.
        if np.ptp(X[np.unique(first)], axis=0).max(initial=0.0) > _SAME:
            rows = scipy.sparse.csr_array(X)
            features = scipy.sparse.hstack([rows[first], rows[second]], format="csr")
            members = self._grow(features, gaussian_ranks(diversity[first, second]), rng)
        return FittedDiversitySurrogate(trees=PairTrees(members=members, n_features=X.shape[1]))

    def _grow(
        self, features: scipy.sparse.csr_array, target: FloatArray, rng: np.random.Generator
    ) -> tuple[tuple[Tree, ...], ...]:
        """Return the trees of each member."""
        # Exponential weights: the bootstrap of [2], without rows that a member does not see.
        weights = rng.exponential(size=(len(target), self.n_members))
        if self.kind is TreeKind.LIGHTGBM:
            trees = self._boost(features, target, weights, rng)
            return tuple(trees[member :: self.n_members] for member in range(self.n_members))
        pairs = WeightedPairs(
            features=features.astype(np.float32).toarray(), target=target, weights=weights
        )
        settings = TreeSettings(
            n_trees=self.n_trees,
            n_leaves=self.n_leaves,
            learning_rate=self.learning_rate,
            feature_fraction=self.feature_fraction,
            min_pairs_in_leaf=self.min_pairs_in_leaf,
            max_bins=self.max_bins,
        )
        grow = boost_xgboost if self.kind is TreeKind.XGBOOST else grow_forest
        return grow(pairs, settings, rng)

    def _boost(
        self,
        features: scipy.sparse.csr_array,
        target: FloatArray,
        weights: FloatArray,
        rng: np.random.Generator,
    ) -> tuple[Tree, ...]:
        """Return the first tree of each member, then the second of each, and so on."""
        # To LightGBM the members are the classes of one model. Each has its own gradients and
        # trees, as in models of their own, but the features are binned only once.
        parameters = {
            "objective": _squared_loss(target, weights),
            "num_class": self.n_members,
            **self._parameters(seed=int(rng.integers(2**31))),
        }
        booster = lightgbm.train(
            parameters,
            lightgbm.Dataset(features, target),
            num_boost_round=self.n_trees,
            keep_training_booster=True,  # spares a copy by way of the file format
        )
        return trees_of(booster)

    def _parameters(self, *, seed: int) -> dict[str, Any]:
        """Return the settings under LightGBM's names."""
        return {
            "learning_rate": self.learning_rate,
            "num_leaves": self.n_leaves,
            "min_data_in_leaf": self.min_pairs_in_leaf,
            "feature_fraction": self.feature_fraction,
            "max_bin": self.max_bins,
            "min_data_in_bin": 1,
            "feature_pre_filter": False,
            "use_missing": False,
            "seed": seed,
            "deterministic": True,
            "force_row_wise": True,  # otherwise LightGBM would time both ways, at every fit
            "num_threads": 1,  # the other cores are busy with evaluations
            "verbosity": -1,
        }


def _pairs(numbers: IntArray) -> IntArray:
    """Return (2, n): the pairs of these numbers in (0, 0), (1, 0), (1, 1), (2, 0), ..."""
    one = ((np.sqrt(8 * numbers + 1) - 1) // 2).astype(np.int64)
    return np.stack([one, numbers - one * (one + 1) // 2])


def _squared_loss(
    target: FloatArray, weights: FloatArray
) -> Callable[[FloatArray, lightgbm.Dataset], tuple[FloatArray, FloatArray]]:
    """Return the gradient and Hessian of the weighted squared loss of each member, by column."""

    def objective(
        predictions: FloatArray,
        data: lightgbm.Dataset,  # noqa: ARG001
    ) -> tuple[FloatArray, FloatArray]:
        errors = predictions.reshape(weights.shape, order="F") - target[:, None]
        return (weights * errors).ravel(order="F"), weights.ravel(order="F")

    return objective


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedDiversitySurrogate:
    """A trained diversity surrogate.

    Attributes
    ----------
    trees : PairTrees
        The members.
    """

    trees: PairTrees

    def predict(self, A: FloatArray, B: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what is believed of the diversity of all pairs.

        Parameters
        ----------
        A : (a, d) array
            Encoded configurations, e.g. the candidates.
        B : (b, d) array
            Encoded configurations, e.g. those of a pool; fastest where they are few.

        Returns
        -------
        mean, std : (a, b) arrays, normal scores
            Mean of the members and standard deviation across them. The scale is that of
            :func:`automl.surrogates.target_transform.gaussian_ranks`: greater is more diverse.
        """
        of_members = self.trees.predict(A, B)
        return of_members.mean(axis=0), of_members.std(axis=0)
