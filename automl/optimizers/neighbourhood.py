"""Neighbours of configurations: one hyperparameter has another value, what depends on it follows.

The neighbourhood is that of SMAC [1]_ as ConfigSpace defines it: all other choices of a category,
the values next to an ordinal one, all others of a whole number with few values, and four draws
around any other number. Some of those draws are closer than SMAC's. ConfigSpace makes neighbours
one after another, each with its own walk over conditions and clauses. Here those of many
configurations are made together, with one pass over the conditions and clauses of the space, which
takes a small part of the time.

References
----------
.. [1] F. Hutter, H. H. Hoos, K. Leyton-Brown (2011). Sequential Model-Based Optimization for
   General Algorithm Configuration. LION 5, section 3.3 (one-exchange neighbourhoods).
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace
from ConfigSpace.hyperparameters import (
    CategoricalHyperparameter,
    Hyperparameter,
    IntegerHyperparameter,
    OrdinalHyperparameter,
)

from automl.optimizers.vectors import NOTHING_FIXED, VectorRules
from search_space.arrays import FloatArray

_N_DRAWS = 4  # neighbours of a number
# Of the range, on the scale of the hyperparameter. SMAC has the first alone, whose steps do not
# come close to the maximum of a smooth acquisition function.
_DEVIATIONS = (0.2, 0.05, 0.0125)
_N_TRIES = 100  # draws that may hit known values or leave the range before fewer are taken
_LARGEST_GRID = 10_000  # values of a whole number that are listed


class Neighbourhood:
    """The neighbours of configurations of one space.

    Parameters
    ----------
    space : ConfigurationSpace
        Hyperparameters with conditions and forbidden clauses.
    fixed : mapping of str to object
        Values that are not exchanged, and that hyperparameters have which become active.
    """

    def __init__(
        self, space: ConfigurationSpace, *, fixed: Mapping[str, object] = NOTHING_FIXED
    ) -> None:
        self._space = space
        position_of = dict(space.index_of)
        self._around: dict[int, _Around] = {
            position_of[name]: around
            for name, hyperparameter in space.items()
            if name not in fixed and (around := _around(hyperparameter)) is not None
        }
        self._rules = VectorRules(space)

    def draw(
        self, configurations: Sequence[Configuration], rng: np.random.Generator, n_neighbours: int
    ) -> list[list[Configuration]]:
        """Return neighbours of each configuration, different ones, in random order.

        Parameters
        ----------
        configurations : sequence of Configuration
            Legal ones of the space.
        rng : numpy Generator
            Source of every draw.
        n_neighbours : int
            How many are wanted of each.

        Returns
        -------
        list of lists of Configuration
            Legal neighbours; fewer than wanted only where there are no more.
        """
        draws = _Draws(rng)
        exchanges = [_Exchanges(c.get_array(), self._around, draws) for c in configurations]
        found: list[list[Configuration]] = [[] for _ in configurations]
        short = list(range(len(found))) if n_neighbours > 0 else []
        while short:
            tried = [
                (i, position, value)
                for i in short
                for position, value in exchanges[i].take(n_neighbours - len(found[i]))
            ]
            if not tried:
                break
            owners, positions, values = zip(*tried, strict=True)
            vectors = np.array([configurations[i].get_array() for i in owners]).T
            vectors[positions, np.arange(len(tried))] = values
            self._rules.settle(vectors)
            allowed = self._rules.allowed(vectors)
            for i, vector in zip(
                np.array(owners)[allowed].tolist(),
                np.ascontiguousarray(vectors.T[allowed]),
                strict=True,
            ):
                found[i].append(Configuration(self._space, vector=vector))
            short = [i for i in short if len(found[i]) < n_neighbours]
        return found


class _Draws:
    """Random numbers one at a time, which a generator alone makes slowly."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._uniforms = _one_by_one(rng.random)
        self._normals = _one_by_one(rng.standard_normal)

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1."""
        return int(next(self._uniforms) * n)

    def normal(self) -> float:
        """Return a number of the standard normal distribution."""
        return next(self._normals)

    def shuffled(self, values: list[float]) -> list[float]:
        """Return the values in random order."""
        return [values.pop(self.below(len(values))) for _ in range(len(values))]


def _one_by_one(draw: Callable[[int], FloatArray]) -> Iterator[float]:
    while True:
        yield from draw(256).tolist()


_Around = Callable[[float, _Draws], list[float]]
"""From a value in ConfigSpace's vectors to values that may take its place, in random order."""


