"""What runs of tuning methods say: ranks, significance and time, as frames.

All functions take the frame of :func:`~automl.benchmark.hpo.run_store.read_runs`. Where methods
are compared, only pairs of problem and seed that every method has run count;
:func:`missing_runs` names the others. Losses that are equal share their ranks.

References
----------
.. [1] DensBO: Dynamic Ensembling of Surrogate Models for Hyperparameter Optimisation. Submission to
   ICLR: figures 2 and 7 (mean ranks), figure 4 (time), table 6 and appendix I (permutation test
   with 10,000 samples at level 0.05).
.. [2] C. Benjamins, E. Raponi, A. Jankovic, C. Doerr, M. Lindauer (2023). Self-adjusting weighted
   expected improvement for Bayesian optimization. AutoML Conference: interquartile means over
   seeds, ranked on each problem.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
from scipy import stats

from automl.errors import InputError
from search_space.arrays import FloatArray

_RUN = ["problem", "method", "seed"]
_CONFIDENCE = 0.95

LEVEL = 0.05
"""Below this p-value methods differ."""


def missing_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that some method, problem or seed has and others lack.

    Returns
    -------
    frame : problem, method, seed
        All combinations of what occurs, without those that occur.
    """
    present = set(runs[_RUN].drop_duplicates().itertuples(index=False, name=None))
    wanted = itertools.product(*(sorted(runs[column].unique()) for column in _RUN))
    return pd.DataFrame([run for run in wanted if run not in present], columns=_RUN)


