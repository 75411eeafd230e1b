"""Tests of the diversity surrogate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import lightgbm
import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from automl.ensembles.diversity import pairwise_diversity
from automl.surrogates.diversity import DiversitySurrogate
from automl.surrogates.random_forest import RandomForest
from automl.surrogates.target_transform import gaussian_ranks
from search_space.arrays import FloatArray


@dataclass(frozen=True)
class Observed:
    """Random configurations of four learners on noisy rows of a real table, all evaluated."""

    X: FloatArray
    diversity: FloatArray
    losses: FloatArray


@cache
def observed(n: int = 160) -> Observed:
    rng = np.random.default_rng(0)
    table, labels = load_breast_cancer(return_X_y=True)
    table = table[:, :8] + 0.7 * table[:, :8].std(axis=0) * rng.normal(size=table[:, :8].shape)
    X, predictions = np.zeros((n, 11)), []
    for row in X:
        u, v = rng.uniform(0.125, 1.0, size=2)
        learner, is_scaled = rng.integers(4), rng.integers(2)
        models = (
            KNeighborsClassifier(int(60 * u), p=1.0 + 4.0 * v),
            DecisionTreeClassifier(min_samples_leaf=int(60 * u), max_features=v, random_state=0),
            GaussianNB(var_smoothing=10 ** (6 * u - 5)),
            LogisticRegression(C=10 ** (6 * u - 5), class_weight={0: v, 1: 1.0}, max_iter=20_000),
        )
        row[learner], row[4] = 1.0, is_scaled
        row[(5, 7, 9, 9)[learner]] = u if learner < 3 else 0.0
        row[10] = u if learner == 3 else 0.0
        if learner < 2:
            row[(6, 8)[learner]] = v
        scaler = StandardScaler() if is_scaled or learner == 3 else "passthrough"
        model = make_pipeline(scaler, models[learner]).fit(table[::2], labels[::2])
        predictions.append(model.predict_proba(table[1::2]).astype(np.float32))
    losses = [np.mean(p.argmax(axis=1) != labels[1::2]) for p in predictions]
    return Observed(X, pairwise_diversity(np.array(predictions)), np.array(losses))


def fit_and_probe(n: int = 110) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean, std and truth for pairs of an unseen and a seen configuration."""
    data = observed()
    fitted = DiversitySurrogate().fit(data.X[:n], data.diversity[:n, :n], np.random.default_rng(1))
    mean, std = fitted.predict(data.X[n:], data.X[:n])
    return mean, std, data.diversity[n:, :n]


def test_prediction_is_symmetric() -> None:
    data = observed()
    fitted = DiversitySurrogate().fit(
        data.X[:80], data.diversity[:80, :80], np.random.default_rng(0)
    )
    one_way, back = (
        fitted.predict(data.X[:20], data.X[90:]),
        fitted.predict(data.X[90:], data.X[:20]),
    )
    for there, again in zip(one_way, back, strict=True):
        assert np.array_equal(there, again.T)


def test_members_disagree() -> None:
    _, std, _ = fit_and_probe()
    assert np.mean(std > 0.01) > 0.9


def test_pairs_of_configurations_not_seen_are_ordered_far_better_than_by_their_losses() -> None:
    data, n = observed(), 110
    fitted = DiversitySurrogate().fit(data.X[:n], data.diversity[:n, :n], np.random.default_rng(1))
    one, other = np.triu_indices(len(data.X) - n, k=1)
    truth = data.diversity[n:, n:][one, other]
    mean, _ = fitted.predict(data.X[n:], data.X[n:])
    losses, _ = (
        RandomForest()
        .fit(data.X[:n], data.losses[:n], np.random.default_rng(1))
        .predict(data.X[n:])
    )
    by_diversity = kendalltau(mean[one, other], truth)[0]
    by_loss = kendalltau(np.abs(losses[one] - losses[other]), truth)[0]
    assert by_diversity > 0.6
    assert by_diversity > by_loss + 0.2


def test_pairs_with_a_configuration_seen_are_ordered_far_better_than_by_their_losses() -> None:
    data, n = observed(), 110
    mean, _, truth = fit_and_probe(n)
    losses, _ = (
        RandomForest().fit(data.X[:n], data.losses[:n], np.random.default_rng(1)).predict(data.X)
    )
    by_diversity = kendalltau(mean, truth)[0]
    by_loss = kendalltau(np.abs(losses[n:, None] - losses[:n]), truth)[0]
    assert by_diversity > 0.6
    assert by_diversity > by_loss + 0.2


