"""Histories over any configuration space, and surrogates that predict a known line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace

from automl.errors import SurrogateError
from automl.trial import Origin, Outcome, Proposal, Status, Trial
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray
from search_space.encoding import ConfigurationEncoder


@dataclass(frozen=True)
class PlainSpace:
    """A configuration space whose default is tried first."""

    configuration_space: ConfigurationSpace

    @property
    def defaults(self) -> tuple[Configuration, ...]:
        """The default configuration."""
        return (self.configuration_space.get_default_configuration(),)

    @property
    def finite(self) -> tuple[Configuration, ...] | None:
        """None: all configurations may be proposed."""
        return None


@dataclass(frozen=True)
class PlainProblem:
    """A problem that is a space."""

    search_space: PlainSpace
    encoder: ConfigurationEncoder


def plain_history(space: ConfigurationSpace | None = None, seed: int = 0) -> TrialHistory:
    """Return an empty history; the space is an interval if none is given."""
    space = space or ConfigurationSpace({"x": (0.0, 1.0)})
    return TrialHistory(PlainProblem(PlainSpace(space), ConfigurationEncoder(space)), seed)


def at(
    history: TrialHistory, x: float, loss: float | None, beliefs: Mapping[str, float] | None = None
) -> Trial:
    """Open a trial at x with these beliefs and record its loss, None for a failure."""
    trial = opened_at(history, x, beliefs)
    end(history, trial, loss)
    return trial


def opened_at(history: TrialHistory, x: float, beliefs: Mapping[str, float] | None = None) -> Trial:
    """Open a trial at x that stays pending."""
    space = history.problem.search_space.configuration_space
    configuration = Configuration(space, values={"x": x})
    return history.open_trial(
        Proposal(configuration=configuration, origin=Origin.RANDOM, beliefs=beliefs or {})
    )


def end(history: TrialHistory, trial: Trial, loss: float | None) -> None:
    """Record the loss of a trial, None for a failure."""
    status = Status.CRASHED if loss is None else Status.SUCCESS
    value = math.inf if loss is None else loss
    history.record(Outcome(number=trial.number, status=status, loss=value, seconds=0.0))


@dataclass(frozen=True)
class Line:
    """Predicts ``start + slope * x``, with `std`; cannot be fitted on `fails_on` observations."""

    start: float = 0.0
    slope: float = 0.0
    std: float = 1.0
    fails_on: int = 0

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> Line:  # noqa: ARG002
        """Learn nothing."""
        if len(X) == self.fails_on:
            raise SurrogateError("no factor")
        return self

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the line and the deviation."""
        return self.start + self.slope * X[:, 0], np.full(len(X), self.std)
