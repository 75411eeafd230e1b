"""What to take a column for: decided once, at the fit, by its type and its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from automl.changes import Change
from automl.data.category_column import learn_category
from automl.data.column import Column, ColumnKind
from automl.data.date_column import learn_date, parse_dates
from automl.data.number_column import learn_duration, learn_number, parse_numbers
from automl.data.raw_column import (
    BoolArray,
    Cells,
    Dates,
    Durations,
    Numbers,
    RawColumn,
    is_constant,
    missing_in,
)
from automl.data.text_column import learn_text
from automl.errors import InputError

NEARLY_ALL = 0.9
"""Share of rows with text that says a number (or a date) above which all of it is read so."""

IDENTIFIER_SHARE = 0.9
"""Distinct values per row above which categories are too rare to learn from."""

FREE_TEXT_SHARE, FREE_TEXT_WORDS = 0.5, 3.0
"""Distinct values per row, and words per value, from which on categories are free text."""

_LEADING_ZERO = re.compile(r"\s*[+-]?0\d")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d(:?\d\d)?)?)?$")

_LEARNERS: Mapping[
    ColumnKind, Callable[[RawColumn, int, str], tuple[Column, tuple[Change, ...]]]
] = {
    ColumnKind.NUMBER: learn_number,
    ColumnKind.CATEGORY: learn_category,
    ColumnKind.DATE: learn_date,
    ColumnKind.DURATION: learn_duration,
    ColumnKind.TEXT: learn_text,
}

AS_ASKED = "as asked for"
EMPTY = "it has no values"
CONSTANT = "it has the same value in every row"
_IDENTIFIER = "nearly every row has a value of its own, as identifiers have"


def learn_column(
    raw: RawColumn, position: int, name: str, kind: ColumnKind | None
) -> tuple[Column | None, tuple[Change, ...]]:
    """Return what is kept of a column, None if nothing is, and what has to be reported.

    Parameters
    ----------
    kind : ColumnKind or None
        What the user takes the column for, if they said so.

    Raises
    ------
    InputError
        If the column cannot be what the user takes it for.
    """
    reason = AS_ASKED if kind is ColumnKind.DROP else _why_useless(raw)
    if not reason and kind is None:
        kind = choose_kind(raw)
        reason = _IDENTIFIER if kind is ColumnKind.DROP else ""
    if reason or kind is None:
        return None, (Change(f"column {name!r}", "dropped", reason),)
    _refuse_misfit(raw, name, kind)
    return _LEARNERS[kind](raw, position, name)


def choose_kind(raw: RawColumn) -> ColumnKind:
    """Return what a column is, by its type and, for text, by its values."""
    match raw:
        case Numbers():
            return ColumnKind.NUMBER
        case Dates():
            return ColumnKind.DATE
        case Durations():
            return ColumnKind.DURATION
        case Cells(is_declared=True):
            return (
                ColumnKind.DROP if _distinct_share(raw) > IDENTIFIER_SHARE else ColumnKind.CATEGORY
            )
        case Cells():
            return _choose_kind_of_text(raw)


def _choose_kind_of_text(cells: Cells) -> ColumnKind:
    if _says_numbers(cells):
        return ColumnKind.NUMBER
    if _says_dates(cells):
        return ColumnKind.DATE
    share = _distinct_share(cells)
    n_words = np.average([len(str(v).split()) for v in cells.values], weights=cells.counts)
    if share > FREE_TEXT_SHARE and n_words >= FREE_TEXT_WORDS:
        return ColumnKind.TEXT
    return ColumnKind.DROP if share > IDENTIFIER_SHARE else ColumnKind.CATEGORY


def _says_numbers(cells: Cells) -> bool:
    """Return whether nearly all values are numbers; postcodes such as 01234 are none."""
    if any(isinstance(value, str) and _LEADING_ZERO.match(value) for value in cells.values):
        return False
    return _share_of_rows(cells, ~np.isnan(parse_numbers(cells.values))) >= NEARLY_ALL


def _says_dates(cells: Cells) -> bool:
    looks = np.array([_ISO_DATE.match(str(value)) is not None for value in cells.values])
    if _share_of_rows(cells, looks) < NEARLY_ALL:
        return False
    return _share_of_rows(cells, ~np.isnat(parse_dates(cells.values))) >= NEARLY_ALL


def _share_of_rows(cells: Cells, chosen: BoolArray) -> float:
    counts = cells.counts
    return float(counts[chosen].sum() / counts.sum())


def _distinct_share(cells: Cells) -> float:
    return len(cells.values) / int(cells.counts.sum())


def _why_useless(raw: RawColumn) -> str:
    if missing_in(raw).all():
        return EMPTY
    return CONSTANT if is_constant(raw) else ""


def _refuse_misfit(raw: RawColumn, name: str, kind: ColumnKind) -> None:
    fits = {
        ColumnKind.NUMBER: isinstance(raw, (Numbers, Cells)),
        ColumnKind.DURATION: isinstance(raw, Durations),
    }
    if not fits.get(kind, True):
        raise InputError(f"column {name!r} cannot be read as a {kind}; its values are not")
