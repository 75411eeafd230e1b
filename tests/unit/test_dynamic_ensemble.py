"""Tests of the ensemble of surrogates."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.surrogates import FixedPrediction, KnownLoss, Unfittable

from automl.errors import SurrogateError
from automl.surrogates.dynamic_ensemble import (
    DynamicEnsemble,
    FittedDynamicEnsemble,
    default_members,
)
from automl.surrogates.gaussian_process import GaussianProcess
from automl.surrogates.member_weights import FOREST, Round, equal_weights, weights_from_rounds
from automl.surrogates.random_forest import RandomForest
from automl.surrogates.surrogate import Surrogate
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

X = np.random.default_rng(0).random((10, 3))
Y = X.sum(axis=1)
LAYOUT = ColumnLayout(numeric=(0, 1, 2), categorical=())


def fitted(ensemble: DynamicEnsemble, y: FloatArray = Y) -> FittedDynamicEnsemble:
    return ensemble.fit(X, y, np.random.default_rng(0))


def three() -> dict[str, Surrogate]:
    return {
        "a": FixedPrediction(1.0, std=0.1),
        "b": FixedPrediction(2.0, std=0.4),
        "c": FixedPrediction(4.0, std=0.8),
    }


def test_means_and_deviations_are_weighted_means_of_those_of_the_members() -> None:
    ensemble = DynamicEnsemble(members=three(), weights={"a": 1.0, "b": 2.0, "c": 1.0})
    mean, std = fitted(ensemble).predict(X)
    np.testing.assert_allclose(mean, np.full(10, (1.0 + 2 * 2.0 + 4.0) / 4))
    np.testing.assert_allclose(std, np.full(10, (0.1 + 2 * 0.4 + 0.8) / 4))


def test_variances_are_averaged_where_asked_for() -> None:
    weights = {"a": 1.0, "b": 2.0, "c": 1.0}
    ensemble = DynamicEnsemble(members=three(), weights=weights, combine="variance")
    _, std = fitted(ensemble).predict(X)
    np.testing.assert_allclose(std**2, np.full(10, (0.01 + 2 * 0.16 + 0.64) / 4))


def test_deviations_may_have_weights_of_their_own() -> None:
    ensemble = DynamicEnsemble(
        members=three(),
        weights={"a": 3.0, "b": 0.0, "c": 0.0},
        std_weights={"a": 0.0, "b": 1.0, "c": 1.0},
    )
    mean, std = fitted(ensemble).predict(X)
    np.testing.assert_allclose(mean, 1.0)
    np.testing.assert_allclose(std, 0.6)


def test_members_without_weight_are_asked_only_for_their_own_predictions() -> None:
    asked, left = FixedPrediction(1.0, std=0.3), FixedPrediction(2.0)
    model = fitted(DynamicEnsemble(members={"a": asked, "b": left}, weights={"a": 1.0, "b": 0.0}))
    model.predict(X)
    assert (asked.asked, left.asked) == (1, 0)
    means = model.member_predictions(X[:2])
    assert {name: mean.tolist() for name, mean in means.items()} == {"a": [1, 1], "b": [2, 2]}
    stds = model.member_stds(X[:1])
    assert {name: std.tolist() for name, std in stds.items()} == {"a": [0.3], "b": [1.0]}


def test_a_member_that_cannot_be_fitted_loses_its_weight_and_the_reason_is_kept() -> None:
    members = {"a": FixedPrediction(1.0), "b": Unfittable(), "c": FixedPrediction(4.0)}
    model = fitted(DynamicEnsemble(members=members, weights={"a": 1.0, "b": 6.0, "c": 2.0}))
    assert model.failures == {"b": "no factor"}
    assert model.weights == pytest.approx({"a": 1 / 3, "b": 0.0, "c": 2 / 3})
    np.testing.assert_allclose(model.predict(X)[0], 3.0)
    assert set(model.member_predictions(X)) == {"a", "c"}


def test_a_member_that_cannot_be_fitted_loses_the_weight_of_its_deviation_too() -> None:
    members = {"a": FixedPrediction(1.0, std=0.3), "b": Unfittable()}
    ensemble = DynamicEnsemble(
        members=members, weights={"a": 1.0, "b": 0.0}, std_weights={"a": 0.5, "b": 0.5}
    )
    assert fitted(ensemble).std_weights == {"a": 1.0, "b": 0.0}
    np.testing.assert_allclose(fitted(ensemble).predict(X)[1], 0.3)


def test_if_the_only_member_with_weight_fails_the_forest_predicts() -> None:
    members = {"a": FixedPrediction(1.0), FOREST: FixedPrediction(2.0), "b": Unfittable()}
    weights = {"a": 0.0, FOREST: 0.0, "b": 1.0}
    model = fitted(DynamicEnsemble(members=members, weights=weights))
    np.testing.assert_allclose(model.predict(X)[0], 2.0)


def test_if_no_member_can_be_fitted_that_is_an_error() -> None:
    with pytest.raises(SurrogateError, match="no factor"):
        fitted(DynamicEnsemble(members={"a": Unfittable()}, weights={"a": 1.0}))


def test_a_gaussian_process_that_fails_leaves_the_trees() -> None:
    members = {name: default_members(LAYOUT)[name] for name in (FOREST, "gaussian_process")}
    ensemble = DynamicEnsemble(members=members, weights=equal_weights(members))
    # Squares of these overflow, which only the Gaussian process minds.
    huge = 1e153 * Y
    huge[0] = 1e200
    with np.errstate(over="ignore"):
        model = fitted(ensemble, huge)
    assert set(model.failures) == {"gaussian_process"}
    assert model.weights == {FOREST: 1.0, "gaussian_process": 0.0}


def test_errors_of_the_caller_are_not_taken_for_failures_of_a_member() -> None:
    members: dict[str, Surrogate] = {"a": RandomForest(), "b": KnownLoss()}
    with pytest.raises(ValueError, match="must be"):
        DynamicEnsemble(members=members, weights=equal_weights(members)).fit(
            X, Y[:-1], np.random.default_rng(0)
        )


def test_a_member_does_not_depend_on_what_others_drew() -> None:
    alone: dict[str, Surrogate] = {"a": KnownLoss(), "b": RandomForest()}
    beside: dict[str, Surrogate] = {"a": RandomForest(n_trees=3), "b": RandomForest()}
    one, other = (
        fitted(DynamicEnsemble(members=members, weights=equal_weights(members)))
        .member_predictions(X)["b"]
        .tolist()
        for members in (alone, beside)
    )
    assert one == other


def test_the_default_members_are_those_of_densbo_in_its_order() -> None:
    members = default_members(LAYOUT)
    assert list(members) == [FOREST, "extra_trees", "gradient_boosting", "gaussian_process"]
    assert members["gaussian_process"] == GaussianProcess(layout=LAYOUT)


def test_other_weights_leave_the_first_ensemble_alone() -> None:
    first = DynamicEnsemble(members=three(), weights={"a": 1.0, "b": 0.0, "c": 0.0})
    second = first.weighted({"a": 0.0, "b": 1.0, "c": 0.0}, {"a": 0.0, "b": 0.0, "c": 1.0})
    assert (fitted(first).predict(X[:1])[0], fitted(second).predict(X[:1])[0]) == (1.0, 2.0)
    assert fitted(second).predict(X[:1])[1] == 0.8
    assert first.weights == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_weight_moves_to_the_member_that_foretells_the_rounds() -> None:
    members: dict[str, Surrogate] = {FOREST: FixedPrediction(5.0), "known": KnownLoss()}
    layout = ColumnLayout(numeric=(0,), categorical=((1, 2),))
    rounds: list[Round] = []
    for start in (0, 4):
        weights = weights_from_rounds(list(members), layout, rounds, 0.5)
        model = fitted(DynamicEnsemble(members=members, weights=weights))
        proposed = X[start : start + 4]
        losses = KnownLoss().predict(proposed)[0]
        rounds.append(Round(means=model.member_predictions(proposed), losses=losses))
    weights = weights_from_rounds(list(members), layout, rounds, 0.5)
    assert weights == {FOREST: 0.25, "known": 0.75}


@pytest.mark.parametrize(
    ("weights", "std_weights", "combine", "reason"),
    [
        ({"a": 1.0, "b": 1.0}, None, "std", "those of the members"),
        ({"a": 1.0, "b": -1.0, "c": 1.0}, None, "std", "negative"),
        ({"a": 1.0, "b": np.inf, "c": 1.0}, None, "std", "negative"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 1.0}, "std", "those of the members"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, None, "mean", "combine"),
    ],
)
def test_settings_that_give_no_ensemble_are_refused(
    weights: dict[str, float], std_weights: dict[str, float] | None, combine: str, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        DynamicEnsemble(
            members=three(),
            weights=weights,
            std_weights=std_weights,
            combine=combine,  # type: ignore[arg-type]
        )


def test_an_ensemble_without_members_is_refused() -> None:
    with pytest.raises(ValueError, match="those of the members"):
        DynamicEnsemble(members={}, weights={})
