"""The protocol of a prepared column, and the kinds that there are."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from automl.data.raw_column import RawColumn
from search_space.arrays import FloatArray


class ColumnKind(StrEnum):
    """What a column is taken for; a user may say so by name."""

    NUMBER = "number"
    CATEGORY = "category"
    DATE = "date"
    DURATION = "duration"
    TEXT = "text"
    DROP = "drop"


class Column(Protocol):
    """What was learnt of a column at the fit: a frozen value that turns it into numbers."""

    @property
    def position(self) -> int:
        """Position of the column in the user's table."""
        ...

    @property
    def name(self) -> str:
        """Name of the column in the user's table."""
        ...

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the prepared columns that it becomes."""
        ...

    @property
    def n_levels(self) -> int | None:
        """Levels of a categorical column, None for numbers."""
        ...

    def encode(self, raw: RawColumn) -> FloatArray:
        """Return the (n, number of output names) prepared columns, NaN where missing.

        Every row is encoded by itself. Raises InputError for a value that cannot be read.
        """
        ...
