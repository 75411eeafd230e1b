"""Whether differences between methods are more than chance.

References
----------
.. [1] J. Demsar (2006). Statistical Comparisons of Classifiers over Multiple Data Sets. Journal of
   Machine Learning Research 7: Friedman's and Nemenyi's tests, table 5 and figure 1.
.. [2] F. Wilcoxon (1945). Individual Comparisons by Ranking Methods. Biometrics Bulletin 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from automl.benchmark.hpo_statistics import LEVEL
from automl.benchmark.study_report.final_errors import (
    DIGITS,
    complete_errors,
    ranks_of_means,
)

_VERDICTS = ("better", "same", "worse", "too few seeds")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankTest:
    """Friedman's test of ranks, and Nemenyi's critical difference [1]_.

    Attributes
    ----------
    ranks : Series
        Average rank of each method, the best first.
    n_data_sets : int
        What ranks are averaged over.
    p_value : float
        Of Friedman's test: that all methods are equal; 1 if all errors are.
    critical_difference : float
        Two methods differ at the level 0.05 if their average ranks differ by more.
    """

    ranks: pd.Series
    n_data_sets: int
    p_value: float
    critical_difference: float

    def groups(self) -> list[tuple[str, ...]]:
        """Return the largest sets of at least two methods that do not differ."""
        values = self.ranks.to_numpy()
        spans: list[tuple[int, int]] = []
        for first in range(len(values)):
            reach = values <= values[first] + self.critical_difference
            last = int(np.flatnonzero(reach)[-1])
            if last > first and (not spans or last > spans[-1][1]):
                spans.append((first, last))
        return [tuple(self.ranks.index[first : last + 1]) for first, last in spans]


def rank_test(means: pd.DataFrame) -> RankTest | None:
    """Return the tests of mean errors, one row for each data set, one column for each method.

    Returns
    -------
    RankTest or None
        None if there are fewer than two data sets or three methods, which Friedman's test needs.
    """
    n, k = means.shape
    if n < 2 or k < 3:
        return None
    ranked = means.rank(axis="columns", method="average")
    differ = (ranked.nunique(axis="columns") > 1).any()
    p = stats.friedmanchisquare(*means.to_numpy().T).pvalue if differ else 1.0
    return RankTest(
        ranks=ranks_of_means(means).sort_values(kind="stable"),
        n_data_sets=n,
        p_value=float(p),
        critical_difference=critical_difference(k, n),
    )


def critical_difference(n_methods: int, n_data_sets: int, level: float = LEVEL) -> float:
    """Return by how much average ranks must differ in Nemenyi's test [1]_.

    Parameters
    ----------
    n_methods, n_data_sets : int
        What was ranked, and how often.
    level : float
        Of significance.
    """
    # Of infinitely many degrees of freedom, divided by the square root of 2.
    q = stats.studentized_range.ppf(1.0 - level, n_methods, np.inf) / math.sqrt(2.0)
    return float(q * math.sqrt(n_methods * (n_methods + 1) / (6.0 * n_data_sets)))


def smallest_p_value(n_pairs: int) -> float:
    """Return the smallest two-sided p-value of Wilcoxon's signed-rank test of so many pairs.

    Examples
    --------
    >>> smallest_p_value(5), smallest_p_value(6)
    (0.0625, 0.03125)
    """
    return float(min(1.0, 2.0 ** (1 - n_pairs)))


def wilcoxon_p_value(differences: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; zeros are left out [2]_."""
    moved = differences[differences != 0.0]
    return float(stats.wilcoxon(moved).pvalue) if len(moved) else 1.0


def differences_to(
    finals: pd.DataFrame, baselines: tuple[str, ...], method: str = "DivBO"
) -> pd.DataFrame:
    """Return, for each data set, whether test errors of a method differ from those of others.

    Returns
    -------
    frame : baseline, dataset, n_seeds, difference, p_value, verdict
        `difference` is the mean error of the method less that of the baseline, in per cent;
        `verdict` is better, same or worse, or `too few seeds` where no result could be significant.
    """
    rows = []
    for baseline in baselines:
        errors = complete_errors(finals, (method, baseline), "test")
        if errors.shape[1] < 2:
            continue
        paired = (errors[method] - errors[baseline]).round(DIGITS)
        for dataset, of_dataset in paired.groupby(level="dataset"):
            values = of_dataset.to_numpy(dtype=np.float64)
            p = wilcoxon_p_value(values)
            mean = round(float(values.mean()), DIGITS)
            rows.append(
                (baseline, dataset, len(values), 100.0 * mean, p, _verdict(mean, p, len(values)))
            )
    columns = ["baseline", "dataset", "n_seeds", "difference", "p_value", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def _verdict(mean: float, p_value: float, n_pairs: int) -> str:
    if smallest_p_value(n_pairs) > LEVEL:
        return "too few seeds"
    if p_value > LEVEL or mean == 0.0:
        return "same"
    return "better" if mean < 0.0 else "worse"


def counts_of_verdicts(differences: pd.DataFrame) -> pd.DataFrame:
    """Return the number of data sets of each verdict against each baseline.

    Returns
    -------
    frame : baseline, data sets, lower mean, better, same, worse, too few seeds
    """
    rows = []
    for baseline, part in differences.groupby("baseline", sort=False):
        counts = [int((part["verdict"] == verdict).sum()) for verdict in _VERDICTS]
        rows.append((baseline, len(part), int((part["difference"] < 0.0).sum()), *counts))
    return pd.DataFrame(rows, columns=["baseline", "data sets", "lower mean", *_VERDICTS])
