"""A model of how differently two configurations predict, learned from all pairs evaluated so far.

n observations give n (n + 1) / 2 pairs with known diversity, a configuration with itself
included. Several LightGBM models, which differ by the pairs and the features they see, are
trained on pairs of encodings side by side; their mean and spread are the prediction [1]_.

References
----------
.. [1] Shen et al. (2022). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS,
   section 3.1. https://arxiv.org/abs/2302.03255
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import lightgbm
import numpy as np
import scipy.sparse

from automl.surrogates.pair_trees import PairTrees, Tree, trees_of
from automl.surrogates.target_transform import gaussian_ranks
from search_space.arrays import FloatArray, IntArray

# Differs from [1]: it trains on both orders of every pair. Here each member sees a pair in one
# order, drawn at random, and predictions are means over both orders: exactly symmetric instead of
# nearly, with half the rows. The number of pairs is bounded, because they overlap so much that
# many thousand tell little more than a few, while the time for a proposal grows with them.


@dataclass(frozen=True, slots=True, kw_only=True)
class DiversitySurrogate:
    """Settings of the diversity surrogate.

    Attributes
    ----------
    n_members : int
        LightGBM models.
    pair_fraction : float
        Share of all pairs that a member is trained on, in (0, 1].
    max_pairs : int
        Most pairs that a member is trained on.
    feature_fraction : float
        Share of the features that each tree may use, in (0, 1].
    n_trees, n_leaves : int
        Trees of a member, and leaves of a tree at most.
    learning_rate : float
        Step of the boosting, in (0, 1].
    min_pairs_in_leaf : int
        Pairs that every leaf must hold.
    max_bins : int
        Values of a feature that are told apart.
    """

    n_members: int = 5
    pair_fraction: float = 0.8
    max_pairs: int = 3000
    feature_fraction: float = 0.7
    n_trees: int = 8
    n_leaves: int = 63
    learning_rate: float = 0.5
    min_pairs_in_leaf: int = 10
    max_bins: int = 15

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
        pairs = np.stack(np.triu_indices(n))
        target = gaussian_ranks(diversity[tuple(pairs)])
        rows = scipy.sparse.csr_array(X)
        members = tuple(self._train(rows, pairs, target, rng) for _ in range(self.n_members))
        return FittedDiversitySurrogate(trees=PairTrees(members=members, n_features=X.shape[1]))

    def _train(
        self,
        rows: scipy.sparse.csr_array,
        pairs: IntArray,
        target: FloatArray,
        rng: np.random.Generator,
    ) -> tuple[Tree, ...]:
        """Return the trees of one member, trained on a random part of the pairs."""
        n_pairs = min(self.max_pairs, math.ceil(self.pair_fraction * len(target)))
        drawn = rng.choice(len(target), size=n_pairs, replace=False)
        one, other = rng.permuted(pairs[:, drawn], axis=0)
        features = scipy.sparse.hstack([rows[one], rows[other]], format="csr")
        parameters = self._parameters(seed=int(rng.integers(2**31)))
        data = lightgbm.Dataset(features, target[drawn], params=parameters)
        booster = lightgbm.train(
            parameters,
            data,
            num_boost_round=self.n_trees,
            keep_training_booster=True,  # spares a copy by way of the file format
        )
        return trees_of(booster)

    def _parameters(self, *, seed: int) -> dict[str, float | str | bool]:
        """Return the settings under LightGBM's names."""
        return {
            "objective": "regression",
            "learning_rate": self.learning_rate,
            "num_leaves": self.n_leaves,
            "min_data_in_leaf": self.min_pairs_in_leaf,
            "feature_fraction": self.feature_fraction,
            "max_bin": self.max_bins,
            "use_missing": False,
            "seed": seed,
            "deterministic": True,
            "force_row_wise": True,  # otherwise LightGBM would time both ways, at every fit
            "num_threads": 1,  # the other cores are busy with evaluations
            "verbosity": -1,
        }


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
