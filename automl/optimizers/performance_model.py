"""What is believed after a history: a surrogate, fitted on the scale that suits it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from automl.errors import DegradedResultWarning, SurrogateError
from automl.optimizers.observations import modelled_losses, performance_observations
from automl.optimizers.surrogate_memory import continued, memory_of
from automl.surrogates.output_transform import OutputTransform
from automl.surrogates.random_forest import RandomForest
from automl.surrogates.surrogate import FittedSurrogate, Surrogate
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

BeliefsAt = Callable[[FloatArray], Mapping[str, float]]
"""What a model leaves in the proposal of one encoded configuration (d,), for later rounds."""


def no_beliefs(_: FloatArray) -> Mapping[str, float]:
    """Leave nothing."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedModel:
    """What is believed after a history.

    Attributes
    ----------
    surrogate : FittedSurrogate
        Predicts on the scale of the targets.
    encoded : (n, d) array
        All trials, in the order of starting.
    targets : (n,) array
        Their losses on that scale; failures have the worst, pending ones the median.
    incumbent : float
        The lowest target of a success.
    unit : float, loss
        By how much the loss changes near the incumbent if the target changes by 1.
    beliefs_at : callable
        What a proposal has to carry.
    """

    surrogate: FittedSurrogate
    encoded: FloatArray
    targets: FloatArray
    incumbent: float
    unit: float = 1.0
    beliefs_at: BeliefsAt = no_beliefs

    @property
    def scale(self) -> float:
        """Standard deviation of the targets, 1 if all are equal."""
        return float(np.std(self.targets)) or 1.0


@runtime_checkable
class PerformanceModel(Protocol):
    """Settings of a model of the loss that is fitted to a history."""

    def fit_to(self, history: TrialHistory, rng: np.random.Generator) -> FittedModel:
        """Return the model after these trials, of which one at least has succeeded."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrogateModel:
    """One surrogate.

    Attributes
    ----------
    make : callable
        Returns the surrogate for a layout of columns.
    transform : OutputTransform or None
        Brings losses to another scale first.
    fallback : Surrogate
        What is fitted where the surrogate cannot be; a warning says so.
    """

    make: Callable[[ColumnLayout], Surrogate]
    transform: OutputTransform | None = None
    fallback: Surrogate = field(default_factory=RandomForest)

    def fit_to(self, history: TrialHistory, rng: np.random.Generator) -> FittedModel:
        """Return the model after these trials, of which one at least has succeeded."""
        X, losses = performance_observations(history)
        successes = modelled_losses(history)
        targets, incumbent, unit = losses, float(successes.min()), 1.0
        if self.transform is not None:
            scale = self.transform.fit(successes)
            unit = scale.unit_at(incumbent)
            targets, incumbent = scale.apply(losses), float(scale.apply(np.array([incumbent]))[0])
        surrogate = continued(self.make(history.problem.encoder.layout), history)
        try:
            fitted = surrogate.fit(X, targets, rng)
        except SurrogateError as error:
            warn_of_unfitted(
                type(surrogate).__name__,
                str(error),
                f"{type(self.fallback).__name__} stands for it",
            )
            fitted = self.fallback.fit(X, targets, rng)
        memory = memory_of(fitted)
        return FittedModel(
            surrogate=fitted,
            encoded=X,
            targets=targets,
            incumbent=incumbent,
            unit=unit,
            beliefs_at=lambda _: memory,
        )


def warn_of_unfitted(name: str, reason: str, instead: str) -> None:
    """Say that a surrogate is missing in one proposal, and what is done without it."""
    warnings.warn(
        f"{name} could not be fitted ({reason}); {instead} in this proposal",
        DegradedResultWarning,
        stacklevel=3,
    )


def as_model(model: Surrogate | PerformanceModel) -> PerformanceModel:
    """Return a model; a surrogate becomes one of the losses as they are."""
    if isinstance(model, PerformanceModel):
        return model
    return SurrogateModel(make=lambda _: model)
