"""Tests of the random forest surrogate."""

from __future__ import annotations

import numpy as np
import pytest

from automl.surrogates.random_forest import RandomForest
from search_space.arrays import FloatArray


def observations(seed: int = 0, n: int = 80, d: int = 6) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, np.where(X[:, 2] > 0.5, 0.9, 0.1) + 0.01 * rng.normal(size=n)


def test_mean_and_variance_are_those_of_the_trees() -> None:
    X, y = observations()
    forest = RandomForest().fit(X, y, np.random.default_rng(0))
    rows = X.astype(np.float32)
    of_trees = []
    for tree in forest.trees:  # the leaf of each row, and the value that it holds
        of_trees.append(tree.value[tree.apply(rows), 0, 0])
    mean, std = forest.predict(X)
    np.testing.assert_allclose(mean, np.mean(of_trees, axis=0), rtol=1e-12)
    np.testing.assert_allclose(std**2, np.maximum(np.var(of_trees, axis=0), 1e-5), rtol=1e-9)


def test_it_learns_a_step() -> None:
    X, y = observations()
    probe, _ = observations(seed=1)
    probe = probe[np.abs(probe[:, 2] - 0.5) > 0.1]
    mean, _ = RandomForest().fit(X, y, np.random.default_rng(0)).predict(probe)
    np.testing.assert_allclose(mean, np.where(probe[:, 2] > 0.5, 0.9, 0.1), atol=0.15)


def test_uncertainty_is_greatest_where_the_loss_changes() -> None:
    X, y = observations()
    probe = np.full((3, 6), 0.5)
    probe[:, 2] = [0.1, 0.5, 0.9]
    _, std = RandomForest(n_trees=50).fit(X, y, np.random.default_rng(0)).predict(probe)
    assert std[1] > 3 * max(std[0], std[2])


def test_no_leaf_holds_fewer_rows_than_asked_for() -> None:
    X, y = observations()
    for n_rows in (3, 12):
        forest = RandomForest(min_rows_in_leaf=n_rows).fit(X, y, np.random.default_rng(0))
        smallest = min(tree.n_node_samples[tree.children_left == -1].min() for tree in forest.trees)
        assert smallest >= n_rows


def test_nodes_with_fewer_rows_than_asked_for_are_not_split() -> None:
    X, y = observations()
    forest = RandomForest(min_rows_to_split=30).fit(X, y, np.random.default_rng(0))
    assert all(tree.n_node_samples[tree.children_left >= 0].min() >= 30 for tree in forest.trees)


def test_trees_see_different_samples_of_as_many_rows() -> None:
    X, y = observations()
    forest = RandomForest().fit(X, y, np.random.default_rng(0))
    assert {tree.n_node_samples[0] for tree in forest.trees} == {len(y)}
    # The root holds the mean of the rows drawn.
    assert len({float(tree.value[0, 0, 0]) for tree in forest.trees}) == len(forest.trees)


def test_splits_choose_from_the_share_of_columns_asked_for() -> None:
    # One column explains all; trees that may look at one column of six often cannot use it.
    X, y = observations()

    def roots(feature_fraction: float) -> float:
        settings = RandomForest(n_trees=200, feature_fraction=feature_fraction)
        trees = settings.fit(X, y, np.random.default_rng(0)).trees
        return float(np.mean([tree.feature[0] == 2 for tree in trees]))

    # Of d columns a node looks at int(f d) of them, so finds the good one with chance int(f d) / d.
    assert roots(1.0) == 1.0
    assert roots(5 / 6) == pytest.approx(5 / 6, abs=4 * np.sqrt(5 / 36 / 200))
    assert roots(0.01) == pytest.approx(1 / 6, abs=4 * np.sqrt(5 / 36 / 200))


def test_where_trees_agree_the_variance_is_the_floor() -> None:
    X = np.random.default_rng(0).random((20, 3))
    fitted = RandomForest(variance_floor=0.04).fit(X, np.full(20, 0.7), np.random.default_rng(0))
    mean, std = fitted.predict(X)
    np.testing.assert_allclose(mean, 0.7, rtol=1e-12)
    np.testing.assert_allclose(std, 0.2, rtol=1e-12)


@pytest.mark.parametrize("settings", [{"n_trees": 0}, {"variance_floor": 0.0}])
def test_settings_that_give_no_forest_or_no_uncertainty_are_refused(
    settings: dict[str, int],
) -> None:
    with pytest.raises(ValueError, match="positive"):
        RandomForest(**settings)
