"""Tests of differences: against published tables, SciPy and by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from automl.benchmark.study_report.final_errors import average_ranks
from automl.benchmark.study_report.significance import (
    counts_of_verdicts,
    critical_difference,
    differences_to,
    rank_test,
    smallest_p_value,
    wilcoxon_p_value,
)

# Demsar (2006), table 5(a): critical values of Nemenyi's two-tailed test at 0.05 and 0.10.
NEMENYI_05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
NEMENYI_10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]


def finals_of(errors: dict[str, dict[str, list[float]]]) -> pd.DataFrame:
    """Return the final test errors: data set -> method -> one for each seed."""
    rows = [
        (dataset, method, seed, error, error)
        for dataset, of_dataset in errors.items()
        for method, of_method in of_dataset.items()
        for seed, error in enumerate(of_method)
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "seed", "validation", "test"])


@pytest.mark.parametrize(("level", "table"), [(0.05, NEMENYI_05), (0.10, NEMENYI_10)])
def test_critical_differences_are_those_of_the_published_table(
    level: float, table: list[float]
) -> None:
    for k, q in enumerate(table, start=2):
        found = critical_difference(k, 15, level)
        assert found == pytest.approx(q * math.sqrt(k * (k + 1) / (6 * 15)), abs=1.1e-3)


def test_the_published_example_has_its_critical_difference() -> None:
    # Demsar (2006), section 3.2.2: 4 classifiers on 14 data sets.
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)


def test_friedman_is_that_of_scipy_and_ranks_are_by_hand() -> None:
    means = pd.DataFrame(
        {"a": [0.1, 0.2, 0.1, 0.3], "b": [0.2, 0.1, 0.2, 0.4], "c": [0.3, 0.3, 0.2, 0.5]}
    )
    found = rank_test(means)
    assert found is not None
    assert found.ranks.to_dict() == {
        "a": 1.25,
        "b": (2 + 1 + 2.5 + 2) / 4,
        "c": (3 + 3 + 2.5 + 3) / 4,
    }
    assert list(found.ranks.index) == ["a", "b", "c"]
    assert found.p_value == stats.friedmanchisquare(*means.to_numpy().T).pvalue
    assert found.critical_difference == critical_difference(3, 4)


def test_methods_that_are_all_equal_do_not_differ() -> None:
    found = rank_test(pd.DataFrame(0.5, index=range(3), columns=["a", "b", "c"]))
    assert found is not None
    assert found.p_value == 1.0
    assert found.groups() == [("a", "b", "c")]


@pytest.mark.parametrize(("n", "k"), [(1, 10), (5, 2)])
def test_too_little_for_friedman_is_not_tested(n: int, k: int) -> None:
    assert rank_test(pd.DataFrame(np.random.default_rng(0).random((n, k)))) is None


def test_groups_are_the_largest_sets_within_the_critical_difference() -> None:
    rng = np.random.default_rng(3)
    n = 12  # critical difference of 5 methods: 1.76
    order = np.arange(5) + np.where(rng.random((n, 5)) < 0.5, 0.0, 0.9)
    found = rank_test(pd.DataFrame(order, columns=list("abcde")))
    assert found is not None
    groups = found.groups()
    ranks = found.ranks
    for first in ranks.index:
        for second in ranks.index:
            is_joined = any({first, second} <= set(group) for group in groups)
            is_close = abs(ranks[first] - ranks[second]) <= found.critical_difference
            assert first == second or is_joined == is_close
    assert not any(set(a) <= set(b) for a in groups for b in groups if a != b)
    assert len(groups) > 1


def test_wilcoxon_is_that_of_scipy_without_zeros() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(0.3, 1.0, 10)
    with_zeros = np.concatenate([differences, np.zeros(3)])
    assert wilcoxon_p_value(with_zeros) == stats.wilcoxon(differences).pvalue
    assert wilcoxon_p_value(np.zeros(10)) == 1.0


@pytest.mark.parametrize("n", range(1, 12))
def test_the_smallest_p_value_is_that_of_differences_with_one_sign(n: int) -> None:
    assert smallest_p_value(n) == pytest.approx(stats.wilcoxon(np.arange(1.0, n + 1)).pvalue)


def test_verdicts_count_data_sets() -> None:
    low, high = [0.10 + 0.001 * s for s in range(6)], [0.20 + 0.002 * s for s in range(6)]
    mixed = [0.05, 0.3, 0.0, 0.25, 0.15, 0.06]
    finals = finals_of(
        {
            "better": {"DivBO": low, "BO-ES": high},
            "worse": {"DivBO": high, "BO-ES": low},
            "mixed": {"DivBO": low, "BO-ES": mixed},
            "equal": {"DivBO": low, "BO-ES": low},
            "few": {"DivBO": low[:5], "BO-ES": high[:5]},
        }
    )
    differences = differences_to(finals, ("RS-ES", "BO-ES"))
    assert set(differences["baseline"]) == {"BO-ES"}  # the other one was not run
    verdicts = dict(zip(differences["dataset"], differences["verdict"], strict=True))
    assert verdicts == {
        "better": "better",
        "worse": "worse",
        "mixed": "same",
        "equal": "same",
        "few": "too few seeds",
    }
    (counts,) = counts_of_verdicts(differences).to_dict("records")
    assert counts == {
        "baseline": "BO-ES",
        "data sets": 5,
        "lower mean": 3,
        "better": 1,
        "same": 2,
        "worse": 1,
        "too few seeds": 1,
    }
    p = differences.set_index("dataset").loc["better", "p_value"]
    assert p == stats.wilcoxon(low, high).pvalue == 2 / 2**6


def test_only_seeds_that_both_have_run_are_paired() -> None:
    finals = finals_of({"wind": {"DivBO": [0.1] * 8, "BO-ES": [0.2] * 6}})
    (row,) = differences_to(finals, ("BO-ES",)).to_dict("records")
    assert row["n_seeds"] == 6
    assert row["difference"] == pytest.approx(-10.0)


@pytest.mark.parametrize("n_rows", [60, 436, 920, 1315])
def test_what_is_equal_in_whole_rows_stays_equal(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    for _ in range(40):
        ours = n_rows // 3 + rng.integers(-4, 4, 10)
        theirs = ours + rng.integers(-2, 3, 10)
        wrong = {"DivBO": ours, "BO-ES": theirs, "RS-ES": rng.permutation(ours)}
        finals = finals_of({"a": {m: list(1 - (1 - n / n_rows)) for m, n in wrong.items()}})
        found = differences_to(finals, ("BO-ES", "RS-ES")).set_index("baseline")
        expected = wilcoxon_p_value((ours - theirs).astype(np.float64))
        assert found.loc["BO-ES", "p_value"] == pytest.approx(expected, rel=1e-9)
        assert found.loc["RS-ES", "difference"] == 0.0
        ranks = average_ranks(finals, ("DivBO", "RS-ES"), "test")
        assert ranks["rank"].tolist() == [1.5, 1.5]
