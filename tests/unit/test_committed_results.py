"""Tables of results in documents are what the losses that lie beside them say."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from automl.benchmark.hpo.best_losses import read_best
from automl.benchmark.hpo_report import as_markdown
from automl.benchmark.hpo_statistics import (
    counts_equal_to_best,
    equal_to_best,
    final_ranks,
    ranks_over_evaluations,
)
from automl.benchmark.study_report.final_errors import average_ranks
from automl.benchmark.study_report.methods import PAPER_METHODS, PAPER_SEARCHES
from automl.benchmark.study_report.run_files import Study, read_study
from automl.benchmark.study_report.sections import table_1

RESULTS = Path(__file__).resolve().parents[2] / "datasets" / "results"


def rows_told(folder: str) -> tuple[list[int], list[list[str]]]:
    """Return the evaluations that a table names, and its rows without the names of methods."""
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    section = text.split(f"## `{folder}/`")[1].split("\n## ")[0]
    head, *rows = [line for line in section.splitlines() if line.startswith("| ")]
    evaluations = [int(n) for n in re.findall(r"after (\d+)", head)]
    return evaluations, [[cell.strip() for cell in row.split("|")[2:-1]] for row in rows]


def rows_computed(folder: str, evaluations: list[int]) -> list[list[str]]:
    """Return the rows that a table must have, the best method first."""
    runs = read_best(RESULTS / folder / "best.csv")
    over = ranks_over_evaluations(runs).pivot(index="method", columns="evaluation", values="rank")
    counts = counts_equal_to_best(equal_to_best(runs, np.random.default_rng(0)))
    equal = counts.set_index("method")["all"]
    return [
        [
            *(f"{over.loc[row.method, n]:.2f}" for n in evaluations),
            f"{row.low:.2f} - {row.high:.2f}",
            f"{equal[row.method]} of {equal['problems']}",
        ]
        for row in final_ranks(runs).itertuples(index=False)
    ]


FOLDERS = ("densbo_yahpo", "sawei_hpobench", "sawei_bbob")


@pytest.mark.parametrize("folder", FOLDERS)
def test_final_ranks_are_those_of_the_losses_beside_them(folder: str) -> None:
    kept = pd.read_csv(RESULTS / folder / "final_ranks.csv")
    found = final_ranks(read_best(RESULTS / folder / "best.csv"))
    assert kept["method"].tolist() == found["method"].tolist()
    numbers = found.columns.drop("method")
    assert kept[numbers].to_numpy() == pytest.approx(found[numbers].to_numpy(), abs=1e-4)


@pytest.mark.parametrize("folder", FOLDERS)
def test_tables_are_those_of_the_losses_beside_them(folder: str) -> None:
    evaluations, told = rows_told(folder)
    assert len(told) >= 10
    assert told == rows_computed(folder, evaluations)


STUDY = RESULTS / "divbo"


@pytest.fixture(scope="module")
def tables_300(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Return the runs that lie packed beside their tables."""
    folder = tmp_path_factory.mktemp("tables_300")
    for packed in sorted((STUDY / "tables_300" / "runs").glob("*.tar.xz")):
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
    return read_study(folder)


def test_the_study_s_runs_are_all_there_and_of_one_kind(tables_300: Study) -> None:
    assert not tables_300.missing_runs().size
    assert (tables_300.damaged, tables_300.unfinished, tables_300.mixtures) == ((), (), ())
    assert set(tables_300.finals["search"]) == set(PAPER_SEARCHES)
    assert set(tables_300.finals["seed"]) == set(range(10))


def test_the_study_s_errors_are_those_of_its_runs(tables_300: Study) -> None:
    kept = pd.read_csv(STUDY / "tables_300" / "finals.csv")
    pd.testing.assert_frame_equal(kept, tables_300.finals)


def test_the_study_s_table_has_ranks_of_its_runs(tables_300: Study) -> None:
    methods = tuple(PAPER_METHODS)
    ranks = average_ranks(tables_300.finals, methods, "test")
    validation = average_ranks(tables_300.finals, methods, "validation").set_index("method")["rank"]
    text = (STUDY / "README.md").read_text(encoding="utf-8")
    rows = [line for line in text.split("(`tables_300/`)")[1].splitlines() if "|" in line][2:]
    told = [[cell.strip() for cell in row.split("|")[1:4]] for row in rows[: len(ranks)]]
    assert told == [
        [
            row.method,
            f"{row.rank:.2f} ({row.low:.2f} - {row.high:.2f})",
            f"{validation[row.method]:.2f}",
        ]
        for row in ranks.itertuples(index=False)
    ]


def test_the_study_s_table_has_errors_of_its_runs(tables_300: Study) -> None:
    text = (STUDY / "README.md").read_text(encoding="utf-8")
    rows = as_markdown(table_1(tables_300)).splitlines()
    of_sets = [row for row in rows if not row.startswith("| average rank")]
    assert len(of_sets) == 2 + tables_300.finals["dataset"].nunique()
    assert "\n".join(of_sets) in text
