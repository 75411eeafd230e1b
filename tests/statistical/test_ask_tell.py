"""The optimiser for any space comes close to known minima in few evaluations, for fixed seeds."""

from __future__ import annotations

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


@pytest.mark.slow
@pytest.mark.parametrize(("optimizer", "seed"), [("densbo", 0), ("sawei", 0), ("sawei", 1)])
def test_a_smooth_function_of_two_numbers(optimizer: str, seed: int) -> None:
    assert regret(branin(), optimizer, 20, seed) < 0.5  # random search: 6.3 and 2.2


@pytest.mark.slow
def test_a_smooth_function_of_six_numbers() -> None:
    assert regret(hartmann6(), "sawei", 40, 1) < 0.8  # random search: 1.2 at best over six seeds


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_a_function_of_mixed_and_conditional_hyperparameters(seed: int) -> None:
    # Random search: 0.04 at best over eight seeds.
    assert regret(conditional(), "sawei", 25, seed) < 0.02


@pytest.mark.slow
def test_the_forest_finds_the_learner_and_its_numbers() -> None:
    assert regret(conditional(), "bo", 25, 3) < 0.04
