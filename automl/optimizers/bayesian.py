"""Bayesian optimisation of the loss: a random forest, expected improvement, sampled candidates.

References
----------
.. [1] F. Hutter, H. H. Hoos, K. Leyton-Brown (2011). Sequential Model-Based Optimization for
   General Algorithm Configuration. LION 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from ConfigSpace import Configuration

from automl.acquisition.expected_improvement import log_expected_improvement
from automl.history import History
from automl.optimizers.candidates import local_search, random_candidates
from automl.optimizers.initial_design import DefaultsFirst, InitialDesign
from automl.optimizers.observations import best_trials, performance_observations
from automl.optimizers.random_search import propose_at_random
from automl.surrogates.random_forest import RandomForest
from automl.surrogates.surrogate import FittedSurrogate, Surrogate
from automl.trial import Origin, Proposal
from search_space.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSettings:
    """How many candidates are scored for one proposal.

    Attributes
    ----------
    n_random : int
        Uniform draws.
    n_local : int
        Local searches, each started from one of the observations with the lowest loss.
    max_steps : int
        Moves of one local search at most.
    n_neighbours : int
        Neighbours that are looked at before a move.
    """

    n_random: int = 4_950
    n_local: int = 50
    max_steps: int = 4
    n_neighbours: int = 8


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """Candidates and what the performance surrogate says of them.

    Attributes
    ----------
    configurations : list of Configuration
        c candidates; the local ones first.
    encoded : (c, d) array
        The same, encoded.
    log_ei : (c,) array
        Logarithm of the expected improvement.
    mean, std : (c,) array, loss
        Prediction of the performance surrogate.
    n_local : int
        How many of them are ends of local searches.
    """

    configurations: list[Configuration]
    encoded: FloatArray
    log_ei: FloatArray
    mean: FloatArray
    std: FloatArray
    n_local: int

    def proposal(self, index: int, **beliefs: float) -> Proposal:
        """Return one candidate as a proposal, with the surrogate's numbers and further ones."""
        origin = Origin.LOCAL if index < self.n_local else Origin.RANDOM
        known = {
            "predicted_loss": float(self.mean[index]),
            "predicted_std": float(self.std[index]),
            "log_expected_improvement": float(self.log_ei[index]),
        }
        return Proposal(
            configuration=self.configurations[index], origin=origin, beliefs=known | beliefs
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesianOptimization:
    """Expected improvement over a performance surrogate [1]_.

    Attributes
    ----------
    initial_design : InitialDesign
        What to try before the surrogate is used.
    surrogate : Surrogate
        Model from encoded configurations to losses.
    candidates : CandidateSettings
        How many candidates are scored.
    """

    initial_design: InitialDesign = field(default_factory=DefaultsFirst)
    surrogate: Surrogate = field(default_factory=RandomForest)
    candidates: CandidateSettings = field(default_factory=CandidateSettings)

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Return the candidate with the highest expected improvement that is new."""
        proposal = self.initial_design.propose(history, rng)
        if proposal is not None:
            return proposal
        if not history.successes:
            return propose_at_random(history, rng)
        scored = score_candidates(history, rng, self.surrogate, self.candidates)
        for index in np.argsort(-scored.log_ei, kind="stable"):
            if not history.was_proposed(scored.configurations[index]):
                return scored.proposal(int(index))
        return propose_at_random(history, rng)


def score_candidates(
    history: History,
    rng: np.random.Generator,
    surrogate: Surrogate,
    settings: CandidateSettings,
) -> ScoredCandidates:
    """Fit the performance surrogate and score random and local candidates with it."""
    problem = history.problem
    X, y = performance_observations(history)
    model = surrogate.fit(X, y, rng)
    incumbent = float(history.success_losses().min())

    def acquisition(configurations: Sequence[Configuration]) -> FloatArray:
        return _score(model, problem.encoder.encode(configurations), incumbent)[0]

    trials = history.trials
    starts = [trials[number].configuration for number in best_trials(history, settings.n_local)]
    ends = local_search(
        acquisition,
        starts,
        rng,
        max_steps=settings.max_steps,
        n_neighbours=settings.n_neighbours,
    )
    # Searches may meet. Vectors tell configurations apart faster than their hashes, which are
    # made of text.
    local = list({end.get_array().tobytes(): end for end in ends}.values())
    space = problem.search_space.configuration_space
    configurations = local + random_candidates(space, settings.n_random, rng)
    encoded = problem.encoder.encode(configurations)
    log_ei, mean, std = _score(model, encoded, incumbent)
    return ScoredCandidates(configurations, encoded, log_ei, mean, std, len(local))


def _score(
    model: FittedSurrogate, encoded: FloatArray, incumbent: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    mean, std = model.predict(encoded)
    return log_expected_improvement(mean, std, incumbent), mean, std
