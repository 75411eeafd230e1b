"""Losses of any size can be told to an optimiser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from ConfigSpace import ConfigurationSpace

from automl.ask_tell import AskTell
from automl.optimizers import recipes
from automl.optimizers.named import SURROGATES
from automl.optimizers.scored_candidates import CandidateSettings

FEW = CandidateSettings(n_random=60, n_local=4, max_steps=2, n_generations=2)


@pytest.fixture(autouse=True)
def _few_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: replace(recipe, candidates=FEW) for name, recipe in recipes.RECIPES.items()}
    monkeypatch.setattr(recipes, "RECIPES", few)


@pytest.mark.parametrize(
    "loss_of",
    [
        pytest.param(lambda n: 1.7e308 * (-1) ** n, id="the largest of both signs"),
        pytest.param(lambda n: 1e308 if n == 4 else float(n), id="one for what was not measured"),
        pytest.param(lambda n: 10.0 ** (300 - 60 * (n % 11)), id="of very many sizes"),
        pytest.param(lambda n: 5e-324 * n, id="the smallest"),
    ],
)
@pytest.mark.parametrize("surrogate", [*SURROGATES])
def test_losses_of_any_size_can_be_told(surrogate: str, loss_of: Callable[[int], float]) -> None:
    plane = ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0)})
    for optimizer in (AskTell(plane, name, surrogate=surrogate) for name in ("bo", "densbo")):
        told = []
        for n in range(20):
            (configuration,) = optimizer.ask()
            optimizer.tell(configuration, loss_of(n))
            told.append(loss_of(n))
        assert optimizer.best.loss == min(told)
        assert "acquisition" in optimizer.history.trials[-1].proposal.beliefs
