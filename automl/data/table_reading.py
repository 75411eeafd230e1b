"""From any container of a table to its columns: arrays, lists, frames, sparse matrices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.sparse

from automl.data.column_reading import read_array, read_series
from automl.data.feature_names import valid_names
from automl.data.raw_column import Numbers, RawColumn, unmasked
from automl.errors import InputError, InputTypeError
from search_space.arrays import Features, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """A table as it came, behind one way to read its columns. It never writes to its source.

    Attributes
    ----------
    n_rows, n_columns : int
        The shape of the table.
    names : tuple of str or None
        Names of the columns where they count.
    block : (n_rows, m) array, sparse array or None
        The columns of plain numbers all at once, if there are any; may be the user's memory.
    places : (n_columns,) array or None
        Where each column is in `block`, -1 where it is not; None if all are there, in order.
    source : array, data frame or None
        Where the other columns are read from.
    """

    n_rows: int
    n_columns: int
    names: tuple[str, ...] | None
    block: Features | None = None
    places: IntArray | None = None
    source: pd.DataFrame | npt.NDArray[Any] | None = None

    @property
    def numbers(self) -> Features | None:
        """The whole table where it holds plain numbers only: (n_rows, n_columns)."""
        return self.block if self.places is None else None

    def name(self, position: int) -> str:
        """Return what to call a column."""
        return self.names[position] if self.names is not None else f"x{position}"

    def column(self, position: int) -> RawColumn:
        """Return what a column of a dense table holds."""
        place = position if self.places is None else int(self.places[position])
        if self.block is not None and place >= 0:
            return Numbers(self.block[:, place])
        if isinstance(self.source, pd.DataFrame):
            return read_series(self.source.iloc[:, position], self.name(position))
        assert self.source is not None
        return read_array(self.source[:, position], self.name(position))

    def densified(self) -> RawTable:
        """Return the table with a dense block if it has a sparse one."""
        if self.block is None or not scipy.sparse.issparse(self.block):
            return self
        return replace(self, block=self.block.toarray())


def open_table(X: Any, *, min_rows: int) -> RawTable:
    """Return a table of any container with its shape checked.

    Raises
    ------
    InputError
        If it is not two-dimensional, has too few rows or no columns, or has complex numbers.
    InputTypeError
        If it is not a table at all.
    """
    if scipy.sparse.issparse(X):  # asked first, since one kind of them is a dictionary as well
        table = _open_sparse(X)
    elif X is None or isinstance(X, (str, bytes, Path, dict, set)):
        raise InputTypeError(
            f"X must be a table (array, data frame or sparse matrix), got {type(X).__name__}"
        )
    elif isinstance(X, (pd.DataFrame, pd.Series)):
        table = _open_frame(X)
    elif hasattr(X, "to_pandas"):  # polars, Arrow
        table = _open_frame(X.to_pandas())
    else:
        table = _open_array(_to_array(X))
    _check_size(table, min_rows)
    return table


def _check_size(table: RawTable, min_rows: int) -> None:
    shape = (table.n_rows, table.n_columns)
    if table.n_rows < min_rows:
        raise InputError(
            f"Found array with {table.n_rows} sample(s) (shape={shape}) while a minimum of "
            f"{min_rows} is required."
        )
    if table.n_columns == 0:
        raise InputError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )


def _open_frame(X: pd.DataFrame | pd.Series[Any]) -> RawTable:
    if isinstance(X, pd.Series):
        raise InputError(
            "Expected a 2-dimensional container but got a Series instead. Pass a DataFrame "
            "containing a single row or a single column instead. Reshape your data."
        )
    names = valid_names(list(X.columns))
    dtypes = list(X.dtypes)
    if dtypes and all(
        isinstance(dtype, pd.SparseDtype) and dtype.fill_value == 0 for dtype in dtypes
    ):
        accessor: Any = X.sparse
        table = _open_sparse(accessor.to_coo())
        return replace(table, names=names)
    plain = np.array([isinstance(t, np.dtype) and _is_plain(t) for t in dtypes], dtype=bool)
    if plain.all():
        return RawTable(len(X), len(dtypes), names, X.to_numpy(dtype=np.float64))
    # Pandas takes a tenth of a millisecond to hand out one column of a frame.
    return RawTable(
        len(X),
        len(dtypes),
        names,
        block=X.iloc[:, np.flatnonzero(plain)].to_numpy(dtype=np.float64),
        places=np.where(plain, np.cumsum(plain) - 1, -1),
        source=X,
    )


def _open_array(X: npt.NDArray[Any]) -> RawTable:
    if X.dtype.kind == "c":
        raise InputError("Complex data not supported: X holds complex numbers")
    if X.ndim < 2:
        raise InputError(
            f"Expected 2D array, got {'scalar' if X.ndim == 0 else '1D'} array instead:\n"
            f"array={X}.\nReshape your data either using array.reshape(-1, 1) if your data has a "
            "single feature or array.reshape(1, -1) if it contains a single sample."
        )
    if X.ndim > 2:
        raise InputError(f"Found array with dim {X.ndim}, while dim <= 2 is required.")
    n_rows, n_columns = X.shape
    if _is_plain(X.dtype):
        return RawTable(n_rows, n_columns, None, X.astype(np.float64, copy=False))
    return RawTable(n_rows, n_columns, None, places=np.full(n_columns, -1), source=X)


def _open_sparse(X: Any) -> RawTable:
    if X.dtype.kind == "c":
        raise InputError("Complex data not supported: X holds complex numbers")
    if X.ndim != 2:
        raise InputError(f"Expected 2D sparse array, got {X.ndim}D. Reshape your data.")
    block = scipy.sparse.csr_array(X, dtype=np.float64, copy=True)
    block.sum_duplicates()  # sorts the indices as well
    if max(block.nnz, *block.shape) <= np.iinfo(np.int32).max:
        # Most learners cannot read 64-bit indices.
        block.indices = block.indices.astype(np.int32)
        block.indptr = block.indptr.astype(np.int32)
    return RawTable(block.shape[0], block.shape[1], None, block)


def _to_array(X: Any) -> npt.NDArray[Any]:
    """Return an array that kept the types of its cells and lost no mask."""
    if isinstance(X, np.ma.MaskedArray):
        values = unmasked(X)
        return values.astype(np.float64) if _is_plain(X.dtype) else values
    if isinstance(X, np.ndarray):
        return np.asarray(X)
    try:
        array = np.asarray(X)
        # Numbers beside text would all have become text.
        return np.array(X, dtype=object) if array.dtype.kind in "USO" else array
    except ValueError as error:
        raise InputError("X has rows of different lengths; a table is needed") from error


def _is_plain(dtype: np.dtype[Any]) -> bool:
    """Return whether a column of this type is a number that needs no second look."""
    return dtype.kind in "iuf"
