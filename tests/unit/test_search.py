"""The loop, driven by workers that end trials when a test says so."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from ConfigSpace import Configuration
from fakes.histories import Job, finite_space, mixed_job, random_proposal
from fakes.workers import FakeClock, FakeWorkers, always_fail, always_succeed, first, last

from automl.budget import Budget
from automl.errors import InputError, InputTypeError, SpaceExhaustedError
from automl.history import History
from automl.optimizers.optimizer import Optimizer
from automl.optimizers.random_search import RandomSearch
from automl.search import run_search
from automl.trial import Outcome, Proposal, Status, Trial


@dataclass
class Watched:
    """An optimiser under observation."""

    inner: Optimizer
    events: list[str]
    n_finished: list[int] = field(default_factory=list)
    n_pending: list[int] = field(default_factory=list)

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Note what is known, then ask the other optimiser."""
        self.events.append("propose")
        self.n_finished.append(history.n_finished)
        self.n_pending.append(len(history.pending))
        return self.inner.propose(history, rng)


def search(workers: FakeWorkers, n_trials: int, seed: int = 0) -> History:
    history = mixed_job().history(seed)
    run_search(RandomSearch(), workers, history, Budget(n_trials=n_trials))
    return history


def configurations(history: History) -> list[Configuration]:
    return [trial.configuration for trial in history.trials]


@pytest.mark.parametrize("n_slots", [1, 2, 5, 40])
def test_every_trial_is_recorded_and_their_number_is_exact(n_slots: int) -> None:
    workers = FakeWorkers(n_slots)
    history = search(workers, n_trials=17)
    assert [trial.number for trial in history.trials] == list(range(17))
    assert sorted(outcome.number for outcome in history.outcomes) == list(range(17))
    assert history.pending == ()
    assert workers.events.count("start") == 17
    assert workers.events.count("stop") == 1


def test_random_search_proposes_the_same_trials_whatever_the_workers_do() -> None:
    alone = search(FakeWorkers(1), n_trials=20)
    in_order = search(FakeWorkers(4, pick=first), n_trials=20)
    in_another = search(FakeWorkers(4, pick=last), n_trials=20)
    assert [o.number for o in in_order.outcomes] != [o.number for o in in_another.outcomes]
    assert configurations(alone) == configurations(in_order) == configurations(in_another)
    assert configurations(search(FakeWorkers(1), 20, seed=1)) != configurations(alone)


def test_nothing_is_proposed_twice() -> None:
    history = Job(finite_space(30)).history()
    run_search(RandomSearch(), FakeWorkers(3, pick=last), history, Budget(n_trials=25))
    assert len(set(configurations(history))) == 25


def test_with_one_slot_every_proposal_knows_every_outcome() -> None:
    workers = FakeWorkers(1)
    optimizer = Watched(RandomSearch(), workers.events)
    history = mixed_job().history()
    run_search(optimizer, workers, history, Budget(n_trials=6))
    assert optimizer.n_finished == [0, 1, 2, 3, 4, 5]
    assert optimizer.n_pending == [0] * 6


def test_with_several_slots_all_are_filled_first_and_one_proposal_is_prepared_ahead() -> None:
    workers = FakeWorkers(3)
    optimizer = Watched(RandomSearch(), workers.events)
    history = mixed_job().history()
    run_search(optimizer, workers, history, Budget(n_trials=6))
    fill = ["propose", "start"] * 3
    one_more = ["propose", "wait", "start"]  # the slot that is free gets what is ready
    assert workers.events == [*fill, *one_more * 3, "stop", *["wait"] * 3]
    assert optimizer.n_pending == [0, 1, 2, 3, 3, 3]


def test_slots_that_become_free_together_are_all_filled_before_the_next_wait() -> None:
    class InPairs(FakeWorkers):
        def wait(self, seconds: float) -> Iterator[Outcome]:  # type: ignore[explicit-override]  # from 3.12 on
            yield from super().wait(seconds)
            self.events.append("(both)")
            if self.running:
                yield always_succeed(self.running.pop())

    workers = InPairs(2)
    optimizer = Watched(RandomSearch(), workers.events)
    run_search(optimizer, workers, mixed_job().history(), Budget(n_trials=6))
    text = " ".join(workers.events)
    fill, refill = "propose start propose start", "propose wait (both) start propose start"
    assert text == f"{fill} {refill} {refill} stop wait (both)"


def test_a_time_limit_ends_the_search_and_what_runs_is_still_recorded() -> None:
    clock = FakeClock()
    workers = FakeWorkers(2, clock=clock)  # a trial ends every second
    history = mixed_job().history()
    budget = Budget(seconds=7.5, reserved=2.0, clock=clock)
    run_search(RandomSearch(), workers, history, budget)
    # Two at the start, one more after each of the five outcomes within the limit.
    assert history.n_started == history.n_finished == 7
    assert workers.waits[:6] == [5.5, 4.5, 3.5, 2.5, 1.5, 0.5]


def test_no_trial_is_started_when_there_is_no_time_at_all() -> None:
    clock = FakeClock()
    history = mixed_job().history()
    budget = Budget(seconds=3.0, clock=clock, reserved=3.0)
    run_search(RandomSearch(), FakeWorkers(clock=clock), history, budget)
    assert history.n_started == 0


