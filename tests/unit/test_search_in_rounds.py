"""The loop whose trials do not depend on the number of slots, nor on which trial ends first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fakes.histories import Job, finite_space, mixed_job, random_proposal
from fakes.workers import FakeClock, FakeWorkers, Pick, always_fail, always_succeed, first, last

from automl.budget import Budget
from automl.errors import InputError, SpaceExhaustedError
from automl.history import History
from automl.optimizers.random_search import RandomSearch
from automl.search import ROUND_SIZE, run_search, run_search_in_rounds
from automl.trial import Outcome, Proposal, Status, Trial


class Curious:
    """An optimiser whose proposals depend on all that it can know of the history."""

    def __init__(self) -> None:
        self.known: list[list[int]] = []

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Draw by what has ended, in its order, and by what is pending."""
        ended = [outcome.number for outcome in history.outcomes]
        self.known.append(ended)
        pending = [trial.number for trial in history.pending]
        seed = [int(rng.integers(2**31)), *ended, 10**6, *pending]
        return random_proposal(history.problem.search_space, np.random.default_rng(seed))


def by_number(trial: Trial) -> Outcome:
    """Let every fifth trial fail."""
    if trial.number % 5 == 3:
        return always_fail(trial)
    return always_succeed(trial)


def at_random(seed: int) -> Pick:
    rng = np.random.default_rng(seed)
    return lambda running: int(rng.integers(len(running)))


Search = Callable[..., None]
Happened = tuple[list[dict[str, Any]], list[int]]


def happened(history: History) -> Happened:
    """Return the configurations by number, and the order of recording."""
    configurations = [dict(trial.configuration) for trial in history.trials]
    return configurations, [outcome.number for outcome in history.outcomes]


def searched(
    workers: FakeWorkers, n_trials: int = 22, run: Search = run_search_in_rounds
) -> Happened:
    history = mixed_job().history()
    run(Curious(), workers, history, Budget(n_trials=n_trials))
    return happened(history)


SLOTS = [
    (1, first),
    (2, last),
    (4, first),
    (4, last),
    (4, at_random(0)),
    (3, at_random(1)),
    (9, last),
]


@pytest.mark.parametrize(("n_slots", "pick"), SLOTS[1:])
@pytest.mark.parametrize("n_trials", [3, 4, 22])
def test_any_number_of_slots_and_any_order_of_ending_give_the_same_trials(
    n_slots: int, pick: Pick, n_trials: int
) -> None:
    alone = searched(FakeWorkers(1, evaluate=by_number), n_trials)
    assert searched(FakeWorkers(n_slots, evaluate=by_number, pick=pick), n_trials) == alone
    assert alone[1] == list(range(n_trials))


def test_the_ordinary_search_depends_on_them() -> None:
    one = searched(FakeWorkers(1), run=run_search)
    assert searched(FakeWorkers(4, pick=last), run=run_search) != one


def test_proposals_of_a_round_know_the_outcomes_of_all_earlier_rounds_only() -> None:
    optimizer = Curious()
    run_search_in_rounds(
        optimizer, FakeWorkers(4, pick=last), mixed_job().history(), Budget(n_trials=10)
    )
    assert optimizer.known == [list(range(n - n % ROUND_SIZE)) for n in range(10)]


def test_no_more_trials_run_at_the_same_time_than_a_round_has() -> None:
    workers, n_running = FakeWorkers(9), []
    begin = workers.start

    def start(trial: Trial) -> None:
        begin(trial)
        n_running.append(len(workers.running))

    workers.start = start  # type: ignore[method-assign]  # a spy
    searched(workers)
    assert max(n_running) == ROUND_SIZE


@pytest.mark.parametrize("n_slots", [1, 3, 4])
@pytest.mark.parametrize("n_ended", [0, 1, 3, 4])
@pytest.mark.parametrize("n_begun", [0, 1, 3, 4])
def test_a_search_that_was_killed_goes_on_as_if_it_had_not_been(
    n_slots: int, n_ended: int, n_begun: int
) -> None:
    undisturbed = mixed_job().history()
    run_search_in_rounds(Curious(), FakeWorkers(1), undisturbed, Budget(n_trials=18))
    trials = undisturbed.trials
    # The second round was going on: nothing of it had ended if not all of it was proposed.
    ended = range(4 + n_ended if n_begun == ROUND_SIZE else 4)
    history = mixed_job().history()
    history.replay(trials[: 4 + n_begun], [always_succeed(trials[number]) for number in ended])
    workers = FakeWorkers(n_slots, pick=last)
    run_search_in_rounds(
        Curious(), workers, history, Budget(n_trials=18), unfinished=history.pending
    )
    assert workers.events.count("start") == 18 - len(ended)
    assert happened(history) == happened(undisturbed)


