"""What to try before a surrogate can say anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from automl.optimizers.domain import Domain
from automl.optimizers.random_search import propose_at_random
from automl.trial import Origin, Proposal
from automl.trial_history import TrialHistory


class InitialDesign(Protocol):
    """Proposes until the model-based part of an optimiser may take over."""

    def propose(self, history: TrialHistory, rng: np.random.Generator) -> Proposal | None:
        """Return the next proposal of the design, or None when the design is complete."""
        ...


@dataclass(frozen=True, slots=True)
class RandomDesign:
    """Uniform draws first: five in DivBO's Algorithm 1 (https://arxiv.org/abs/2302.03255).

    Attributes
    ----------
    n_trials : int
        Draws before the model-based part takes over.
    """

    n_trials: int = 5

    def propose(self, history: TrialHistory, rng: np.random.Generator) -> Proposal | None:
        """Return a random proposal while fewer than `n_trials` were started."""
        if history.n_started >= self.n_trials:
            return None
        return propose_at_random(history, rng)


@dataclass(frozen=True, slots=True)
class DefaultsFirst:
    """Every learner with its default configuration, cheapest first, then a few random draws.

    A usable model then exists after the first, fastest evaluation, and the surrogates have seen
    every learner once.

    Attributes
    ----------
    n_random : int
        Uniform draws after the defaults.
    """

    n_random: int = 2

    def propose(self, history: TrialHistory, rng: np.random.Generator) -> Proposal | None:
        """Return the cheapest default that was not tried yet, then random proposals."""
        space = history.problem.search_space
        # A table of results may lack some.
        may_be_proposed = Domain.of(space).contains
        defaults = [found for found in space.defaults if may_be_proposed(found)]
        for configuration in defaults:
            if not history.was_proposed(configuration):
                return Proposal(configuration=configuration, origin=Origin.DEFAULT)
        if history.n_started >= len(defaults) + self.n_random:
            return None
        return propose_at_random(history, rng)
