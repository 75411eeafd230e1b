"""From a table to what is kept of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import scipy.sparse

from automl.changes import Change, pool_alike
from automl.data.column import Column, ColumnKind
from automl.data.column_choice import AS_ASKED, CONSTANT, EMPTY, learn_column
from automl.data.column_ranges import column_ranges, refuse_infinite
from automl.data.number_column import NumberColumn
from automl.data.table_reading import RawTable
from automl.errors import InputError
from search_space.arrays import Features

Kinds = Mapping[int, ColumnKind]
"""What a user takes columns for, by position."""


@dataclass(frozen=True, slots=True)
class LearnedColumns:
    """The columns that are kept, what has to be reported, and whether there are gaps."""

    columns: tuple[Column, ...]
    changes: tuple[Change, ...]
    has_missing: bool


def learn_columns(table: RawTable, kinds: Kinds) -> LearnedColumns:
    """Return what is kept of a table.

    Raises
    ------
    InputError
        If values are infinite, a column cannot be what the user takes it for, or nothing is left.
    """
    if table.numbers is None or _needs_columns(table, kinds):
        learned = _learn_one_by_one(table, kinds)
    else:
        learned = _learn_together(table, table.numbers, kinds)
    if not learned.columns:
        raise InputError(
            "X has no column to learn from: " + "; ".join(str(change) for change in learned.changes)
        )
    return learned


def resolve_kinds(kinds: Mapping[str | int, str], table: RawTable) -> Kinds:
    """Return the user's kinds by position.

    Raises
    ------
    InputError
        If a column or a kind does not exist.
    """
    return {_position(key, table): _kind(value, key) for key, value in kinds.items()}


def _position(key: str | int, table: RawTable) -> int:
    names = [table.name(j) for j in range(table.n_columns)]
    if key in names:
        return names.index(str(key))
    if isinstance(key, int) and 0 <= key < table.n_columns:
        return key
    near = get_close_matches(str(key), names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InputError(f"kinds names a column {key!r} that X does not have{hint}")


def _kind(value: str, key: str | int) -> ColumnKind:
    try:
        return ColumnKind(value)
    except ValueError as error:
        raise InputError(
            f"kinds[{key!r}] is {value!r}; it can be {', '.join(map(repr, map(str, ColumnKind)))}"
        ) from error


def _needs_columns(table: RawTable, kinds: Kinds) -> bool:
    """Return whether a column of numbers is to be taken for something else."""
    other = [j for j, kind in kinds.items() if kind not in (ColumnKind.NUMBER, ColumnKind.DROP)]
    if other and scipy.sparse.issparse(table.block):
        raise InputError(
            f"column {table.name(other[0])!r} cannot be a {kinds[other[0]]}: X is sparse, and "
            "sparse tables hold numbers only"
        )
    return bool(other)


def _learn_one_by_one(table: RawTable, kinds: Kinds) -> LearnedColumns:
    columns: list[Column] = []
    changes: list[Change] = []
    has_missing = False
    for position in range(table.n_columns):
        name, raw = table.name(position), table.column(position)
        column, reports = learn_column(raw, position, name, kinds.get(position))
        encoded = None if column is None else column.encode(raw)
        if column is None or encoded is None:
            changes.extend(reports)
        elif np.all(encoded == encoded[0]):  # text that differs, such as "1" and "1.0"
            changes.append(Change(f"column {name!r}", "dropped", CONSTANT))
        else:
            refuse_infinite(encoded, column.output_names)
            columns.append(column)
            changes.extend(reports)
            has_missing = has_missing or bool(np.isnan(encoded).any())
    return LearnedColumns(tuple(columns), pool_alike(changes), has_missing)


def _learn_together(table: RawTable, numbers: Features, kinds: Kinds) -> LearnedColumns:
    """Return the columns of a table of numbers, all at once."""
    names = [table.name(j) for j in range(table.n_columns)]
    asked = {j for j, kind in kinds.items() if kind is ColumnKind.DROP}
    ranges = column_ranges(numbers)
    reasons = np.full(table.n_columns, "", dtype=object)
    reasons[ranges.is_constant] = CONSTANT
    reasons[ranges.n_missing == table.n_rows] = EMPTY
    reasons[sorted(asked)] = AS_ASKED
    kept = np.flatnonzero(reasons == "").tolist()
    considered = numbers if len(kept) == len(names) else numbers[:, kept]
    refuse_infinite(considered, [names[j] for j in kept])
    changes = [
        Change(f"column {names[j]!r}", "dropped", reasons[j]) for j in np.flatnonzero(reasons != "")
    ]
    return LearnedColumns(
        tuple(NumberColumn(j, names[j]) for j in kept),
        pool_alike(changes),
        bool(ranges.n_missing[kept].any()),
    )
