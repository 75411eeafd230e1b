"""The record of a search."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from ConfigSpace import Configuration
from fakes.histories import Job, fail, finite_space, mixed_job, random_proposal, succeed
from hypothesis import given, settings
from hypothesis import strategies as st

from automl.history import History
from automl.seeding import Purpose, derived_rng
from automl.trial import Origin, Outcome, Proposal, Status, Trial
from search_space.space import build_space
from search_space.task import TaskProperties
from search_space.values import plain_values

TABLE = TaskProperties(
    n_rows=500,
    n_classes=2,
    smallest_class=200,
    largest_class=300,
    numeric=tuple(range(20)),
    categorical=(20, 21),
    n_levels=(5, 200),
    has_missing=True,
)
PRESET_JOBS = {name: Job(build_space(TABLE, preset=name)) for name in ("default", "divbo", "fast")}


class Log:
    """A journal and an observer in one: writes down what it was told, and when."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.history: History | None = None

    def write_trial(self, trial: Trial) -> None:
        """Note a trial."""
        assert self.history is not None
        self.lines.append(f"trial {trial.number}, {self.history.n_started} known")

    def write_outcome(self, outcome: Outcome) -> None:
        """Note an outcome."""
        assert self.history is not None
        self.lines.append(f"outcome {outcome.number}, {self.history.n_finished} known")

    def observe(self, outcome: Outcome, history: History) -> None:
        """Note that an observer was told."""
        self.lines.append(f"told of {outcome.number}, {history.n_finished} known")


class FullDisk:
    """A journal that can no longer write."""

    def write_trial(self, trial: Trial) -> None:  # noqa: ARG002 - the interface
        """Fail."""
        raise OSError("no space left on device")

    def write_outcome(self, outcome: Outcome) -> None:  # noqa: ARG002 - the interface
        """Fail."""
        raise OSError("no space left on device")


def opened(history: History, n: int) -> list[Trial]:
    space = history.problem.search_space
    rng = np.random.default_rng(3)
    return [history.open_trial(random_proposal(space, rng)) for _ in range(n)]


def success(number: int, loss: float) -> Outcome:
    return Outcome(number=number, status=Status.SUCCESS, loss=loss, seconds=1.0)


def test_trials_are_numbered_in_the_order_of_starting() -> None:
    history = mixed_job().history()
    trials = opened(history, 3)
    assert [trial.number for trial in trials] == [0, 1, 2]
    assert history.trials == tuple(trials)
    assert history.pending == tuple(trials)
    assert (history.n_started, history.n_finished) == (3, 0)


def test_outcomes_come_back_in_the_order_of_recording() -> None:
    job = mixed_job()
    history = job.history()
    trials = opened(history, 4)
    done = [succeed(job, history, trials[2]), fail(history, trials[0])]
    done.append(succeed(job, history, trials[1]))
    assert history.outcomes == tuple(done)
    assert history.successes == (2, 1)
    assert history.success_losses().tolist() == [done[0].loss, done[2].loss]
    assert history.pending == (trials[3],)
    assert history.outcome_of(0) is done[1]
    assert history.outcome_of(3) is None
    assert (history.n_started, history.n_finished) == (4, 3)


def test_a_pending_configuration_counts_as_proposed() -> None:
    history = Job(finite_space(2)).history()
    (trial,) = opened(history, 1)
    space = history.problem.search_space.configuration_space
    known = int(trial.configuration["classifier:cheap:value"])
    again, other = (
        type(trial.configuration)(
            space, values={"classifier": "cheap", "classifier:cheap:value": value}
        )
        for value in (known, 1 - known)
    )
    assert history.was_proposed(again)
    assert not history.was_proposed(other)


def test_the_best_is_the_lowest_loss_and_the_earliest_trial_among_equals() -> None:
    history = mixed_job().history()
    assert history.best is None
    trials = opened(history, 5)
    fail(history, trials[0])
    assert history.best is None
    for number, loss in [(4, 0.3), (2, 0.2), (1, 0.2), (3, 0.9)]:
        history.record(success(number, loss))
    assert history.best is not None
    assert history.best.number == 1


