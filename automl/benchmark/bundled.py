"""The small tables that come with the project: a checkout keeps them in ``datasets/bundled``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from automl.data.files import read_table
from automl.errors import InputError

_TARGET = "target"


def bundled_names() -> tuple[str, ...]:
    """Return the names of the bundled tables, sorted."""
    return tuple(sorted(path.stem for path in _folder().glob("*.parquet")))


def load_bundled(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return a bundled table and its labels.

    Parameters
    ----------
    name : str
        One of `bundled_names`.

    Returns
    -------
    X : (n, d) DataFrame
        Features.
    y : (n,) Series
        Labels.

    Raises
    ------
    InputError
        If there is no table of that name.

    Examples
    --------
    >>> X, y = load_bundled("quake")
    >>> X.shape
    (2178, 3)
    """
    names = bundled_names()
    if name not in names:  # also keeps a name such as "../secret" from being a path
        known = ", ".join(names) or f"none, {_folder()} holds no table"
        raise InputError(f"no bundled table is called {name!r}; there are: {known}")
    table = read_table(_folder() / f"{name}.parquet")
    return table.drop(columns=_TARGET), table[_TARGET]


def _folder() -> Path:
    """Return where the tables are: inside the package in a wheel, beside it in a checkout."""
    packaged = Path(__file__).parent / "bundled"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "datasets" / "bundled"
