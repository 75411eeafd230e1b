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

from automl.benchmark.hpo.run_store import COLUMNS, circumstances_of, read_runs
from automl.benchmark.stored_runs import Circumstances
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
        sources tell of; what a table does not hold is NaN, as is time where evaluations are left
        out.

    Raises
    ------
    InputError
        If a source cannot be read, two of them hold the same run, or their runs differ in length
        or, where that is known, in other settings.
    """
    read = [read_best(path) if path.is_file() else read_runs(path) for path in sources]
    lengths = {
        int(runs["evaluation"].max()): path for runs, path in zip(read, sources, strict=True)
    }
    if len(lengths) > 1:
        told = ", ".join(f"{n} in {path}" for n, path in lengths.items())
        raise InputError(f"Runs must be of the same number of evaluations to be compared: {told}.")
    _check_settings(sources)
    common = set.intersection(*(set(runs["evaluation"]) for runs in read))
    together = pd.concat([_at(common, runs) for runs in read])
    repeated = together.duplicated([*_RUN, "evaluation"])
    if repeated.any():
        twice = together.loc[repeated].iloc[0]
        raise InputError(
            f"{twice['problem']}, {twice['method']}, seed {twice['seed']} is in more than one of "
            f"{', '.join(map(str, sources))}: leave one of them out."
        )
    return together.reset_index(drop=True)


def circumstances_of_all(sources: Sequence[Path]) -> list[Circumstances]:
    """Return what the results of each run depend on; tables of best losses do not tell."""
    return [one for path in sources if path.is_dir() for one in circumstances_of(path)]


def _check_settings(sources: Sequence[Path]) -> None:
    told = {path: next(circumstances_of(path)).settings for path in sources if path.is_dir()}
    if len(set(told.values())) > 1:
        listed = ", ".join(f"{path} ({settings})" for path, settings in told.items())
        raise InputError(f"Runs with other settings cannot be compared; tell them apart: {listed}.")


def _at(evaluations: set[int], runs: pd.DataFrame) -> pd.DataFrame:
    """Return some evaluations of runs; without seconds if these are not all, since they add up."""
    chosen = runs[runs["evaluation"].isin(evaluations)]
    if len(chosen) == len(runs):
        return chosen
    return chosen.assign(seconds=np.nan, training_seconds=np.nan)


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
