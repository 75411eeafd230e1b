"""Who lives in the population, who may have offspring, and what a mutation is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ConfigSpace import Categorical, Configuration, ConfigurationSpace, OrdinalHyperparameter
from fakes.histories import (
    Job,
    crashes,
    fail,
    filled_history,
    finite_space,
    memory,
    mixed_job,
    space_of,
    stays_pending,
    succeed,
    table_space,
)

from automl.errors import DegradedResultWarning
from automl.history import History
from automl.metrics import MetricError
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.neural_ensemble_search import RegularizedEvolution
from automl.trial import Origin, Proposal

DESIGN = RandomDesign(3)


def evolution(population: int = 30, n_parents: int = 10) -> RegularizedEvolution:
    return RegularizedEvolution(population=population, n_parents=n_parents, initial_design=DESIGN)


def test_the_oldest_leave_the_population_however_good_they_are() -> None:
    history = filled_history(mixed_job(), [succeed] * 9)
    best = history.best
    assert best is not None
    everyone = evolution(9, 9).parents(history)
    assert sorted(everyone) == list(range(9))
    assert everyone[0] == best.number
    for population in (1, 3, 8):
        alive = set(range(9 - population, 9))
        assert set(evolution(population, 9).parents(history)) == alive
    later = 9 - best.number - 1
    assert later > 0
    assert best.number not in evolution(later, 9).parents(history)


def test_failed_and_pending_trials_are_no_part_of_the_population() -> None:
    fates = (succeed, crashes, succeed, stays_pending, succeed, crashes, crashes)
    history = filled_history(mixed_job(), fates)
    assert sorted(evolution(2, 5).parents(history)) == [2, 4]


def test_parents_are_the_ensemble_that_forward_selection_without_replacement_makes() -> None:
    job = mixed_job()
    history = filled_history(job, [succeed] * 8)
    stack = memory(history).stack(range(8)).astype(float)
    members: list[int] = []
    for _ in range(4):
        left = [i for i in range(8) if i not in members]
        means = np.array([stack[[*members, i]].mean(axis=0) for i in left])
        losses = job.problem.metric.losses(job.codes, means)
        members.append(left[int(losses.argmin())])
    assert evolution(8, 4).parents(history) == members


def test_a_child_is_a_neighbour_of_a_parent_that_was_not_proposed() -> None:
    history = filled_history(mixed_job(), [succeed] * 8)
    optimizer = evolution(8, 3)
    chosen = set()
    for seed in range(40):
        proposal = optimizer.propose(history, np.random.default_rng(seed))
        number = int(proposal.beliefs["parent"])
        chosen.add(number)
        assert proposal.origin is Origin.MUTATION
        assert not history.was_proposed(proposal.configuration)
        parent = history.trials[number].configuration
        child = proposal.configuration
        exchanged = [name for name in parent if name in child and parent[name] != child[name]]
        assert len(exchanged) == 1
        if exchanged != ["classifier"]:
            assert set(parent) == set(child)
    assert chosen == set(optimizer.parents(history))


def test_children_are_found_until_everything_was_tried() -> None:
    job = Job(finite_space(40))
    history = job.history()
    optimizer = evolution()
    for _ in range(40):
        succeed(job, history, history.open_trial(optimizer.propose(history, history.rng())))
    origins = [trial.proposal.origin for trial in history.trials]
    # Each value of the one choice is a neighbour of every other.
    assert origins == [Origin.RANDOM] * 3 + [Origin.MUTATION] * 37


def test_of_a_table_the_most_similar_row_that_is_new_is_the_child() -> None:
    table = table_space(20)
    job = Job(table)
    history = job.history()
    optimizer = evolution(1, 1)
    for number in range(12):
        proposal = optimizer.propose(history, history.rng())
        assert proposal.configuration in table.listed
        if number > 3:
            parent = history.trials[int(proposal.beliefs["parent"])].configuration
            new = [row for row in table.listed if not history.was_proposed(row)]

            def n_different(row: Any, parent: Any = parent) -> int:
                names = set(row) | set(parent)
                return sum(row.get(name) != parent.get(name) for name in names)

            assert n_different(proposal.configuration) == min(map(n_different, new))
        succeed(job, history, history.open_trial(proposal))


def test_the_first_population_is_drawn_at_random() -> None:
    history = mixed_job().history()
    optimizer = RegularizedEvolution()
    for _ in range(30):
        proposal = optimizer.propose(history, history.rng())
        assert proposal.origin is Origin.RANDOM
        history.open_trial(proposal)


def test_without_a_success_random_draws_go_on() -> None:
    history = filled_history(mixed_job(), [crashes] * 5)
    assert evolution().propose(history, history.rng()).origin is Origin.RANDOM


def test_a_metric_that_fails_costs_the_selection_of_parents_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def undefined(*_: object) -> Any:
        raise MetricError("undefined on these rows")

    history = filled_history(mixed_job(), [succeed] * 5)
    monkeypatch.setattr("automl.optimizers.observed_predictions.criterion_for", undefined)
    with pytest.warns(DegradedResultWarning, match="selection of parents failed .*undefined"):
        proposal = evolution().propose(history, history.rng())
    assert proposal.origin is Origin.MUTATION


def levels_tried(*levels: int) -> History:
    """Return a history of an ordered choice of seven; the first of these levels has succeeded."""
    space = ConfigurationSpace()
    name = "classifier:cheap:level"
    space.add(Categorical("classifier", ["cheap"]), OrdinalHyperparameter(name, list(range(7))))
    job = Job(space_of(space, ["cheap"]))
    history = job.history()
    for level in levels:
        configuration = Configuration(space, {"classifier": "cheap", name: level})
        trial = history.open_trial(Proposal(configuration=configuration, origin=Origin.GIVEN))
        if trial.number:
            fail(history, trial)
        else:
            succeed(job, history, trial)
    return history


def test_the_neighbour_that_is_left_is_taken_and_a_draw_where_none_is() -> None:
    for seed in range(6):
        proposal = evolution().propose(levels_tried(3, 2, 6), np.random.default_rng(seed))
        assert proposal.origin is Origin.MUTATION
        assert proposal.configuration["classifier:cheap:level"] == 4
        proposal = evolution().propose(levels_tried(3, 2, 4), np.random.default_rng(seed))
        assert proposal.origin is Origin.RANDOM
        assert proposal.configuration["classifier:cheap:level"] in {0, 1, 5, 6}
