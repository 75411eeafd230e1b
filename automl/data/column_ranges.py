"""Ranges of all columns of a numeric table, and the values that no learner can take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse

from automl.data.raw_column import BoolArray
from automl.errors import InputError
from search_space.arrays import Features, FloatArray, IntArray

LARGEST = float(np.finfo(np.float32).max)
"""Learners compute in single precision, where anything larger is infinite."""

_NAMED_COLUMNS = 10


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRanges:
    """Of each column (d,): the lowest and highest value, NaN if it has none, and the gaps."""

    lowest: FloatArray
    highest: FloatArray
    n_missing: IntArray

    @property
    def is_constant(self) -> BoolArray:
        """Which columns have one value and no gap."""
        constant: BoolArray = (self.lowest == self.highest) & (self.n_missing == 0)
        return constant


def column_ranges(X: Features) -> ColumnRanges:
    """Return the ranges of the columns of an (n, d) table."""
    if scipy.sparse.issparse(X):
        return _sparse_ranges(X)
    return ColumnRanges(
        np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0), np.isnan(X).sum(axis=0)
    )


def refuse_infinite(X: Features, names: Sequence[str]) -> None:
    """Raise InputError, naming the columns, if values are infinite or beyond single precision.

    Parameters
    ----------
    X : (n, d) array or sparse array
        The table.
    names : sequence of d str
        Names of its columns.
    """
    values = X.data if scipy.sparse.issparse(X) else X
    if not values.size or _within(values):
        return
    too_large = np.abs(values) > LARGEST
    if scipy.sparse.issparse(X):
        counts = np.bincount(X.indices[too_large], minlength=X.shape[1])
    else:
        counts = too_large.sum(axis=0)
    guilty = np.flatnonzero(counts)
    listed = ", ".join(
        f"column {names[j]!r} in {counts[j]:,} {'row' if counts[j] == 1 else 'rows'}"
        for j in guilty[:_NAMED_COLUMNS]
    )
    if len(guilty) > _NAMED_COLUMNS:
        listed += f" and {len(guilty) - _NAMED_COLUMNS:,} more columns"
    raise InputError(
        "Input X contains infinity or a value too large for dtype('float32'): "
        f"{listed}. Replace such values by NaN (missing) or by numbers below {LARGEST:.1e}."
    )


def _within(values: FloatArray) -> bool:
    lowest, highest = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
    return not (lowest < -LARGEST or highest > LARGEST)


def _sparse_ranges(X: scipy.sparse.csr_array) -> ColumnRanges:
    n_rows, n_columns = X.shape
    n_missing = np.bincount(X.indices[np.isnan(X.data)], minlength=n_columns)
    has_zeros = np.bincount(X.indices, minlength=n_columns) < n_rows
    lowest = np.where(has_zeros, 0.0, np.nan)
    highest = lowest.copy()
    np.fmin.at(lowest, X.indices, X.data)
    np.fmax.at(highest, X.indices, X.data)
    return ColumnRanges(lowest, highest, n_missing)
