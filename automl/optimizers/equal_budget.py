"""Every learner gets the same number of trials: what is gained by choosing among them is measured.

The ablation "kBO" of a Bayesian optimisation for each of k algorithms.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from automl.errors import SpaceExhaustedError
from automl.history import History
from automl.optimizers.arms import arms_of
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.initial_design import DefaultsFirst, InitialDesign
from automl.optimizers.scored_candidates import Guidance, guidance_over_learners
from automl.trial import Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualBudget:
    """A Bayesian optimisation within each learner, one trial of each in turn.

    Attributes
    ----------
    initial_design : InitialDesign
        What to try within each learner before the model is used.
    guidance : Guidance
        Performance model, acquisition function and candidates within each learner; by default every
        fifth proposal is left to chance.
    """

    initial_design: InitialDesign = field(default_factory=DefaultsFirst)
    guidance: Guidance = field(default_factory=guidance_over_learners)

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Return a proposal of the learner with the fewest trials, the first of equals.

        A learner of which everything was tried passes its turn on.
        """
        search = BayesianOptimization(initial_design=self.initial_design, guidance=self.guidance)
        arms = arms_of(history)
        for index in sorted(range(len(arms)), key=lambda i: len(arms[i].trials)):
            try:
                proposal = arms[index].propose(history, rng, search)
            except SpaceExhaustedError:
                continue
            return replace(proposal, beliefs={**proposal.beliefs, "arm": float(index)})
        raise SpaceExhaustedError(f"all {history.n_started} configurations of the space were tried")