class _Exchanges:
    """What can be exchanged in one configuration, each exchange handed out once."""

    def __init__(self, vector: FloatArray, around: Mapping[int, _Around], draws: _Draws) -> None:
        values = vector.tolist()
        self._values = {p: values[p] for p in around if not math.isnan(values[p])}
        self._open = list(self._values)
        self._left: dict[int, list[float]] = {}
        self._around = around
        self._draws = draws

    def take(self, n: int) -> Iterator[tuple[int, float]]:
        """Yield up to n exchanges: the position in the vector, and the new value.

        Hyperparameters that are not used up are equally likely.
        """
        while n > 0 and self._open:
            at = self._draws.below(len(self._open))
            position = self._open[at]
            left = self._left.get(position)
            if left is None:
                left = self._around[position](self._values[position], self._draws)
                self._left[position] = left
            if left:
                n -= 1
                yield position, left.pop()
            if not left:
                del self._open[at]


def _around(hyperparameter: Hyperparameter[Any, Any]) -> _Around | None:
    """Return how neighbours of a value are made, None if there is one value only."""
    if hyperparameter.size == 1:
        return None
    if isinstance(hyperparameter, CategoricalHyperparameter):
        return _others([float(rank) for rank in range(hyperparameter.size)])
    if isinstance(hyperparameter, OrdinalHyperparameter):
        return _next_to(hyperparameter.size)
    if isinstance(hyperparameter, IntegerHyperparameter):
        return _around_whole(hyperparameter)
    return _draws_around(hyperparameter, lambda value: value)


def _around_whole(hyperparameter: Any) -> _Around:
    """Return how neighbours of a whole number are made."""
    if hyperparameter.size > _LARGEST_GRID:

        def rounded(value: float) -> float:
            return float(hyperparameter.to_vector(hyperparameter.to_value(value)))

        return _draws_around(hyperparameter, rounded)
    grid = hyperparameter.to_vector(np.arange(hyperparameter.lower, hyperparameter.upper + 1))
    between, values = ((grid[1:] + grid[:-1]) / 2.0).tolist(), grid.tolist()

    # Vectors of the same whole number may differ by rounding.
    def nearest(value: float) -> float:
        return float(values[bisect(between, value)])

    if len(values) > _N_DRAWS + 1:
        return _draws_around(hyperparameter, nearest)
    others = _others(values)
    return lambda value, draws: others(nearest(value), draws)


def _others(values: list[float]) -> _Around:
    def around(value: float, draws: _Draws) -> list[float]:
        return draws.shuffled([other for other in values if other != value])

    return around


def _next_to(n_values: int) -> _Around:
    def around(value: float, draws: _Draws) -> list[float]:
        return draws.shuffled([v for v in (value - 1.0, value + 1.0) if 0.0 <= v < n_values])

    return around


def _draws_around(hyperparameter: Any, nearest: Callable[[float], float]) -> _Around:
    """Return how different values are drawn from normal distributions cut off at the bounds."""
    lower, upper = float(hyperparameter.lower_vectorized), float(hyperparameter.upper_vectorized)

    # Steps shorter than one whole number would seldom lead anywhere.
    wide = [deviation for deviation in _DEVIATIONS if deviation * hyperparameter.size >= 1.0]
    deviations = wide or _DEVIATIONS[:1]

    def around(value: float, draws: _Draws) -> list[float]:
        found = [nearest(value)]
        for _ in range(_N_TRIES):
            drawn = value + deviations[draws.below(len(deviations))] * draws.normal()
            if lower <= drawn <= upper and (drawn := nearest(drawn)) not in found:
                found.append(drawn)
                if len(found) > _N_DRAWS:
                    break
        return found[1:]

    return around
