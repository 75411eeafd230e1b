"""Neighbours of configurations: one hyperparameter has another value, what depends on it follows.

The neighbourhood is that of SMAC [1]_ as ConfigSpace defines it: all other choices of a category,
the values next to an ordinal one, all others of a whole number with few values, and four draws
around any other number. Some of those draws are closer than SMAC's. ConfigSpace makes neighbours
one after another, each with its own walk over conditions and clauses. Here those of many
configurations are made together, on arrays, with one pass over the conditions and clauses of the
space, which takes a small part of the time.

References
----------
.. [1] F. Hutter, H. H. Hoos, K. Leyton-Brown (2011). Sequential Model-Based Optimization for
   General Algorithm Configuration. LION 5, section 3.3 (one-exchange neighbourhoods).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace

from automl.optimizers.exchanges import (
    N_DRAWS,
    ListedValues,
    NumberExchanges,
    Numbers,
    is_listed,
)
from automl.optimizers.vectors import NOTHING_FIXED, BoolArray, VectorRules
from search_space.arrays import FloatArray, IntArray
from search_space.configuration_batch import ConfigurationBatch


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Neighbours of several configurations.

    Attributes
    ----------
    configurations : ConfigurationBatch
        m neighbours: those of the first configuration in random order, then those of the second,
        and so on.
    owners : (m,) array of int
        Position of the configuration that each one is a neighbour of, ascending.
    """

    configurations: ConfigurationBatch
    owners: IntArray


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
        self._rules = VectorRules(space)
        exchanged = [each for name, each in space.items() if name not in fixed and each.size != 1]
        listed = [each for each in exchanged if is_listed(each)]
        numbers = [each for each in exchanged if not is_listed(each)]
        at_listed, at_numbers = (
            np.array([space.index_of[each.name] for each in some], dtype=np.int64)
            for some in (listed, numbers)
        )
        self._listed = ListedValues(listed, at_listed)
        self._numbers = Numbers(numbers, at_numbers)

    def draw(
        self, configurations: Sequence[Configuration], rng: np.random.Generator, n_neighbours: int
    ) -> Neighbours:
        """Return neighbours of each configuration, different ones, in random order.

        Hyperparameters whose exchanges are not used up are equally likely.

        Parameters
        ----------
        configurations : sequence of Configuration
            s legal ones of the space.
        rng : numpy Generator
            Source of every draw.
        n_neighbours : int
            How many are wanted of each.

        Returns
        -------
        Neighbours
            Legal ones; fewer than wanted only where there are no more.
        """
        vectors = ConfigurationBatch.of(configurations, self._space).vectors
        exchanges = _Exchanges(self._listed, self._numbers, vectors, rng)
        n_missing = np.full(len(vectors), max(0, n_neighbours))
        found, owners_of_found = [np.zeros((0, len(self._space)))], [np.zeros(0, dtype=np.int64)]
        while (taken := exchanges.take(n_missing)) is not None:
            made, is_legal = self._exchanged(vectors, taken)
            owners = taken.owners[is_legal]
            found.append(made[is_legal])
            owners_of_found.append(owners)
            n_missing = n_missing - np.bincount(owners, minlength=len(vectors))
        of_all = np.concatenate(owners_of_found)
        by_owner = np.argsort(of_all, kind="stable")
        batch = ConfigurationBatch(self._space, np.concatenate(found)[by_owner])
        return Neighbours(batch, of_all[by_owner])

    def _exchanged(self, vectors: FloatArray, taken: _Taken) -> tuple[FloatArray, BoolArray]:
        """Return (k, h) vectors with one value exchanged, settled, and which of them are legal."""
        columns = np.ascontiguousarray(vectors[taken.owners].T)
        columns[taken.positions, np.arange(len(taken.positions))] = taken.values
        self._rules.settle(columns)
        return columns.T, self._rules.allowed(columns) & ~np.isnan(taken.values)


@dataclass(frozen=True, slots=True)
class _Taken:
    """Exchanges (k,): of which configuration, where in its vector, and the new values or NaN."""

    owners: IntArray
    positions: IntArray
    values: FloatArray


class _Exchanges:
    """What can be exchanged in some configurations, each exchange handed out once.

    The exchanges of one hyperparameter happen at the events of a Poisson process. All processes
    have the same rate and no memory, so that the next event of a configuration is that of any of
    its hyperparameters which are not used up, with equal chances.
    """

    def __init__(
        self,
        listed: ListedValues,
        numbers: Numbers,
        vectors: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        owners, lists, values = listed.shuffled(vectors, rng)
        owners_of_drawn, drawn = np.nonzero(~np.isnan(vectors[:, numbers.positions]))
        n_listed, n_drawn = len(owners), len(drawn)
        self._numbers_drawn = NumberExchanges(numbers, vectors, rng)
        # First the listed values, then some draws of each number.
        self._owners = np.append(owners, np.repeat(owners_of_drawn, N_DRAWS))
        self._numbers = np.append(np.full(n_listed, -1), np.repeat(drawn, N_DRAWS))
        self._draws = np.append(np.zeros(n_listed, np.int64), np.tile(np.arange(N_DRAWS), n_drawn))
        self._values = np.append(values, np.full(N_DRAWS * n_drawn, np.nan))
        self._positions = np.append(
            listed.positions[lists], np.repeat(numbers.positions[drawn], N_DRAWS)
        )
        times = _times(self._owners, self._positions, rng)
        # From 0 to 1, so that one sort orders all configurations.
        self._order = np.argsort(self._owners + times / (1.0 + times))
        self._n_left = np.bincount(self._owners, minlength=len(vectors))
        self._next = np.cumsum(self._n_left) - self._n_left

    def take(self, n_wanted: IntArray) -> _Taken | None:
        """Return up to so many exchanges of each configuration, None if there are none."""
        n_taken = np.minimum(n_wanted, self._n_left)
        if not n_taken.any():
            return None
        owners = np.repeat(np.arange(len(n_taken)), n_taken)
        counted = np.arange(len(owners)) - np.repeat(np.cumsum(n_taken) - n_taken, n_taken)
        chosen = self._order[self._next[owners] + counted]
        self._next, self._n_left = self._next + n_taken, self._n_left - n_taken
        values = self._values[chosen]
        is_drawn = self._numbers[chosen] >= 0
        drawn = chosen[is_drawn]
        values[is_drawn] = self._numbers_drawn.values(
            self._owners[drawn], self._numbers[drawn], self._draws[drawn]
        )
        return _Taken(owners, self._positions[chosen], values)


def _times(owners: IntArray, positions: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return when each of e exchanges happens; those of one hyperparameter follow each other."""
    is_first = (np.diff(owners, prepend=-1) != 0) | (np.diff(positions, prepend=-1) != 0)
    firsts = np.maximum.accumulate(np.where(is_first, np.arange(len(owners)), 0))
    gaps = rng.standard_exponential(len(owners))
    sums = np.cumsum(gaps)
    return sums - (sums - gaps)[firsts]
