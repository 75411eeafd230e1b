"""The search: propose, start, wait, record, until the budget is spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from automl.budget import Budget
from automl.common_failure import common_failure
from automl.errors import InputError, SpaceExhaustedError
from automl.history import History
from automl.optimizers.optimizer import Optimizer
from automl.proposals import checked_proposal
from automl.trial import Outcome, Proposal, Trial

_LONGEST_WAIT = (
    0.5  # seconds, after which the budget is looked at again: someone may have stopped it
)


class Workers(Protocol):
    """Evaluates trials, one in each slot."""

    @property
    def n_slots(self) -> int:
        """How many trials run at the same time."""
        ...

    @property
    def all_busy(self) -> bool:
        """Whether starting a trial now would exceed the number of slots."""
        ...

    def start(self, trial: Trial) -> None:
        """Start evaluating a trial and return at once."""
        ...

    def wait(self, seconds: float) -> Iterator[Outcome]:
        """Wait until a trial ends or the time is up, or less; yield every outcome that is ready."""
        ...

    def stop(self) -> Iterator[Outcome]:
        """Wait for what still runs; yield an outcome for every trial not reported yet."""
        ...


def run_search(
    optimizer: Optimizer,
    workers: Workers,
    history: History,
    budget: Budget,
    *,
    unfinished: Sequence[Trial] = (),
) -> None:
    """Fill `history` with trials until `budget` is spent, keeping every worker busy.

    Trials of the history that are `unfinished`, as after a crash, are started again first.

    The search ends early where `common_failure` finds that no trial can succeed.
    With several slots the next proposal is made while all of them are busy, so that a slot that
    becomes free never waits for one. With one slot every proposal knows every outcome.

    Raises
    ------
    InputError
        If the optimizer proposes what cannot be taken up, or nothing at all. Whatever else it
        raises, or an observer of the history, ends the search and reaches the caller.
    """
    upcoming = _Upcoming(optimizer, history, unfinished)
    try:
        while (
            budget.allows_another(history.n_started - upcoming.n_unfinished)
            and common_failure(history) is None
        ):
            if not workers.all_busy:
                workers.start(upcoming.next())
            elif workers.n_slots > 1 and not upcoming.is_prepared:
                upcoming.prepare()
            else:
                for outcome in workers.wait(budget.search_seconds_left):
                    history.record(outcome)
    except SpaceExhaustedError:
        pass  # a finite space was tried in full: nothing is left to search
    if common_failure(history) is not None:
        budget.is_stopped = True  # what still runs is not waited for
    for outcome in workers.stop():
        history.record(outcome)


def _next_proposal(optimizer: Optimizer, history: History) -> Proposal:
    try:
        answer = optimizer.propose(history, history.rng())
    except SpaceExhaustedError as error:
        if history.n_started:
            raise
        raise InputError(
            f"optimizer {type(optimizer).__name__} must propose a configuration, but raised "
            "SpaceExhaustedError before any trial was started"
        ) from error
    space = history.problem.search_space.configuration_space
    return checked_proposal(answer, space, optimizer)


class _Upcoming:
    """The trials to start: first the unfinished ones, then what is proposed."""

    def __init__(self, optimizer: Optimizer, history: History, unfinished: Sequence[Trial]) -> None:
        self._optimizer = optimizer
        self._history = history
        self._unfinished = list(unfinished)
        self._prepared: Proposal | None = None

    @property
    def n_unfinished(self) -> int:
        """Trials of the history that still have to be started again."""
        return len(self._unfinished)

    @property
    def is_prepared(self) -> bool:
        """Whether the next trial is known without asking the optimizer."""
        return bool(self._unfinished) or self._prepared is not None

    def prepare(self) -> None:
        """Ask the optimizer ahead of time."""
        self._prepared = _next_proposal(self._optimizer, self._history)

    def next(self) -> Trial:
        """Return the trial to start now."""
        if self._unfinished:
            return self._unfinished.pop(0)
        proposal = self._prepared or _next_proposal(self._optimizer, self._history)
        self._prepared = None
        return self._history.open_trial(proposal)
