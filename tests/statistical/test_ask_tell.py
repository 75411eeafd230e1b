"""The optimiser for any space comes close to known minima in few evaluations."""

from __future__ import annotations

import numpy as np
import pytest

from automl.ask_tell import AskTell
from automl.benchmark.hpo.closed_form import ClosedForm, branin, conditional, hartmann6


def regret(problem: ClosedForm, optimizer: str, n: int, seed: int) -> float:
    """Return how far the best of n evaluations is above the minimum."""
    asking = AskTell(problem.space, optimizer, seed)
    for _ in range(n):
        (configuration,) = asking.ask()
        asking.tell(configuration, problem.evaluate(configuration))
    return asking.best.loss - problem.optimum


def median_regret(problem: ClosedForm, optimizer: str, n: int, first_seed: int) -> float:
    """Return the median over four seeds: one search in a few starts without luck."""
    seeds = range(first_seed, first_seed + 4)
    return float(np.median([regret(problem, optimizer, n, seed) for seed in seeds]))


@pytest.mark.slow
@pytest.mark.parametrize(("optimizer", "at_most"), [("densbo", 1.5), ("sawei", 0.5)])
def test_a_smooth_function_of_two_numbers(optimizer: str, at_most: float) -> None:
    assert median_regret(branin(), optimizer, 20, 0) < at_most  # random search: 3.5


@pytest.mark.slow
def test_a_smooth_function_of_six_numbers() -> None:
    assert median_regret(hartmann6(), "sawei", 40, 2) < 0.9  # random search: 1.4


@pytest.mark.slow
@pytest.mark.parametrize(("optimizer", "at_most"), [("sawei", 0.02), ("bo", 0.04)])
def test_a_function_of_mixed_and_conditional_hyperparameters(
    optimizer: str, at_most: float
) -> None:
    assert median_regret(conditional(), optimizer, 25, 2) < at_most  # random search: 0.06
