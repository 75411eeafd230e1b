"""The searches of the study have the settings that the paper states (sections 3 and 4, A.4)."""

from __future__ import annotations

import pytest

from automl.benchmark.study.searches import SEARCHES, make_search
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.divbo import DivBO
from automl.optimizers.ensemble_optimization import EnsembleOptimization
from automl.optimizers.equal_budget import EqualBudget
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.neural_ensemble_search import RegularizedEvolution
from automl.optimizers.rising_bandit import RisingBandit

N_TRIALS = 250


@pytest.mark.parametrize("name", [n for n in SEARCHES if n.startswith(("bo", "divbo"))])
def test_searches_over_all_learners_begin_with_five_random_trials(name: str) -> None:
    search = make_search(name, N_TRIALS)
    assert isinstance(search, BayesianOptimization | DivBO)
    assert search.initial_design == RandomDesign(5)
    assert search.guidance.candidates.n_random == 4_950
    assert search.guidance.candidates.n_local == 50
    assert search.guidance.random_probability == (0.0 if name.endswith("_model_only") else 0.2)


@pytest.mark.parametrize("name", ["rb", "eo", "kbo"])
def test_the_other_guided_searches_leave_as_much_to_chance(name: str) -> None:
    search = make_search(name, N_TRIALS)
    assert isinstance(search, RisingBandit | EnsembleOptimization | EqualBudget)
    assert search.guidance.random_probability == 0.2


@pytest.mark.parametrize("name", [n for n in SEARCHES if n.startswith("divbo")])
def test_divbo_has_the_paper_s_weight_and_pool(name: str) -> None:
    search = make_search(name, N_TRIALS)
    assert isinstance(search, DivBO)
    assert (search.beta, search.tau, search.pool.size) == (0.05, 0.2, 25)
    assert search.fixed_weight == (0.1 if name == "divbo_fixed" else None)


def test_the_rising_bandit_pulls_five_trials_and_drops_after_three_pulls() -> None:
    search = make_search("rb", N_TRIALS)
    assert isinstance(search, RisingBandit)
    assert (search.n_trials, search.pull, search.alpha) == (N_TRIALS, 5, 3)
    assert search.initial_design == RandomDesign(1)


def test_equal_budgets_begin_with_one_random_trial_of_each_learner() -> None:
    search = make_search("kbo", N_TRIALS)
    assert isinstance(search, EqualBudget)
    assert search.initial_design == RandomDesign(1)


def test_ensemble_optimisation_has_twelve_slots() -> None:
    search = make_search("eo", N_TRIALS)
    assert isinstance(search, EnsembleOptimization)
    assert (search.size, search.initial_design) == (12, RandomDesign(5))


def test_evolution_has_a_population_of_thirty() -> None:
    search = make_search("nes", N_TRIALS)
    assert isinstance(search, RegularizedEvolution)
    assert (search.population, search.initial_design) == (30, RandomDesign(30))
