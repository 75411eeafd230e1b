"""What happens in the course of runs: errors, ranks, changes of the pool, diversity.

References
----------
.. [1] Y. Shen, Y. Lu, Y. Li, Y. Tu, W. Zhang, B. Cui (2022). DivBO: Diversity-aware CASH for
   Ensemble Learning. NeurIPS: tables 3 and 4, figures 3 to 5.
"""

from __future__ import annotations

import pandas as pd

from automl.benchmark.hpo_statistics import ranks_over_evaluations
from automl.benchmark.study_report.final_errors import DIGITS
from automl.benchmark.study_report.methods import method_name
from automl.benchmark.study_report.run_files import RUN

# Beginnings of the names of columns in run files -> design.
_DESIGNS = {"single": "single", "es": "es_25", "own": "own"}


def curves(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of every method after every trial.

    A trial that left nothing new keeps the errors before it.

    Returns
    -------
    frame : dataset, seed, step, method, validation, test
        Before the first model there are no rows.
    """
    filled = trials.groupby(RUN)
    parts = []
    for prefix, design in _DESIGNS.items():
        columns = [f"{prefix}_validation", f"{prefix}_test"]
        losses = filled[columns].ffill().set_axis(["validation", "test"], axis=1)
        names = trials["search"].map(lambda search, d=design: method_name(search, d))
        parts.append(pd.concat([trials[["dataset", "seed", "step"]], losses], axis=1))
        parts[-1].insert(3, "method", names)
    return pd.concat(parts, ignore_index=True).dropna(subset=["validation"])


def mean_curves(found: pd.DataFrame) -> pd.DataFrame:
    """Return means and deviations over seeds of :func:`curves`, in per cent.

    Returns
    -------
    frame : dataset, method, step, validation, validation_std, test, test_std
    """
    grouped = found.groupby(["dataset", "method", "step"])[["validation", "test"]]
    mean, deviation = grouped.mean() * 100.0, grouped.std(ddof=1) * 100.0
    frame = mean.join(deviation.add_suffix("_std")).reset_index()
    return frame[["dataset", "method", "step", "validation", "validation_std", "test", "test_std"]]


def ranks_over_trials(found: pd.DataFrame, methods: tuple[str, ...], part: str) -> pd.DataFrame:
    """Return the average rank of methods after each trial, of means over seeds.

    Parameters
    ----------
    found : frame
        Of :func:`curves`.
    methods : tuple of str
        Those that are there are ranked.
    part : str
        `validation` or `test`.

    Returns
    -------
    frame : evaluation, method, rank, low, high
        Empty if no data set and seed is complete.
    """
    chosen = found[found["method"].isin(methods)]
    wide = chosen.pivot(index=["dataset", "seed", "step"], columns="method", values=part).dropna()
    if wide.empty:
        return pd.DataFrame(columns=["evaluation", "method", "rank", "low", "high"])
    means = wide.groupby(level=["dataset", "step"]).mean().round(DIGITS)
    long = means.reset_index().melt(["dataset", "step"], var_name="method", value_name="best")
    renamed = long.rename(columns={"dataset": "problem", "step": "evaluation"})
    return ranks_over_evaluations(renamed.assign(seed=0))


def learner_errors(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the validation errors of the single learners that were tried (table 3 of [1]_).

    Returns
    -------
    frame : dataset, search, mean, std, n_learners
        In per cent, over all trials of all seeds that gave a model.
    """
    errors = trials.dropna(subset=["validation_loss"])
    grouped = (errors["validation_loss"] * 100.0).groupby([errors["dataset"], errors["search"]])
    frame = {"mean": grouped.mean(), "std": grouped.std(ddof=1), "n_learners": grouped.size()}
    return pd.DataFrame(frame).reset_index()


def effective_updates(trials: pd.DataFrame, last: int) -> pd.DataFrame:
    """Return how often a trial improved the pool among the last ones of a run (table 4 of [1]_).

    A trial does if it is in the pool right after it ended and the validation error of the ensemble
    is lower than before it; the first model of a run has nothing that it could improve.

    Returns
    -------
    frame : dataset, search, updates
        Means over seeds.
    """
    error = trials.groupby(RUN)["es_validation"].ffill().round(DIGITS)
    before = error.groupby([trials[name] for name in RUN]).shift()
    is_update = (trials["in_pool"].fillna(0) == 1) & (error < before)
    n_steps = trials.groupby(RUN)["step"].transform("max")
    counted = is_update & (trials["step"] > n_steps - last)
    of_run = counted.groupby([trials[name] for name in RUN]).sum()
    means = of_run.groupby(level=["dataset", "search"]).mean()
    return means.rename("updates").reset_index()


def distances(trials: pd.DataFrame, searches: tuple[str, ...]) -> pd.DataFrame:
    """Return how near suggestions are to the ensemble, and how good its members (figure 5 of [1]_).

    Returns
    -------
    frame : dataset, search, step, distance, std, members_error
        The smallest diversity of a suggestion from a member of the ensemble before, means and
        deviations over seeds; the mean validation error of the members after it, in per cent, NaN
        where files do not tell it.
    """
    chosen = trials[trials["search"].isin(searches)]
    error = (chosen.groupby(RUN)["members_validation"].ffill() * 100.0).rename("members_error")
    known = chosen.assign(members_error=error).dropna(subset=["distance"])
    grouped = known.groupby(["dataset", "search", "step"])
    frame = pd.DataFrame(
        {
            "distance": grouped["distance"].mean(),
            "std": grouped["distance"].std(ddof=1),
            "members_error": grouped["members_error"].mean(),
        }
    )
    return frame.reset_index()
