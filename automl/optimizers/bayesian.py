"""Bayesian optimisation of the loss: a model, an acquisition function, sampled candidates.

References
----------
.. [1] F. Hutter, H. H. Hoos, K. Leyton-Brown (2011). Sequential Model-Based Optimization for
   General Algorithm Configuration. LION 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from automl.optimizers.initial_design import DefaultsFirst, InitialDesign
from automl.optimizers.random_search import propose_at_random
from automl.optimizers.scored_candidates import Guidance, guidance_over_learners, score_candidates
from automl.trial import Proposal
from automl.trial_history import TrialHistory


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesianOptimization:
    """An acquisition function over a performance model [1]_.

    Attributes
    ----------
    initial_design : InitialDesign
        What to try before the model is used.
    guidance : Guidance
        Model, acquisition function and candidates: by default a random forest of the losses as
        they are, expected improvement, and every fifth proposal left to chance.
    """

    initial_design: InitialDesign = field(default_factory=DefaultsFirst)
    guidance: Guidance = field(default_factory=guidance_over_learners)

    def propose(self, history: TrialHistory, rng: np.random.Generator) -> Proposal:
        """Return the candidate with the best score that is new."""
        return next(iter(self.propose_batch(history, rng, 1)))

    def propose_batch(
        self, history: TrialHistory, rng: np.random.Generator, n: int
    ) -> list[Proposal]:
        """Return proposals of one model, at least one and at most n.

        Where acquisition functions are several, they are a batch drawn from their front. One
        function gives one proposal, since its next best candidates are next to the best one.
        """
        proposal = self.initial_design.propose(history, rng)
        if proposal is not None:
            return [proposal]
        if self.guidance.leaves_to_chance(history, rng):
            return [propose_at_random(history, rng)]
        scored = score_candidates(history, rng, self.guidance)
        size = n if scored.objectives is not None else 1
        chosen = scored.best(history, size, rng)
        return [scored.proposal(index) for index in chosen] or [propose_at_random(history, rng)]
