"""A population that evolves towards the front of several objectives: NSGA-II.

Configurations are values that are only compared and varied by a callable, as in a conditional
space a new one is made by its neighbourhood and not by arithmetic on vectors. That is why no
library is used: those at hand know vectors of real, whole or categorical variables, all of them
always active.

References
----------
.. [1] Deb, Pratap, Agarwal, Meyarivan (2002). A Fast and Elitist Multiobjective Genetic
   Algorithm: NSGA-II. IEEE Transactions on Evolutionary Computation 6, 182-197.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np

from automl.acquisition.pareto_front import nondominated_ranks
from search_space.arrays import FloatArray, IntArray

T = TypeVar("T", bound=Hashable)


def nsga2(
    objectives: Callable[[list[T]], FloatArray],
    population: Sequence[T],
    vary: Callable[[list[T], np.random.Generator], list[T]],
    *,
    n_generations: int,
    rng: np.random.Generator,
) -> tuple[list[T], FloatArray]:
    """Return the population after so many generations, and its objectives.

    Parameters
    ----------
    objectives : callable
        Given k members, returns a (k, m) array; greater is better. Called once for each member
        that is new, the same member is always taken to have the same objectives.
    population : sequence
        Members to begin with, at least one. Their number is the size of the population; equal
        ones count once.
    vary : callable
        Given as many parents as the population has members, some more than once, returns any
        number of offspring, by crossover of neighbours or mutation. Offspring already in the
        population are dropped.
    n_generations : int
        Generations to run, not negative.
    rng : numpy.random.Generator
        Source of the choice of parents, handed to ``vary``.

    Returns
    -------
    members : list
        Different members, best first: by front, and inside a front those further from their
        neighbours first.
    objectives : (k, m) array
        Theirs.

    Raises
    ------
    ValueError
        If there is no member, the number of generations is negative, or an objective is NaN.
    """
    if not population or n_generations < 0:
        raise ValueError("need a population and a number of generations that is not negative")
    size = len(population)
    members = list(dict.fromkeys(population))
    members, values = _survivors(members, objectives(members), size)
    for _ in range(n_generations):
        offspring = vary(_parents(members, size, rng), rng)
        present = set(members)
        new = [member for member in dict.fromkeys(offspring) if member not in present]
        if new:
            together = np.vstack([values, objectives(new)])
            members, values = _survivors(members + new, together, size)
    return members, values


def crowded_order(objectives: FloatArray) -> IntArray:
    """Return the members from best to worst: by front, then by distance to their neighbours.

    Parameters
    ----------
    objectives : (k, m) array
        Greater is better.

    Returns
    -------
    (k,) array of int
        Positions; equals keep their order.

    Raises
    ------
    ValueError
        If the array is not two-dimensional, has no objective or holds NaN.

    Examples
    --------
    >>> crowded_order(np.array([[0.0, 3.0], [1.0, 2.9], [3.0, 0.0], [2.0, 2.0], [0.0, 0.0]]))
    array([0, 2, 3, 1, 4])
    """
    ranks = nondominated_ranks(objectives)
    distances = np.zeros(len(objectives))
    for rank in range(int(ranks.max(initial=-1)) + 1):
        front = np.flatnonzero(ranks == rank)
        distances[front] = crowding_distance(objectives[front])
    return np.lexsort((-distances, ranks))


def crowding_distance(objectives: FloatArray) -> FloatArray:
    """Return how far the neighbours of each member of one front are apart.

    Parameters
    ----------
    objectives : (k, m) array
        Of the members of one front. Minus infinity counts as the least finite value.

    Returns
    -------
    (k,) array
        Sum over the objectives of the gap between both neighbours, as part of the range;
        infinite for the first and last in any objective.

    Examples
    --------
    >>> crowding_distance(np.array([[0.0, 4.0], [1.0, 3.0], [4.0, 0.0]]))
    array([inf,  2., inf])
    """
    distances = np.zeros(len(objectives))
    for column in objectives.T:
        finite = column[np.isfinite(column)]
        if not finite.size:
            continue
        values = np.clip(column, finite.min(), finite.max())
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        width = ordered[-1] - ordered[0]
        if width > 0.0:
            distances[order[1:-1]] += (ordered[2:] - ordered[:-2]) / width
            distances[order[[0, -1]]] = np.inf
    return distances


def _survivors(members: list[T], values: FloatArray, size: int) -> tuple[list[T], FloatArray]:
    """Return the best members, best first."""
    order = crowded_order(values)[:size]
    return [members[i] for i in order], values[order]


def _parents(members: list[T], size: int, rng: np.random.Generator) -> list[T]:
    """Return the winners of tournaments of two: as members are sorted, whoever stands first."""
    winners = rng.integers(len(members), size=(size, 2)).min(axis=1)
    return [members[i] for i in winners]
