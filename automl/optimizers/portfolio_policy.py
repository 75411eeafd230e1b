"""GP-Hedge: every function of a portfolio nominates a candidate, and one of them is followed.

What each has nominated travels in the beliefs of a proposal as the vector of the configuration; the
next proposal rewards it by what the model, fitted with the outcome, predicts there, and carries the
rewards. So the gains are a function of the history.

References
----------
.. [1] Hoffman, Brochu, de Freitas (2011). Portfolio Allocation for Bayesian Optimization. UAI,
   algorithm 2. https://arxiv.org/abs/1009.5419
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from ConfigSpace import Configuration

from automl.acquisition.acquisition import (
    AcquisitionFunction,
    ConfidenceBound,
    ExpectedImprovement,
    ImprovementProbability,
)
from automl.acquisition.portfolio import hedge_probabilities, portfolio_gains
from automl.optimizers.acquisition_policy import Scoring, Situation
from automl.trial import Trial
from search_space.arrays import FloatArray

_NOMINATED, _REWARDED, _FOLLOWED = "hedge_nominated", "hedge_predicted", "hedge_followed"


def _three_functions() -> Mapping[str, AcquisitionFunction]:
    return {
        "ei": ExpectedImprovement(),
        "pi": ImprovementProbability(),
        "lcb": ConfidenceBound(kappa=1.96),
    }


def nine_functions() -> Mapping[str, AcquisitionFunction]:
    """Return each of the three functions with three margins or widths.

    Margins are standard deviations of the losses where those are brought to a scale first.
    """
    margins, widths = (0.01, 0.1, 1.0), (0.5, 1.0, 2.0)
    return {
        **{f"ei_{margin}": ExpectedImprovement(margin) for margin in margins},
        **{f"pi_{margin}": ImprovementProbability(margin) for margin in margins},
        **{f"lcb_{width}": ConfidenceBound(width) for width in widths},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Portfolio:
    """Settings of the portfolio [1]_.

    Attributes
    ----------
    functions : mapping of str to AcquisitionFunction
        By name.
    eta : float
        How sharply gains, in standard deviations of the losses, are answered.
    """

    functions: Mapping[str, AcquisitionFunction] = field(default_factory=_three_functions)
    eta: float = 1.0

    def scoring(self, situation: Situation) -> Scoring:
        """Return how candidates are scored in a situation."""
        names = list(self.functions)
        made = [
            trial
            for trial in situation.history.trials
            if f"{_FOLLOWED}:{names[0]}" in trial.proposal.beliefs
        ]
        rewards = self._rewards(situation, made)
        gains = portfolio_gains(np.array(_rewarded(made, names) + rewards).reshape(-1, len(names)))
        followed = str(situation.rng.choice(names, p=hedge_probabilities(gains, self.eta)))
        incumbent = situation.model.incumbent
        carried = {f"{_FOLLOWED}:{name}": float(name == followed) for name in names}
        if rewards:
            values = zip(names, rewards[0], strict=True)
            carried |= {f"{_REWARDED}:{name}": value for name, value in values}

        def nominated(
            configurations: Sequence[Configuration], mean: FloatArray, std: FloatArray
        ) -> Mapping[str, float]:
            beliefs = dict(carried)
            for name, function in self.functions.items():
                best = configurations[int(np.argmax(function(mean, std, incumbent)))]
                beliefs |= _named(name, best)
            return beliefs

        function = self.functions[followed]
        return Scoring(
            score=lambda mean, std: function(mean, std, incumbent), beliefs_of_all=nominated
        )

    def _rewards(self, situation: Situation, made: Sequence[Trial]) -> list[list[float]]:
        """Return what the model predicts for the last nominations, nothing before the first."""
        if not made:
            return []
        problem, beliefs = situation.history.problem, made[-1].proposal.beliefs
        space = problem.search_space.configuration_space
        nominees = []
        for name in self.functions:
            vector = np.full(len(space), np.nan)
            prefix = f"{_NOMINATED}:{name}:"
            for key, value in beliefs.items():
                if key.startswith(prefix):
                    vector[space.index_of[key.removeprefix(prefix)]] = value
            nominees.append(Configuration(space, vector=vector))
        mean, _ = situation.model.surrogate.predict(problem.encoder.encode(nominees))
        model = situation.model
        standardised = (mean - float(np.mean(model.targets))) / model.scale
        return [[float(value) for value in standardised]]


def _named(name: str, configuration: Configuration) -> dict[str, float]:
    """Return the vector of a configuration, without what is inactive."""
    positions = configuration.config_space.index_of
    vector = configuration.get_array()
    return {
        f"{_NOMINATED}:{name}:{hyperparameter}": float(vector[positions[hyperparameter]])
        for hyperparameter in configuration
    }


def _rewarded(made: Sequence[Trial], names: Sequence[str]) -> list[list[float]]:
    """Return the rewards that proposals carry, (t, k): those of the proposals before them."""
    return [
        [trial.proposal.beliefs[f"{_REWARDED}:{name}"] for name in names]
        for trial in made
        if f"{_REWARDED}:{names[0]}" in trial.proposal.beliefs
    ]
