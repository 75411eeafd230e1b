"""Which acquisition function the next proposal is made with, as a function of the history.

What a policy has to remember travels in the beliefs of the proposals that it made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np
from ConfigSpace import Configuration

from automl.acquisition.acquisition import (
    AcquisitionFunction,
    ConfidenceBound,
    ExpectedImprovement,
    WeightedExpectedImprovement,
)
from automl.acquisition.confidence_bound import hebo_kappa, sawei_kappa
from automl.acquisition.improvement_probability import improvement_probability
from automl.acquisition.pareto_front import mace_objectives
from automl.acquisition.sawei import SaweiRecord, SaweiSettings, current_regret, next_alpha
from automl.acquisition.schedules import AlphaSchedule
from automl.acquisition.weighted_expected_improvement import exploration_term
from automl.optimizers.performance_model import FittedModel
from automl.trial import Status
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Situation:
    """What a policy may look at.

    Attributes
    ----------
    history : TrialHistory
        All trials.
    model : FittedModel
        The model after them.
    lowest_bound : callable
        Given the width of bounds in standard deviations, returns the least lower confidence bound
        that was found in the space.
    rng : numpy Generator
        Source of every random choice.
    """

    history: TrialHistory
    model: FittedModel
    lowest_bound: Callable[[float], float]
    rng: np.random.Generator

    @property
    def n_dimensions(self) -> int:
        """Hyperparameters of the space, at least one."""
        return max(1, len(self.history.problem.search_space.configuration_space))


def _nothing(_mean: float, _std: float) -> Mapping[str, float]:
    return {}


def _nothing_of_all(
    _candidates: Sequence[Configuration], _mean: FloatArray, _std: FloatArray
) -> Mapping[str, float]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How candidates of one proposal are scored.

    Attributes
    ----------
    score : callable
        ``score(mean, std)`` returns the scores (c,) of candidates; greater is better.
    objectives : callable or None
        ``objectives(mean, std)`` returns (c, m) scores, if candidates that none outdoes in all of
        them are wanted. Local searches then climb `score`.
    beliefs : callable
        ``beliefs(mean, std)`` returns what the proposal of a candidate has to carry.
    beliefs_of_all : callable
        ``beliefs_of_all(candidates, mean, std)`` returns what it has to carry whichever it is.
    """

    score: Callable[[FloatArray, FloatArray], FloatArray]
    objectives: Callable[[FloatArray, FloatArray], FloatArray] | None = None
    beliefs: Callable[[float, float], Mapping[str, float]] = _nothing
    beliefs_of_all: Callable[
        [Sequence[Configuration], FloatArray, FloatArray], Mapping[str, float]
    ] = _nothing_of_all


@runtime_checkable
class AcquisitionPolicy(Protocol):
    """Settings of a policy."""

    def scoring(self, situation: Situation) -> Scoring:
        """Return how candidates are scored in a situation."""
        ...


@dataclass(frozen=True, slots=True)
class Always:
    """The same function for every proposal.

    Attributes
    ----------
    function : AcquisitionFunction
        By default the logarithm of the expected improvement.
    """

    function: AcquisitionFunction = field(default_factory=ExpectedImprovement)

    def scoring(self, situation: Situation) -> Scoring:
        """Return how candidates are scored in a situation."""
        incumbent = situation.model.incumbent
        return Scoring(score=lambda mean, std: self.function(mean, std, incumbent))


@dataclass(frozen=True, slots=True)
class GrowingConfidence:
    """The lower confidence bound, whose width grows with the number of observations.

    Attributes
    ----------
    beta : float
        Greater values narrow the bound; see `sawei_kappa`.
    """

    beta: float = 1.0

    def scoring(self, situation: Situation) -> Scoring:
        """Return how candidates are scored in a situation."""
        n_observed, incumbent = max(1, situation.history.n_finished), situation.model.incumbent
        bound = ConfidenceBound(sawei_kappa(n_observed, situation.n_dimensions, beta=self.beta))
        return Scoring(score=lambda mean, std: bound(mean, std, incumbent))


