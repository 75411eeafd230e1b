"""Columns of categories: a level code for each value seen at the fit.

Levels are matched by value, never by the position that a container happens to give them, and
whatever the type in which the value comes: 1, 1.0 and "1" are the same level.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from automl.changes import Change
from automl.data.number_column import parse_numbers, take
from automl.data.raw_column import Cells, RawColumn, as_cells, object_array
from search_space.arrays import FloatArray

_ALIKE_FROM = 2.0**53  # from here on double precision does not tell whole numbers apart


@dataclass(frozen=True, slots=True)
class CategoryColumn:
    """A column of level codes.

    Attributes
    ----------
    levels : tuple of str
        The text of each level; its position is its code.
    has_number_levels : bool
        Whether the levels were numbers, so that text is matched by the number it says.
    """

    position: int
    name: str
    levels: tuple[str, ...]
    has_number_levels: bool = False

    @property
    def output_names(self) -> tuple[str, ...]:
        """The column's own name."""
        return (self.name,)

    @property
    def n_levels(self) -> int:
        """Levels seen at the fit."""
        return len(self.levels)

    def encode(self, raw: RawColumn) -> FloatArray:
        """Return the codes, `n_levels` for a value not seen at the fit: (n, 1)."""
        cells = as_cells(raw)
        by_text = {level: code for code, level in enumerate(self.levels)}
        codes = [by_text.get(level_text(value), -1) for value in cells.values]
        if -1 in codes:
            codes = self._match_numbers(cells, codes)
        known = np.array(codes, dtype=np.float64)
        known[known < 0] = self.n_levels
        return take(known, cells)[:, None]

    def _match_numbers(self, cells: Cells, codes: list[int]) -> list[int]:
        """Return the codes with numbers matched to levels that say the same number."""
        by_number = _levels_by_number(self.levels)
        numbers = parse_numbers(cells.values)
        return [
            by_number.get(number, -1)
            if code < 0
            and abs(number) < _ALIKE_FROM
            and (self.has_number_levels or not isinstance(value, str))
            else code
            for code, number, value in zip(codes, numbers.tolist(), cells.values, strict=True)
        ]


def learn_category(
    raw: RawColumn, position: int, name: str
) -> tuple[CategoryColumn, tuple[Change, ...]]:
    """Return a column of the levels that are there, in an order that rows do not change."""
    cells = as_cells(raw)
    texts = [level_text(value) for value in cells.values]
    has_numbers = all(_is_number(value) for value in cells.values)
    if cells.is_ordered:
        levels = list(dict.fromkeys(texts))
    elif has_numbers:
        numbers = parse_numbers(cells.values).tolist()
        ascending = sorted(zip(numbers, texts, strict=True))
        levels = list(dict.fromkeys(text for _, text in ascending))
    else:
        levels = sorted(set(texts))
    column = CategoryColumn(position, name, tuple(levels), has_number_levels=has_numbers)
    if len(levels) == len(texts):
        return column, ()
    reason = f"{len(texts) - len(levels):,} differ from another value in their type only"
    return column, (Change(f"column {name!r}", "had values pooled", reason),)


def level_text(value: Any) -> str:
    """Return the text that stands for a value: the same for 1 and 1.0, or a date and its midnight.

    It does not depend on whether the container had a type for dates, periods or lengths of time.
    """
    if isinstance(value, pd.Period):
        value = value.start_time
    if isinstance(value, datetime.date):
        stamp = pd.Timestamp(value)
        return str(stamp.tz_convert("UTC").tz_localize(None) if stamp.tz else stamp)
    if isinstance(value, datetime.timedelta):
        value = value.total_seconds()
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, Integral):  # not as a float: identifiers have up to twenty digits
        return str(int(value))
    if isinstance(value, (Real, Decimal)):
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def _levels_by_number(levels: tuple[str, ...]) -> Mapping[float, int]:
    numbers = parse_numbers(object_array(list(levels))).tolist()
    # The first of several levels that say the same number, such as "1" and "01", stands for it.
    return {number: code for code, number in reversed(list(enumerate(numbers)))}
