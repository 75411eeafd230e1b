"""Tests of the randomised and the boosted trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor

from automl.surrogates.tree_ensembles import BoostedTrees, ExtraTrees, GradientBoosting
from search_space.arrays import FloatArray


def observations(seed: int = 0, n: int = 80, d: int = 6) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    return X, np.where(X[:, 2] > 0.5, 0.9, 0.1) + 0.1 * X[:, 0] + 0.01 * rng.normal(size=n)


def leaf_values(tree: Any, X: FloatArray) -> FloatArray:
    return np.asarray(tree.value[tree.apply(X.astype(np.float32)), 0, 0])


def test_mean_and_variance_of_randomised_trees_are_those_of_the_trees() -> None:
    X, y = observations()
    probe, _ = observations(seed=1)
    fitted = ExtraTrees().fit(X, y, np.random.default_rng(0))
    of_trees = np.array([leaf_values(tree, probe) for tree in fitted.trees])
    assert len(of_trees) == 10
    mean, std = fitted.predict(probe)
    np.testing.assert_allclose(mean, of_trees.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(std**2, np.maximum(of_trees.var(axis=0), 1e-5), rtol=1e-9)


def test_randomised_trees_see_every_row_and_interpolate() -> None:
    X, y = observations()
    fitted = ExtraTrees().fit(X, y, np.random.default_rng(0))
    assert {tree.n_node_samples[0] for tree in fitted.trees} == {len(y)}
    np.testing.assert_allclose(fitted.predict(X)[0], y, rtol=1e-12)


def test_randomised_trees_have_thresholds_of_their_own() -> None:
    X, y = observations()
    trees = ExtraTrees().fit(X, y, np.random.default_rng(0)).trees
    assert len({float(tree.threshold[0]) for tree in trees}) == len(trees)


def test_randomised_trees_differ_on_choices_too() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(60, 8)).astype(np.float64)
    y, probe = X @ np.arange(8.0), 1.0 - X
    _, std = ExtraTrees().fit(X, y, rng).predict(probe)
    assert np.mean(std > 0.1) > 0.7  # a few were observed
    _, of_copies = ExtraTrees(feature_fraction=1.0).fit(X, y, rng).predict(probe)
    assert of_copies.mean() < 0.5 * std.mean()


def test_splits_choose_from_the_share_of_columns_asked_for() -> None:
    X, y = observations()
    X[:, 2] = X[:, 2] > 0.5  # one column explains nearly all, and with any threshold
    roots = {
        share: np.mean(
            [
                tree.feature[0] == 2
                for tree in ExtraTrees(n_trees=200, feature_fraction=share)
                .fit(X, y, np.random.default_rng(0))
                .trees
            ]
        )
        for share in (1.0, 0.5, 0.01)
    }
    # A node looks at int(share * 6) of the 6 columns, at least at one.
    assert roots[1.0] == 1.0
    assert roots[0.5] == pytest.approx(1 / 2, abs=4 * np.sqrt(1 / 4 / 200))
    assert roots[0.01] == pytest.approx(1 / 6, abs=4 * np.sqrt(5 / 36 / 200))


def test_leaves_of_randomised_trees_keep_the_rows_asked_for() -> None:
    X, y = observations()
    trees = ExtraTrees(min_rows_in_leaf=7).fit(X, y, np.random.default_rng(0)).trees
    assert min(tree.n_node_samples[tree.children_left == -1].min() for tree in trees) >= 7


def test_a_model_on_all_rows_is_that_of_scikit_learn() -> None:
    X, y = observations()
    settings = GradientBoosting()
    rng = np.random.default_rng(0)
    model = settings._boost(X.astype(np.float32), y, rng)
    theirs = GradientBoostingRegressor(n_estimators=10, learning_rate=0.3, random_state=0).fit(X, y)
    # Only on these rows: between them, equally good splits may have been chosen differently.
    ours = model.start + 0.3 * np.sum([leaf_values(tree, X) for tree in model.trees], axis=0)
    np.testing.assert_allclose(ours, theirs.predict(X), rtol=1e-6)


def by_hand(model: BoostedTrees, rate: float, X: FloatArray) -> FloatArray:
    return model.start + rate * sum(
        (leaf_values(tree, X) for tree in model.trees), np.zeros(len(X))
    )


def test_the_deviation_is_that_across_whole_models_and_of_their_error() -> None:
    X, y = observations()
    probe, _ = observations(seed=1)
    fitted = GradientBoosting().fit(X, y, np.random.default_rng(0))
    of_models = np.array([by_hand(model, 0.3, probe) for model in fitted.models])
    on_rows = np.mean([by_hand(model, 0.3, X) for model in fitted.models], axis=0)
    mean, std = fitted.predict(probe)
    np.testing.assert_allclose(mean, of_models.mean(axis=0), rtol=1e-9)
    variance = of_models.var(axis=0, ddof=1) + np.mean((on_rows - y) ** 2)
    np.testing.assert_allclose(std**2, variance, rtol=1e-6)


def test_the_deviation_of_boosted_trees_covers_about_as_many_losses_as_a_normal_one_should() -> (
    None
):
    within = []
    for seed in range(5):
        X, y = observations(seed=seed, n=100)
        probe, losses = observations(seed=100 + seed, n=200)
        mean, std = GradientBoosting().fit(X, y, np.random.default_rng(seed)).predict(probe)
        within.append(np.mean(np.abs(mean - losses) <= 2.0 * std))
    assert 0.85 <= np.mean(within) <= 1.0


def test_boosted_trees_are_less_certain_where_the_loss_changes() -> None:
    X, y = observations()
    probe = np.full((3, 6), 0.5)
    probe[:, 2] = [0.1, 0.5, 0.9]
    _, std = GradientBoosting(n_models=20).fit(X, y, np.random.default_rng(0)).predict(probe)
    assert std[1] > 1.2 * max(std[0], std[2])


@pytest.mark.parametrize("surrogate", [ExtraTrees, GradientBoosting])
def test_where_models_agree_the_variance_is_the_floor(surrogate: type[Any]) -> None:
    X = np.random.default_rng(0).random((20, 3))
    fitted = surrogate(variance_floor=0.04).fit(X, np.full(20, 0.7), np.random.default_rng(0))
    mean, std = fitted.predict(X)
    np.testing.assert_allclose(mean, 0.7, rtol=1e-12)
    np.testing.assert_allclose(std, 0.2, rtol=1e-9)


@pytest.mark.parametrize(
    ("surrogate", "settings"),
    [
        (ExtraTrees, {"n_trees": 0}),
        (ExtraTrees, {"variance_floor": 0.0}),
        (ExtraTrees, {"feature_fraction": 0.0}),
        (ExtraTrees, {"feature_fraction": 1.1}),
        (GradientBoosting, {"n_stages": 0}),
        (GradientBoosting, {"variance_floor": float("nan")}),
        (GradientBoosting, {"n_models": 1}),
        (GradientBoosting, {"learning_rate": 0.0}),
        (GradientBoosting, {"learning_rate": 1.5}),
    ],
)
def test_settings_without_a_model_or_uncertainty_are_refused(
    surrogate: type[Any], settings: dict[str, float]
) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        surrogate(**settings)