def test_a_configuration_is_predicted_closest_to_itself() -> None:
    data, n = observed(), 110
    fitted = DiversitySurrogate().fit(data.X[:n], data.diversity[:n, :n], np.random.default_rng(1))
    mean, _ = fitted.predict(data.X[:n], data.X[:n])
    ranks = (mean < np.diagonal(mean)[:, None]).mean(axis=1)
    assert np.mean(ranks) < 0.1


def test_only_the_order_of_diversities_counts() -> None:
    data = observed()
    X, diversity = data.X[:60], data.diversity[:60, :60]
    one, other = (
        DiversitySurrogate().fit(X, d, np.random.default_rng(0)).predict(X, X[:5])[0]
        for d in (diversity, np.sqrt(diversity))
    )
    assert np.array_equal(one, other)


def test_the_same_generator_gives_the_same_model_and_another_another() -> None:
    data = observed()
    one, same, other = (
        DiversitySurrogate()
        .fit(data.X[:60], data.diversity[:60, :60], np.random.default_rng(seed))
        .predict(data.X[60:90], data.X[:9])
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_every_pair_of_250_observations_is_used() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((250, 3))
    diversity = np.abs(X[:, :1] - X[:, 0])
    by_default, by_all, by_fewer = (
        surrogate.fit(X, diversity, np.random.default_rng(1)).predict(X[:40], X[:9])[0]
        for surrogate in (
            DiversitySurrogate(),
            DiversitySurrogate(max_pairs=250 * 251 // 2),
            DiversitySurrogate(max_pairs=250 * 251 // 2 - 1),
        )
    )
    assert np.array_equal(by_default, by_all)
    assert not np.array_equal(by_default, by_fewer)


@pytest.mark.parametrize(("max_pairs", "may_split"), [(9, False), (40, True)])
def test_no_more_pairs_are_used_than_allowed(max_pairs: int, may_split: bool) -> None:
    data = observed()
    settings = DiversitySurrogate(max_pairs=max_pairs, min_pairs_in_leaf=5)
    fitted = settings.fit(data.X, data.diversity, np.random.default_rng(0))
    mean, _ = fitted.predict(data.X, data.X)
    assert (np.ptp(mean) > 0.0) == may_split


def test_members_are_what_lightgbm_learns_from_their_weights_alone() -> None:
    data, n = observed(), 60
    settings = DiversitySurrogate(n_members=2, feature_fraction=1.0)
    X, diversity = data.X[:n], data.diversity[:n, :n]
    trees = settings.fit(X, diversity, np.random.default_rng(3)).trees
    # The same draws: which pairs (all of them), order within each pair, weights.
    rng = np.random.default_rng(3)
    pairs = np.stack(np.tril_indices(n))
    rng.choice(pairs.shape[1], size=pairs.shape[1], replace=False)
    first, second = rng.permuted(pairs, axis=0)
    weights = rng.exponential(size=(pairs.shape[1], 2))
    target = gaussian_ranks(diversity[first, second])
    for member, weight in zip(trees.predict(X, X), weights.T, strict=True):
        data_of_member = lightgbm.Dataset(np.hstack([X[first], X[second]]), target, weight=weight)
        parameters = {
            "objective": "regression",
            "boost_from_average": False,
            "learning_rate": settings.learning_rate,
            "num_leaves": settings.n_leaves,
            "min_data_in_leaf": settings.min_pairs_in_leaf,
            "max_bin": settings.max_bins,
            "min_data_in_bin": 1,
            "use_missing": False,
            "num_threads": 1,
            "verbosity": -1,
        }
        alone = lightgbm.train(parameters, data_of_member, num_boost_round=settings.n_trees)
        grid = np.hstack([np.repeat(X, n, axis=0), np.tile(X, (n, 1))])
        expected = np.asarray(alone.predict(grid)).reshape(n, n)
        # Single-precision gradients round differently; where two splits are equally good one or
        # the other may be taken.
        different = np.abs(member - 0.5 * (expected + expected.T)) > 1e-3
        assert different.mean() < 0.02


def test_members_have_the_trees_and_leaves_asked_for() -> None:
    data = observed()
    settings = DiversitySurrogate(n_members=3, n_trees=4, n_leaves=9)
    trees = settings.fit(data.X, data.diversity, np.random.default_rng(0)).trees
    assert [[len(tree.values) for tree in member] for member in trees.members] == [[9] * 4] * 3


def test_each_tree_uses_a_share_of_the_features_drawn_anew_for_every_model() -> None:
    data = observed()
    settings = DiversitySurrogate(feature_fraction=0.2)

    def features(seed: int) -> list[set[int]]:
        fitted = settings.fit(data.X, data.diversity, np.random.default_rng(seed))
        return [set(tree.features) for member in fitted.trees.members for tree in member]

    one, other = features(1), features(2)
    assert max(map(len, one)) <= 0.2 * 2 * data.X.shape[1] + 1
    # Which features a tree may use is the same only by chance, 1 in C(22, 4) for each tree.
    assert sum(a == b for a, b in zip(one, other, strict=True)) < len(one) / 2


def test_no_more_values_of_a_feature_are_told_apart_than_asked_for() -> None:
    data = observed()
    trees = (
        DiversitySurrogate(max_bins=4).fit(data.X, data.diversity, np.random.default_rng(0)).trees
    )
    cuts: dict[int, set[float]] = {}
    for member in trees.members:
        for tree in member:
            for feature, threshold in zip(tree.features, tree.thresholds, strict=True):
                cuts.setdefault(feature, set()).add(threshold)
    assert max(map(len, cuts.values())) == 3


def test_a_single_member_has_no_spread() -> None:
    data = observed()
    fitted = DiversitySurrogate(n_members=1).fit(
        data.X[:60], data.diversity[:60, :60], np.random.default_rng(0)
    )
    mean, std = fitted.predict(data.X[60:], data.X[:5])
    assert np.ptp(mean) > 0.0
    assert not std.any()


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_a_few_observations_are_enough(n: int) -> None:
    data = observed()
    fitted = DiversitySurrogate().fit(data.X[:n], data.diversity[:n, :n], np.random.default_rng(0))
    mean, std = fitted.predict(data.X[:30], data.X[:n])
    assert mean.shape == std.shape == (30, n)
    assert np.all(np.isfinite(mean) & np.isfinite(std))


def test_equal_configurations_and_equal_predictions_look_alike() -> None:
    rng = np.random.default_rng(0)
    X, probe = np.tile([0.5, 0.0, 1.0], (20, 1)), rng.random((4, 3))
    diversity = rng.random((20, 20))
    alike = ((X, diversity + diversity.T), (rng.random((20, 3)), np.zeros((20, 20))))
    for configurations, diversities in alike:
        mean, std = DiversitySurrogate().fit(configurations, diversities, rng).predict(probe, probe)
        assert not mean.any()
        assert not std.any()


def test_thousands_of_observations_take_no_more_pairs() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((3000, 4))
    diversity = np.abs(X[:, :1] - X[:, 0])
    fitted = DiversitySurrogate(max_pairs=500).fit(X, diversity, rng)
    mean, _ = fitted.predict(X[:40], X[:40])
    assert kendalltau(mean, diversity[:40, :40])[0] > 0.6


def test_arguments_are_left_as_they_are() -> None:
    data = observed()
    X, diversity = data.X[:30].copy(), data.diversity[:30, :30].copy()
    X.flags.writeable = diversity.flags.writeable = False
    DiversitySurrogate().fit(X, diversity, np.random.default_rng(0)).predict(X, X)


@pytest.mark.parametrize(
    ("X", "diversity"),
    [
        (np.zeros((0, 3)), np.zeros((0, 0))),
        (np.zeros((4, 3)), np.zeros((4, 3))),
        (np.zeros((2, 3)), np.full((2, 2), np.nan)),
        (np.full((2, 3), np.inf), np.zeros((2, 2))),
    ],
    ids=["none", "shape", "missing diversity", "infinite configuration"],
)
def test_observations_that_cannot_be_learned_from_are_refused(
    X: FloatArray, diversity: FloatArray
) -> None:
    with pytest.raises(ValueError, match="must be"):
        DiversitySurrogate().fit(X, diversity, np.random.default_rng(0))
