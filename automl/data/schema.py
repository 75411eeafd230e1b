"""The input contract: what was learnt of a table's columns at the fit, and how later ones are read.

All of it is fixed at the fit. Preparing a table later uses nothing of the other rows in it, so that
one row at a time gives what the whole table gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse

from automl.changes import Change
from automl.data.column import Column
from automl.data.column_ranges import refuse_infinite
from automl.data.feature_names import check_count, check_names
from automl.data.number_column import NumberColumn
from automl.data.schema_learning import learn_columns, resolve_kinds
from automl.data.table_reading import RawTable, open_table
from search_space.arrays import Features, FloatArray

ObjectArray = np.typing.NDArray[np.object_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What is known of the columns of a table.

    Attributes
    ----------
    columns : tuple of Column
        The columns that are kept, in the order of the table.
    input_names : tuple of str or None
        Names of all columns of the table, where they count.
    n_features_in : int
        Columns of the table.
    has_missing : bool
        Whether any value was missing in the kept columns.
    is_sparse : bool
        Whether the table was sparse; prepared tables are, then.
    changes : tuple of Change
        What was dropped or converted.
    estimator_name : str
        Who speaks in error messages.
    """

    columns: tuple[Column, ...]
    input_names: tuple[str, ...] | None
    n_features_in: int
    has_missing: bool
    is_sparse: bool
    changes: tuple[Change, ...]
    estimator_name: str

    @property
    def feature_names_in(self) -> ObjectArray | None:
        """Names of all columns of the table, None if it had none: (n_features_in,)."""
        return None if self.input_names is None else np.array(self.input_names, dtype=object)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the prepared columns."""
        return tuple(chain.from_iterable(column.output_names for column in self.columns))

    @property
    def sources(self) -> tuple[int, ...]:
        """Position in the user's table of the column that each prepared column comes from."""
        return tuple(
            column.position for column in self.columns for _ in range(len(column.output_names))
        )

    @property
    def categorical(self) -> tuple[int, ...]:
        """Positions of the prepared columns that hold level codes."""
        return tuple(j for j, n_levels in enumerate(self._levels()) if n_levels is not None)

    @property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the other prepared columns."""
        return tuple(j for j, n_levels in enumerate(self._levels()) if n_levels is None)

    @property
    def n_levels(self) -> tuple[int, ...]:
        """Levels of each categorical column."""
        return tuple(n_levels for n_levels in self._levels() if n_levels is not None)

    def transform(self, X: Any) -> Features:
        """Return the prepared table: (n, d), C-ordered, the caller's own to change.

        Parameters
        ----------
        X : array, data frame, sparse matrix or nested list
            A table with the columns of the fit.

        Raises
        ------
        InputError
            If the columns differ in number, name or order from those of the fit, or hold values
            that cannot be read or are infinite.
        """
        table = open_table(X, min_rows=1)
        check_names(self.input_names, table.names, self.estimator_name)
        check_count(self.n_features_in, table.n_columns, self.estimator_name)
        prepared = self._prepare(table if self.is_sparse else table.densified())
        refuse_infinite(prepared, self.names)
        return prepared

    def _prepare(self, table: RawTable) -> Features:
        if table.numbers is not None and all(type(c) is NumberColumn for c in self.columns):
            prepared = _take_columns(table.numbers, [column.position for column in self.columns])
        else:
            prepared = self._prepare_by_column(table)
        if self.is_sparse and not scipy.sparse.issparse(prepared):
            return scipy.sparse.csr_array(prepared)
        return prepared

    def _prepare_by_column(self, table: RawTable) -> FloatArray:
        prepared = np.empty((table.n_rows, len(self.names)))
        start = 0
        for column in self.columns:
            stop = start + len(column.output_names)
            prepared[:, start:stop] = column.encode(table.column(column.position))
            start = stop
        return prepared

    def _levels(self) -> list[int | None]:
        return [c.n_levels for c in self.columns for _ in range(len(c.output_names))]


def learn_schema(
    X: Any,
    *,
    kinds: Mapping[str | int, str] | None = None,
    estimator_name: str = "AutoClassifier",
) -> Schema:
    """Return what there is to know of a table's columns.

    Parameters
    ----------
    X : array, data frame, sparse matrix or nested list
        The table to learn from; it is not changed.
    kinds : mapping or None
        What to take columns for, by name or position, where the choice made from their types and
        values is not wanted: "number", "category", "date", "text" or "drop".
    estimator_name : str
        Who speaks in error messages.

    Raises
    ------
    InputError
        If it is no table of at least two rows, has infinite values, or nothing to learn from.
    """
    table = open_table(X, min_rows=2)
    learned = learn_columns(table, resolve_kinds(kinds or {}, table))
    return Schema(
        columns=learned.columns,
        input_names=table.names,
        n_features_in=table.n_columns,
        has_missing=learned.has_missing,
        is_sparse=scipy.sparse.issparse(table.block),
        changes=learned.changes,
        estimator_name=estimator_name,
    )


def _take_columns(block: Features, positions: list[int]) -> Features:
    """Return a C-ordered copy of some columns."""
    if len(positions) == block.shape[1]:
        return block.copy() if scipy.sparse.issparse(block) else np.array(block, order="C")
    if scipy.sparse.issparse(block):
        return scipy.sparse.csr_array(block[:, positions])
    return np.take(block, positions, axis=1)
