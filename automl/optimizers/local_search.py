"""The ends of local searches for configurations of a high score.

References
----------
.. [1] F. Hutter, H. H. Hoos, K. Leyton-Brown (2011). Sequential Model-Based Optimization for
   General Algorithm Configuration. LION 5, section 3.3 (one-exchange neighbourhoods).
.. [2] Y. Shen et al. (2023). DivBO: Diversity-aware CASH for Ensemble Learning.
   https://arxiv.org/abs/2302.03255, section 3.2 and appendix A.4 (4,950 random, 50 local).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from ConfigSpace import Configuration

from automl.optimizers.domain import Domain
from search_space.arrays import FloatArray, IntArray
from search_space.configuration_batch import ConfigurationBatch

Acquisition = Callable[[Sequence[Configuration]], FloatArray]
"""Scores configurations; higher is more worth trying."""


def local_search(
    acquisition: Acquisition,
    starts: ConfigurationBatch,
    rng: np.random.Generator,
    *,
    max_steps: int,
    n_neighbours: int,
    domain: Domain | None = None,
) -> ConfigurationBatch:
    """Climb from each start until none of a sample of neighbours is better.

    All searches advance together, so that one call of the acquisition function scores the
    neighbourhoods of a whole step.

    Parameters
    ----------
    acquisition : callable
        Scores configurations, (c,) array, higher is better.
    starts : ConfigurationBatch
        Where the searches begin.
    rng : numpy Generator
        Draws the neighbours of numeric hyperparameters.
    max_steps : int
        Moves of one search at most.
    n_neighbours : int
        Neighbours that are looked at before a move.
    domain : Domain or None
        Where the neighbours come from; None is the whole space of the starts.

    Returns
    -------
    ConfigurationBatch
        The end of each search, in the order of `starts`; the start itself where there is nothing
        better.
    """
    # Differs from [1]: the best of a sample of neighbours is taken instead of the first better one
    # of all, because scoring many at once costs less than scoring them one by one.
    if not starts:
        return starts
    domain = domain or Domain(starts.space)
    ends, values = starts, acquisition(starts).copy()
    climbing = np.arange(len(ends))
    for _ in range(max_steps):
        around = domain.neighbours(ends.take(climbing), rng, n_neighbours)
        if not around.configurations:
            break
        scores = acquisition(around.configurations)
        best = _best_of_each(around.owners, scores)
        best = best[scores[best] > values[climbing[around.owners[best]]]]
        if not best.size:
            break
        climbing = climbing[around.owners[best]]
        ends = ends.replaced(climbing, around.configurations.take(best))
        values[climbing] = scores[best]
    return ends


def _best_of_each(owners: IntArray, scores: FloatArray) -> IntArray:
    """Return where the highest score of each owner is, the first one of equals."""
    order = np.lexsort((-scores, owners))
    return order[np.diff(owners[order], prepend=-1) > 0]
