"""What every optimiser is: a function of the history and a generator."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from automl.history import History
from automl.trial import Proposal


@runtime_checkable
class Optimizer(Protocol):
    """Proposes the next configuration from what is known; keeps no state of its own."""

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Return a configuration worth trying next.

        Parameters
        ----------
        history : History
            All trials so far, pending ones included; not changed.
        rng : numpy Generator
            The only source of randomness.

        Returns
        -------
        Proposal
            A legal configuration of ``history.problem.search_space.configuration_space`` that was
            never taken up before, where it came from, and numbers that explain the choice.

        Raises
        ------
        SpaceExhaustedError
            If every configuration of the space was taken up: the search ends, and what was found
            counts. Any other exception ends ``fit`` and reaches its caller.
        """
        ...
