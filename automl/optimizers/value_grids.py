"""Lists of values of several hyperparameters as one array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from search_space.arrays import FloatArray, IntArray

_APART = 2.0  # each list is brought to [0, 1], then moved away from the others


class ValueGrids:
    """Ascending lists of values, in all of which values are looked up at once.

    Parameters
    ----------
    grids : sequence of (m,) arrays
        Of two values at least each.

    Attributes
    ----------
    values : (t,) array
        The values of all lists, one list after another.
    list_of : (t,) array of int
        Number of the list that each value is in.
    """

    def __init__(self, grids: Sequence[FloatArray]) -> None:
        sizes = np.array([len(grid) for grid in grids], dtype=np.int64)
        self._lowest = np.array([grid[0] for grid in grids], dtype=np.float64)
        self._widths = np.array([grid[-1] - grid[0] for grid in grids], dtype=np.float64)
        numbers = np.arange(len(grids))
        self.list_of: IntArray = np.repeat(numbers, sizes)
        self.values: FloatArray = np.concatenate([np.zeros(0), *grids])
        between = [np.zeros(0), *((grid[1:] + grid[:-1]) / 2.0 for grid in grids)]
        self._between = self._scaled(np.repeat(numbers, sizes - 1), np.concatenate(between))

    def nearest(self, lists: IntArray, values: FloatArray) -> IntArray:
        """Return the positions in `values` of what is nearest in each one's list.

        Parameters
        ----------
        lists : array of int
            Numbers of lists.
        values : array, same shape or one that `lists` is broadcast to
            None of them NaN.
        """
        found = np.searchsorted(self._between, self._scaled(lists, values), side="right")
        return found + lists  # a list has one value more than gaps

    def _scaled(self, lists: IntArray, values: FloatArray) -> FloatArray:
        """Return values such that those of different lists lie apart."""
        shares = (values - self._lowest[lists]) / self._widths[lists]
        return np.clip(shares, 0.0, 1.0) + _APART * lists
