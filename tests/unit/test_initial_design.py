"""What is tried first."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.histories import (
    COSTS,
    Job,
    fail,
    finite_space,
    mixed_job,
    random_proposal,
    succeed,
)

from automl.errors import SpaceExhaustedError
from automl.history import History
from automl.optimizers.initial_design import DefaultsFirst, InitialDesign, RandomDesign
from automl.trial import Origin, Proposal
from search_space.space import build_space
from search_space.task import TaskProperties


def run(design: InitialDesign, history: History) -> list[Proposal]:
    """Follow a design to its end and leave every trial pending."""
    proposals = []
    while (proposal := design.propose(history, history.rng())) is not None:
        proposals.append(proposal)
        history.open_trial(proposal)
        assert len(proposals) < 100
    return proposals


def test_every_learner_is_tried_once_by_default_and_the_cheapest_comes_first() -> None:
    history = mixed_job().history()
    proposals = run(DefaultsFirst(n_random=0), history)
    space = history.problem.search_space
    assert [space.classifier_of(p.configuration) for p in proposals] == sorted(
        COSTS, key=lambda name: COSTS[name]
    )
    assert {p.origin for p in proposals} == {Origin.DEFAULT}
    slow = dict(proposals[-1].configuration)
    assert slow == {
        "classifier": "slow",
        "classifier:slow:depth": 4,
        "classifier:slow:rate": 0.1,
    }


@pytest.mark.parametrize("preset", ["default", "divbo", "fast"])
def test_the_defaults_of_a_real_space_are_one_for_each_learner(preset: str) -> None:
    task = TaskProperties(
        n_rows=80, n_classes=3, smallest_class=30, largest_class=40, numeric=(0, 1, 2)
    )
    space = build_space(task, preset=preset)
    history = Job(space).history()
    proposals = run(DefaultsFirst(n_random=0), history)
    names = [space.classifier_of(p.configuration) for p in proposals]
    assert sorted(names) == sorted(learner.name for learner in space.learners)
    costs = {learner.name: learner.cost for learner in space.learners}
    assert [costs[name] for name in names] == sorted(costs.values())
    for proposal in proposals:
        proposal.configuration.check_valid_configuration()


def test_a_few_random_draws_follow_the_defaults() -> None:
    proposals = run(DefaultsFirst(n_random=2), mixed_job().history())
    assert [p.origin for p in proposals] == [Origin.DEFAULT] * 3 + [Origin.RANDOM] * 2
    configurations = [p.configuration for p in proposals]
    assert len({tuple(c.items()) for c in configurations}) == 5


def test_a_default_that_was_drawn_before_is_not_tried_again() -> None:
    job = Job(finite_space(3))
    history = job.history()
    (default,) = job.space.defaults
    rng = np.random.default_rng(0)
    proposal = random_proposal(job.space, rng)
    while proposal.configuration != default:
        proposal = random_proposal(job.space, rng)
    history.open_trial(proposal)
    assert run(DefaultsFirst(n_random=0), history) == []


def test_failed_defaults_are_not_tried_again() -> None:
    history = mixed_job().history()
    design = DefaultsFirst(n_random=0)
    for _ in range(3):
        proposal = design.propose(history, history.rng())
        assert proposal is not None
        fail(history, history.open_trial(proposal))
    assert design.propose(history, history.rng()) is None


def test_random_design_counts_trials_that_were_started() -> None:
    job = mixed_job()
    history = job.history()
    design = RandomDesign(3)
    fates = (lambda trial: succeed(job, history, trial), lambda trial: fail(history, trial))
    for fate in (*fates, None):
        proposal = design.propose(history, history.rng())
        assert proposal is not None
        assert proposal.origin is Origin.RANDOM
        trial = history.open_trial(proposal)
        if fate is not None:
            fate(trial)
    assert design.propose(history, history.rng()) is None


def test_the_papers_design_is_five_random_trials() -> None:
    proposals = run(RandomDesign(5), mixed_job().history())
    assert [p.origin for p in proposals] == [Origin.RANDOM] * 5
    assert RandomDesign() == RandomDesign(5)


def test_a_design_longer_than_a_finite_space_says_so() -> None:
    with pytest.raises(SpaceExhaustedError):
        run(RandomDesign(5), Job(finite_space(4)).history())
