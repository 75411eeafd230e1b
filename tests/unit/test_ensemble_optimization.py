"""Which slot is emptied, what is modelled, and what fills the slot again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from fakes.histories import (
    Job,
    crashes,
    fail,
    filled_history,
    memory,
    mixed_job,
    stays_pending,
    succeed,
)

from automl.errors import DegradedResultWarning
from automl.history import History
from automl.metrics import MetricError
from automl.optimizers.ensemble_optimization import EnsembleOptimization
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.scored_candidates import CandidateSettings, Guidance
from automl.surrogates.random_forest import RandomForest
from automl.trial import Origin
from search_space.arrays import FloatArray

FEW = CandidateSettings(n_random=30, n_local=2, max_steps=1)


@dataclass
class Remembering:
    """A forest that keeps the targets that it was fitted to."""

    targets: list[FloatArray] = field(default_factory=list)

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> Any:
        """Keep the targets and fit a small forest."""
        self.targets.append(y)
        return RandomForest(n_trees=3).fit(X, y, rng)


def optimization(size: int = 3, model: Any = None) -> EnsembleOptimization:
    guidance = Guidance(model=model or RandomForest(n_trees=3), candidates=FEW)
    return EnsembleOptimization(size=size, initial_design=RandomDesign(2), guidance=guidance)


def loss_of(history: History, job: Job, numbers: list[int]) -> float:
    """Return the loss of the mean prediction of some trials, repeats included."""
    mean = memory(history).stack(numbers).astype(float).mean(axis=0)
    return float(job.problem.metric.losses(job.codes, mean[np.newaxis])[0])


def step(optimizer: EnsembleOptimization, job: Job, history: History) -> None:
    trial = history.open_trial(optimizer.propose(history, history.rng()))
    if trial.number % 4 == 3:
        fail(history, trial)
    else:
        succeed(job, history, trial)


def slots_in(beliefs: Any, size: int) -> list[int]:
    return [int(beliefs[f"slot_{i}"]) for i in range(size)]


def test_slots_take_turns_and_are_filled_with_the_best_trial_for_the_rest() -> None:
    job = mixed_job()
    history = job.history()
    optimizer = optimization()
    slots = [-1, -1, -1]
    for number in range(14):
        known = list(history.successes)
        proposal = optimizer.propose(history, history.rng())
        if number >= 2:
            turn = (number - 2) % 3
            if number > 2:  # the one emptied before is filled by what is known now
                before = (turn - 1) % 3
                rest = [slots[i] for i in range(3) if i != before and slots[i] >= 0]
                losses = [loss_of(history, job, [*rest, i]) for i in known]
                slots[before] = known[int(np.argmin(losses))]
            assert proposal.beliefs["slot"] == float(turn)
            slots[turn] = -1
            assert slots_in(proposal.beliefs, 3) == slots
        trial = history.open_trial(proposal)
        if number % 4 == 3:
            fail(history, trial)
        else:
            succeed(job, history, trial)


def test_what_is_modelled_is_the_loss_of_the_rest_with_each_trial() -> None:
    job = mixed_job()
    history = job.history()
    model = Remembering()
    optimizer = optimization(model=model)
    for _ in range(9):
        step(optimizer, job, history)
    pending = history.open_trial(optimizer.propose(history, history.rng()))
    proposal = optimizer.propose(history, history.rng())
    rest = [number for number in slots_in(proposal.beliefs, 3) if number >= 0]
    assert len(rest) == 2
    expected = {i: loss_of(history, job, [*rest, i]) for i in history.successes}
    targets = model.targets[-1]
    assert len(targets) == 10
    for number, loss in expected.items():
        assert targets[number] == pytest.approx(loss, abs=1e-6)
    worst, median = max(expected.values()), float(np.median(list(expected.values())))
    assert targets[3] == targets[7] == pytest.approx(worst, abs=1e-6)
    assert targets[pending.number] == pytest.approx(median, abs=1e-6)


def test_the_first_model_is_of_the_losses_of_the_trials_alone() -> None:
    history = filled_history(mixed_job(), [succeed] * 4)
    model = Remembering()
    proposal = optimization(model=model).propose(history, history.rng())
    assert slots_in(proposal.beliefs, 3) == [-1, -1, -1]
    assert model.targets[0] == pytest.approx(history.success_losses(), abs=1e-6)


def test_members_are_those_of_all_slots_after_the_last_was_filled() -> None:
    job = mixed_job()
    history = job.history()
    optimizer = optimization()
    assert optimizer.members(history) == ()
    for _ in range(2):
        step(optimizer, job, history)
    best = history.best
    assert best is not None
    assert optimizer.members(history) == (best.number,)
    for number in range(8):
        step(optimizer, job, history)
        assert len(optimizer.members(history)) == min(3, number + 1)
    last = history.trials[-1].proposal.beliefs
    rest = [number for number in slots_in(last, 3) if number >= 0]
    members = optimizer.members(history)
    losses = {i: loss_of(history, job, [*rest, i]) for i in history.successes}
    (filled,) = [i for i in members if members.count(i) > rest.count(i)]
    assert losses[filled] == pytest.approx(min(losses.values()), abs=1e-7)
    assert loss_of(history, job, list(members)) == pytest.approx(losses[filled], abs=1e-7)


@pytest.mark.parametrize("fate", [crashes, stays_pending])
def test_a_trial_without_a_prediction_leaves_its_slot_to_the_others(
    fate: Callable[..., object],
) -> None:
    job = mixed_job()
    history = job.history()
    optimizer = optimization()
    for _ in range(6):
        step(optimizer, job, history)
    trial = history.open_trial(optimizer.propose(history, history.rng()))
    fate(job, history, trial)
    members = optimizer.members(history)
    assert len(members) == 3
    assert trial.number not in members


def test_a_metric_that_fails_leaves_the_losses_of_the_trials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def undefined(*_: object) -> Any:
        raise MetricError("undefined on these rows")

    job = mixed_job()
    history = filled_history(job, [succeed] * 5)
    monkeypatch.setattr("automl.optimizers.observed_predictions.criterion_for", undefined)
    model = Remembering()
    with pytest.warns(DegradedResultWarning, match="losses of ensembles failed .*undefined"):
        proposal = optimization(model=model).propose(history, history.rng())
    assert proposal.origin in {Origin.RANDOM, Origin.LOCAL}
    assert model.targets[0] == pytest.approx(history.success_losses())


def test_without_a_success_random_draws_go_on() -> None:
    history = filled_history(mixed_job(), [crashes] * 4)
    proposal = optimization().propose(history, history.rng())
    assert proposal.origin is Origin.RANDOM
    assert "slot" not in proposal.beliefs
