"""Columns of dates: a set of numeric parts that is chosen at the fit.

Days count from the earliest date at the fit, because learners compute in single precision, which
resolves days since 1970 only to minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from automl.changes import Change
from automl.data.number_column import refuse_unread, refuse_values
from automl.data.raw_column import Cells, DateArray, Dates, ObjectArray, RawColumn, missing_in
from automl.errors import InputError
from search_space.arrays import FloatArray, IntArray

_DAY = np.timedelta64(1, "D")
_THURSDAY = 3  # the first of January 1970 was one; Monday is 0


def _in_units(dates: DateArray, unit: str) -> IntArray:
    """Return whole units since the start of 1970."""
    return dates.astype(f"datetime64[{unit}]").astype(np.int64)


def _day_of_month(dates: DateArray) -> IntArray:
    first = dates.astype("datetime64[M]").astype("datetime64[D]")
    day: IntArray = (dates.astype("datetime64[D]") - first).astype(np.int64) + 1
    return day


_PARTS: Mapping[str, Callable[[DateArray], IntArray]] = {
    "year": lambda dates: _in_units(dates, "Y") + 1970,
    "month": lambda dates: _in_units(dates, "M") % 12 + 1,
    "day": _day_of_month,
    "weekday": lambda dates: (_in_units(dates, "D") + _THURSDAY) % 7,
    "hour": lambda dates: _in_units(dates, "h") % 24,
}


@dataclass(frozen=True, slots=True)
class DateColumn:
    """A column of points in time.

    Attributes
    ----------
    origin : int, microseconds since 1970
        The earliest date at the fit.
    parts : tuple of str
        The parts that varied at the fit, after the days since `origin`, which are always there.
    ignores_text : bool
        Whether text that is no date counts as missing, because some of it did at the fit.
    """

    position: int
    name: str
    origin: int
    parts: tuple[str, ...]
    ignores_text: bool = False

    @property
    def output_names(self) -> tuple[str, ...]:
        """The column's name with each part."""
        return tuple(f"{self.name}: {part}" for part in ("days", *self.parts))

    @property
    def n_levels(self) -> None:
        """None: these are numbers."""
        return

    def encode(self, raw: RawColumn) -> FloatArray:
        """Return the parts of each date: (n, 1 + number of parts)."""
        dates = self._read(raw)
        encoded = np.full((len(dates), 1 + len(self.parts)), np.nan)
        there = ~np.isnat(dates)
        encoded[there, 0] = (dates[there] - np.datetime64(self.origin, "us")) / _DAY
        for column, part in enumerate(self.parts, start=1):
            encoded[there, column] = _PARTS[part](dates[there])
        return encoded

    def _read(self, raw: RawColumn) -> DateArray:
        if isinstance(raw, Dates):
            return raw.values
        if isinstance(raw, Cells):
            dates = parse_dates(raw.values)
            if not self.ignores_text:
                refuse_unread(raw.values, np.isnat(dates), self.name, "dates")
            return _take_dates(dates, raw)
        refuse_values(raw, self.name, "dates")
        return np.full(len(missing_in(raw)), "NaT", dtype="datetime64[us]")


def learn_date(raw: RawColumn, position: int, name: str) -> tuple[DateColumn, tuple[Change, ...]]:
    """Return a column of the parts that vary.

    Raises
    ------
    InputError
        If it holds no dates.
    """
    if isinstance(raw, Cells):
        by_value = parse_dates(raw.values)
        dates, unread = _take_dates(by_value, raw), np.isnat(by_value)
    elif isinstance(raw, Dates):
        dates, unread = raw.values, np.zeros(0, dtype=bool)
    else:
        raise InputError(f"column {name!r} cannot be read as a date; its values are not")
    there = dates[~np.isnat(dates)]
    if not len(there):
        raise InputError(f"column {name!r} holds no date that could be read")
    parts = tuple(part for part, of in _PARTS.items() if np.ptp(of(there)) > 0)
    origin = int(there.min().astype(np.int64))
    column = DateColumn(position, name, origin, parts, ignores_text=bool(unread.any()))
    reason = "its text is dates" if isinstance(raw, Cells) else "it holds dates"
    if isinstance(raw, Cells) and unread.any():
        reason += f"; others, such as {raw.values[unread][0]!r}, became missing"
    action = f"replaced by days{''.join(f', {part}' for part in parts)}"
    return column, (Change(f"column {name!r}", action, reason),)


def parse_dates(values: ObjectArray) -> DateArray:
    """Return the date that each value is or says in ISO 8601, NaT where it does not."""
    texts = [value if isinstance(value, str) else str(value) for value in values]
    stamps = pd.to_datetime(
        pd.Series(texts, dtype=object), format="ISO8601", errors="coerce", utc=True
    )
    naive: DateArray = stamps.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    return naive


def _take_dates(by_value: DateArray, cells: Cells) -> DateArray:
    dates = np.full(len(cells.codes), "NaT", dtype="datetime64[us]")
    there = cells.codes >= 0
    dates[there] = by_value[cells.codes[there]]
    return dates
