"""Regularised evolution of the members of an ensemble.

References
----------
.. [1] S. Zaidi, A. Zela, T. Elsken, C. C. Holmes, F. Hutter, Y. W. Teh (2021). Neural Ensemble
   Search for Uncertainty Estimation and Dataset Shift. NeurIPS, algorithm 1 (NES-RE).
   https://arxiv.org/abs/2006.08573
.. [2] E. Real, A. Aggarwal, Y. Huang, Q. V. Le (2019). Regularized Evolution for Image Classifier
   Architecture Search. AAAI 33, 4780-4789.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from automl.errors import DegradedResultWarning
from automl.history import History
from automl.metrics import MetricError
from automl.optimizers.domain import Domain
from automl.optimizers.initial_design import InitialDesign, RandomDesign
from automl.optimizers.observed_predictions import ObservedPredictions, observed_predictions
from automl.optimizers.random_search import propose_at_random
from automl.trial import Origin, Proposal


def _first_population() -> InitialDesign:
    return RandomDesign(30)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegularizedEvolution:
    """Neighbours of models that are good together [1]_.

    As in the text of [1]_, the models that age out of the population are the oldest [2]_, however
    good they are, and a parent is drawn uniformly from an ensemble that is selected from the
    population. As in its published code, that ensemble is selected step by step without
    replacement. A mutation in [1]_ changes an operation or an edge of a network; here it
    exchanges the value of one hyperparameter. Trials that failed are no part of the population. Of
    models with equal losses the oldest becomes a parent, and large tables are looked at through a
    constant subset of their validation rows.

    Attributes
    ----------
    population : int
        Successful trials that live, the latest.
    n_parents : int
        Members of the ensemble that is selected from them.
    initial_design : InitialDesign
        The first population.
    """

    population: int = 30
    n_parents: int = 10
    initial_design: InitialDesign = field(default_factory=_first_population)

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Return a neighbour of a parent that is new, a random draw if there is none."""
        proposal = self.initial_design.propose(history, rng)
        if proposal is not None:
            return proposal
        if not history.successes:
            return propose_at_random(history, rng)
        parents = self.parents(history)
        number = parents[int(rng.integers(len(parents)))]
        parent = history.trials[number].configuration
        for child in Domain.of(history.problem.search_space).mutations(parent, rng):
            if not history.was_proposed(child):
                return Proposal(
                    configuration=child, origin=Origin.MUTATION, beliefs={"parent": float(number)}
                )
        return propose_at_random(history, rng)

    def parents(self, history: History) -> list[int]:
        """Return the numbers of the trials that may have offspring, one of them at least."""
        alive = history.successes[-self.population :]
        try:
            chosen = _selected(observed_predictions(history, alive), self.n_parents)
        except (MetricError, MemoryError) as error:
            # What fails here must not cost the search.
            chosen = list(range(len(alive)))
            warnings.warn(
                f"selection of parents failed ({type(error).__name__}: {error}); the whole "
                "population may have offspring in this proposal",
                DegradedResultWarning,
                stacklevel=2,
            )
        return [alive[i] for i in chosen]


def _selected(seen: ObservedPredictions, n_members: int) -> list[int]:
    """Return an ensemble of different models, each added because the loss is lowest with it."""
    criterion = seen.criterion()
    members: list[int] = []
    for _ in range(min(n_members, len(seen.predictions))):
        if members:
            criterion.add(members[-1])
        losses = criterion.losses_if_added()
        losses[members] = np.inf
        members.append(int(losses.argmin()))
    return members