def test_whoever_is_told_of_an_outcome_may_end_the_search() -> None:
    budget = Budget(n_trials=100)

    def stop_after_four(outcome: Outcome, history: History) -> None:
        assert history.outcome_of(outcome.number) is outcome
        budget.is_stopped = history.n_finished >= 4

    history = mixed_job().history(observers=[stop_after_four])
    run_search(RandomSearch(), FakeWorkers(), history, budget)
    assert history.n_finished == history.n_started == 4


@pytest.mark.parametrize("n_slots", [1, 3])
def test_a_finite_space_ends_the_search_with_all_outcomes(n_slots: int) -> None:
    history = Job(finite_space(6)).history()
    run_search(RandomSearch(), FakeWorkers(n_slots, pick=last), history, Budget(n_trials=100))
    assert len(set(configurations(history))) == history.n_finished == history.n_started == 6


def test_failures_are_data_and_the_search_goes_on() -> None:
    def every_other_fails(trial: Trial) -> Outcome:
        if trial.number % 2:
            return Outcome(
                number=trial.number,
                status=Status.CRASHED,
                loss=math.inf,
                seconds=0.1,
                reason="ValueError: no",
            )
        return always_succeed(trial)

    history = search(FakeWorkers(2, evaluate=every_other_fails), n_trials=9)
    assert history.n_finished == 9
    assert history.successes == (0, 2, 4, 6, 8)


@pytest.mark.parametrize("n_slots", [1, 3])
def test_a_search_in_which_everything_fails_alike_ends_early(n_slots: int) -> None:
    history, budget = mixed_job().history(), Budget(n_trials=100)
    run_search(RandomSearch(), FakeWorkers(n_slots, evaluate=always_fail), history, budget)
    assert 10 <= history.n_started == history.n_finished < 20
    assert budget.is_stopped  # so that workers end what still runs


def test_a_search_with_one_success_among_equal_failures_goes_on() -> None:
    def seventh_succeeds(trial: Trial) -> Outcome:
        return always_succeed(trial) if trial.number == 7 else always_fail(trial)

    history, budget = mixed_job().history(), Budget(n_trials=40)
    run_search(RandomSearch(), FakeWorkers(evaluate=seventh_succeeds), history, budget)
    assert history.n_finished == 40
    assert not budget.is_stopped


@dataclass
class Raising:
    """An optimiser that only raises."""

    error: Exception

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:  # noqa: ARG002 - protocol
        """Raise the error."""
        raise self.error


def test_an_error_of_the_optimiser_is_not_swallowed() -> None:
    history = mixed_job().history()
    with pytest.raises(ZeroDivisionError):
        run_search(Raising(ZeroDivisionError()), FakeWorkers(), history, Budget(n_trials=2))


def test_a_space_that_is_exhausted_before_any_trial_is_a_fault_of_the_optimizer() -> None:
    history = mixed_job().history()
    with pytest.raises(InputError, match=r"Raising .* SpaceExhaustedError before any trial"):
        run_search(Raising(SpaceExhaustedError()), FakeWorkers(), history, Budget(n_trials=2))


@dataclass
class Answering:
    """An optimiser that gives prepared answers, then one again and again."""

    answers: list[object]

    def propose(self, history: History, rng: np.random.Generator) -> Any:  # noqa: ARG002 - protocol
        """Return the next answer."""
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.mark.parametrize("n_slots", [1, 2])
def test_a_wrong_answer_is_refused_when_it_is_given(n_slots: int) -> None:
    history = mixed_job().history()
    good = random_proposal(history.problem.search_space, np.random.default_rng(0))
    with pytest.raises(InputTypeError, match="optimizer Answering must return a Proposal"):
        run_search(
            Answering([good] * n_slots + [None]),
            FakeWorkers(n_slots),
            history,
            Budget(n_trials=9),
        )
    assert history.n_started == n_slots


@pytest.mark.parametrize("n_slots", [1, 3])
def test_unfinished_trials_of_an_earlier_run_are_started_first(n_slots: int) -> None:
    undisturbed = search(FakeWorkers(n_slots), n_trials=9)
    history = mixed_job().history()
    trials = undisturbed.trials[:5]
    history.replay(trials, [always_succeed(trials[n]) for n in (0, 2)])
    workers = FakeWorkers(n_slots)
    events = workers.events
    started: list[int] = []
    begin = workers.start
    workers.start = lambda trial: (started.append(trial.number), begin(trial))[1]  # type: ignore[method-assign,func-returns-value]  # a spy
    run_search(RandomSearch(), workers, history, Budget(n_trials=9), unfinished=history.pending)
    assert started == [1, 3, 4, 5, 6, 7, 8]
    assert configurations(history) == configurations(undisturbed)
    assert history.pending == ()
    assert events.count("start") == 7


def test_unfinished_trials_are_started_though_no_further_trial_is_allowed() -> None:
    history = mixed_job().history()
    history.replay(search(FakeWorkers(1), n_trials=3).trials, [])
    run_search(
        RandomSearch(), FakeWorkers(2), history, Budget(n_trials=3), unfinished=history.pending
    )
    assert sorted(outcome.number for outcome in history.outcomes) == [0, 1, 2]
