"""Models, acquisition functions and optimisers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from automl.acquisition.acquisition import ImprovementProbability
from automl.errors import InputError, InputTypeError
from automl.optimizers.acquisition_policy import (
    AcquisitionPolicy,
    Always,
    GrowingConfidence,
    ParetoFront,
    SelfAdjusting,
)
from automl.optimizers.dynamic_model import DynamicModel
from automl.optimizers.performance_model import PerformanceModel, SurrogateModel
from automl.optimizers.portfolio_policy import Portfolio
from automl.optimizers.process_model import ProcessModel
from automl.suggestions import did_you_mean
from automl.surrogates.checked_surrogate import CheckedSurrogate
from automl.surrogates.gaussian_priors import HorseshoeNoise
from automl.surrogates.gaussian_process import GaussianProcess
from automl.surrogates.output_transform import OutputTransform
from automl.surrogates.random_forest import RandomForest
from automl.surrogates.surrogate import Surrogate
from automl.surrogates.tree_ensembles import ExtraTrees, GradientBoosting
from search_space.encoding import ColumnLayout


def _random_forest(_: ColumnLayout) -> Surrogate:
    return RandomForest()


def _extra_trees(_: ColumnLayout) -> Surrogate:
    return ExtraTrees()


def _gradient_boosting(_: ColumnLayout) -> Surrogate:
    return GradientBoosting()


def _gaussian_process(layout: ColumnLayout) -> Surrogate:
    return GaussianProcess(layout=layout)


def _gaussian_process_horseshoe(layout: ColumnLayout) -> GaussianProcess:
    return GaussianProcess(layout=layout, noise=HorseshoeNoise())


def _transformed(make: Callable[[ColumnLayout], Surrogate]) -> PerformanceModel:
    return SurrogateModel(make=make, transform=OutputTransform())


SURROGATES: Mapping[str, PerformanceModel] = MappingProxyType(
    {
        "random_forest": SurrogateModel(make=_random_forest),
        "extra_trees": _transformed(_extra_trees),
        "gradient_boosting": _transformed(_gradient_boosting),
        "gaussian_process": _transformed(_gaussian_process),
        "gaussian_process_horseshoe": ProcessModel(make=_gaussian_process_horseshoe),
        "densbo": DynamicModel(),
        "equal_weights": DynamicModel(alpha=None),
    }
)
"""Performance models. The forest models losses as they are, all others transform them first. The
Gaussian processes differ in what they expect of noise: "gaussian_process" that there is some, as in
HEBO and DensBO, "gaussian_process_horseshoe" that there is little, as in SMAC and SAWEI; the latter
transforms losses only where that makes them more likely."""

ACQUISITIONS: Mapping[str, AcquisitionPolicy] = MappingProxyType(
    {
        "ei": Always(),
        "pi": Always(ImprovementProbability()),
        "lcb": GrowingConfidence(),
        "sawei": SelfAdjusting(),
        "mace": ParetoFront(),
        "hedge": Portfolio(),
    }
)
"""Acquisition policies."""


def model_of(surrogate: object) -> PerformanceModel | Surrogate:
    """Return the performance model of a name, or the object that is one or a surrogate.

    What a surrogate of somebody else predicts is looked at before it is gone by.

    Raises
    ------
    InputError
        If it is neither.
    """
    if isinstance(surrogate, str):
        check_name("surrogate", surrogate, list(SURROGATES))
        return SURROGATES[surrogate]
    is_model = isinstance(surrogate, PerformanceModel) or hasattr(surrogate, "fit")
    if isinstance(surrogate, type) or not is_model:
        raise InputTypeError(
            f"surrogate must be a name or an object with a method fit(X, y, rng), "
            f"found {surrogate!r}"
        )
    if isinstance(surrogate, PerformanceModel):
        return surrogate
    return CheckedSurrogate(cast(Surrogate, surrogate))


def acquisition_of(acquisition: object) -> AcquisitionPolicy:
    """Return the acquisition policy of a name, or the object that is one.

    Raises
    ------
    InputError
        If it is neither.
    """
    if isinstance(acquisition, str):
        check_name("acquisition", acquisition, list(ACQUISITIONS))
        return ACQUISITIONS[acquisition]
    if isinstance(acquisition, type) or not isinstance(acquisition, AcquisitionPolicy):
        raise InputTypeError(
            f"acquisition must be a name or an object with a method scoring(situation), "
            f"found {acquisition!r}"
        )
    return acquisition


def check_name(argument: str, name: object, names: Sequence[str]) -> None:
    """Raise InputError unless a name is one of those that there are."""
    if not isinstance(name, str) or name not in names:
        hint = did_you_mean(str(name), names) or ";"
        raise InputError(
            f"{argument} {name!r} is unknown{hint} use one of {', '.join(map(repr, names))}"
        )
