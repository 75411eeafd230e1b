"""The searches of a study by name: the optimisers that methods differ in.

A search and a post-hoc design make a method: "bo" with the best single model is BO, with an
ensemble selected from all of its models BO-ES. Searches over all learners at once begin with five
random configurations, as Algorithm 1 of the paper does; those that search within each learner begin
with one of each, evolution with its first population of 30.

References
----------
.. [1] Y. Shen et al. (2022). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS.
   https://arxiv.org/abs/2302.03255, section 4.1 and appendix A.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from automl.errors import InputError
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.divbo import DivBO
from automl.optimizers.ensemble_optimization import EnsembleOptimization
from automl.optimizers.equal_budget import EqualBudget
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.named import SURROGATES
from automl.optimizers.neural_ensemble_search import RegularizedEvolution
from automl.optimizers.optimizer import Optimizer
from automl.optimizers.random_search import RandomSearch
from automl.optimizers.rising_bandit import RisingBandit
from automl.optimizers.scored_candidates import Guidance, guidance_over_learners
from automl.suggestions import did_you_mean
from automl.surrogates.diversity import diversity_surrogate

_START = RandomDesign(n_trials=5)

Make = Callable[[int], Optimizer]
"""From the number of trials of a run to a new optimiser."""


def _guided_by(surrogate: str) -> Guidance:
    return replace(guidance_over_learners(), model=SURROGATES[surrogate])


def _bo(guidance: Guidance) -> Make:
    return lambda _: BayesianOptimization(initial_design=_START, guidance=guidance)


def _divbo(guidance: Guidance, **others: Any) -> Make:
    return lambda _: DivBO(initial_design=_START, guidance=guidance, **others)


_FOREST = guidance_over_learners()
_MODEL_ONLY = replace(_FOREST, random_probability=0.0)
_OTHERS = [name for name in SURROGATES if name != "random_forest"]

SEARCHES: Mapping[str, Make] = MappingProxyType(
    {
        "rs": lambda _: RandomSearch(),
        "bo": _bo(_FOREST),
        "rb": lambda n_trials: RisingBandit(n_trials=n_trials, initial_design=RandomDesign(1)),
        "eo": lambda _: EnsembleOptimization(initial_design=_START),
        "nes": lambda _: RegularizedEvolution(),
        "divbo": _divbo(_FOREST),
        "kbo": lambda _: EqualBudget(initial_design=RandomDesign(1)),
        "divbo_fixed": _divbo(_FOREST, fixed_weight=0.1),
        "divbo_pairs_xgboost": _divbo(_FOREST, diversity_surrogate=diversity_surrogate("xgboost")),
        "divbo_pairs_forest": _divbo(
            _FOREST, diversity_surrogate=diversity_surrogate("random_forest")
        ),
        "bo_model_only": _bo(_MODEL_ONLY),
        "divbo_model_only": _divbo(_MODEL_ONLY),
        **{f"bo_{name}": _bo(_guided_by(name)) for name in _OTHERS},
        **{f"divbo_{name}": _divbo(_guided_by(name)) for name in _OTHERS},
    }
)
"""The six searches of the paper; equal budgets for all learners, a weight of diversity that does
not change, other trees for pairs, no proposal left to chance, and other performance surrogates.
Searches that go by a model leave every fifth proposal to chance, unless their name says otherwise:
the published code does so, and the paper does not say it."""


def make_search(name: str, n_trials: int) -> Optimizer:
    """Return a new optimiser.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if name not in SEARCHES:
        hint = did_you_mean(name, list(SEARCHES)) or ";"
        raise InputError(f"search {name!r} is unknown{hint} use one of {', '.join(SEARCHES)}")
    return SEARCHES[name](n_trials)