@dataclass(frozen=True, slots=True)
class Scheduled:
    """Weighted expected improvement whose weight is set before the search.

    Attributes
    ----------
    schedule : AlphaSchedule
        Progress to the weight of exploitation.
    n_proposals : int
        Proposals that make the whole budget, those of the initial design left out.
    """

    schedule: AlphaSchedule
    n_proposals: int

    def scoring(self, situation: Situation) -> Scoring:
        """Return how candidates are scored in a situation."""
        incumbent = situation.model.incumbent
        step = sum(
            EXPLOITATION_WEIGHT in trial.proposal.beliefs for trial in situation.history.trials
        )
        alpha = self.schedule(min(1.0, step / self.n_proposals), step)
        function = WeightedExpectedImprovement(alpha)
        return Scoring(
            score=lambda mean, std: function(mean, std, incumbent),
            beliefs=lambda _mean, _std: {EXPLOITATION_WEIGHT: alpha},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Switched:
    """One policy up to a point of the budget, another from there on.

    Attributes
    ----------
    before, after : AcquisitionPolicy
        Up to the switch, and from it on.
    at : int
        Proposals of the first policy, those of the initial design left out.
    """

    before: AcquisitionPolicy
    after: AcquisitionPolicy
    at: int

    def scoring(self, situation: Situation) -> Scoring:
        """Return how candidates are scored in a situation."""
        step = sum(_SWITCHED in trial.proposal.beliefs for trial in situation.history.trials)
        is_after = step >= self.at
        scoring = (self.after if is_after else self.before).scoring(situation)
        return replace(
            scoring,
            beliefs=lambda mean, std: {
                **scoring.beliefs(mean, std),
                _SWITCHED: float(is_after),
            },
        )


_SWITCHED = "switched"
EXPLOITATION_WEIGHT = "wei_alpha"
"""What beliefs call the weight alpha of weighted expected improvement."""
_EXPLORE, _EXPLOIT, _REGRET = "wei_explore", "wei_exploit", "wei_regret"


@dataclass(frozen=True, slots=True)
class SelfAdjusting:
    """SAWEI: weighted expected improvement that adjusts its weight to the upper bound regret.

    Attributes
    ----------
    settings : SaweiSettings
        Settings of the adjustment.
    """

    settings: SaweiSettings = field(default_factory=SaweiSettings)

    def scoring(self, situation: Situation) -> Scoring:
        """Return how candidates are scored in a situation."""
        history, model = situation.history, situation.model
        ended = [history.outcome_of(trial.number) is not None for trial in history.trials]
        observed = np.flatnonzero(ended)
        regret = current_regret(
            model.targets[observed],
            model.surrogate.predict(model.encoded[observed]),
            situation.lowest_bound,
            situation.n_dimensions,
            self.settings,
        )
        alpha = next_alpha(_records(history, regret), self.settings)
        function = WeightedExpectedImprovement(alpha)
        unit = model.unit if self.settings.units == "loss" else 1.0 / model.scale

        def beliefs(mean: float, std: float) -> Mapping[str, float]:
            at = np.array([mean]), np.array([std]), model.incumbent
            return {
                EXPLOITATION_WEIGHT: alpha,
                _EXPLORE: float(exploration_term(*at)[0]) * unit,
                _EXPLOIT: float(improvement_probability(*at)[0]),
                _REGRET: regret,
            }

        return Scoring(
            score=lambda mean, std: function(mean, std, model.incumbent), beliefs=beliefs
        )


def _records(history: TrialHistory, regret: float) -> list[SaweiRecord]:
    """Return what is kept of each proposal; the regret after one is what the next one carries."""
    made = [trial for trial in history.trials if _REGRET in trial.proposal.beliefs]
    regrets = [trial.proposal.beliefs[_REGRET] for trial in made[1:]] + [regret] * bool(made)
    incumbents = _incumbents(history)
    return [
        SaweiRecord(
            alpha=trial.proposal.beliefs[EXPLOITATION_WEIGHT],
            explore=trial.proposal.beliefs[_EXPLORE],
            exploit=trial.proposal.beliefs[_EXPLOIT],
            upper_bound_regret=after,
            incumbent_changed=trial.number in incumbents,
        )
        for trial, after in zip(made, regrets, strict=True)
    ]


def _incumbents(history: TrialHistory) -> set[int]:
    """Return the trials that were the best when they ended."""
    best, numbers = float("inf"), set()
    for outcome in history.outcomes:
        if outcome.status is Status.SUCCESS and outcome.loss < best:
            best = outcome.loss
            numbers.add(outcome.number)
    return numbers


@dataclass(frozen=True, slots=True)
class ParetoFront:
    """MACE: candidates that none outdoes in expected improvement, its probability and the bound.

    Attributes
    ----------
    batch_size : int
        Observations that make one round of the schedule of the bound's width.
    """

    batch_size: int = 1

    def scoring(self, situation: Situation) -> Scoring:
        """Return how candidates are scored in a situation."""
        model = situation.model
        n_rounds = max(1, situation.history.n_finished // self.batch_size)
        kappa = hebo_kappa(n_rounds, situation.n_dimensions)
        # HEBO's: what is predicted of the best configuration is less flattered by noise.
        best = model.encoded[[int(np.argmin(model.targets))]]
        incumbent = float(model.surrogate.predict(best)[0][0])
        return Scoring(
            score=lambda mean, std: mace_objectives(mean, std, incumbent, kappa=kappa)[:, 0],
            objectives=lambda mean, std: mace_objectives(mean, std, incumbent, kappa=kappa),
        )
