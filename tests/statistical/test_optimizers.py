"""The optimisers do what they are for, shown by one-sided tests over fixed seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import wilcoxon

from automl.benchmark.synthetic import SyntheticProblem
from automl.ensembles.diversity import pairwise_diversity
from automl.ensembles.selection import select, shortlist
from automl.history import History
from automl.optimizers.bayesian import BayesianOptimization, CandidateSettings
from automl.optimizers.divbo import DivBO
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.optimizer import Optimizer
from automl.optimizers.random_search import RandomSearch
from automl.storage.predictions import PredictionStore

N_TRIALS = 50
N_ROWS = 300
PROBLEMS = range(8)
FEW = CandidateSettings(n_random=500, n_local=10)
DESIGN = RandomDesign(n_trials=5)


def searched(optimizer: Optimizer, problem: int, folder: Path) -> tuple[History, PredictionStore]:
    """Return what a run of an optimiser on a synthetic problem leaves."""
    synthetic = SyntheticProblem("divbo", n_rows=N_ROWS, seed=problem)
    path = folder / f"{type(optimizer).__name__}-{problem}"
    store = PredictionStore(path, n_rows=N_ROWS, n_classes=2)
    history = synthetic.new_history(store, seed=problem)
    synthetic.advance(history, store, optimizer, N_TRIALS)
    return history, store


@pytest.mark.slow
def test_bayesian_optimisation_finds_lower_losses_than_random_search(tmp_path: Path) -> None:
    found = {}
    for optimizer in (
        RandomSearch(DESIGN),
        BayesianOptimization(initial_design=DESIGN, candidates=FEW),
    ):
        runs = [searched(optimizer, problem, tmp_path)[0] for problem in PROBLEMS]
        found[type(optimizer)] = np.array([run.success_losses().min() for run in runs])
    gain = found[RandomSearch] - found[BayesianOptimization]
    assert wilcoxon(gain, alternative="greater").pvalue < 0.05


@pytest.mark.slow
def test_divbo_proposes_what_differs_more_from_the_ensemble_than_without_diversity(
    tmp_path: Path,
) -> None:
    # The weight of diversity is the paper's, but for its scale: 50 trials show what 250 would.
    diversities = {}
    for beta in (0.0, 1.0):
        optimizer = DivBO(beta=beta, initial_design=DESIGN, candidates=FEW)
        diversities[beta] = [
            mean_diversity_from_the_best(*searched(optimizer, problem, tmp_path))
            for problem in PROBLEMS
        ]
        for file in tmp_path.iterdir():
            file.unlink()
    gain = np.array(diversities[1.0]) - np.array(diversities[0.0])
    assert wilcoxon(gain, alternative="greater").pvalue < 0.05


def mean_diversity_from_the_best(history: History, store: PredictionStore) -> float:
    """Return how far the later half of the trials is from the members of the final ensemble."""
    numbers = history.successes
    stack = np.asarray(store.stack(numbers))
    library = shortlist(history.success_losses(), len(numbers))
    chosen = select(stack[library], history.problem.codes, history.problem.metric, 25)
    members = library[chosen.members]
    diversity = pairwise_diversity(stack)[len(numbers) // 2 :][:, members]
    return float(diversity.min(axis=1).mean())
