"""The optimisers do what they are for, shown by one-sided tests over fixed seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import wilcoxon

from automl.benchmark.synthetic import SyntheticProblem
from automl.ensembles.diversity import pairwise_diversity
from automl.ensembles.selection import select, shortlist
from automl.history import History
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.divbo import DivBO
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.optimizer import Optimizer
from automl.optimizers.random_search import RandomSearch
from automl.optimizers.scored_candidates import CandidateSettings, Guidance
from automl.storage.predictions import PredictionStore
from search_space.arrays import FloatArray

N_TRIALS = 40
N_ROWS = 200
PROBLEMS = range(6)
MANY_PROBLEMS = range(18)
FEW = Guidance(candidates=CandidateSettings(n_random=400, n_local=5, max_steps=2))
DESIGN = RandomDesign(n_trials=5)


def results_of(
    optimizer: Optimizer,
    folder: Path,
    summarise: Callable[[History], float],
    problems: Sequence[int] = PROBLEMS,
) -> FloatArray:
    """Return a number for the run of an optimiser on each synthetic problem."""
    found = []
    for problem in problems:
        synthetic = SyntheticProblem("divbo", n_rows=N_ROWS, seed=problem)
        with PredictionStore(folder / "predictions", n_rows=N_ROWS, n_classes=2) as store:
            history = synthetic.new_history(store, seed=problem)
            synthetic.advance(history, store, optimizer, N_TRIALS)
            found.append(summarise(history))
    return np.array(found)


def lowest_loss(history: History) -> float:
    """Return the loss of the best trial."""
    return float(history.success_losses().min())


def mean_diversity_from_the_best(history: History) -> float:
    """Return how far the later half of the trials is from the members of the final ensemble."""
    numbers = history.successes
    stack = np.asarray(history.predictions.stack(numbers))
    library = shortlist(history.success_losses(), len(numbers))
    chosen = select(stack[library], history.problem.codes, history.problem.metric, 25)
    diversity = pairwise_diversity(stack)[len(numbers) // 2 :][
        :, library[chosen.of_all_rounds().members]
    ]
    return float(diversity.min(axis=1).mean())


@pytest.mark.slow
def test_bayesian_optimisation_finds_lower_losses_than_random_search(tmp_path: Path) -> None:
    guided = BayesianOptimization(initial_design=DESIGN, guidance=FEW)
    # The gain is small after so few trials: 0.0060 over 60 problems, standard error 0.0027.
    at_random, with_model = (
        results_of(optimizer, tmp_path, lowest_loss, MANY_PROBLEMS)
        for optimizer in (RandomSearch(DESIGN), guided)
    )
    gain = at_random - with_model
    assert wilcoxon(gain, alternative="greater").pvalue < 0.05


@pytest.mark.slow
def test_divbo_proposes_what_differs_more_from_the_ensemble_than_without_diversity(
    tmp_path: Path,
) -> None:
    # The weight of diversity is larger than the paper's: 40 trials show what 250 would.
    without, with_diversity = (
        results_of(
            DivBO(beta=beta, initial_design=DESIGN, guidance=FEW),
            tmp_path,
            mean_diversity_from_the_best,
        )
        for beta in (0.0, 1.0)
    )
    assert wilcoxon(with_diversity - without, alternative="greater").pvalue < 0.05
