"""A Gaussian process on the scale that makes losses most likely."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace
from scipy.stats import multivariate_normal

from automl.ask_tell import AskTell
from automl.errors import DegradedResultWarning, SurrogateError
from automl.optimizers.observations import performance_observations
from automl.optimizers.process_model import SCALES, ProcessModel
from automl.surrogates.gaussian_priors import HorseshoeNoise
from automl.surrogates.gaussian_process import GaussianProcess
from automl.surrogates.output_transform import OutputTransform
from automl.surrogates.random_forest import FittedForest
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout


def process(layout: ColumnLayout) -> GaussianProcess:
    return GaussianProcess(layout=layout, noise=HorseshoeNoise())


MODEL = ProcessModel(make=process)


def history_of(formula: str, n: int = 40) -> TrialHistory:
    """Return a history of a function of two variables, drawn at random."""
    optimizer = AskTell(ConfigurationSpace({"x": (-1.0, 1.0), "y": (-1.0, 1.0)}), "random", 0)
    for configuration in optimizer.ask(n):
        x, y = configuration["x"], configuration["y"]
        smooth = (x - 0.3) ** 2 + (y + 0.2) ** 2
        optimizer.tell(configuration, math.exp(6.0 * smooth) if formula == "powers" else smooth)
    return optimizer.history


@pytest.mark.parametrize("losses", ["positive", "of both signs"])
@pytest.mark.parametrize("power", [False, True])
def test_slopes_are_the_limits_of_differences(losses: str, power: bool) -> None:
    y = np.random.default_rng(0).lognormal(0.0, 1.0, 30)
    y = np.sort(y if losses == "positive" else y - 1.0)
    scale = OutputTransform(power=power).fit(y)
    inside = 0.5 * (y[1:] + y[:-1])
    slope = (scale.apply(inside + 1e-6) - scale.apply(inside - 1e-6)) / 2e-6
    assert np.exp(scale.log_slopes(inside)) == pytest.approx(slope, rel=1e-5)


def test_the_likelihood_of_a_process_is_that_of_its_losses() -> None:
    X, y = performance_observations(history_of("smooth", 15))
    layout = ColumnLayout(numeric=(0, 1), categorical=())
    fitted = process(layout).fit(X, y, np.random.default_rng(0))
    covariance = fitted.scale**2 * fitted.factor @ fitted.factor.T
    exact = multivariate_normal(np.full(15, fitted.centre), covariance).logpdf(y)
    assert fitted.log_likelihood == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(
    ("formula", "name"), [("smooth", "standardised"), ("powers", "transformed")]
)
def test_the_likelier_scale_is_gone_by(formula: str, name: str) -> None:
    history = history_of(formula)
    model = MODEL.fit_to(history, np.random.default_rng(0))
    losses = history.success_losses()
    expected = SCALES[name].fit(losses).apply(losses)
    assert np.array_equal(model.targets, expected)
    assert model.incumbent == expected.min()
    beside = losses.min() * np.array([1.0, 1.0 + 1e-6])
    change = np.diff(SCALES[name].fit(losses).apply(beside))[0]
    assert model.unit == pytest.approx(np.diff(beside)[0] / change, rel=1e-4)


def test_a_density_of_losses_does_not_depend_on_their_unit() -> None:
    X, y = performance_observations(history_of("powers"))
    layout = ColumnLayout(numeric=(0, 1), categorical=())

    def log_density(losses: FloatArray, transform: OutputTransform) -> float:
        scale = transform.fit(losses)
        fitted = process(layout).fit(X, scale.apply(losses), np.random.default_rng(0))
        return fitted.log_likelihood + float(scale.log_slopes(losses).sum())

    for transform in SCALES.values():
        change = log_density(1000.0 * y, transform) - log_density(y, transform)
        assert change == pytest.approx(-len(y) * math.log(1000.0), abs=1e-3)


def test_both_fits_are_remembered() -> None:
    history = history_of("smooth")
    beliefs = MODEL.fit_to(history, np.random.default_rng(0)).beliefs_at(np.zeros(2))
    assert {key.partition(":")[0] for key in beliefs} == {"fit_standardised", "fit_transformed"}


def test_where_neither_can_be_fitted_a_forest_stands_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def failing(*_: object) -> None:
        raise SurrogateError("bad luck")

    monkeypatch.setattr(GaussianProcess, "fit", failing)
    with pytest.warns(DegradedResultWarning, match="bad luck"):
        model = MODEL.fit_to(history_of("smooth"), np.random.default_rng(0))
    assert isinstance(model.surrogate, FittedForest)
