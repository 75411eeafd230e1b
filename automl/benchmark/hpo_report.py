"""Results of tuning methods as Markdown, and as CSV files for whoever draws figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from automl.benchmark.hpo_statistics import (
    LEVEL,
    alphas_over_evaluations,
    best_of_runs,
    counts_equal_to_best,
    equal_to_best,
    final_ranks,
    missing_runs,
    ranks_of_families,
    ranks_over_evaluations,
    reported_evaluations,
    smallest_p_value,
    time_shares,
)

_NAMED_AT_MOST = 20


def report(runs: pd.DataFrame, seed: int = 0) -> str:
    """Return all statistics of runs as Markdown.

    Parameters
    ----------
    runs : frame
        Of `read_runs` or `read_all`.
    seed : int
        Of the permutation tests.
    """
    sections: dict[str, pd.DataFrame | str] = {
        "Final ranks (95 % interval over problems)": final_ranks(runs),
        "Final ranks within families of problems": ranks_of_families(runs),
        "Mean rank after so many evaluations": _ranks_at_some(runs),
        "Problems on which a method equals the best (permutation test, 0.05)": _equal(runs, seed),
    }
    if runs["seconds"].notna().any():  # tables of best losses do not tell
        sections["Seconds that methods took"] = time_shares(runs)
    tables = [
        f"## {title}\n\n{told if isinstance(told, str) else as_markdown(told)}"
        for title, told in sections.items()
    ]
    return "\n\n".join([_extent(runs), *tables])


def _equal(runs: pd.DataFrame, seed: int) -> pd.DataFrame | str:
    """Return the counts of equals, or why there are none."""
    n_seeds = int(runs["seed"].nunique())
    if smallest_p_value(n_seeds) >= LEVEL:
        return (
            f"With {n_seeds} seeds no test can tell methods apart: its smallest p-value is "
            f"{smallest_p_value(n_seeds):.2g}."
        )
    return counts_equal_to_best(equal_to_best(runs, np.random.default_rng(seed)))


def write_frames(runs: pd.DataFrame, folder: Path, seed: int = 0) -> None:
    """Write every statistic to a CSV file of its own.

    Parameters
    ----------
    runs : frame
        Of `read_runs` or `read_all`.
    folder : Path
        Made if it is not there.
    seed : int
        Of the permutation tests.
    """
    folder.mkdir(parents=True, exist_ok=True)
    frames = {
        "ranks": ranks_over_evaluations(runs),
        "final_ranks": final_ranks(runs),
        "missing": missing_runs(runs),
        "best": best_of_runs(runs),
    }
    if smallest_p_value(int(runs["seed"].nunique())) < LEVEL:
        frames["equal_to_best"] = equal_to_best(runs, np.random.default_rng(seed))
    if runs["seconds"].notna().any():
        frames["time"] = time_shares(runs)
    if runs["alpha"].notna().any():
        frames["alphas"] = alphas_over_evaluations(runs)
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)


def _extent(runs: pd.DataFrame) -> str:
    """Return how much was run, and what is missing, in words."""
    counts = runs[["problem", "method", "seed"]].nunique()
    lines = [
        f"{counts['problem']} problems, {counts['method']} methods, {counts['seed']} seeds, "
        f"{runs['evaluation'].max()} evaluations."
    ]
    missing = missing_runs(runs)
    if len(missing):
        lines.append(f"Missing runs ({len(missing)}), whose problem and seed count for no method:")
        named = missing.head(_NAMED_AT_MOST).itertuples(index=False)
        lines.extend(f"- {row.problem}, {row.method}, seed {row.seed}" for row in named)
        if len(missing) > _NAMED_AT_MOST:
            lines.append(f"- and {len(missing) - _NAMED_AT_MOST} more")
    return "\n".join(lines)


def _ranks_at_some(runs: pd.DataFrame) -> pd.DataFrame:
    over = ranks_over_evaluations(runs)
    wanted = reported_evaluations(int(over["evaluation"].max()))
    shown = over[over["evaluation"].isin(wanted)]
    wide = shown.pivot(index="method", columns="evaluation", values="rank")
    return wide.rename_axis(columns=None).reset_index()


def as_markdown(frame: pd.DataFrame) -> str:
    """Return a table in Markdown; numbers with four significant digits, NaN as nothing.

    Examples
    --------
    >>> print(as_markdown(pd.DataFrame({"method": ["random"], "rank": [1.23456]})))
    | method | rank |
    |---|---|
    | random | 1.235 |
    """
    lines = [list(frame.columns), *frame.itertuples(index=False, name=None)]
    rows = ["| " + " | ".join(_cell(value) for value in line) + " |" for line in lines]
    return "\n".join([rows[0], "|" + "---|" * frame.shape[1], *rows[1:]])


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.4g}"
    return str(value)
