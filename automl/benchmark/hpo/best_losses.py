"""The best losses of runs as a table to keep, and runs again from it.

A report writes ``best.csv``: one line for each run, a column for each number of evaluations that
is told. Ranks and significance after so many evaluations can be computed from it again; time and
weights cannot, since it does not hold them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from automl.benchmark.hpo.run_store import COLUMNS, read_runs
from automl.errors import InputError

_RUN = ["problem", "method", "seed"]


def read_all(sources: Sequence[Path]) -> pd.DataFrame:
    """Return the evaluations of folders of runs and of tables of best losses together.

    Parameters
    ----------
    sources : sequence of Path
        A folder is one that a `RunStore` wrote to, a file one of best losses.

    Returns
    -------
    frame
        As of :func:`~automl.benchmark.hpo.run_store.read_runs`, with the evaluations that all
        sources tell of; what a table does not hold is NaN.

    Raises
    ------
    InputError
        If a source cannot be read, two of them hold the same run, or their runs differ in length.
    """
    read = [read_best(path) if path.is_file() else read_runs(path) for path in sources]
    lengths = {
        int(runs["evaluation"].max()): path for runs, path in zip(read, sources, strict=True)
    }
    if len(lengths) > 1:
        told = ", ".join(f"{n} in {path}" for n, path in lengths.items())
        raise InputError(f"Runs must be of the same number of evaluations to be compared: {told}.")
    common = set.intersection(*(set(runs["evaluation"]) for runs in read))
    together = pd.concat([runs[runs["evaluation"].isin(common)] for runs in read])
    repeated = together.duplicated([*_RUN, "evaluation"])
    if repeated.any():
        twice = together.loc[repeated].iloc[0]
        raise InputError(
            f"{twice['problem']}, {twice['method']}, seed {twice['seed']} is in more than one of "
            f"{', '.join(map(str, sources))}: leave one of them out."
        )
    return together.reset_index(drop=True)


def read_best(path: Path) -> pd.DataFrame:
    """Return the runs of a table of best losses.

    Parameters
    ----------
    path : Path
        CSV with the columns of :func:`~automl.benchmark.hpo_statistics.best_of_runs`.

    Raises
    ------
    InputError
        If it is no such table, or a loss is missing.
    """
    try:
        wide = pd.read_csv(path, dtype={"problem": str, "method": str})
        seeds = wide["seed"].astype(np.int64)
        evaluations = [int(name) for name in wide.columns.drop(_RUN)]
        losses = wide[wide.columns.drop(_RUN)].astype(np.float64)
    except (ValueError, KeyError) as error:  # of pandas too
        raise InputError(
            f"{path} is no table of best losses: its columns must be problem, method, seed and "
            f"then numbers of evaluations, and losses numbers ({error})."
        ) from error
    if losses.empty or losses.isna().any(axis=None):
        raise InputError(f"{path} has no losses, or lacks some: write it again with `report`.")
    wide = wide[_RUN].assign(seed=seeds).join(losses.set_axis(evaluations, axis="columns"))
    long = wide.melt(_RUN, var_name="evaluation", value_name="best")
    return long.astype({"evaluation": np.int64}).reindex(columns=COLUMNS)
