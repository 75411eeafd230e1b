"""Results of comparisons, kept in a file and gone on with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from automl.benchmark.comparison import (
    Comparison,
    Result,
    read_results,
    run_comparisons,
    summary_table,
)
from automl.errors import InputError

CELL = Comparison(table="quake", seed=0, time_limit=5.0, n_jobs=1)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[Comparison]:
    """Have a comparison give one made-up result; return those that were run."""
    comparisons: list[Comparison] = []

    def run(comparison: Comparison) -> list[Result]:
        comparisons.append(comparison)
        return [
            Result(
                table=comparison.table,
                method="ensemble",
                seed=comparison.seed,
                accuracy=0.5 + 0.25 * comparison.seed,
                log_loss=0.7,
                seconds=4.9,
                n_trials=12,
                settings=comparison.settings,
                versions="divbo=0",
                machine="none",
            )
        ]

    monkeypatch.setattr(Comparison, "run", run)
    monkeypatch.setattr("automl.benchmark.comparison._versions", lambda: "divbo=0")
    return comparisons


def test_what_a_file_holds_is_not_run_again(ran: list[Comparison], tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    first = list(run_comparisons([CELL], path))
    both = list(run_comparisons([CELL, replace(CELL, seed=1)], path))
    assert ran == [CELL, replace(CELL, seed=1)]
    assert both[:1] == first
    assert read_results(path) == both


@pytest.mark.parametrize(
    "other",
    [
        replace(CELL, time_limit=6.0),
        replace(CELL, n_jobs=2),
        replace(CELL, optimizer="bo"),
        replace(CELL, search_space="fast"),
    ],
)
def test_results_with_other_settings_do_not_count(
    ran: list[Comparison], tmp_path: Path, other: Comparison
) -> None:
    path = tmp_path / "results.csv"
    list(run_comparisons([CELL], path))
    (result,) = run_comparisons([other], path)
    assert ran == [CELL, other]
    assert result.settings == other.settings


def test_results_of_other_versions_do_not_count(
    ran: list[Comparison], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.csv"
    list(run_comparisons([CELL], path))
    monkeypatch.setattr("automl.benchmark.comparison._versions", lambda: "divbo=1")
    list(run_comparisons([CELL], path))
    assert ran == [CELL, CELL]
    assert len(read_results(path)) == 2


def test_the_summary_has_means_and_deviations_over_seeds(
    ran: list[Comparison], tmp_path: Path
) -> None:
    seeds = [CELL, replace(CELL, seed=1)]
    lines = summary_table(list(run_comparisons(seeds, tmp_path / "results.csv"))).splitlines()
    assert ran == seeds
    # 50 and 75 % are 62.5 % on average, 12.5 from either: 12.5 * sqrt(2) with n - 1.
    assert lines[2] == "| quake | ensemble | 62.50 ± 17.68 | 0.7000 ± 0.0000 | 12 |"
    assert lines[3] == "| **mean** | ensemble | 62.50 | 0.7000 | |"


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: "",
        lambda _: "a,b\n1,2\n",
        lambda _: "a,b\n",
        lambda text: text.replace("0.7", "seven"),
        lambda text: text[: text.index("0.7")],
        lambda text: text[: text.index(",divbo=0")],
        lambda text: text.replace("seed", "sown"),
    ],
)
def test_other_files_and_damaged_ones_are_told_and_left_as_they_are(
    damage: Callable[[str], str], ran: list[Comparison], tmp_path: Path
) -> None:
    path = tmp_path / "results.csv"
    list(run_comparisons([CELL], path))
    text = damage(path.read_text())
    path.write_text(text)
    with pytest.raises(InputError, match="holds no results of this comparison") as caught:
        list(run_comparisons([CELL], path))
    assert str(path) in str(caught.value)
    assert ran == [CELL]
    assert path.read_text() == text
