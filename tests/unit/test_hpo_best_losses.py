"""Tables of best losses: they say what the runs said, and are put together with care."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from automl.benchmark.hpo.best_losses import circumstances_of_all, read_all, read_best
from automl.benchmark.hpo.closed_form import branin, conditional
from automl.benchmark.hpo.run_store import RunSettings, RunStore, read_runs
from automl.benchmark.hpo_report import report, write_frames
from automl.benchmark.hpo_runs import Run, run_missing
from automl.benchmark.hpo_statistics import final_ranks
from automl.errors import InputError

Fill = Callable[..., Path]


@pytest.fixture
def fill(tmp_path: Path) -> Fill:
    def fill(name: str, seeds: range, n_evaluations: int = 10) -> Path:
        settings = RunSettings(n_evaluations=n_evaluations, batch_size=5, n_initial=5)
        runs = [
            Run(problem=problem, method=method, seed=seed)
            for problem in (branin(), conditional())
            for method in ("random", "trees_ei")
            for seed in seeds
        ]
        assert all(not e.failure for e in run_missing(runs, RunStore(tmp_path / name, settings)))
        return tmp_path / name

    return fill


def table(folder: Path) -> Path:
    """Return the best losses of the runs of a folder as a table outside it."""
    frames = folder.with_suffix(".frames")
    write_frames(read_runs(folder), frames)
    return frames / "best.csv"


def test_a_table_says_what_the_runs_said(fill: Fill, tmp_path: Path) -> None:
    folder = fill("runs", range(4))
    runs, again = read_runs(folder), read_all([table(folder)])
    assert final_ranks(again).equals(final_ranks(runs))
    before, after = report(runs).split("\n\n## Seconds")[0], report(again)
    assert before == after
    write_frames(again, tmp_path / "again")
    assert (tmp_path / "again" / "best.csv").read_text() == table(folder).read_text()
    assert not (tmp_path / "again" / "time.csv").exists()


def test_seeds_of_a_table_and_of_a_folder_are_put_together(fill: Fill) -> None:
    first, second, both = fill("a", range(2)), fill("b", range(2, 4)), fill("both", range(4))
    together = read_all([table(first), second])
    assert sorted(together["evaluation"].unique()) == [1, 2, 4, 8, 10]
    assert sorted(together["seed"].unique()) == [0, 1, 2, 3]
    assert not together["best"].isna().any()
    assert len(together) == 2 * 2 * 4 * 5
    assert len(read_all([both])) == 2 * 2 * 4 * 10
    assert report(together) == report(read_all([table(both)]))


def test_a_run_that_two_sources_hold_is_named(fill: Fill) -> None:
    folder = fill("runs", range(2))
    with pytest.raises(InputError, match=r"branin, random, seed 0 is in more than one of .*best"):
        read_all([folder, table(folder)])


def test_runs_of_other_lengths_are_not_compared(fill: Fill) -> None:
    long, short = fill("long", range(1)), fill("short", range(1, 2), n_evaluations=8)
    with pytest.raises(InputError, match=r"same number of evaluations.*10 in .*long, 8 in .*short"):
        read_all([long, short])


def test_runs_with_other_settings_are_not_compared(fill: Fill) -> None:
    one, other = fill("one", range(1)), fill("other", range(1, 2))
    for path in other.rglob("*.csv"):
        path.write_text(path.read_text().replace("batch_size=5", "batch_size=1"))
    with pytest.raises(InputError, match=r"other settings.*one \(.*batch_size=5.*other \(.*=1"):
        read_all([one, other])
    together = read_all([table(one), other])  # a table does not tell
    assert together["seed"].nunique() == 2
    assert len(circumstances_of_all([table(one), other])) == 4


def test_seconds_are_left_out_with_evaluations(fill: Fill) -> None:
    folder, later = fill("runs", range(1)), fill("later", range(1, 2))
    assert read_all([folder])["seconds"].notna().all()
    assert read_all([folder, later])["seconds"].notna().all()
    rows = read_all([folder]), read_all([folder, later, table(fill("last", range(2, 3)))])
    assert rows[1]["seconds"].isna().all()
    assert "Seconds" in report(rows[0])
    assert "Seconds" not in report(rows[1])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no table of best losses"),
        ("problem,method,rank\np,a,1\n", "no table of best losses"),
        ("problem,method,seed,1,last\np,a,0,0.1,0.2\n", "no table of best losses"),
        ("problem,method,seed,1\np,a,zero,0.1\n", "no table of best losses"),
        ("problem,method,seed,1\np,a,0,low\n", "no table of best losses"),
        ("problem,method,seed,1,2\np,a,0,0.1,\n", "lacks some"),
        ("problem,method,seed,1,2\n", "has no losses"),
        ("problem,method,seed\np,a,0\n", "has no losses"),
    ],
)
def test_what_is_no_such_table_is_told(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "best.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=told) as caught:
        read_best(path)
    assert str(path) in str(caught.value)


def test_names_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "best.csv"
    path.write_text("problem,method,seed,1,2\n7,1.0,0,0.5,0.25\n")
    runs = read_best(path)
    expected = pd.DataFrame(
        {"problem": ["7"] * 2, "method": ["1.0"] * 2, "evaluation": [1, 2], "best": [0.5, 0.25]}
    )
    assert runs[expected.columns.tolist()].to_dict("list") == expected.to_dict("list")
