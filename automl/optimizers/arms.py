"""The learners of a space as arms: each is searched alone, with its own observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from ConfigSpace import ConfigurationSpace
from ConfigSpace.hyperparameters import CategoricalHyperparameter

from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.domain import Subspace, has_values
from automl.trial import Outcome, Proposal, Trial
from automl.trial_history import Space, TrialHistory
from search_space.component import Stage
from search_space.encoding import ConfigurationEncoder


@dataclass(frozen=True, slots=True)
class Arm:
    """One learner of a search, and what was tried of it.

    Attributes
    ----------
    space : Subspace
        Its part of the space.
    trials : tuple of Trial
        Those with this learner, whoever proposed them, in the order of starting.
    """

    space: Subspace
    trials: tuple[Trial, ...]

    def propose(
        self, history: TrialHistory, rng: np.random.Generator, search: BayesianOptimization
    ) -> Proposal:
        """Return what a search proposes that knows this learner alone.

        Raises
        ------
        SpaceExhaustedError
            If every configuration of the learner was tried.
        """
        return search.propose(self._alone(history), rng)

    def _alone(self, history: TrialHistory) -> TrialHistory:
        """Return a history of these trials, numbered from 0, in this part of the space."""
        alone = TrialHistory(
            _ArmProblem(self.space, history.problem.encoder),
            history.seed,
        )
        new_number = {trial.number: number for number, trial in enumerate(self.trials)}
        alone.replay(
            [replace(trial, number=new_number[trial.number]) for trial in self.trials],
            [
                replace(outcome, number=new_number[outcome.number])
                for outcome in history.outcomes
                if outcome.number in new_number
            ],
        )
        return alone


@dataclass(frozen=True, slots=True)
class _ArmProblem:
    search_space: Subspace
    encoder: ConfigurationEncoder


def arms_of(history: TrialHistory) -> list[Arm]:
    """Return an arm for each learner that may be proposed, in the order of the space.

    A space without a choice of learners is one arm.
    """
    parts = [Subspace(history.problem.search_space, fixed) for fixed in _choices(history)]
    return [Arm(part, _trials_with(history.trials, part)) for part in parts]


def _choices(history: TrialHistory) -> list[dict[str, object]]:
    """Return the values that make an arm."""
    space: Space = history.problem.search_space
    configuration_space, name = space.configuration_space, str(Stage.CLASSIFIER)
    learner = configuration_space.get(name)
    if not isinstance(learner, CategoricalHyperparameter):
        return [{}]
    possible = [
        choice
        for choice, probability in zip(learner.choices, learner.probabilities, strict=True)
        if probability > 0.0 and not _is_forbidden(configuration_space, name, choice)
    ]
    if space.finite is not None:
        listed = {configuration[name] for configuration in space.finite}
        possible = [choice for choice in possible if choice in listed]
    return [{name: choice} for choice in possible]


def _is_forbidden(space: ConfigurationSpace, name: str, choice: object) -> bool:
    """Return whether a clause forbids a choice whatever the other values."""
    # What is NaN is not decided, which no clause forbids.
    vector = np.full(len(space), np.nan)
    vector[space.index_of[name]] = space[name].to_vector(choice)
    return any(clause.is_forbidden_vector(vector) for clause in space.forbidden_clauses)


def _trials_with(trials: Sequence[Trial], part: Subspace) -> tuple[Trial, ...]:
    return tuple(trial for trial in trials if has_values(trial.configuration, part.fixed))


def outcomes_of(history: TrialHistory, trials: Sequence[Trial]) -> list[Outcome | None]:
    """Return the outcome of each of some trials, None while it is pending."""
    return [history.outcome_of(trial.number) for trial in trials]
