"""Ranks, significance and time: by hand, by a second method, and what does not matter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from automl.benchmark.hpo_report import as_markdown, report, write_frames
from automl.benchmark.hpo_statistics import (
    alphas_over_evaluations,
    best_of_runs,
    counts_equal_to_best,
    equal_to_best,
    final_ranks,
    missing_runs,
    permutation_p_value,
    ranks_of_families,
    ranks_over_evaluations,
    smallest_p_value,
    time_shares,
)
from automl.errors import InputError

Losses = Callable[[str, str, int, int], float]


ALPHAS = {"b": 0.1}


def runs_of(
    losses: Losses,
    *,
    problems: tuple[str, ...] = ("p/1", "p/2", "q/1"),
    methods: tuple[str, ...] = ("a", "b", "c"),
    n_seeds: int = 2,
    n_evaluations: int = 3,
) -> pd.DataFrame:
    """Return runs whose best losses are a function of problem, method, seed and evaluation."""
    rows = [
        (p, m, s, e, losses(p, m, s, e), losses(p, m, s, e), 1.0, 3.0, ALPHAS.get(m, np.nan) * e)
        for p in problems
        for m in methods
        for s in range(n_seeds)
        for e in range(1, n_evaluations + 1)
    ]
    key = ["problem", "method", "seed", "evaluation"]
    return pd.DataFrame(
        rows, columns=[*key, "loss", "best", "seconds", "training_seconds", "alpha"]
    )


def ordered(_: str, method: str, seed: int, evaluation: int) -> float:
    """Let a be best and c worst, on every problem, but b and c be equal after the first."""
    return {"a": 0.0, "b": 1.0, "c": 1.0 if evaluation == 1 else 2.0}[method] + seed / evaluation


def test_equal_losses_share_their_ranks() -> None:
    over = ranks_over_evaluations(runs_of(ordered)).pivot(
        index="evaluation", columns="method", values="rank"
    )
    assert over.loc[1].tolist() == [1.0, 2.5, 2.5]
    assert over.loc[2].tolist() == over.loc[3].tolist() == [1.0, 2.0, 3.0]


def test_the_interval_is_that_of_student_over_problems() -> None:
    def losses(problem: str, method: str, seed: int, _: int) -> float:
        is_first = method == ("b" if problem >= "p/6" or (problem, seed) == ("p/0", 0) else "a")
        return 0.0 if is_first else 1.0

    problems = tuple(f"p/{number}" for number in range(10))
    frame = ranks_over_evaluations(runs_of(losses, methods=("a", "b"), problems=problems))
    a = frame[(frame["method"] == "a") & (frame["evaluation"] == 3)].iloc[0]
    by_problem = [1.5, *[1.0] * 5, *[2.0] * 4]
    mean = np.mean(by_problem)
    low, high = stats.t.interval(0.95, 9, loc=mean, scale=stats.sem(by_problem))
    assert a[["rank", "low", "high"]].tolist() == pytest.approx([mean, low, high])


def test_no_interval_reaches_beyond_the_first_or_the_last_rank() -> None:
    def losses(problem: str, method: str, *_: int) -> float:
        return float(method == ("a" if problem == "p/2" else "b"))

    frame = final_ranks(runs_of(losses, methods=("a", "b"), problems=("p/1", "p/2", "p/3")))
    assert frame[["low", "high"]].to_numpy().tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_one_problem_has_no_interval() -> None:
    frame = final_ranks(runs_of(ordered, problems=("p",)))
    assert frame["rank"].tolist() == [1.0, 2.0, 3.0]
    assert frame[["low", "high"]].isna().all(axis=None)


def test_the_robust_rank_looks_at_the_middle_half_of_the_seeds() -> None:
    def losses(_: str, method: str, seed: int, __: int) -> float:
        spread = {"a": (0.0, 1.0, 1.0, 100.0), "b": (2.0, 2.0, 2.0, 2.0)}
        return spread[method][seed]

    frame = final_ranks(runs_of(losses, methods=("b", "a"), n_seeds=4)).set_index("method")
    assert frame["rank"].to_dict() == {"a": 1.25, "b": 1.75}
    assert frame["iqm_rank"].to_dict() == {"a": 1.0, "b": 2.0}


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(1e-3, 1e3), shift=st.floats(-10, 10))
def test_ranks_add_up_and_depend_on_the_order_of_losses_alone(
    seed: int, scale: float, shift: float
) -> None:
    rng = np.random.default_rng(seed)
    runs = runs_of(lambda *_: float(rng.integers(4)))
    ranks = ranks_over_evaluations(runs)
    assert np.allclose(ranks.groupby("evaluation")["rank"].sum(), 6.0)
    moved = runs.assign(best=scale * runs["best"] + shift)
    pd.testing.assert_frame_equal(ranks_over_evaluations(moved), ranks)
    shuffled = runs.sample(frac=1.0, random_state=seed)
    pd.testing.assert_frame_equal(ranks_over_evaluations(shuffled), ranks)


def test_missing_runs_are_named_and_their_pairs_count_for_nobody() -> None:
    def losses(problem: str, method: str, seed: int, evaluation: int) -> float:
        if (problem, seed) == ("p/1", 1):
            return -ordered(problem, method, seed, evaluation)
        return ordered(problem, method, seed, evaluation)

    runs = runs_of(losses)
    lost = (runs["problem"] == "p/1") & (runs["seed"] == 1) & (runs["method"] == "b")
    runs = runs[~lost]
    assert missing_runs(runs).values.tolist() == [["p/1", "b", 1]]
    assert final_ranks(runs)["rank"].tolist() == [1.0, 2.0, 3.0]
    assert "- p/1, b, seed 1" in report(runs)
    only_alone = runs[(runs["method"] == "b") == (runs["seed"] == 0)]
    with pytest.raises(InputError, match="every method"):
        final_ranks(only_alone)


def test_nothing_is_missing_where_all_was_run() -> None:
    assert missing_runs(runs_of(ordered)).empty
    assert "Missing" not in report(runs_of(ordered))


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.8, 1.5])
def test_p_values_agree_with_all_permutations(shift: float) -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=6), rng.normal(size=6) + shift
    exact = stats.permutation_test(
        (first, second),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        n_resamples=np.inf,
        vectorized=True,
    ).pvalue
    drawn = permutation_p_value(first, second, rng, 10_000)
    assert drawn == pytest.approx(exact, abs=4.0 * np.sqrt(exact * (1 - exact) / 10_000) + 1e-4)


def test_equal_samples_have_p_value_one_and_it_is_never_zero() -> None:
    rng = np.random.default_rng(0)
    same = np.array([0.1, 0.2, 0.7])
    assert permutation_p_value(same, same[::-1].copy(), rng, 500) == 1.0
    assert permutation_p_value(np.zeros(30), np.ones(30), rng, 999) == 0.001


def test_the_best_and_what_is_not_worse_equal_the_best() -> None:
    noise = np.random.default_rng(1).normal(size=(3, 20))

    def losses(problem: str, method: str, seed: int, _: int) -> float:
        worse = 10.0 if method == "c" or (method, problem) == ("b", "q/1") else 0.0
        return float(noise["abc".index(method), seed]) + worse

    equal = equal_to_best(runs_of(losses, n_seeds=20), np.random.default_rng(0), n_samples=1000)
    table = counts_equal_to_best(equal).set_index("method")
    assert table.loc["problems"].to_dict() == {"all": 3, "p": 2, "q": 1}
    assert table.loc["a"].to_dict() == {"all": 3, "p": 2, "q": 1}
    assert table.loc["b"].to_dict() == {"all": 2, "p": 2, "q": 0}
    assert table.loc["c"].to_dict() == {"all": 0, "p": 0, "q": 0}
    best = equal.loc[equal.groupby("problem")["mean"].idxmin()]
    assert best["p_value"].tolist() == [1.0, 1.0, 1.0]


def test_shares_of_time_count_what_training_would_have_taken() -> None:
    runs = runs_of(ordered, methods=("a", "b"))
    runs.loc[runs["method"] == "b", "seconds"] = 9.0
    runs.loc[(runs["method"] == "b") & (runs["evaluation"] == 3), "seconds"] = 27.0
    runs.loc[runs["problem"] == "q/1", "training_seconds"] = np.nan
    table = time_shares(runs).set_index("method")
    assert table.loc["a"].to_dict() == {"seconds": 3.0, "seconds_late": 1.0, "share": 0.25}
    b = {"seconds": 45.0, "seconds_late": 27.0, "share": 45.0 / 54.0}
    assert table.loc["b"].to_dict() == pytest.approx(b)
    unknown = time_shares(runs[runs["problem"] == "q/1"])
    assert unknown["share"].isna().all()


def test_the_report_holds_every_method_and_family() -> None:
    text = report(runs_of(ordered))
    assert text.startswith("3 problems, 3 methods, 2 seeds, 3 evaluations.")
    assert "| method | p | q |" in text
    assert "| method | 1 | 2 | 3 |" in text
    assert "nan" not in text
    assert report(runs_of(ordered)) == text


def test_families_are_ranked_apart() -> None:
    def losses(problem: str, method: str, *_: int) -> float:
        return float("ab".index(method) if problem == "q/1" else "ba".index(method))

    runs = runs_of(losses, methods=("a", "b"))
    table = ranks_of_families(runs).set_index("method")
    assert table["p"].to_dict() == {"a": 2.0, "b": 1.0}
    assert table["q"].to_dict() == {"a": 1.0, "b": 2.0}


def test_long_lists_of_missing_runs_are_cut() -> None:
    runs = runs_of(ordered, n_seeds=30)
    text = report(
        runs[~((runs["method"] == "c") & (runs["seed"] > 7) & (runs["problem"] == "p/1"))]
    )
    assert "Missing runs (22)" in text
    assert "- and 2 more" in text


def test_frames_are_written_one_file_each(tmp_path: Path) -> None:
    runs = runs_of(ordered)
    write_frames(runs, tmp_path / "frames")
    names = {path.stem for path in (tmp_path / "frames").iterdir()}
    assert names == {"ranks", "final_ranks", "time", "missing", "best", "alphas"}
    ranks = pd.read_csv(tmp_path / "frames" / "ranks.csv")
    assert ranks["rank"].tolist() == ranks_over_evaluations(runs)["rank"].tolist()


@pytest.mark.parametrize("n_seeds", [3, 4])
def test_methods_are_tested_where_there_are_seeds_enough(n_seeds: int, tmp_path: Path) -> None:
    runs = runs_of(ordered, n_seeds=n_seeds)
    write_frames(runs, tmp_path)
    is_tested = n_seeds == 4
    assert (tmp_path / "equal_to_best.csv").exists() is is_tested
    assert ("| problems | 3 | 2 | 1 |" in report(runs)) is is_tested
    assert ("With 3 seeds no test can tell methods apart" in report(runs)) is not is_tested
    apart = permutation_p_value(
        np.zeros(n_seeds), np.ones(n_seeds), np.random.default_rng(0), 20_000
    )
    assert apart == pytest.approx(smallest_p_value(n_seeds), rel=0.15)


def test_weights_are_written_only_where_there_are_some(tmp_path: Path) -> None:
    write_frames(runs_of(ordered, methods=("a", "c")), tmp_path)
    assert not (tmp_path / "alphas.csv").exists()


def test_the_best_losses_of_all_runs_are_kept_for_some_evaluations() -> None:
    best = best_of_runs(runs_of(ordered, n_evaluations=5))
    assert best.columns.tolist() == ["problem", "method", "seed", 1, 2, 4, 5]
    assert len(best) == 3 * 3 * 2
    row = best[(best["problem"] == "q/1") & (best["method"] == "c") & (best["seed"] == 1)]
    assert row[[1, 2, 4, 5]].to_numpy().tolist() == [[2.0, 2.5, 2.25, 2.2]]


def test_weights_are_averaged_within_families_where_they_change() -> None:
    runs = runs_of(ordered)
    runs.loc[runs["problem"] == "p/2", "alpha"] *= 3.0
    alphas = alphas_over_evaluations(runs)
    assert alphas["method"].unique().tolist() == ["b"]
    found = alphas.set_index(["family", "evaluation"])
    assert found["alpha"].loc["p"].tolist() == pytest.approx([0.2, 0.4, 0.6])
    assert found["alpha"].loc["q"].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert found[["low", "high"]].loc[("p", 1)].tolist() == pytest.approx([0.15, 0.25])
    for constant in (0.5, np.nan):
        assert alphas_over_evaluations(runs.assign(alpha=constant)).empty


def test_numbers_in_markdown_are_short_and_nan_is_empty() -> None:
    text = as_markdown(pd.DataFrame({"a": [0.000123456, np.nan], "n": [123456, 2]}))
    assert text.splitlines() == ["| a | n |", "|---|---|", "| 0.0001235 | 123456 |", "|  | 2 |"]
