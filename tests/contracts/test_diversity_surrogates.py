"""What every surrogate of diversity has to do; a new kind is tested by being listed."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.stats import kendalltau

from automl.errors import InputError
from automl.surrogates.diversity import DiversitySurrogate, TreeKind, diversity_surrogate
from search_space.arrays import FloatArray

every_kind = pytest.mark.parametrize("kind", [kind.value for kind in TreeKind])


def observations(seed: int, n: int = 60) -> tuple[FloatArray, FloatArray]:
    """Return configurations of two learners and diversities that depend on all that is active."""
    rng = np.random.default_rng(seed)
    learner = rng.integers(2, size=n)
    X = np.zeros((n, 6))
    X[np.arange(n), learner] = 1.0
    X[np.arange(n), 2 + 2 * learner] = rng.uniform(0.1, 1.0, size=n)
    X[np.arange(n), 3 + 2 * learner] = rng.uniform(0.1, 1.0, size=n)
    weighted = X * np.array([0.3, 0.3, 0.4, 0.1, 0.3, 0.0])
    return X, np.abs(weighted[:, None] - weighted).sum(axis=2) / 2.0


def fitted_and_probe(kind: str, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    X, diversity = observations(0)
    fitted = diversity_surrogate(kind).fit(X, diversity, np.random.default_rng(seed))
    return fitted.predict(observations(1, 25)[0], X[:7])


@every_kind
def test_means_and_deviations_are_finite_and_members_disagree(kind: str) -> None:
    mean, std = fitted_and_probe(kind)
    assert mean.shape == std.shape == (25, 7)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert np.mean(std > 0.0) > 0.9


@every_kind
def test_pairs_not_seen_are_put_in_about_the_right_order(kind: str) -> None:
    X, diversity = observations(0)
    probe, truth = observations(1)
    fitted = diversity_surrogate(kind).fit(X, diversity, np.random.default_rng(0))
    one, other = np.triu_indices(len(probe), k=1)
    assert kendalltau(fitted.predict(probe, probe)[0][one, other], truth[one, other])[0] > 0.6


@every_kind
def test_the_order_within_a_pair_does_not_matter(kind: str) -> None:
    X, diversity = observations(0)
    probe, _ = observations(1, 9)
    fitted = diversity_surrogate(kind).fit(X, diversity, np.random.default_rng(0))
    for there, back in zip(fitted.predict(probe, X), fitted.predict(X, probe), strict=True):
        assert np.array_equal(there, back.T)


@every_kind
def test_the_same_generator_gives_the_same_model_and_another_another(kind: str) -> None:
    one, same, other = (fitted_and_probe(kind, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@every_kind
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_observations_are_enough(kind: str, n: int) -> None:
    X, diversity = observations(0, n)
    mean, std = diversity_surrogate(kind).fit(X, diversity, np.random.default_rng(0)).predict(X, X)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()


@every_kind
def test_equal_configurations_look_alike(kind: str) -> None:
    X = np.tile([0.5, 0.0, 1.0], (20, 1))
    fitted = diversity_surrogate(kind).fit(X, np.zeros((20, 20)), np.random.default_rng(0))
    mean, std = fitted.predict(X, X)
    assert not mean.any()
    assert not std.any()


@every_kind
def test_members_have_the_trees_and_no_more_leaves_than_asked_for(kind: str) -> None:
    settings = DiversitySurrogate(kind=TreeKind(kind), n_members=3, n_trees=2, n_leaves=9)
    fitted = settings.fit(*observations(0), np.random.default_rng(0))
    leaves = [[len(tree.values) for tree in member] for member in fitted.trees.members]
    assert leaves == [[9] * 2] * 3


@every_kind
def test_no_more_pairs_are_used_than_allowed(kind: str) -> None:
    settings = DiversitySurrogate(kind=TreeKind(kind), max_pairs=4, min_pairs_in_leaf=100)
    fitted = settings.fit(*observations(0), np.random.default_rng(0))
    assert all(not tree.features for member in fitted.trees.members for tree in member)


@every_kind
def test_fitting_and_predicting_leave_settings_and_arguments_alone(kind: str) -> None:
    settings = diversity_surrogate(kind)
    before = copy.deepcopy(settings)
    X, diversity = observations(0)
    X.flags.writeable = diversity.flags.writeable = False
    settings.fit(X, diversity, np.random.default_rng(0)).predict(X, X)
    assert settings == before


@every_kind
@pytest.mark.parametrize("shape", [(0, 0), (60, 59)])
def test_observations_that_cannot_be_learned_from_are_refused(
    kind: str, shape: tuple[int, int]
) -> None:
    with pytest.raises(ValueError, match="must be"):
        diversity_surrogate(kind).fit(
            np.zeros((shape[0], 3)), np.zeros(shape), np.random.default_rng(0)
        )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("xgbost", "did you mean 'xgboost'"),
        ("LightGBM", "did you mean 'lightgbm'"),
        ("gp", "there are 'lightgbm', 'xgboost', 'random_forest'$"),
    ],
)
def test_a_kind_that_is_none_is_refused(kind: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        diversity_surrogate(kind)
