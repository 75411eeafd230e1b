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
from itertools import chain

import numpy as np
from ConfigSpace import Configuration

from automl.optimizers.domain import Domain
from search_space.arrays import FloatArray

Acquisition = Callable[[Sequence[Configuration]], FloatArray]
"""Scores configurations; higher is more worth trying."""


def local_search(
    acquisition: Acquisition,
    starts: Sequence[Configuration],
    rng: np.random.Generator,
    *,
    max_steps: int,
    n_neighbours: int,
    domain: Domain | None = None,
) -> list[Configuration]:
    """Climb from each start until none of a sample of neighbours is better.

    All searches advance together, so that one call of the acquisition function scores the
    neighbourhoods of a whole step.

    Parameters
    ----------
    acquisition : callable
        Scores a list of configurations, (c,) array, higher is better.
    starts : sequence of Configuration
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
    list of Configuration
        The end of each search, in the order of `starts`.
    """
    # Differs from [1]: the best of a sample of neighbours is taken instead of the first better one
    # of all, because scoring many at once costs less than scoring them one by one.
    ends = list(starts)
    if not ends:
        return ends
    domain = domain or Domain(ends[0].config_space)
    values = acquisition(ends)
    climbing = list(range(len(ends)))
    for _ in range(max_steps):
        neighbours = domain.neighbours([ends[i] for i in climbing], rng, n_neighbours)
        if not any(neighbours):
            break
        scores = acquisition(list(chain.from_iterable(neighbours)))
        climbing = _move(ends, values, climbing, neighbours, scores)
        if not climbing:
            break
    return ends


def _move(
    ends: list[Configuration],
    values: FloatArray,
    climbing: list[int],
    neighbours: list[list[Configuration]],
    scores: FloatArray,
) -> list[int]:
    """Move every search to its best neighbour if that is better; return those that moved."""
    moved = []
    position = 0
    for i, around in zip(climbing, neighbours, strict=True):
        block = scores[position : position + len(around)]
        position += len(around)
        if around and block.max() > values[i]:
            best = int(block.argmax())
            ends[i], values[i] = around[best], block[best]
            moved.append(i)
    return moved
