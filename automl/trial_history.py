"""Every trial of a search and what came of it, in order, whatever a trial is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace

from automl.seeding import Purpose, derived_rng
from automl.trial import Outcome, Proposal, Status, Trial
from search_space.arrays import FloatArray
from search_space.encoding import ConfigurationEncoder
from search_space.values import canonical


class Space(Protocol):
    """What may be tried."""

    @property
    def configuration_space(self) -> ConfigurationSpace:
        """Hyperparameters with conditions and forbidden clauses."""
        ...

    @property
    def defaults(self) -> Sequence[Configuration]:
        """Configurations to try first."""
        ...

    @property
    def finite(self) -> tuple[Configuration, ...] | None:
        """The only configurations that may be proposed, None if all of the space may."""
        ...


class SpaceProblem(Protocol):
    """What every optimiser may know of the job besides the history."""

    @property
    def search_space(self) -> Space:
        """What may be tried."""
        ...

    @property
    def encoder(self) -> ConfigurationEncoder:
        """Configurations to arrays."""
        ...


class Record(Protocol):
    """Writes what happens to a lasting place before it counts."""

    def write_trial(self, trial: Trial) -> None:
        """Write a proposal that was taken up."""
        ...

    def write_outcome(self, outcome: Outcome) -> None:
        """Write how a trial ended."""
        ...


_Values = tuple[tuple[str, object], ...]


def _values(configuration: Mapping[str, object]) -> _Values:
    """Return what two equal configurations have in common.

    ConfigSpace hashes the printed form, in which ``'a'`` of a default and ``np.str_('a')`` of a
    sample differ, although they are equal.
    """
    return tuple(configuration.items())


class TrialHistory:
    """Records what was started and what came of it.

    Parameters
    ----------
    problem : SpaceProblem
        The job.
    seed : int
        Seed of the search.
    journal : Record or None
        Written to before a trial or an outcome counts.
    observers : sequence of callable
        Each is called with every outcome and this history after the outcome was recorded.
    """

    problem: SpaceProblem

    def __init__(
        self,
        problem: SpaceProblem,
        seed: int,
        *,
        journal: Record | None = None,
        observers: Sequence[Callable[[Outcome, Any], object]] = (),
    ) -> None:
        self.problem = problem
        self.seed = seed
        self._journal = journal
        self._observers = tuple(observers)
        self._trials: list[Trial] = []
        self._outcomes: dict[int, Outcome] = {}
        self._successes: list[int] = []
        self._seen: set[_Values] = set()

    def rng(self) -> np.random.Generator:
        """Return the generator for the next proposal."""
        return derived_rng(self.seed, Purpose.PROPOSAL, len(self._trials))

    def open_trial(self, proposal: Proposal) -> Trial:
        """Take up a proposal: number it and count it as pending.

        Its configuration becomes the one that a journal gives back, bit for bit.
        """
        proposal = replace(proposal, configuration=canonical(proposal.configuration))
        trial = Trial(number=len(self._trials), proposal=proposal)
        if self._journal is not None:
            self._journal.write_trial(trial)
        self._trials.append(trial)
        self._seen.add(_values(proposal.configuration))
        return trial

    def record(self, outcome: Outcome) -> None:
        """Record how a pending trial ended.

        Raises
        ------
        ValueError
            If the trial was never opened or has an outcome already.
        """
        if not 0 <= outcome.number < len(self._trials):
            raise ValueError(f"trial {outcome.number} was never opened")
        if outcome.number in self._outcomes:
            raise ValueError(f"trial {outcome.number} has an outcome already")
        if self._journal is not None:
            self._journal.write_outcome(outcome)
        self._outcomes[outcome.number] = outcome
        if outcome.status is Status.SUCCESS:
            self._successes.append(outcome.number)
        for observe in self._observers:
            observe(outcome, self)

    def replay(self, trials: Iterable[Trial], outcomes: Iterable[Outcome]) -> None:
        """Take over what a journal says of an earlier run: nothing is written, nobody is told.

        Parameters
        ----------
        trials : iterable of Trial
            In the order of starting.
        outcomes : iterable of Outcome
            In the order of recording; trials without one are pending.

        Raises
        ------
        ValueError
            If the history is not empty.
        """
        if self._trials:
            raise ValueError("only an empty history can take over an earlier one")
        for trial in trials:
            self._trials.append(trial)
            self._seen.add(_values(trial.configuration))
        for outcome in outcomes:
            self._outcomes[outcome.number] = outcome
            if outcome.status is Status.SUCCESS:
                self._successes.append(outcome.number)

    def was_proposed(self, configuration: Mapping[str, object]) -> bool:
        """Return whether a configuration, or one of these values, was taken up, pending or not."""
        return _values(configuration) in self._seen

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial, in the order of starting."""
        return tuple(self._trials)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Every outcome, in the order of recording."""
        return tuple(self._outcomes.values())

    def outcome_of(self, number: int) -> Outcome | None:
        """Return the outcome of a trial, or None while it is pending."""
        return self._outcomes.get(number)

    @property
    def pending(self) -> tuple[Trial, ...]:
        """Trials without an outcome, in the order of starting."""
        return tuple(trial for trial in self._trials if trial.number not in self._outcomes)

    @property
    def n_started(self) -> int:
        """Number of trials, pending ones included."""
        return len(self._trials)

    @property
    def n_finished(self) -> int:
        """Number of trials with an outcome."""
        return len(self._outcomes)

    @property
    def successes(self) -> tuple[int, ...]:
        """Numbers of the successful trials, in the order of recording."""
        return tuple(self._successes)

    def success_losses(self) -> FloatArray:
        """Return the losses of the successful trials, in the order of `successes`."""
        return np.array([self._outcomes[number].loss for number in self._successes], dtype=float)

    @property
    def best(self) -> Outcome | None:
        """The successful outcome with the lowest loss, the earliest trial among equals."""
        ended = (self._outcomes[number] for number in self._successes)
        return min(ended, key=lambda outcome: (outcome.loss, outcome.number), default=None)
