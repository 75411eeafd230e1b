"""What a column holds, whatever container it came in: numbers, dates, durations or cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from search_space.arrays import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]
DateArray = npt.NDArray[np.datetime64]
ObjectArray = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Numbers of any type.

    Attributes
    ----------
    values : (n,) array
        Missing values are NaN.
    is_boolean : bool
        Whether they were stored as truth values, now 0 and 1.
    """

    values: FloatArray
    is_boolean: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Dates:
    """Points in time: (n,) array in UTC with a resolution of microseconds, NaT where missing."""

    values: DateArray


@dataclass(frozen=True, slots=True, eq=False)
class Durations:
    """Lengths of time: (n,) array in seconds, NaN where missing."""

    seconds: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Text and anything else, each distinct value once.

    Attributes
    ----------
    codes : (n,) array
        Position of each row's value in `values`, -1 where missing.
    values : (u,) array of objects
        The distinct values, all of them in use.
    is_declared : bool
        Whether the container said that these are categories.
    is_ordered : bool
        Whether it also said that their order means something.
    """

    codes: IntArray
    values: ObjectArray
    is_declared: bool = False
    is_ordered: bool = False

    @property
    def counts(self) -> IntArray:
        """(u,) array, rows of each distinct value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))


RawColumn = Numbers | Dates | Durations | Cells


def missing_in(raw: RawColumn) -> BoolArray:
    """Return the (n,) mask of rows without a value."""
    match raw:
        case Numbers(values=values) | Durations(seconds=values):
            return np.isnan(values)
        case Dates(values=values):
            return np.isnat(values)
        case Cells(codes=codes):
            return codes < 0


def is_constant(raw: RawColumn) -> bool:
    """Return whether every row holds the same value; a missing value is another value."""
    match raw:
        case Numbers(values=values) | Durations(seconds=values) | Dates(values=values):
            return bool(np.all(values == values[0]))
        case Cells(codes=codes):
            return bool(codes[0] >= 0 and np.all(codes == codes[0]))


def as_cells(raw: RawColumn) -> Cells:
    """Return the distinct values of any column."""
    match raw:
        case Cells():
            return raw
        case Numbers(values=values, is_boolean=True):
            return _distinct(values, missing_in(raw), bool)
        case Numbers(values=values) | Durations(seconds=values):
            return _distinct(values, missing_in(raw), float)
        case Dates(values=values):
            return _distinct(values, missing_in(raw), pd.Timestamp)


def _distinct(values: npt.NDArray[Any], missing: BoolArray, convert: Callable[[Any], Any]) -> Cells:
    codes = np.full(len(values), -1, dtype=np.int64)
    distinct, codes[~missing] = np.unique(values[~missing], return_inverse=True)
    return Cells(codes, object_array([convert(value) for value in distinct]))


def object_array(values: list[Any]) -> ObjectArray:
    """Return a one-dimensional array of objects, also when the objects are sequences."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def unmasked(array: np.ma.MaskedArray[Any, Any]) -> ObjectArray:
    """Return the values of a masked array as objects, None where they are masked."""
    values = np.asarray(array.data).astype(object)
    values[np.ma.getmaskarray(array)] = None
    return values
