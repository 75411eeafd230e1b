"""The figures of the paper, which a checkout keeps in ``datasets/paper``.

References
----------
.. [1] Y. Shen, Y. Lu, Y. Li, Y. Tu, W. Zhang, B. Cui (2022). DivBO: Diversity-aware CASH for
   Ensemble Learning. NeurIPS.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

# Names that OpenML or a suite gives to data sets of the paper.
_OTHER_NAMES = {"eegeyestate": "eeg", "amazonemployeeaccess": "amazonemployee"}


def published_errors() -> pd.DataFrame:
    """Return the test errors of the paper's table 1, in per cent.

    Returns
    -------
    frame : dataset, method, mean, std
        Without rows where the project was installed without its data.
    """
    return _table("divbo_table1.csv", ["dataset", "method", "mean", "std"])


def published_values(quantity: str) -> pd.Series:
    """Return other figures of the paper by name of method or surrogate, e.g. of `better`."""
    table = _table("divbo_other.csv", ["source", "quantity", "name", "value"])
    chosen = table[table["quantity"] == quantity]
    return pd.Series(chosen["value"].to_numpy(dtype=float), index=chosen["name"])


def published_names(names: Iterable[str]) -> dict[str, str]:
    """Return the paper's name of each data set that it has, whatever the spelling.

    Examples
    --------
    >>> published_names(["Quake", "eeg-eye-state", "iris"])
    {'Quake': 'quake', 'eeg-eye-state': 'eeg'}
    """
    known = {_plain(name): name for name in published_errors()["dataset"].unique()}
    return {name: known[_plain(name)] for name in names if _plain(name) in known}


def _plain(name: str) -> str:
    letters = "".join(letter for letter in name.lower() if letter.isalnum())
    return _OTHER_NAMES.get(letters, letters)


def _table(name: str, columns: list[str]) -> pd.DataFrame:
    path = Path(__file__).parents[3] / "datasets" / "paper" / name
    return pd.read_csv(path, comment="#") if path.exists() else pd.DataFrame(columns=columns)
