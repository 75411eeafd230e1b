"""Trees taken over from XGBoost and scikit-learn, against what these predict themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xgboost
from sklearn.tree import ExtraTreeRegressor

from automl.surrogates.pair_regressors import (
    Members,
    TreeSettings,
    WeightedPairs,
    boost_xgboost,
    grow_forest,
)
from automl.surrogates.pair_trees import PairTrees
from search_space.arrays import FloatArray

D = 4
SETTINGS = TreeSettings(
    n_trees=3,
    n_leaves=20,
    learning_rate=0.5,
    feature_fraction=1.0,
    min_pairs_in_leaf=2,
    max_bins=15,
)


def pairs(n_members: int = 2) -> tuple[WeightedPairs, FloatArray]:
    """Return pairs of configurations, and configurations with many values where trees split."""
    rng = np.random.default_rng(0)
    X = np.round(rng.random((60, D)), 1) * (rng.random((60, D)) < 0.6)
    first, second = rng.integers(60, size=(2, 500))
    features = np.hstack([X[first], X[second]]).astype(np.float32)
    target = np.abs(features[:, 0] - features[:, D]) + features[:, 1] * features[:, D + 2]
    weights = rng.exponential(size=(500, n_members))
    return WeightedPairs(features=features, target=target.astype(float), weights=weights), X[:30]


def grid_of(members: Members, X: FloatArray) -> FloatArray:
    return PairTrees(members=members, n_features=D).predict(X, X)


def of_both_orders(predict: Any, X: FloatArray) -> FloatArray:
    n = len(X)
    one, other = np.repeat(X, n, axis=0), np.tile(X, (n, 1))
    both = predict(np.hstack([one, other])) + predict(np.hstack([other, one]))
    return np.asarray(0.5 * both).reshape(n, n)


def test_xgboost_predicts_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    boosters: list[xgboost.Booster] = []
    train = xgboost.train

    def noting(*arguments: Any, **options: Any) -> xgboost.Booster:
        boosters.append(train(*arguments, **options))
        return boosters[-1]

    monkeypatch.setattr(xgboost, "train", noting)
    sample, X = pairs()
    grid = grid_of(boost_xgboost(sample, SETTINGS, np.random.default_rng(0)), X)
    assert np.ptp(grid) > 0.1
    for member, booster in zip(grid, boosters, strict=True):
        expected = of_both_orders(lambda rows, of=booster: of.inplace_predict(rows), X)
        np.testing.assert_allclose(member, expected, atol=1e-5)


def test_a_forest_predicts_the_mean_of_trees_of_scikit_learn() -> None:
    sample, X = pairs()
    grid = grid_of(grow_forest(sample, SETTINGS, np.random.default_rng(7)), X)
    rng = np.random.default_rng(7)
    for member, weights in zip(grid, sample.weights.T, strict=True):
        trees = [
            ExtraTreeRegressor(
                max_features=1.0, max_leaf_nodes=20, min_samples_leaf=2, random_state=int(seed)
            ).fit(sample.features, sample.target, sample_weight=weights)
            for seed in rng.integers(2**31, size=3)
        ]
        expected = np.mean([of_both_orders(tree.predict, X) for tree in trees], axis=0)
        np.testing.assert_allclose(member, expected, atol=1e-5)


def test_members_of_xgboost_differ_by_their_weights_alone() -> None:
    sample, X = pairs()
    equal = WeightedPairs(
        features=sample.features, target=sample.target, weights=np.ones_like(sample.weights)
    )
    one, other = grid_of(boost_xgboost(equal, SETTINGS, np.random.default_rng(0)), X)
    assert np.array_equal(one, other)
    one, other = grid_of(boost_xgboost(sample, SETTINGS, np.random.default_rng(0)), X)
    assert not np.allclose(one, other)
