"""Columns of free text, of which only simple statistics are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from automl.changes import Change
from automl.data.category_column import level_text
from automl.data.number_column import take
from automl.data.raw_column import RawColumn, as_cells
from search_space.arrays import FloatArray

_STATISTICS = ("characters", "words", "share of digits", "share of capitals")


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of texts, each replaced by its length and make-up."""

    position: int
    name: str

    @property
    def output_names(self) -> tuple[str, ...]:
        """The column's name with each statistic."""
        return tuple(f"{self.name}: {statistic}" for statistic in _STATISTICS)

    @property
    def n_levels(self) -> None:
        """None: these are numbers."""
        return

    def encode(self, raw: RawColumn) -> FloatArray:
        """Return the statistics of each text: (n, 4)."""
        cells = as_cells(raw)
        statistics = [_statistics(level_text(value)) for value in cells.values]
        return take(np.array(statistics, dtype=np.float64).reshape(-1, len(_STATISTICS)), cells)


def learn_text(
    raw: RawColumn,  # noqa: ARG001 - every kind of column is learnt by the same call
    position: int,
    name: str,
) -> tuple[TextColumn, tuple[Change, ...]]:
    """Return a column of statistics; nothing of the texts themselves is kept."""
    reason = "it holds free text, too varied for categories"
    change = Change(f"column {name!r}", f"replaced by {', '.join(_STATISTICS)}", reason)
    return TextColumn(position, name), (change,)


def _statistics(text: str) -> tuple[int, int, float, float]:
    length = max(len(text), 1)
    digits = sum(character.isdigit() for character in text)
    capitals = sum(character.isupper() for character in text)
    return len(text), len(text.split()), digits / length, capitals / length
