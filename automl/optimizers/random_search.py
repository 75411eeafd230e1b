"""Random search: uniform draws from the space.

References
----------
.. [1] J. Bergstra, Y. Bengio (2012). Random Search for Hyper-Parameter Optimization. Journal of
   Machine Learning Research 13, 281-305.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from automl.errors import SpaceExhaustedError
from automl.optimizers.domain import Domain
from automl.trial import Origin, Proposal
from automl.trial_history import TrialHistory

if TYPE_CHECKING:
    from automl.optimizers.initial_design import InitialDesign

_DRAWS_BEFORE_ENUMERATION = 2_000


def propose_at_random(history: TrialHistory, rng: np.random.Generator) -> Proposal:
    """Return a uniform draw that was never taken up before.

    Where 2,000 further draws are all known, the space is finite and mostly tried: then the
    configurations are gone through one by one until there is a new one.

    Raises
    ------
    SpaceExhaustedError
        If every configuration of the space was taken up.
    """
    domain = Domain.of(history.problem.search_space)
    draws = (domain.draw(n, rng) for n in (1, _DRAWS_BEFORE_ENUMERATION))
    for configuration in chain(chain.from_iterable(draws), domain.every(rng)):
        if not history.was_proposed(configuration):
            return Proposal(configuration=configuration, origin=Origin.RANDOM)
    raise SpaceExhaustedError(f"all {history.n_started} configurations of the space were tried")


@dataclass(frozen=True, slots=True)
class RandomSearch:
    """Uniform random search [1]_ after an initial design.

    Attributes
    ----------
    initial_design : InitialDesign or None
        What to try first.
    """

    initial_design: InitialDesign | None = None

    def propose(self, history: TrialHistory, rng: np.random.Generator) -> Proposal:
        """Return the next of the initial design, then uniform draws."""
        if self.initial_design is not None:
            proposal = self.initial_design.propose(history, rng)
            if proposal is not None:
                return proposal
        return propose_at_random(history, rng)
