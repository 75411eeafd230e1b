"""The search: propose, start, wait, record, until the budget is spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from automl.budget import Budget
from automl.changes import Change
from automl.common_failure import common_failure
from automl.errors import InputError, SpaceExhaustedError
from automl.history import History
from automl.optimizers.optimizer import Optimizer
from automl.proposals import checked_proposal
from automl.trial import Outcome, Proposal, Trial

ROUND_SIZE = 4
"""Trials that `run_search_in_rounds` proposes without knowing of each other's outcomes."""

_EXHAUSTED = Change(
    "the search",
    "ended before its limits",
    "every configuration of the search space was tried",
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
) -> tuple[Change, ...]:
    """Fill `history` with trials until `budget` is spent, keeping every worker busy.

    Trials of the history that are `unfinished`, as after a crash, are started again first.

    The search ends early where `common_failure` finds that no trial can succeed.
    With several slots the next proposal is made while all of them are busy, so that a slot that
    becomes free never waits for one. With one slot every proposal knows every outcome.

    Returns
    -------
    tuple of Change
        Why the search ended with budget left, if the space was too small for it.

    Raises
    ------
    InputError
        If the optimizer proposes what cannot be taken up, or nothing at all. Whatever else it
        raises, or an observer of the history, ends the search and reaches the caller.
    """
    upcoming = _Upcoming(optimizer, history, unfinished)
    changes: tuple[Change, ...] = ()
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
        changes = (_EXHAUSTED,)
    _stop_if_hopeless(history, budget)
    for outcome in workers.stop():
        history.record(outcome)
    return changes


def run_search_in_rounds(
    optimizer: Optimizer,
    workers: Workers,
    history: History,
    budget: Budget,
    *,
    unfinished: Sequence[Trial] = (),
) -> tuple[Change, ...]:
    """Fill `history` as `run_search` does, with the same trials whatever number of slots there is.

    Trials are proposed in rounds: the proposals of a round know every outcome of earlier rounds and
    none of their own. Outcomes are recorded by rising number. A round that has begun is completed
    even if an observer ends the search meanwhile, so that only a limit of time, or an interruption,
    ends it at a place that depends on the speed of the workers; trials that were not started by
    then stay pending. More slots than a round has trials are not used. Returned is what
    `run_search` returns.

    Raises
    ------
    InputError
        As `run_search` does.
    """
    rounds = _Rounds(optimizer, history, unfinished)
    in_order = _InOrder(history)
    while budget.search_seconds_left > 0.0:
        if rounds.to_start and not workers.all_busy:
            workers.start(rounds.to_start.pop(0))
        elif rounds.has_room and budget.allows_another(history.n_started):
            rounds.propose()
        elif rounds.to_start or history.pending:
            for outcome in workers.wait(budget.search_seconds_left):
                in_order.record(outcome)
        elif not rounds.is_last and budget.allows_another(history.n_started):
            rounds.begin()
        else:
            break
    _stop_if_hopeless(history, budget)
    for outcome in workers.stop():
        in_order.record(outcome)
    in_order.record_rest()
    return (_EXHAUSTED,) if rounds.is_exhausted else ()


class _Rounds:
    """Opens trials, a round at a time.

    A round ends before a number that `ROUND_SIZE` divides, so that an earlier run that was killed
    is gone on with in the middle of its last round.
    """

    def __init__(self, optimizer: Optimizer, history: History, unfinished: Sequence[Trial]) -> None:
        self._optimizer = optimizer
        self._history = history
        self._end = -(-history.n_started // ROUND_SIZE) * ROUND_SIZE
        self.is_exhausted = False
        self.to_start = list(unfinished)

    @property
    def has_room(self) -> bool:
        """Whether a trial of the round may be proposed now: not before all earlier rounds ended."""
        if self.is_exhausted or self._history.n_started >= self._end:
            return False
        return all(trial.number >= self._end - ROUND_SIZE for trial in self._history.pending)

    @property
    def is_last(self) -> bool:
        """Whether a further round has no trials, or no hope."""
        return self.is_exhausted or common_failure(self._history) is not None

    def begin(self) -> None:
        """Begin the next round."""
        self._end += ROUND_SIZE

    def propose(self) -> None:
        """Open the next trial of the round, if the space has one."""
        try:
            proposal = _next_proposal(self._optimizer, self._history)
        except SpaceExhaustedError:
            self.is_exhausted = True
            return
        self.to_start.append(self._history.open_trial(proposal))


class _InOrder:
    """Records outcomes by rising number: one that comes early is held back."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._held: dict[int, Outcome] = {}

    def record(self, outcome: Outcome) -> None:
        """Take an outcome; record what no trial before it is pending of."""
        self._held[outcome.number] = outcome
        for trial in self._history.pending:
            if trial.number not in self._held:
                return
            self._history.record(self._held.pop(trial.number))

    def record_rest(self) -> None:
        """Record what is held back for trials that are not going to end."""
        for number in sorted(self._held):
            self._history.record(self._held.pop(number))


def _stop_if_hopeless(history: History, budget: Budget) -> None:
    """Let what still runs not be waited for where no trial can succeed."""
    if common_failure(history) is not None:
        budget.is_stopped = True


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
