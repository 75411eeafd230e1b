"""Values that may take the place of another: listed ones, and draws around a number.

Both work on the vectors of many configurations at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from ConfigSpace.hyperparameters import (
    CategoricalHyperparameter,
    IntegerHyperparameter,
    OrdinalHyperparameter,
)

from automl.optimizers.value_grids import ValueGrids
from search_space.arrays import FloatArray, IntArray

N_DRAWS = 4  # neighbours of a number
# Of the range, on the scale of the hyperparameter. SMAC has the first alone, whose steps do not
# come close to the maximum of a smooth acquisition function.
_DEVIATIONS = (0.2, 0.05, 0.0125)
# Draws that may hit known values or leave the range before fewer are taken. Most numbers have what
# they need after the first block.
_N_TRIES = (4, 16, 80)
_LARGEST_GRID = 10_000  # values of a whole number that are listed


class ListedValues:
    """Hyperparameters whose values are all listed: categories, ranks, whole numbers of few values.

    Parameters
    ----------
    hyperparameters : sequence of Hyperparameter
        n of them.
    positions : (n,) array of int
        Where they are in a vector.

    Attributes
    ----------
    positions : (n,) array of int
        The same.
    """

    def __init__(self, hyperparameters: Sequence[Any], positions: IntArray) -> None:
        self.positions = positions
        self._grids = ValueGrids([_values_of(each) for each in hyperparameters])
        self._lists = np.arange(len(positions))
        ranked = [isinstance(each, OrdinalHyperparameter) for each in hyperparameters]
        self._is_ranked = np.array(ranked, dtype=np.bool_)[self._grids.list_of]

    def shuffled(
        self, vectors: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return what may take the place of the present values, each list in random order.

        Of a rank those are the next ones, else all others, and none where a hyperparameter is not
        active.

        Parameters
        ----------
        vectors : (s, h) array
            Settled ones.
        rng : numpy Generator
            Source of the order.

        Returns
        -------
        owners, lists : (e,) arrays of int
            Which vector and which hyperparameter each value is for, ascending.
        values : (e,) array
            The values.
        """
        present = vectors[:, self.positions]
        is_active = ~np.isnan(present)
        list_of = self._grids.list_of
        at = self._grids.nearest(self._lists, np.where(is_active, present, 0.0))
        distance = np.abs(np.arange(len(list_of)) - at[:, list_of])
        possible = (distance == 1) | ((distance > 0) & ~self._is_ranked)
        possible &= is_active[:, list_of]
        owners, places = np.nonzero(possible)
        lists = list_of[places]
        order = np.argsort(owners * len(self._lists) + lists + rng.random(len(owners)))
        return owners, lists, self._grids.values[places[order]]


