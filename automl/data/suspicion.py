"""Columns that are kept but deserve a look: they may give the answer away, or count the rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse

from automl.changes import Change
from automl.data.column_ranges import column_ranges
from automl.data.raw_column import BoolArray
from search_space.arrays import Features, FloatArray, IntArray

LOOK_AT_IT = "kept, but look at it"
"""What happened to such a column."""

FEWEST_ROWS = 30
"""Below, a column may well look like an answer by chance."""


def suspicious_columns(X: Features, codes: IntArray, names: Sequence[str]) -> tuple[Change, ...]:
    """Return what is odd about columns, by name; nothing is done about it.

    Parameters
    ----------
    X : (n, d) array or sparse array
        The prepared table, without constant columns.
    codes : (n,) array
        The class of each row.
    names : sequence of d str
        Names of the columns.
    """
    if len(codes) < FEWEST_ROWS:
        return ()
    reports = [
        Change(f"column {names[j]!r}", LOOK_AT_IT, reason)
        for reason, odd in (
            (
                "every class has one value of its own in it, as if made from the target",
                _tells(X, codes),
            ),
            ("it counts the rows", _counts_rows(X)),
        )
        for j in np.flatnonzero(odd).tolist()
    ]
    return tuple(reports)


def _tells(X: Features, codes: IntArray) -> BoolArray:
    """Return which columns have one value per class, and different ones."""
    constant = np.ones(X.shape[1], dtype=bool)
    values: list[FloatArray] = []
    for code in np.unique(codes):
        ranges = column_ranges(X[codes == code])
        constant &= ranges.is_constant
        values.append(ranges.lowest)
    ordered = np.sort(np.array(values)[:, constant], axis=0)
    constant[constant] = np.all(np.diff(ordered, axis=0) > 0.0, axis=0)
    return constant


def _counts_rows(X: Features) -> BoolArray:
    """Return which columns rise (or fall) by one from each row to the next."""
    if scipy.sparse.issparse(X):
        return np.zeros(X.shape[1], dtype=bool)
    steps = X[1] - X[0]
    counts: BoolArray = np.abs(steps) == 1.0
    counts[counts] = np.all(np.diff(X[:, counts], axis=0) == steps[counts], axis=0)
    return counts