@pytest.mark.parametrize("number", [-1, 2, 7])
def test_an_outcome_of_a_trial_that_was_never_opened_is_refused(number: int) -> None:
    history = mixed_job().history()
    opened(history, 2)
    with pytest.raises(ValueError, match=f"trial {number} was never opened"):
        history.record(success(number, 0.1))
    assert history.n_finished == 0


def test_a_second_outcome_of_a_trial_is_refused_and_changes_nothing() -> None:
    history = mixed_job().history()
    opened(history, 1)
    history.record(success(0, 0.4))
    with pytest.raises(ValueError, match="trial 0 has an outcome already"):
        history.record(success(0, 0.1))
    assert history.success_losses().tolist() == [0.4]


def test_the_journal_comes_before_memory_and_memory_before_the_observers() -> None:
    log = Log()
    history = mixed_job().history(journal=log, observers=[log.observe])
    log.history = history
    opened(history, 2)
    fail_first = Outcome(number=0, status=Status.TIMEOUT, loss=math.inf, seconds=9.0)
    history.record(success(1, 0.5))
    history.record(fail_first)
    assert log.lines == [
        "trial 0, 0 known",
        "trial 1, 1 known",
        "outcome 1, 0 known",
        "told of 1, 1 known",
        "outcome 0, 1 known",
        "told of 0, 2 known",
    ]


def test_what_could_not_be_written_does_not_count() -> None:
    history = mixed_job().history(journal=FullDisk())
    with pytest.raises(OSError, match="no space"):
        opened(history, 1)
    assert history.n_started == 0


def test_the_generator_of_a_proposal_depends_on_seed_and_number_of_trials_only() -> None:
    job = mixed_job()
    history = job.history(seed=8)
    for number in range(3):
        expected = derived_rng(8, Purpose.PROPOSAL, number).random()
        assert history.rng().random() == history.rng().random() == expected
        trial = opened(history, 1)[0]
        if number == 1:
            succeed(job, history, trial)


def test_a_proposal_carries_what_was_believed_of_it_into_the_trial() -> None:
    history = mixed_job().history()
    configuration = history.problem.search_space.defaults[0]
    proposal = Proposal(
        configuration=configuration, origin=Origin.LOCAL, beliefs={"predicted_loss": 0.25}
    )
    trial = history.open_trial(proposal)
    assert trial.proposal == proposal


@pytest.mark.parametrize("preset", ["default", "divbo", "fast"])
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_a_configuration_that_was_taken_up_survives_json_bit_for_bit(
    preset: str, seed: int
) -> None:
    job = PRESET_JOBS[preset]
    history = job.history()
    space = job.space.configuration_space
    space.seed(seed)
    for sampled in space.sample_configuration(5):
        proposal = Proposal(configuration=sampled, origin=Origin.RANDOM)
        configuration = history.open_trial(proposal).configuration
        written = json.loads(json.dumps(plain_values(configuration)))
        restored = Configuration(space, values=written)
        assert restored.get_array().tobytes() == configuration.get_array().tobytes()
        assert list(restored.items()) == list(configuration.items()) == list(sampled.items())
        assert history.was_proposed(sampled)
        assert history.was_proposed(restored)


def test_losses_of_no_success_are_an_empty_array_of_floats() -> None:
    losses = mixed_job().history().success_losses()
    assert losses.shape == (0,)
    assert losses.dtype == np.float64


def test_replaying_gives_the_same_history_and_tells_nobody() -> None:
    job, log = mixed_job(), Log()
    rng = np.random.default_rng(0)
    history = job.history()
    for n in range(6):
        trial = history.open_trial(random_proposal(job.space, rng))
        if n % 3:
            succeed(job, history, trial)
    again = job.history(journal=log, observers=[lambda *_: log.lines.append("told")])
    again.replay(history.trials, history.outcomes)
    assert log.lines == []
    assert again.trials == history.trials
    assert again.outcomes == history.outcomes
    assert again.successes == history.successes
    assert again.pending == history.pending
    assert all(again.was_proposed(trial.configuration) for trial in history.trials)
    assert again.rng().random() == history.rng().random()
    with pytest.raises(ValueError, match="only an empty history"):
        again.replay(history.trials, ())