class Numbers:
    """Hyperparameters that neighbours are drawn of: numbers with more than five values.

    Parameters
    ----------
    hyperparameters : sequence of Hyperparameter
        n of them.
    positions : (n,) array of int
        Where they are in a vector.

    Attributes
    ----------
    positions : (n,) array of int
        The same.
    """

    def __init__(self, hyperparameters: Sequence[Any], positions: IntArray) -> None:
        self.positions = positions
        self._lower = np.array([float(each.lower_vectorized) for each in hyperparameters])
        self._upper = np.array([float(each.upper_vectorized) for each in hyperparameters])
        # Steps shorter than one whole number would seldom lead anywhere.
        n_wide = [sum(d * each.size >= 1.0 for d in _DEVIATIONS) for each in hyperparameters]
        self._n_deviations = np.maximum(1, np.array(n_wide, dtype=np.int64))
        whole = [isinstance(each, IntegerHyperparameter) for each in hyperparameters]
        fine = [each.size > _LARGEST_GRID for each in hyperparameters]
        listed = [i for i in range(len(whole)) if whole[i] and not fine[i]]
        self._grids = ValueGrids([_values_of(hyperparameters[i]) for i in listed])
        self._grid_of = np.full(len(whole), -1)
        self._grid_of[listed] = np.arange(len(listed))
        self._huge = {i: hyperparameters[i] for i in range(len(whole)) if whole[i] and fine[i]}

    def rounded(self, numbers: IntArray, values: FloatArray) -> FloatArray:
        """Return values, those of whole numbers brought to the nearest one.

        Vectors of the same whole number may differ by rounding.

        Parameters
        ----------
        numbers : (k,) array of int
            Which hyperparameters.
        values : (k,) array
            Within their bounds.
        """
        rounded = values.copy()
        grids = self._grid_of[numbers]
        on_grid = grids >= 0
        nearest = self._grids.nearest(grids[on_grid], values[on_grid])
        rounded[on_grid] = self._grids.values[nearest]
        for number, hyperparameter in self._huge.items():
            mine = numbers == number
            rounded[mine] = hyperparameter.to_vector(hyperparameter.to_value(values[mine]))
        return rounded

    def draws_around(
        self, numbers: IntArray, centres: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Return a draw (k,) around each of k values, NaN where it leaves the bounds.

        The distribution is a mixture of normal ones.

        Parameters
        ----------
        numbers : (k,) array of int
            Which hyperparameters.
        centres : (k,) array
            Their values.
        rng : numpy Generator
            Source of the draws.
        """
        chosen = (rng.random(len(numbers)) * self._n_deviations[numbers]).astype(np.int64)
        steps = rng.standard_normal(len(numbers)) * np.array(_DEVIATIONS)[chosen]
        drawn = centres + steps
        lower, upper = self._lower[numbers], self._upper[numbers]
        is_inside = (lower <= drawn) & (drawn <= upper)
        rounded = self.rounded(numbers, np.clip(drawn, lower, upper))
        return np.where(is_inside, rounded, np.nan)


class NumberExchanges:
    """Draws around the numbers of some configurations: different ones, made when they are needed.

    Parameters
    ----------
    numbers : Numbers
        n hyperparameters.
    vectors : (s, h) array
        The configurations.
    rng : numpy Generator
        Source of the draws.
    """

    def __init__(self, numbers: Numbers, vectors: FloatArray, rng: np.random.Generator) -> None:
        self._numbers = numbers
        self._rng = rng
        self._n = len(numbers.positions)
        present = vectors[:, numbers.positions].ravel()
        self._present = present
        # A number of a configuration has a row: its value, and then the draws that differ.
        self._known = np.full((len(present), 1 + N_DRAWS), np.nan)
        active = np.flatnonzero(~np.isnan(present))
        self._known[active, 0] = numbers.rounded(self._number(active), present[active])
        self._n_known = np.ones(len(present), dtype=np.int64)

    def _number(self, rows: IntArray) -> IntArray:
        return rows % self._n

    def values(self, owners: IntArray, numbers: IntArray, draws: IntArray) -> FloatArray:
        """Return the value of each of k exchanges, NaN where none was found that is new.

        Parameters
        ----------
        owners : (k,) array of int
            Which configurations.
        numbers : (k,) array of int
            Which of their numbers.
        draws : (k,) array of int
            Which of the draws, from 0 on.
        """
        rows, places = owners * self._n + numbers, 1 + draws
        wanted = np.ones_like(self._n_known)
        np.maximum.at(wanted, rows, places + 1)
        self._fill(wanted)
        found: FloatArray = self._known[rows, places]
        return found

    def _fill(self, wanted: IntArray) -> None:
        """Draw until the rows hold as many values as wanted, or tries are used up."""
        for n_tries in _N_TRIES:
            short = np.flatnonzero(self._n_known < wanted)
            if not short.size:
                break
            self._add_draws(short, wanted, n_tries)

    def _add_draws(self, rows: IntArray, wanted: IntArray, n_tries: int) -> None:
        """Draw so many values for each row, and keep those that are new until it has enough."""
        repeated = np.repeat(rows, n_tries)
        drawn = self._numbers.draws_around(
            self._number(repeated), self._present[repeated], self._rng
        ).reshape(len(rows), n_tries)
        # Those that go on: which row of the draws, and which row of what is known.
        places = np.arange(len(rows))
        for i in range(n_tries):
            values = drawn[places, i]
            is_new = ~np.isnan(values) & (self._known[rows] != values[:, np.newaxis]).all(axis=1)
            new = rows[is_new]
            self._known[new, self._n_known[new]] = values[is_new]
            self._n_known[new] += 1
            is_short = self._n_known[rows] < wanted[rows]
            rows, places = rows[is_short], places[is_short]
            if not rows.size:
                break


def is_listed(hyperparameter: Any) -> bool:
    """Return whether neighbours are all other values, or the next ones, instead of some draws."""
    if isinstance(hyperparameter, IntegerHyperparameter):
        return bool(hyperparameter.size <= N_DRAWS + 1)
    return isinstance(hyperparameter, CategoricalHyperparameter | OrdinalHyperparameter)


def _values_of(hyperparameter: Any) -> FloatArray:
    """Return the values of a hyperparameter in ConfigSpace's vectors, in ascending order."""
    if not isinstance(hyperparameter, IntegerHyperparameter):
        return np.arange(hyperparameter.size, dtype=np.float64)
    whole = np.arange(hyperparameter.lower, hyperparameter.upper + 1)
    return np.asarray(hyperparameter.to_vector(whole), dtype=np.float64)
