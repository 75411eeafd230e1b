"""Columns of numbers, truth values and lengths of time."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd

from automl.changes import Change
from automl.data.raw_column import (
    BoolArray,
    Cells,
    Dates,
    Durations,
    Numbers,
    ObjectArray,
    RawColumn,
    missing_in,
)
from automl.errors import InputError
from search_space.arrays import FloatArray

_TRUTH_VALUES = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A column that stays as it is.

    Attributes
    ----------
    ignores_text : bool
        Whether text that is no number counts as missing, because some of it did at the fit.
    """

    position: int
    name: str
    ignores_text: bool = False

    @property
    def output_names(self) -> tuple[str, ...]:
        """The column's own name."""
        return (self.name,)

    @property
    def n_levels(self) -> None:
        """None: these are numbers."""
        return

    def encode(self, raw: RawColumn) -> FloatArray:
        """Return the numbers, also where they came as text: (n, 1)."""
        match raw:
            case Numbers(values=values):
                return values[:, None]
            case Cells():
                return self._parse(raw)[:, None]
            case Dates() | Durations():
                return _only_missing(raw, self.name, "numbers")

    def _parse(self, cells: Cells) -> FloatArray:
        numbers = parse_numbers(cells.values)
        if not self.ignores_text:
            refuse_unread(cells.values, np.isnan(numbers), self.name, "numbers")
        return take(numbers, cells)


@dataclass(frozen=True, slots=True)
class DurationColumn:
    """A column of lengths of time, in seconds."""

    position: int
    name: str

    @property
    def output_names(self) -> tuple[str, ...]:
        """The column's name with the unit."""
        return (f"{self.name}: seconds",)

    @property
    def n_levels(self) -> None:
        """None: these are numbers."""
        return

    def encode(self, raw: RawColumn) -> FloatArray:
        """Return the seconds: (n, 1)."""
        if isinstance(raw, Durations):
            return raw.seconds[:, None]
        return _only_missing(raw, self.name, "lengths of time")


def learn_number(
    raw: RawColumn, position: int, name: str
) -> tuple[NumberColumn, tuple[Change, ...]]:
    """Return a column of numbers and what has to be said of text among them.

    Raises
    ------
    InputError
        If it holds no number.
    """
    if not isinstance(raw, Cells):
        return NumberColumn(position, name), ()
    unread = np.isnan(parse_numbers(raw.values))
    if unread.all():
        raise InputError(f"column {name!r} holds no number that could be read")
    column = NumberColumn(position, name, ignores_text=bool(unread.any()))
    if not any(isinstance(value, str) for value in raw.values) and not unread.any():
        return column, ()
    reason = "its values say numbers"
    if unread.any():
        n_lost = int(raw.counts[unread].sum())
        reason += (
            f"; {n_lost:,} {'that does' if n_lost == 1 else 'that do'} not "
            f"(such as {raw.values[unread][0]!r}) became missing"
        )
    return column, (Change(f"column {name!r}", "read as numbers", reason),)


def learn_duration(
    raw: RawColumn,  # noqa: ARG001 - every kind of column is learnt by the same call
    position: int,
    name: str,
) -> tuple[DurationColumn, tuple[Change, ...]]:
    """Return a column of seconds."""
    change = Change(f"column {name!r}", "read as seconds", "it holds lengths of time")
    return DurationColumn(position, name), (change,)


def parse_numbers(values: ObjectArray) -> FloatArray:
    """Return the number that each value is or says, NaN where it does not.

    The text "true" says 1 and "false" says 0, in upper or lower case.
    """
    is_text = np.fromiter((isinstance(value, str) for value in values), bool, len(values))
    numbers = np.full(len(values), np.nan)
    if is_text.any():
        numbers[is_text] = pd.to_numeric(values[is_text], errors="coerce")
        for row in np.flatnonzero(is_text & np.isnan(numbers)):
            numbers[row] = _TRUTH_VALUES.get(values[row].strip().lower(), np.nan)
    numbers[~is_text] = [
        float(value) if isinstance(value, (Real, Decimal)) else np.nan for value in values[~is_text]
    ]
    return numbers


def take(by_value: FloatArray, cells: Cells) -> FloatArray:
    """Return what belongs to each row's value: (n, ...), NaN where missing."""
    rows = np.full((len(cells.codes), *by_value.shape[1:]), np.nan)
    there = cells.codes >= 0
    rows[there] = by_value[cells.codes[there]]
    return rows


def refuse_unread(values: ObjectArray, unread: BoolArray, name: str, expected: str) -> None:
    """Raise InputError if there is a value that could not be read, with one as an example."""
    if unread.any():
        raise InputError(
            f"column {name!r} held {expected} when fitting and now has {values[unread][0]!r}"
        )


def refuse_values(raw: RawColumn, name: str, expected: str) -> None:
    """Raise InputError if a column of another type than at the fit has values.

    The type of a column without a value says nothing.
    """
    if not missing_in(raw).all():
        found = {Dates: "dates", Durations: "lengths of time", Numbers: "numbers"}.get(
            type(raw), "text"
        )
        raise InputError(f"column {name!r} held {expected} when fitting and now has {found}")


def _only_missing(raw: RawColumn, name: str, expected: str) -> FloatArray:
    """Return NaN for each row of a column without a value."""
    refuse_values(raw, name, expected)
    return np.full((len(missing_in(raw)), 1), np.nan)
