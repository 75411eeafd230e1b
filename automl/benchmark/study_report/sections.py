"""The tables of the paper, measured and published figures side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd

from automl.benchmark.study_report.courses import effective_updates, learner_errors
from automl.benchmark.study_report.final_errors import (
    average_ranks,
    errors_on_data_sets,
    mean_and_deviation,
    mean_errors,
    ranks_of_means,
)
from automl.benchmark.study_report.methods import PAPER_METHODS, TABLE_1_METHODS, search_name
from automl.benchmark.study_report.published import (
    published_errors,
    published_names,
    published_values,
)
from automl.benchmark.study_report.run_files import Study

DESIGNS_BEYOND = ("es_100", "bagging_5", "stacking_5")
DESIGNS_OF_OTHERS = ("es_25", "single")
POOL_METHODS = {"bo": "BO-ES", "rb": "RB-ES", "divbo": "DivBO"}
_NONE = "-"


def ranks_table(study: Study, methods: tuple[str, ...], part: str) -> pd.DataFrame:
    """Return average ranks of methods, and beside those of all ten the paper's.

    Returns
    -------
    frame : method, rank, low, high, paper
        Without the last column where some of the ten are not there: ranks of fewer are lower.
    """
    ranks = average_ranks(study.finals, methods, part)
    if set(ranks["method"]) != set(PAPER_METHODS):
        return ranks
    return ranks.assign(paper=ranks["method"].map(published_values(f"{part} rank")))


def table_1(study: Study) -> pd.DataFrame:
    """Return test errors of each data set and method: measured, then the paper's after a slash.

    Returns
    -------
    frame : data set, then a column for each method
        The last rows are average ranks of these methods on the data sets that are complete: on the
        left measured, on the right the paper's on the same ones and methods; then the paper's on
        its 15 data sets.
    """
    measured = _cells(errors_on_data_sets(study.finals, "test"))
    names = published_names(measured.index)
    paper = _cells(published_errors())
    shown = [m for m in TABLE_1_METHODS if m in measured or m in paper]
    rows = [
        [dataset]
        + [
            f"{_cell(measured, dataset, m)} / {_cell(paper, names.get(dataset, ''), m)}"
            for m in shown
        ]
        for dataset in measured.index
    ]
    return pd.DataFrame([*rows, *_rank_rows(study, shown)], columns=["data set", *shown])


def table_1_frame(study: Study) -> pd.DataFrame:
    """Return what is in table 1 for every search and design, one row each.

    Returns
    -------
    frame : dataset, method, mean, std, n_seeds, paper_mean, paper_std
    """
    measured = errors_on_data_sets(study.finals, "test")
    published = published_errors().rename(columns={"mean": "paper_mean", "std": "paper_std"})
    names = published_names(measured["dataset"].unique())
    keyed = measured.assign(paper=[names.get(name, "") for name in measured["dataset"]])
    joined = keyed.merge(
        published.rename(columns={"dataset": "paper"}), how="left", on=["paper", "method"]
    )
    return joined.drop(columns="paper")


def further_methods(study: Study, *, of_paper: bool) -> pd.DataFrame:
    """Return test errors of methods beyond the ten.

    Parameters
    ----------
    study : Study
        Whose.
    of_paper : bool
        Whether of the paper's searches with other designs, or of other searches.

    Returns
    -------
    frame : method, mean, then a column for each data set
        `mean` is that of the data sets that the method was run on, in per cent.
    """
    searches = {search for search, _ in PAPER_METHODS.values()}
    designs = DESIGNS_BEYOND if of_paper else DESIGNS_OF_OTHERS
    finals = study.finals
    chosen = finals[(finals["search"].isin(searches) == of_paper) & finals["design"].isin(designs)]
    errors = errors_on_data_sets(chosen, "test")
    if errors.empty:
        return pd.DataFrame()
    table = _cells(errors).T
    mean = errors.groupby("method")["mean"].mean()
    table.insert(0, "mean", [f"{mean[name]:.2f}" for name in table.index])
    return table.fillna(_NONE).rename_axis(index="method", columns=None).reset_index()


def table_3(study: Study) -> pd.DataFrame:
    """Return validation errors of the learners that were tried, in per cent.

    Returns
    -------
    frame : data set, then a column for each search
    """
    return _by_data_set(_named(_cells(learner_errors(study.trials), "search")))


def table_4(study: Study, last: int) -> pd.DataFrame:
    """Return effective updates of the pool during the last trials, means over seeds.

    Returns
    -------
    frame : data set, then a column for each search
        The last rows are the means over the data sets of every search, and those of the paper.
    """
    updates = effective_updates(study.trials, last)
    wide = _named(updates.pivot(index="dataset", columns="search", values="updates"))
    paper = published_values(f"last {last}")
    rows = pd.DataFrame(
        [wide.dropna().mean(), paper.reindex(wide.columns)], index=["mean", "mean in the paper"]
    )
    return _by_data_set(pd.concat([wide, rows]))


def pairwise_table(study: Study) -> pd.DataFrame:
    """Return the average diversity of two members of the final ensembles (figure 6 of the paper).

    Returns
    -------
    frame : data set, then a column for each search
        Ensembles of one member do not count.
    """
    rows = [
        (e.dataset, e.search, float(e.pairwise[np.triu_indices(len(e.members), 1)].mean()))
        for e in study.ensembles
        if len(e.members) > 1
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "search", "diversity"])
    wide = frame.pivot_table(index="dataset", columns="search", values="diversity")
    return _by_data_set(_named(wide)) if rows else pd.DataFrame()


def _named(wide: pd.DataFrame) -> pd.DataFrame:
    """Return columns of searches by the name of the paper's method; the paper's come first."""
    others = [str(search) for search in wide if search not in POOL_METHODS]
    order = [search for search in POOL_METHODS if search in wide] + others
    names = {search: search_name(search) for search in order}
    return wide[order].rename(columns=names)


def _by_data_set(wide: pd.DataFrame) -> pd.DataFrame:
    return wide.rename_axis(index="data set", columns=None).reset_index()


def _cells(errors: pd.DataFrame, columns: str = "method") -> pd.DataFrame:
    """Return a row for each data set, in words."""
    cells = [mean_and_deviation(m, s) for m, s in zip(errors["mean"], errors["std"], strict=True)]
    return (
        errors.assign(cell=cells)
        .pivot(index="dataset", columns=columns, values="cell")
        .fillna(_NONE)
    )


def _cell(table: pd.DataFrame, dataset: str, method: str) -> str:
    is_there = dataset in table.index and method in table
    return str(table.loc[dataset, method]) if is_there else _NONE


def _rank_rows(study: Study, shown: list[str]) -> list[list[str]]:
    means = mean_errors(study.finals, tuple(shown), "test")
    published = published_errors().pivot(index="dataset", columns="method", values="mean")
    whole = ranks_of_means(published) if len(published) else pd.Series(dtype=float)
    rows = []
    if len(means):
        names = published_names(means.index)
        same = published.reindex(index=list(names.values()), columns=means.columns)
        ours = ranks_of_means(means)
        theirs = ranks_of_means(same) if len(same) else pd.Series(dtype=float)
        title = f"average rank ({len(means)} complete / {len(same)} of them)"
        rows.append([title, *(f"{_number(ours, m)} / {_number(theirs, m)}" for m in shown)])
    title = f"average rank, all {len(published)} of the paper"
    rows.append([title, *(f"{_NONE} / {_number(whole, m)}" for m in shown)])
    return rows


def _number(values: pd.Series, name: str) -> str:
    return f"{values[name]:.2f}" if name in values else _NONE
