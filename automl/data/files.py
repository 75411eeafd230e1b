"""Tables as files: CSV and Parquet."""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from pathlib import Path
from typing import IO, Any, cast

import pandas as pd
import pyarrow

from automl.errors import InputError

_DELIMITERS = (",", ";", "\t")
_LOOKED_AT_LINES = 20
_WHOLE_NUMBER = re.compile("0|-?[1-9][0-9]*")
_CSV, _PARQUET = (".csv", ".csv.gz"), (".parquet", ".pq")


def read_table(path: Path, *, labels: str | None = None) -> pd.DataFrame:
    """Return the table in a CSV file (comma, semicolon or tab; UTF-8) or a Parquet file.

    In a CSV file an empty field is missing and nothing else is: "NA" is a country.

    Parameters
    ----------
    path : Path
        The file.
    labels : str or None
        A column of labels, where a number is only what is written again as it was: "01" is text.

    Raises
    ------
    InputError
        If there is no such file, or it holds no table. The message has one line.
    """
    if not path.is_file():
        raise InputError(f"{path} is {'a folder' if path.is_dir() else 'not there'}; give a file")
    kind = kind_of_file(path)
    try:
        table = _read_csv(path, labels) if kind == "csv" else _read_parquet(path)
    except (OSError, ValueError, EOFError, csv.Error, pyarrow.ArrowException) as error:
        if isinstance(error, InputError):
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path} cannot be read as {kind}: {reason}") from error
    if table.empty:
        raise InputError(f"{path} holds no rows")
    return table


def write_predictions(path: Path, frame: pd.DataFrame) -> None:
    """Write a table of predictions as CSV or Parquet, by the file's suffix.

    Raises
    ------
    InputError
        If the suffix is another one or the file cannot be written.
    """
    kind = kind_of_file(path)
    try:
        if kind == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path, index=False)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error


def kind_of_file(path: Path) -> str:
    """Return "csv" or "parquet" by the suffix; raise InputError for another one."""
    name = path.name.lower()
    if name.endswith(_CSV):
        return "csv"
    if name.endswith(_PARQUET):
        return "parquet"
    raise InputError(
        f"{path} has a suffix that says no known kind of table; known are "
        f"{', '.join(_CSV + _PARQUET)}"
    )


def _read_csv(path: Path, labels: str | None) -> pd.DataFrame:
    delimiter = _check_head(path)
    # Reading in one piece: pieces could guess different types for one column.
    table = pd.read_csv(
        path,
        sep=delimiter,
        encoding="utf-8-sig",
        keep_default_na=False,
        na_values=[""],
        low_memory=False,
        index_col=False,
        dtype=None if labels is None else {labels: object},
    )
    if labels in table.columns:
        table[labels] = _labels(table[labels])
    return table


def _labels(texts: pd.Series[Any]) -> pd.Series[Any]:
    """Return labels as numbers or truth values where these are written as the texts are."""
    there = texts.dropna()
    if there.isin(["True", "False"]).all():
        return texts.map({"True": True, "False": False})
    numbers = pd.to_numeric(there, errors="coerce")
    if numbers.isna().any():
        return texts
    if not there.map(_WHOLE_NUMBER.fullmatch).notna().all():
        # Fractions are no labels, and are refused as what they are.
        return pd.to_numeric(texts) if (numbers % 1 != 0).any() else texts
    # Whole numbers beyond 64 bits would be rounded.
    return pd.to_numeric(texts) if numbers.dtype.kind in "iu" else texts


def _check_head(path: Path) -> str:
    """Return the delimiter after a look at the first lines."""
    with _open(path) as stream:
        lines = [line for _, line in zip(range(_LOOKED_AT_LINES), stream, strict=False)]
    if not "".join(lines).strip():
        raise InputError(f"{path} is empty")
    if any("\0" in line for line in lines):
        raise InputError(f"{path} is no text file")
    delimiter = max(_DELIMITERS, key=lambda candidate: len(_fields(lines, candidate)))
    repeated = [n for n, count in Counter(_fields(lines, delimiter)).items() if count > 1 and n]
    if repeated:
        raise InputError(f"{path} has several columns named {', '.join(map(repr, repeated))}")
    return delimiter


def _fields(lines: list[str], delimiter: str) -> list[str]:
    """Return the names in the head, as split by a delimiter."""
    return next(csv.reader(lines, delimiter=delimiter), [])


def _open(path: Path) -> IO[str]:
    if path.name.lower().endswith(".gz"):
        return cast(IO[str], gzip.open(path, "rt", encoding="utf-8-sig", newline=""))
    return path.open(encoding="utf-8-sig", newline="")


def _read_parquet(path: Path) -> pd.DataFrame:
    table = pd.read_parquet(path)
    # A named index was a column of the user's once.
    return table.reset_index() if any(table.index.names) else table
