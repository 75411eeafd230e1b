"""Proposals that are left to chance, in every optimiser that goes by a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fakes.histories import filled_history, mixed_job, succeed
from fakes.surrogates import KnownLoss

from automl.estimator import AutoClassifier
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.divbo import DivBO
from automl.optimizers.ensemble_optimization import EnsembleOptimization
from automl.optimizers.equal_budget import EqualBudget
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.optimizer import Optimizer
from automl.optimizers.recipes import RECIPES, guidance_of
from automl.optimizers.rising_bandit import RisingBandit
from automl.optimizers.scored_candidates import CandidateSettings, Guidance
from automl.settings import OPTIMIZERS, check_settings
from automl.surrogates.diversity import DiversitySurrogate
from automl.trial import Origin, Proposal

DESIGN = RandomDesign(0)
GUIDED: dict[str, Callable[[Guidance], Optimizer]] = {
    "bo": lambda guidance: BayesianOptimization(initial_design=DESIGN, guidance=guidance),
    "divbo": lambda guidance: DivBO(
        initial_design=DESIGN,
        guidance=guidance,
        diversity_surrogate=DiversitySurrogate(n_members=2, n_trees=3),
    ),
    "ensemble optimization": lambda guidance: EnsembleOptimization(
        size=3, initial_design=DESIGN, guidance=guidance
    ),
    "equal budget": lambda guidance: EqualBudget(initial_design=DESIGN, guidance=guidance),
    "rising bandit": lambda guidance: RisingBandit(
        n_trials=60, initial_design=DESIGN, guidance=guidance
    ),
}


def guidance(probability: float) -> Guidance:
    candidates = CandidateSettings(n_random=20, n_local=2, max_steps=1)
    return Guidance(model=KnownLoss(), candidates=candidates, random_probability=probability)


def proposals(make: Callable[[Guidance], Optimizer], probability: float, n: int) -> list[Proposal]:
    """Return n proposals for the same history, each with a generator of its own."""
    history, optimizer = filled_history(mixed_job(), [succeed] * 8), make(guidance(probability))
    return [optimizer.propose(history, np.random.default_rng(seed)) for seed in range(n)]


def by_chance(proposal: Proposal) -> bool:
    return proposal.origin is Origin.RANDOM and "predicted_mean" not in proposal.beliefs


@pytest.mark.parametrize("name", GUIDED)
def test_all_or_none_are_left_to_chance(name: str) -> None:
    assert all(by_chance(proposal) for proposal in proposals(GUIDED[name], 1.0, 5))
    assert not any(by_chance(proposal) for proposal in proposals(GUIDED[name], 0.0, 5))


@pytest.mark.parametrize("name", ["bo", "divbo"])
def test_as_many_are_left_to_chance_as_was_wanted(name: str) -> None:
    n, probability = 150, 0.3
    found = sum(by_chance(proposal) for proposal in proposals(GUIDED[name], probability, n))
    assert abs(found - n * probability) < 4.0 * np.sqrt(n * probability * (1.0 - probability))


@pytest.mark.parametrize(
    "optimizer", [BayesianOptimization(), DivBO(), EnsembleOptimization(), EqualBudget()]
)
def test_searches_over_learners_leave_every_fifth_proposal_to_chance(optimizer: Any) -> None:
    assert optimizer.guidance.random_probability == 0.2


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name not in ("random", "nes")])
@pytest.mark.parametrize("surrogate", [None, "densbo"])
def test_so_do_those_of_the_classifier(name: str, surrogate: str | None) -> None:
    asked = AutoClassifier(optimizer=name, surrogate=surrogate, n_trials=50)
    optimizer: Any = check_settings(asked).optimizer
    assert optimizer.guidance.random_probability == 0.2


@pytest.mark.parametrize("name", RECIPES)
def test_those_of_the_papers_on_hyperparameters_leave_none(name: str) -> None:
    guidance = guidance_of(name, None, None)
    assert guidance is not None
    assert guidance.random_probability == 0.0


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_probability_lies_between_0_and_1(probability: float) -> None:
    with pytest.raises(ValueError, match="random_probability"):
        Guidance(random_probability=probability)
