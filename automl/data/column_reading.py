"""From one column of an array or a frame, of any type, to what it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from automl.data.raw_column import (
    Cells,
    DateArray,
    Dates,
    Durations,
    Numbers,
    ObjectArray,
    RawColumn,
    object_array,
)
from automl.errors import InputError
from search_space.arrays import FloatArray

_NUMBERS = frozenset({"integer", "floating", "mixed-integer-float", "decimal", "boolean"})
_DATES = frozenset({"datetime", "datetime64", "date"})
_DURATIONS = frozenset({"timedelta", "timedelta64"})


def read_series(series: pd.Series[Any], name: str) -> RawColumn:
    """Return what a column of a frame holds, by its declared type.

    Raises
    ------
    InputError
        If it holds complex numbers or records.
    """
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _read_categories(series)
    if isinstance(dtype, (pd.PeriodDtype, pd.DatetimeTZDtype)):
        return Dates(_utc(series))
    if isinstance(dtype, (np.dtype, pd.SparseDtype)):
        return read_array(np.asarray(series), name)
    if dtype.kind in "biuf":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Numbers(values, is_boolean=dtype.kind == "b")
    raw = _read_objects(series.to_numpy(dtype=object, na_value=np.nan), name)
    if isinstance(raw, Cells) and str(dtype).startswith("dictionary"):  # Arrow's categories
        return replace(raw, is_declared=True)
    return raw


def read_array(values: npt.NDArray[Any], name: str) -> RawColumn:
    """Return what a one-dimensional array holds; errors as for :func:`read_series`."""
    match values.dtype.kind:
        case "b":
            return Numbers(values.astype(np.float64), is_boolean=True)
        case "i" | "u" | "f":
            return Numbers(values.astype(np.float64))
        case "M":
            return Dates(_microseconds(values))
        case "m":
            return Durations(_seconds(values))
        case "c":
            raise _complex_refused(name)
        case "S":
            return _read_objects(np.char.decode(values, "utf-8", "replace").astype(object), name)
        case "O" | "U" | "T":
            return _read_objects(values.astype(object), name)
        case _:
            raise InputError(f"column {name!r} has the type {values.dtype}, which is not supported")


def _read_objects(values: ObjectArray, name: str) -> RawColumn:
    """Return what Python objects hold, by the types of the values that are there."""
    found = pd.api.types.infer_dtype(values, skipna=True)
    if found in _NUMBERS:
        return _read_number_objects(values, name, is_boolean=found == "boolean")
    if found == "empty":
        return Numbers(np.full(len(values), np.nan))
    if found in _DATES:
        return Dates(_utc(pd.to_datetime(pd.Series(values), utc=True)))
    if found in _DURATIONS:
        return Durations(_seconds(np.asarray(pd.to_timedelta(values))))
    if found == "period":
        return Dates(_microseconds(pd.PeriodIndex(values).to_timestamp().to_numpy()))
    if found == "complex":
        raise _complex_refused(name)
    return _factorize(_truth_as_text(values) if found.startswith("mixed") else values)


def _read_number_objects(values: ObjectArray, name: str, *, is_boolean: bool) -> Numbers:
    there = ~np.asarray(pd.isna(values))
    numbers = np.full(len(values), np.nan)
    try:
        numbers[there] = values[there].astype(np.float64)
    except OverflowError as error:
        raise InputError(
            f"column {name!r} holds a whole number too large for double precision"
        ) from error
    return Numbers(numbers, is_boolean=is_boolean)


def _truth_as_text(values: ObjectArray) -> ObjectArray:
    """Return the values with truth values as text, as which they differ from 0 and 1."""
    return object_array([str(v) if isinstance(v, (bool, np.bool_)) else v for v in values])


def _factorize(values: ObjectArray) -> Cells:
    try:
        codes, distinct = pd.factorize(values)
    except TypeError:  # lists and other values that cannot be hashed are told apart by their text
        missing = np.asarray(pd.isna(values))
        pairs = zip(values, missing, strict=True)
        codes, distinct = pd.factorize(
            object_array([None if gone else str(value) for value, gone in pairs])
        )
    decoded = [v.decode("utf-8", "replace") if isinstance(v, bytes) else v for v in distinct]
    return Cells(codes.astype(np.int64), object_array(decoded))


def _read_categories(series: pd.Series[Any]) -> Cells:
    """Return the categories that are in use, in their declared order."""
    codes = series.cat.codes.to_numpy().astype(np.int64)
    used = np.unique(codes[codes >= 0])
    values = object_array(list(series.cat.categories[used]))
    positions = np.where(codes >= 0, np.searchsorted(used, codes), -1)
    return Cells(positions, values, is_declared=True, is_ordered=bool(series.cat.ordered))


def _utc(series: pd.Series[Any]) -> DateArray:
    """Return the start of periods, or dates with a time zone, in UTC."""
    if isinstance(series.dtype, pd.PeriodDtype):
        return _microseconds(series.dt.to_timestamp().to_numpy())
    return _microseconds(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())


def _microseconds(values: npt.NDArray[Any]) -> DateArray:
    return values.astype("datetime64[us]")


def _seconds(values: npt.NDArray[Any]) -> FloatArray:
    seconds = values.astype("timedelta64[us]").astype(np.float64) / 1e6
    seconds[np.isnat(values)] = np.nan
    return seconds


def _complex_refused(name: str) -> InputError:
    return InputError(f"Complex data not supported: column {name!r} holds complex numbers")