def ranks_over_evaluations(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean rank of each method after each evaluation.

    Methods are ranked by their best losses so far, 1 is the best, for each problem and seed.
    Ranks are averaged over seeds and then over problems; the interval is that of Student's t over
    problems, which are what is sampled, as far as it lies between the ranks that there are. With
    one problem it is NaN.

    Returns
    -------
    frame : evaluation, method, rank, low, high
    """
    ranks = _best_losses(runs).rank(axis="columns", method="average")
    by_problem = ranks.groupby(level=["problem", "evaluation"]).mean()
    grouped = by_problem.groupby(level="evaluation")
    mean, n = grouped.mean(), grouped.size()
    quantile = pd.Series(stats.t.ppf(0.5 + _CONFIDENCE / 2.0, n - 1), index=n.index)
    half = (grouped.std(ddof=1).div(np.sqrt(n), axis="index")).mul(quantile, axis="index")
    long = mean.reset_index().melt("evaluation", var_name="method", value_name="rank")
    for name, bound in (("low", mean - half), ("high", mean + half)):
        within = bound.clip(1.0, mean.shape[1])  # few problems reach beyond the first and the last
        long[name] = within.melt()["value"]  # in the same order
    return long.sort_values(["evaluation", "method"], ignore_index=True)


def alphas_over_evaluations(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean weight of exploitation of each method that has one that changes [2]_.

    Returns
    -------
    frame : family, evaluation, method, alpha, low, high
        Means over seeds and then over the problems of a family, whose name precedes the slash;
        quartiles over the problems.
    """
    known = runs.assign(family=runs["problem"].str.partition("/")[0]).dropna(subset="alpha")
    of_method = known.groupby("method")["alpha"]
    changes = of_method.max() > of_method.min()
    known = known[known["method"].isin(changes.index[changes])]
    keys = ["family", "evaluation", "method"]
    by_problem = known.groupby([*keys, "problem"])["alpha"].mean().groupby(level=keys)
    return pd.DataFrame(
        {
            "alpha": by_problem.mean(),
            "low": by_problem.quantile(0.25),
            "high": by_problem.quantile(0.75),
        }
    ).reset_index()


def best_of_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the best losses of every run after some evaluations: what ranks are made of.

    Returns
    -------
    frame : problem, method, seed, then a column for each of :func:`reported_evaluations`
    """
    wanted = reported_evaluations(int(runs["evaluation"].max()))
    shown = runs[runs["evaluation"].isin(wanted)]
    wide = shown.pivot(index=_RUN, columns="evaluation", values="best")
    return wide.rename_axis(columns=None).reset_index()


def final_ranks(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the ranks of the methods after the last evaluation, the best first.

    Returns
    -------
    frame : method, rank, low, high, iqm_rank
        `rank`, `low` and `high` as in :func:`ranks_over_evaluations`; `iqm_rank` is the
        interquartile mean over problems of the rank of the interquartile mean over seeds [2]_.
    """
    over = ranks_over_evaluations(runs)
    last = over[over["evaluation"] == over["evaluation"].max()].drop(columns="evaluation")
    iqm = _final_losses(runs).groupby(level="problem").agg(_interquartile_mean)
    robust = iqm.rank(axis="columns", method="average").agg(_interquartile_mean)
    ranked: pd.DataFrame = last.assign(iqm_rank=last["method"].map(robust))
    return ranked.sort_values("rank", kind="stable", ignore_index=True)


def _interquartile_mean(values: pd.Series) -> float:
    return float(stats.trim_mean(values.to_numpy(), 0.25))


def equal_to_best(
    runs: pd.DataFrame, rng: np.random.Generator, *, n_samples: int = 10_000, level: float = LEVEL
) -> pd.DataFrame:
    """Return on which problems a method is statistically equal to the best one [1]_.

    The best method of a problem has the lowest mean over seeds of its final best losses; it
    equals itself. Another one is equal if a two-sided permutation test of the difference between
    the means does not reject that.

    Parameters
    ----------
    runs : frame
        Of all methods.
    rng : Generator
        Draws the permutations.
    n_samples : int
        Permutations of each test.
    level : float
        Below this p-value a method is not equal to the best.

    Returns
    -------
    frame : problem, method, mean, p_value, is_equal
    """
    rows = []
    for problem, losses in _final_losses(runs).groupby(level="problem"):
        means = losses.mean()
        best = losses[means.idxmin()].to_numpy()
        for method in losses.columns:
            p = (
                1.0
                if method == means.idxmin()
                else permutation_p_value(best, losses[method].to_numpy(), rng, n_samples)
            )
            rows.append((problem, method, means[method], p, p >= level))
    return pd.DataFrame(rows, columns=["problem", "method", "mean", "p_value", "is_equal"])


def permutation_p_value(
    first: FloatArray, second: FloatArray, rng: np.random.Generator, n_samples: int
) -> float:
    """Return how likely means differ so much if the values were shared out by chance.

    Parameters
    ----------
    first, second : (n,) and (m,) arrays
        Two independent samples.
    rng : Generator
        Draws the permutations.
    n_samples : int
        How many.

    Returns
    -------
    float
        Two-sided, never 0: what was observed counts as one of the permutations.
    """
    pooled = np.concatenate([first, second])
    observed = abs(first.mean() - second.mean())
    shared_out = rng.permuted(np.tile(pooled, (n_samples, 1)), axis=1)
    means = shared_out[:, : len(first)].mean(axis=1)
    others = shared_out[:, len(first) :].mean(axis=1)
    rounding = 1e-12 * np.abs(pooled).max()  # sums in another order count as equal
    at_least = np.abs(means - others) >= observed - rounding
    return float((1 + at_least.sum()) / (1 + n_samples))


def smallest_p_value(n_seeds: int) -> float:
    """Return the least p-value that a permutation test of two methods can have.

    Examples
    --------
    >>> smallest_p_value(3), round(smallest_p_value(4), 4)
    (0.1, 0.0286)
    """
    return 2.0 / math.comb(2 * n_seeds, n_seeds)


def counts_equal_to_best(equal: pd.DataFrame) -> pd.DataFrame:
    """Return on how many problems each method equals the best, for each family and in all.

    Parameters
    ----------
    equal : frame
        Of :func:`equal_to_best`.

    Returns
    -------
    frame : method, all, then a column for each family
        The first row, `problems`, holds the number of problems.
    """
    family = equal["problem"].str.partition("/")[0]
    counts = equal["is_equal"].groupby([equal["method"], family]).sum().unstack(fill_value=0)
    totals = equal.groupby(family)["problem"].nunique()
    table = pd.concat([totals.rename("problems").to_frame().T, counts])
    table.insert(0, "all", table.sum(axis="columns"))
    whole: pd.DataFrame = table.astype(np.int64)
    whole.index.name, whole.columns.name = "method", None
    return whole.reset_index()


def time_shares(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how much time the methods took themselves.

    Returns
    -------
    frame : method, seconds, seconds_late, share
        Seconds of a whole run and of one of its last tenth of evaluations, means; and the share
        in the time of a run had the models been trained, mean over the runs where that is known.
    """
    grouped = runs.groupby(["method", "problem", "seed"])
    totals = grouped[["seconds", "training_seconds"]].sum(min_count=1)  # NaN if all are
    share = totals["seconds"] / totals.sum(axis="columns", skipna=False)
    n = runs["evaluation"].max()
    late = runs[runs["evaluation"] > n - max(1, n // 10)]
    table = {
        "seconds": totals["seconds"].groupby(level="method").mean(),
        "seconds_late": late.groupby("method")["seconds"].mean(),
        "share": share.groupby(level="method").mean(),
    }
    return pd.DataFrame(table).rename_axis("method").reset_index()


def ranks_of_families(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the final ranks within each family of problems: what precedes the slash.

    Returns
    -------
    frame : method, then a column for each family
        `rank` of :func:`final_ranks` over the problems of the family.
    """
    family = runs["problem"].str.partition("/")[0]
    ranks = pd.DataFrame(
        {name: final_ranks(p).set_index("method")["rank"] for name, p in runs.groupby(family)}
    )
    ranks.index.name = "method"
    return ranks.reset_index()


def _best_losses(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one column for each method, one row for each problem, seed and evaluation."""
    wide = runs.pivot(index=["problem", "seed", "evaluation"], columns="method", values="best")
    complete: pd.DataFrame = wide.dropna()
    if complete.empty:
        raise InputError("There is no problem and seed that every method has run.")
    return complete


def _final_losses(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one column for each method, one row for each problem and seed."""
    best = _best_losses(runs)
    evaluations = best.index.get_level_values("evaluation")
    last: pd.DataFrame = best[evaluations == evaluations.max()]
    return last.reset_index(level="evaluation", drop=True)


def reported_evaluations(n: int) -> list[int]:
    """Return the powers of two below a number of evaluations, and the number itself.

    Examples
    --------
    >>> reported_evaluations(20)
    [1, 2, 4, 8, 16, 20]
    """
    return [2**k for k in range(math.ceil(math.log2(n)))] + [n]
