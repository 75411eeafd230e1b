"""Tests of trees over pairs, against LightGBM's own predictions."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automl.surrogates import pair_trees
from automl.surrogates.pair_trees import PairTrees, trees_of
from search_space.arrays import FloatArray

D = 5
ROUNDING = 1e-6  # of leaf values in single precision


def train(
    features: FloatArray, target: FloatArray, n_trees: int = 10, **options: Any
) -> lightgbm.Booster:
    parameters = {
        "objective": "regression",
        "min_data_in_leaf": 2,
        "min_data_in_bin": 1,
        "num_threads": 1,
        "use_missing": False,
        "verbosity": -1,
        **options,
    }
    return lightgbm.train(parameters, lightgbm.Dataset(features, target), num_boost_round=n_trees)


def random_configurations(rng: np.random.Generator, n: int) -> FloatArray:
    """Mostly zeros and few distinct values, so that many lie exactly where features are cut."""
    return np.round(rng.random((n, D)), 1) * (rng.random((n, D)) < 0.6)


def trained_on_pairs(seed: int, **options: Any) -> lightgbm.Booster:
    rng = np.random.default_rng(seed)
    first, second = random_configurations(rng, 300), random_configurations(rng, 300)
    target = np.abs(first[:, 0] - second[:, 0]) + first[:, 1] * second[:, 2] + rng.random(300)
    return train(np.hstack([first, second]), target, **options)


def grid_of(booster: lightgbm.Booster, A: FloatArray, B: FloatArray) -> FloatArray:
    """Predict every pair in both orders by LightGBM."""
    a, b = np.repeat(A, len(B), axis=0), np.tile(B, (len(A), 1))
    both = booster.predict(np.hstack([a, b])) + booster.predict(np.hstack([b, a]))
    return np.asarray(0.5 * both).reshape(len(A), len(B))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 70))
def test_a_grid_of_pairs_is_predicted_as_by_lightgbm(seed: int, n_leaves: int) -> None:
    booster = trained_on_pairs(seed, num_leaves=n_leaves)
    rng = np.random.default_rng(seed + 1)
    A, B = random_configurations(rng, 23), random_configurations(rng, 7)
    grid = PairTrees(members=(trees_of(booster),), n_features=D).predict(A, B)
    np.testing.assert_allclose(grid[0], grid_of(booster, A, B), rtol=0.0, atol=ROUNDING)


def test_values_far_outside_the_training_range_are_predicted_as_by_lightgbm() -> None:
    booster = trained_on_pairs(0)
    A = np.array([[-1e6] * D, [1e6] * D, [1e-300] * D, [-1e-300] * D, [-0.0] * D])
    grid = PairTrees(members=(trees_of(booster),), n_features=D).predict(A, A)
    np.testing.assert_allclose(grid[0], grid_of(booster, A, A), rtol=0.0, atol=ROUNDING)


def test_values_exactly_at_a_threshold_go_left() -> None:
    booster = trained_on_pairs(11)
    trees = trees_of(booster)
    A = np.zeros((40, D))
    at_cuts = [
        (f % D, t) for tree in trees for f, t in zip(tree.features, tree.thresholds, strict=True)
    ]
    for row, (feature, threshold) in zip(A, at_cuts, strict=False):
        row[feature] = threshold
    grid = PairTrees(members=(trees,), n_features=D).predict(A, A[:9])
    np.testing.assert_allclose(grid[0], grid_of(booster, A, A[:9]), rtol=0.0, atol=ROUNDING)


def test_each_member_is_predicted_by_its_own_trees() -> None:
    boosters = [trained_on_pairs(seed) for seed in (1, 2, 3)]
    A, B = np.split(random_configurations(np.random.default_rng(4), 12), [8])
    members = tuple(trees_of(booster) for booster in boosters)
    grid = PairTrees(members=members, n_features=D).predict(A, B)
    expected = [grid_of(booster, A, B) for booster in boosters]
    np.testing.assert_allclose(grid, expected, rtol=0.0, atol=ROUNDING)


def test_outputs_of_one_model_take_turns() -> None:
    rng = np.random.default_rng(0)
    features = np.hstack([random_configurations(rng, 200), random_configurations(rng, 200)])
    booster = train(
        features, rng.integers(3, size=200).astype(float), objective="multiclass", num_class=3
    )
    trees = trees_of(booster)
    A, B = np.split(random_configurations(rng, 9), [6])
    grid = PairTrees(members=tuple(trees[m::3] for m in range(3)), n_features=D).predict(A, B)
    one_way = booster.predict(np.hstack([A[:3], B]), raw_score=True)
    back = booster.predict(np.hstack([B, A[:3]]), raw_score=True)
    expected = 0.5 * (np.asarray(one_way) + np.asarray(back)).T
    np.testing.assert_allclose(grid[:, range(3), range(3)], expected, rtol=0.0, atol=ROUNDING)


def test_swapping_the_two_sets_transposes_the_grid() -> None:
    trees = PairTrees(members=(trees_of(trained_on_pairs(5)),), n_features=D)
    A, B = np.split(random_configurations(np.random.default_rng(6), 20), [13])
    assert np.array_equal(trees.predict(A, B)[0], trees.predict(B, A)[0].T)


def test_work_in_blocks_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = PairTrees(members=(trees_of(trained_on_pairs(7)),), n_features=D)
    A, B = np.split(random_configurations(np.random.default_rng(8), 20), [13])
    at_once = trees.predict(A, B)
    monkeypatch.setattr(pair_trees, "_BLOCK", 4)
    np.testing.assert_allclose(trees.predict(A, B), at_once, atol=1e-12)


def test_a_tree_without_splits_is_a_constant() -> None:
    booster = train(np.zeros((30, 2 * D)) + np.eye(30, 2 * D), np.full(30, 0.7), n_trees=1)
    grid = PairTrees(members=(trees_of(booster),), n_features=D).predict(
        np.zeros((3, D)), np.ones((2, D))
    )
    np.testing.assert_allclose(grid, np.full((1, 3, 2), 0.7), rtol=1e-6)


def test_no_trees_predict_zero() -> None:
    grid = PairTrees(members=((), ()), n_features=D).predict(np.ones((3, D)), np.ones((2, D)))
    assert np.array_equal(grid, np.zeros((2, 3, 2)))


@pytest.mark.parametrize(("a", "b"), [(0, 4), (4, 0), (0, 0)])
def test_no_configurations_give_an_empty_grid(a: int, b: int) -> None:
    trees = PairTrees(members=(trees_of(trained_on_pairs(9)),), n_features=D)
    assert trees.predict(np.ones((a, D)), np.ones((b, D))).shape == (1, a, b)


def test_configurations_of_another_width_are_refused() -> None:
    trees = PairTrees(members=(trees_of(trained_on_pairs(10)),), n_features=D)
    with pytest.raises(ValueError, match=r"\(n, 5\)"):
        trees.predict(np.ones((3, D)), np.ones((2, D + 1)))


@pytest.mark.parametrize("zero_as_missing", [False, True])
def test_trees_that_know_missing_values_are_refused(zero_as_missing: bool) -> None:
    rng = np.random.default_rng(0)
    features = rng.random((400, 2 * D))
    target = features[:, 0] + features[:, 1]
    features[rng.random(features.shape) < 0.3] = 0.0 if zero_as_missing else np.nan
    booster = train(features, target, use_missing=True, zero_as_missing=zero_as_missing)
    with pytest.raises(ValueError, match="numeric splits without missing"):
        trees_of(booster)


def test_trees_that_know_categories_are_refused() -> None:
    features = np.random.default_rng(0).integers(4, size=(400, 2 * D)).astype(np.float64)
    target = np.isin(features[:, 0], [1, 3]).astype(np.float64)
    data = lightgbm.Dataset(features, target, categorical_feature=[0])
    options = {"verbosity": -1, "num_threads": 1, "use_missing": False, "max_cat_to_onehot": 2}
    with pytest.raises(ValueError, match="numeric splits without missing"):
        trees_of(lightgbm.train(options, data, num_boost_round=3))
