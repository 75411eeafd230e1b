"""What every surrogate of the loss has to do; a new one is tested by being listed."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.stats import kendalltau

from automl.surrogates.dynamic_ensemble import DynamicEnsemble, default_members
from automl.surrogates.gaussian_priors import HorseshoeNoise
from automl.surrogates.gaussian_process import GaussianProcess
from automl.surrogates.member_weights import equal_weights
from automl.surrogates.random_forest import RandomForest
from automl.surrogates.surrogate import Surrogate
from automl.surrogates.tree_ensembles import ExtraTrees, GradientBoosting
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

# The learner, and three numbers of each.
LAYOUT = ColumnLayout(numeric=tuple(range(2, 8)), categorical=((0, 1),))
MEMBERS = default_members(LAYOUT)
RANDOMISED: list[Surrogate] = [
    RandomForest(),
    ExtraTrees(),
    GradientBoosting(),
    DynamicEnsemble(members=MEMBERS, weights=equal_weights(MEMBERS)),
]
SURROGATES: list[Surrogate] = [
    *RANDOMISED,
    GaussianProcess(layout=LAYOUT),
    GaussianProcess(layout=LAYOUT, noise=HorseshoeNoise()),
]

every_surrogate = pytest.mark.parametrize("surrogate", SURROGATES, ids=lambda s: type(s).__name__)
randomised = pytest.mark.parametrize("surrogate", RANDOMISED, ids=lambda s: type(s).__name__)


def observations(seed: int, n: int = 60) -> tuple[FloatArray, FloatArray]:
    """Return configurations of two learners with three hyperparameters each, and losses."""
    rng = np.random.default_rng(seed)
    learner = rng.integers(2, size=n)
    X = np.zeros((n, 8))
    X[np.arange(n), learner] = 1.0
    for row, chosen in zip(X, learner, strict=True):
        row[2 + 3 * chosen : 5 + 3 * chosen] = rng.uniform(0.1, 1.0, size=3)
    return X, 0.3 * learner + (X[:, 2] - 0.4) ** 2 + X[:, 5] * 0.5


def read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array


@every_surrogate
def test_predictions_are_finite_and_uncertain(surrogate: Surrogate) -> None:
    X, y = observations(0)
    mean, std = surrogate.fit(X, y, np.random.default_rng(0)).predict(observations(1, 33)[0])
    assert mean.shape == std.shape == (33,)
    assert mean.dtype == std.dtype == np.float64
    assert np.all(np.isfinite(mean))
    assert np.all(np.isfinite(std) & (std > 0.0))


@every_surrogate
def test_losses_not_seen_are_put_in_about_the_right_order(surrogate: Surrogate) -> None:
    fitted = surrogate.fit(*observations(0), np.random.default_rng(0))
    X, y = observations(1)
    assert kendalltau(fitted.predict(X)[0], y)[0] > 0.6


@every_surrogate
def test_means_stay_within_reach_of_the_losses_seen(surrogate: Surrogate) -> None:
    X, y = observations(0)
    mean, _ = surrogate.fit(X, y, np.random.default_rng(0)).predict(X)
    assert np.all(np.abs(mean - y.mean()) <= 2.0 * np.ptp(y))


@every_surrogate
def test_the_same_generator_gives_the_same_model(surrogate: Surrogate) -> None:
    X, y = observations(0)
    probe, _ = observations(1)
    one, same = (surrogate.fit(X, y, np.random.default_rng(1)).predict(probe) for _ in range(2))
    assert np.array_equal(one, same)


@every_surrogate
def test_a_model_does_not_depend_on_what_was_fitted_before(surrogate: Surrogate) -> None:
    X, y = observations(0)
    probe, _ = observations(1)
    fresh = copy.deepcopy(surrogate).fit(X, y, np.random.default_rng(1)).predict(probe)
    surrogate.fit(*observations(2, 20), np.random.default_rng(3)).predict(probe)
    again = surrogate.fit(X, y, np.random.default_rng(1)).predict(probe)
    assert np.array_equal(fresh, again)


@randomised
def test_another_generator_gives_another_model(surrogate: Surrogate) -> None:
    X, y = observations(0)
    probe, _ = observations(1)
    one, other = (
        surrogate.fit(X, y, np.random.default_rng(seed)).predict(probe)[0] for seed in (1, 2)
    )
    assert not np.array_equal(one, other)


@every_surrogate
def test_a_configuration_evaluated_many_times_is_predicted_by_its_mean_loss(
    surrogate: Surrogate,
) -> None:
    X, y = observations(0, 4)
    rows = np.repeat(X, 25, axis=0)
    losses = np.repeat(y, 25) + np.tile([-0.01, 0.01, 0.0, 0.02, -0.02], 20)
    mean, std = surrogate.fit(rows, losses, np.random.default_rng(0)).predict(X)
    np.testing.assert_allclose(mean, y, atol=0.1 * np.ptp(y))
    assert np.all(np.isfinite(std) & (std > 0.0))


@every_surrogate
def test_configurations_are_predicted_one_by_one_as_all_together(surrogate: Surrogate) -> None:
    fitted = surrogate.fit(*observations(0), np.random.default_rng(0))
    X, _ = observations(1, 9)
    together = np.array(fitted.predict(X))
    one_by_one = np.hstack([np.array(fitted.predict(X[[i]])) for i in range(len(X))])
    np.testing.assert_allclose(together, one_by_one, rtol=1e-9, atol=1e-9)


@every_surrogate
def test_predicting_twice_gives_the_same(surrogate: Surrogate) -> None:
    fitted = surrogate.fit(*observations(0), np.random.default_rng(0))
    X, _ = observations(1, 9)
    assert np.array_equal(fitted.predict(X), fitted.predict(X))


@every_surrogate
def test_no_configurations_give_no_predictions(surrogate: Surrogate) -> None:
    fitted = surrogate.fit(*observations(0), np.random.default_rng(0))
    mean, std = fitted.predict(np.zeros((0, 8)))
    assert mean.shape == std.shape == (0,)


@every_surrogate
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_observations_are_enough(surrogate: Surrogate, n: int) -> None:
    X, y = observations(0, n)
    mean, std = surrogate.fit(X, y, np.random.default_rng(0)).predict(observations(1)[0])
    assert np.all((mean >= y.min() - 1.0) & (mean <= y.max() + 1.0))
    assert np.all(std > 0.0)


@every_surrogate
def test_equal_losses_are_predicted_everywhere(surrogate: Surrogate) -> None:
    X, _ = observations(0)
    fitted = surrogate.fit(X, np.full(len(X), 0.25), np.random.default_rng(0))
    mean, std = fitted.predict(observations(1)[0])
    np.testing.assert_allclose(mean, 0.25, atol=1e-6)
    assert np.all(np.isfinite(std) & (std > 0.0))


@every_surrogate
def test_fitting_and_predicting_leave_settings_and_arguments_alone(surrogate: Surrogate) -> None:
    before = copy.deepcopy(surrogate)
    X, y = (read_only(array) for array in observations(0))
    surrogate.fit(X, y, np.random.default_rng(0)).predict(X)
    assert surrogate == before


@every_surrogate
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((0, 3)), np.zeros(0)),
        (np.zeros((4, 3)), np.zeros(3)),
        (np.zeros((2, 3)), np.array([0.1, np.inf])),
        (np.full((2, 3), np.nan), np.zeros(2)),
        (np.zeros(8), np.zeros(8)),
        (np.zeros((4, 3)), np.zeros((4, 1))),
    ],
    ids=["none", "lengths", "infinite loss", "missing value", "one row", "column of losses"],
)
def test_observations_that_cannot_be_learned_from_are_refused(
    surrogate: Surrogate, X: FloatArray, y: FloatArray
) -> None:
    with pytest.raises(ValueError, match="must be"):
        surrogate.fit(X, y, np.random.default_rng(0))


@every_surrogate
@pytest.mark.parametrize("shape", [(3, 7), (3, 9), (8,)])
def test_configurations_with_other_columns_are_refused(
    surrogate: Surrogate, shape: tuple[int, ...]
) -> None:
    fitted = surrogate.fit(*observations(0), np.random.default_rng(0))
    with pytest.raises(ValueError, match="must be"):
        fitted.predict(np.zeros(shape))
