"""Models of the loss after a history: scales, fallbacks, and surrogates taken for models."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, Float
from fakes.plain_histories import at, end, opened_at, plain_history
from fakes.surrogates import KnownLoss, Unfittable
from scipy.stats import rankdata

from automl.errors import DegradedResultWarning, SurrogateError
from automl.optimizers.dynamic_model import DynamicModel
from automl.optimizers.named import SURROGATES
from automl.optimizers.observations import performance_observations
from automl.optimizers.performance_model import (
    FittedModel,
    PerformanceModel,
    SurrogateModel,
    as_model,
)
from automl.surrogates.output_transform import OutputTransform
from automl.surrogates.random_forest import RandomForest
from automl.trial import Origin, Proposal
from automl.trial_history import TrialHistory
from search_space.encoding import ColumnLayout


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def skewed() -> TrialHistory:
    """Return a history with losses over some powers of ten, a failure and a pending trial."""
    history = plain_history()
    for x, loss in ((0.1, 1e-3), (0.9, 40.0), (0.5, 0.02), (0.3, 1.5), (0.7, None)):
        at(history, x, loss)
    opened_at(history, 0.6)
    return history


def model(surrogate: KnownLoss, transform: OutputTransform | None = None) -> SurrogateModel:
    return SurrogateModel(make=lambda _: surrogate, transform=transform)


def test_without_a_transform_targets_are_the_losses() -> None:
    history, surrogate = skewed(), KnownLoss()
    fitted = model(surrogate).fit_to(history, rng())
    X, losses = performance_observations(history)
    ((seen_X, seen_y),) = surrogate.fitted_on
    for found in (fitted.targets, seen_y):
        assert np.array_equal(found, losses)
    for found in (fitted.encoded, seen_X):
        assert np.array_equal(found, X)
    assert fitted.incumbent == 1e-3
    assert fitted.scale == np.std(losses)


@pytest.mark.parametrize("power", [True, False])
def test_a_transform_keeps_the_order_and_the_incumbent(power: bool) -> None:
    history, surrogate = skewed(), KnownLoss()
    fitted = model(surrogate, OutputTransform(power=power)).fit_to(history, rng())
    _, losses = performance_observations(history)
    assert np.array_equal(rankdata(fitted.targets), rankdata(losses))
    assert fitted.incumbent == fitted.targets.min() == fitted.targets[0]
    assert np.array_equal(surrogate.fitted_on[0][1], fitted.targets)
    of_successes = fitted.targets[list(history.successes)]
    assert of_successes.mean() == pytest.approx(0.0, abs=1e-12)
    assert of_successes.std() == pytest.approx(1.0)


def test_a_power_brings_losses_of_many_sizes_together() -> None:
    def lengths(transform: OutputTransform) -> float:
        targets = model(KnownLoss(), transform).fit_to(skewed(), rng()).targets
        return float((targets[2] - targets[0]) / (targets[1] - targets[0]))

    assert lengths(OutputTransform(power=False)) < 1e-3
    assert lengths(OutputTransform()) > 0.1


def test_equal_losses_have_the_scale_one() -> None:
    history = plain_history()
    for x in (0.1, 0.2):
        at(history, x, 7.0)
    assert model(KnownLoss()).fit_to(history, rng()).scale == 1.0
    fitted = model(KnownLoss(), OutputTransform()).fit_to(history, rng())
    assert (fitted.scale, fitted.incumbent) == (1.0, 0.0)


def test_the_surrogate_is_made_for_the_layout_of_the_space() -> None:
    layouts = []

    def make(layout: ColumnLayout) -> KnownLoss:
        layouts.append(layout)
        return KnownLoss()

    space = ConfigurationSpace()
    space.add(Float("x", (0.0, 1.0)), Categorical("c", ["u", "v"]))
    history = plain_history(space)
    default = space.get_default_configuration()
    end(history, history.open_trial(Proposal(configuration=default, origin=Origin.DEFAULT)), 1.0)
    SurrogateModel(make=make).fit_to(history, rng())
    assert layouts == [ColumnLayout(numeric=(0,), categorical=((1, 2),))]


def test_where_a_surrogate_cannot_be_fitted_another_stands_in_with_a_warning() -> None:
    history, fallback = skewed(), KnownLoss(std=0.7)
    settings = SurrogateModel(
        make=lambda _: Unfittable(), transform=OutputTransform(), fallback=fallback
    )
    said = r"Unfittable could not be fitted \(no factor\); KnownLoss stands for it"
    with pytest.warns(DegradedResultWarning, match=said):
        fitted = settings.fit_to(history, rng())
    assert fitted.surrogate is fallback
    assert np.array_equal(fallback.fitted_on[0][1], fitted.targets)  # on the same scale
    assert fitted.incumbent == fitted.targets.min()


def test_the_usual_fallback_is_a_forest() -> None:
    with pytest.warns(DegradedResultWarning, match="RandomForest stands for it"):
        fitted = SurrogateModel(make=lambda _: Unfittable()).fit_to(skewed(), rng())
    mean, std = fitted.surrogate.predict(fitted.encoded)
    assert mean.shape == std.shape == (6,)


def test_a_fallback_that_cannot_be_fitted_either_is_an_error() -> None:
    settings = SurrogateModel(make=lambda _: Unfittable(), fallback=Unfittable())
    with (
        pytest.warns(DegradedResultWarning, match="Unfittable stands for it"),
        pytest.raises(SurrogateError, match="no factor"),
    ):
        settings.fit_to(skewed(), rng())


def test_a_history_without_success_is_refused() -> None:
    history = plain_history()
    at(history, 0.5, None)
    for settings in (model(KnownLoss()), DynamicModel()):
        with pytest.raises(ValueError, match="needs one successful trial"):
            settings.fit_to(history, rng())


def test_a_surrogate_becomes_a_model_of_the_losses_as_they_are() -> None:
    surrogate = KnownLoss()
    fitted = as_model(surrogate).fit_to(skewed(), rng())
    assert fitted.surrogate is surrogate
    assert fitted.incumbent == 1e-3


@pytest.mark.parametrize("settings", [*SURROGATES.values(), DynamicModel(separate_std=True)])
def test_a_model_stays_what_it_is(settings: PerformanceModel) -> None:
    assert as_model(settings) is settings


@pytest.mark.parametrize("name", SURROGATES)
def test_every_model_with_a_name_can_be_fitted_again_with_the_same_result(name: str) -> None:
    history = skewed()

    def predicted() -> tuple[FittedModel, list[float]]:
        fitted = SURROGATES[name].fit_to(history, rng())
        return fitted, np.concatenate(fitted.surrogate.predict(fitted.encoded)).tolist()

    (first, numbers), (_, again) = predicted(), predicted()
    assert numbers == again
    mean, std = first.surrogate.predict(first.encoded)
    assert np.isfinite(mean).all()
    assert (std > 0.0).all()
    assert mean[0] < mean[1]  # the best and the worst loss


def test_the_forest_models_losses_as_they_are_and_the_others_transform_them() -> None:
    transforms = {
        name: getattr(settings, "transform", None) for name, settings in SURROGATES.items()
    }
    # The process that expects little noise takes the likelier of both scales.
    assert {name for name, transform in transforms.items() if transform is None} == {
        "random_forest",
        "gaussian_process_horseshoe",
    }
    surrogate = SURROGATES["random_forest"].make(  # type: ignore[attr-defined]
        ColumnLayout(numeric=(0,), categorical=())
    )
    assert surrogate == RandomForest()
