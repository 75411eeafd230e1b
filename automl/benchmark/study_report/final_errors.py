"""Errors at the end of runs: means on each data set, and average ranks.

As in the paper, methods are ranked by their mean errors over seeds on each data set. Where methods
are compared, only pairs of data set and seed count that every one of them has run; methods that
nobody has run at all are left out. Equal errors share their ranks.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from automl.benchmark.hpo_statistics import ranks_over_evaluations
from automl.errors import InputError

DIGITS = 9
"""Errors, their means and their differences are equal if they differ only beyond so many. Each is
rounded once, when it is compared: of rounded errors, equal differences would not stay equal."""


def present_methods(finals: pd.DataFrame, methods: tuple[str, ...], part: str) -> tuple[str, ...]:
    """Return those of some methods that have an error of a part, `validation` or `test`."""
    found = set(finals.loc[finals[part].notna(), "method"])
    return tuple(name for name in methods if name in found)


def complete_errors(finals: pd.DataFrame, methods: tuple[str, ...], part: str) -> pd.DataFrame:
    """Return errors of the pairs of data set and seed that every method has run.

    Parameters
    ----------
    finals : frame
        Of a study.
    methods : tuple of str
        Those that are there are compared.
    part : str
        `validation` or `test`.

    Returns
    -------
    frame
        A row for each data set and seed, a column for each method.
    """
    wanted = present_methods(finals, methods, part)
    wide = finals[finals["method"].isin(wanted)].pivot(
        index=["dataset", "seed"], columns="method", values=part
    )
    complete: pd.DataFrame = wide.reindex(columns=list(wanted)).dropna()
    return complete


def mean_errors(finals: pd.DataFrame, methods: tuple[str, ...], part: str) -> pd.DataFrame:
    """Return the mean of :func:`complete_errors` on each data set: what is ranked."""
    means = complete_errors(finals, methods, part).groupby(level="dataset").mean()
    rounded: pd.DataFrame = means.round(DIGITS)
    return rounded


def average_ranks(finals: pd.DataFrame, methods: tuple[str, ...], part: str) -> pd.DataFrame:
    """Return the average rank of each method, with a 95 % interval of Student's t over data sets.

    Returns
    -------
    frame : method, rank, low, high
        The best first; empty if no data set and seed is complete.
    """
    means = mean_errors(finals, methods, part)
    if means.empty:
        return pd.DataFrame(columns=["method", "rank", "low", "high"])
    long = _long(means)
    runs = long.rename(columns={"dataset": "problem"}).assign(seed=0, evaluation=1)
    ranked = ranks_over_evaluations(runs).drop(columns="evaluation")
    return ranked.sort_values("rank", kind="stable", ignore_index=True)


def _long(means: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each data set and method, as the statistics of tuning methods want it."""
    return means.reset_index().melt("dataset", var_name="method", value_name="best")


def errors_on_data_sets(finals: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return the mean error of every method on every data set, over all seeds that it has.

    Returns
    -------
    frame : dataset, method, mean, std, n_seeds
        In per cent; `std` is that of a sample, NaN with one seed.
    """
    known = finals.dropna(subset=[part])
    grouped = (known[part] * 100.0).groupby([known["dataset"], known["method"]])
    frame = pd.DataFrame(
        {"mean": grouped.mean(), "std": grouped.std(ddof=1), "n_seeds": grouped.size()}
    )
    return frame.reset_index()


def ranks_of_means(means: pd.DataFrame) -> pd.Series:
    """Return the average rank of each column over rows.

    Raises
    ------
    InputError
        If there are no rows.
    """
    if means.empty:
        raise InputError("There are no errors to rank.")
    ranks: pd.Series = means.rank(axis="columns", method="average").mean()
    return ranks


def mean_and_deviation(mean: float, deviation: float) -> str:
    """Return both in words, without what is unknown.

    Examples
    --------
    >>> mean_and_deviation(5.158, 0.091), mean_and_deviation(5.158, np.nan)
    ('5.16 ± 0.09', '5.16')
    """
    if np.isnan(mean):
        return ""
    return f"{mean:.2f}" + ("" if np.isnan(deviation) else f" ± {deviation:.2f}")