def test_a_round_is_not_completed_before_what_is_missing_of_earlier_ones_has_ended() -> None:
    undisturbed = mixed_job().history()
    run_search_in_rounds(Curious(), FakeWorkers(1), undisturbed, Budget(n_trials=8))
    history, optimizer = mixed_job().history(), Curious()
    ended = [always_succeed(undisturbed.trials[number]) for number in (0, 1, 3)]
    history.replay(undisturbed.trials[:5], ended)  # the predictions of trial 2 were lost
    run_search_in_rounds(
        optimizer, FakeWorkers(4), history, Budget(n_trials=8), unfinished=history.pending
    )
    assert [sorted(known) for known in optimizer.known] == [[0, 1, 2, 3]] * 3


@pytest.mark.parametrize(("n_slots", "pick"), SLOTS)
def test_a_round_that_has_begun_is_completed_when_an_observer_ends_the_search(
    n_slots: int, pick: Pick
) -> None:
    budget, told = Budget(n_trials=100), []

    def stop_at_five(outcome: Outcome, _: History) -> None:
        told.append(outcome.number)
        budget.is_stopped = budget.is_stopped or outcome.number == 5

    history = mixed_job().history(observers=[stop_at_five])
    run_search_in_rounds(Curious(), FakeWorkers(n_slots, pick=pick), history, budget)
    assert told == list(range(2 * ROUND_SIZE))


def test_what_ended_before_the_time_was_over_is_recorded_and_the_rest_is_pending() -> None:
    clock = FakeClock()
    history = mixed_job().history()
    # Two slots, a trial a second, the second of two first: trial 0 ends when the search is over.
    workers = FakeWorkers(2, pick=last, clock=clock)
    run_search_in_rounds(RandomSearch(), workers, history, Budget(seconds=2.5, clock=clock))
    assert [outcome.number for outcome in history.outcomes] == [0, 1, 2, 3]
    history = mixed_job().history()
    workers = FakeWorkers(1, clock=clock)
    run_search_in_rounds(RandomSearch(), workers, history, Budget(seconds=1.5, clock=clock))
    assert [outcome.number for outcome in history.outcomes] == [0, 1]
    assert [trial.number for trial in history.pending] == [2, 3]


def test_an_interrupted_search_starts_nothing_more() -> None:
    budget = Budget(n_trials=100)
    history = mixed_job().history(observers=[lambda *_: budget.interrupt()])
    workers = FakeWorkers(1)
    run_search_in_rounds(RandomSearch(), workers, history, budget)
    assert workers.events.count("start") == 1
    assert history.n_finished == 1


def test_outcomes_behind_one_that_never_comes_are_recorded_at_the_end() -> None:
    class LosesTheFirst(FakeWorkers):
        def stop(self) -> Any:  # type: ignore[explicit-override]  # from 3.12 on
            self.running = [trial for trial in self.running if trial.number]
            return super().stop()

    clock = FakeClock()
    history = mixed_job().history()
    workers = LosesTheFirst(4, pick=last, clock=clock)
    run_search_in_rounds(RandomSearch(), workers, history, Budget(seconds=1.5, clock=clock))
    assert [outcome.number for outcome in history.outcomes] == [1, 2, 3]


@pytest.mark.parametrize("n_slots", [1, 3, 4])
def test_a_finite_space_ends_the_search_with_all_outcomes(n_slots: int) -> None:
    history = Job(finite_space(6)).history()
    run_search_in_rounds(
        RandomSearch(), FakeWorkers(n_slots, pick=last), history, Budget(n_trials=99)
    )
    assert history.n_finished == history.n_started == 6


@pytest.mark.parametrize("n_slots", [1, 4])
def test_a_search_in_which_everything_fails_alike_ends_with_a_round(n_slots: int) -> None:
    history, budget = mixed_job().history(), Budget(n_trials=100)
    workers = FakeWorkers(n_slots, evaluate=always_fail)
    run_search_in_rounds(RandomSearch(), workers, history, budget)
    assert history.n_started == history.n_finished == 3 * ROUND_SIZE
    assert budget.is_stopped


def test_a_space_that_is_exhausted_before_any_trial_is_a_fault_of_the_optimizer() -> None:
    class Empty:
        def propose(self, history: History, rng: np.random.Generator) -> Proposal:  # noqa: ARG002 - protocol
            """Find nothing."""
            raise SpaceExhaustedError

    with pytest.raises(InputError, match="SpaceExhaustedError before any trial"):
        run_search_in_rounds(Empty(), FakeWorkers(), mixed_job().history(), Budget(n_trials=2))


def test_cancelled_trials_count_as_ended() -> None:
    def cancelled(trial: Trial) -> Outcome:
        return Outcome(number=trial.number, status=Status.CANCELLED, loss=math.inf, seconds=0.1)

    history = mixed_job().history()
    workers = FakeWorkers(4, evaluate=cancelled)
    run_search_in_rounds(RandomSearch(), workers, history, Budget(n_trials=9))
    assert history.n_finished == 9
