"""Tables of the study: ranks by hand, the paper's numbers beside them, and what is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from fakes.study_folder import SEARCHES, write_run, write_study

from automl.benchmark.study_report.final_errors import (
    average_ranks,
    complete_errors,
    errors_on_data_sets,
    ranks_of_means,
)
from automl.benchmark.study_report.methods import PAPER_METHODS, TABLE_1_METHODS
from automl.benchmark.study_report.published import (
    published_errors,
    published_names,
    published_values,
)
from automl.benchmark.study_report.report import report, write_frames
from automl.benchmark.study_report.run_files import read_study
from automl.benchmark.study_report.sections import further_methods, table_1, table_4
from automl.errors import InputError

TRIALS = {"validation_loss": [0.3], "es_validation": [0.3], "es_test": [0.3], "in_pool": [1]}


def write_errors(folder: Path, errors: dict[tuple[str, int], dict[str, float | None]]) -> None:
    """Write the test errors of ensembles: (data set, seed) -> search -> error."""
    for (dataset, seed), of_pair in errors.items():
        for search, error in of_pair.items():
            write_run(folder, (dataset, search, seed), TRIALS, {"es_25": (error, error)})


def test_the_table_of_the_paper_gives_its_own_average_ranks() -> None:
    wide = published_errors().pivot(index="dataset", columns="method", values="mean")
    assert wide.shape == (15, 9)
    expected = published_values("test rank")
    assert set(expected.index) == set(TABLE_1_METHODS)
    for method, rank in ranks_of_means(wide).items():
        assert rank == pytest.approx(expected[method], abs=0.04), method


def test_verdicts_of_the_paper_are_of_its_15_data_sets() -> None:
    total = sum(published_values(verdict) for verdict in ("better", "same", "worse"))
    assert total.to_dict() == {"RS-ES": 15, "BO-ES": 15, "RB-ES": 15}


def test_names_of_data_sets_are_found_whatever_the_spelling() -> None:
    names = published_names(["house_8l", "Amazon_employee_access", "eeg-eye-state", "credit-g"])
    assert names == {
        "house_8l": "house_8L",
        "Amazon_employee_access": "amazon_employee",
        "eeg-eye-state": "eeg",
    }


def test_average_ranks_are_of_means_share_ties_and_count_complete_pairs(tmp_path: Path) -> None:
    write_errors(
        tmp_path,
        {
            ("wind", 0): {"rs": 0.1, "bo": 0.2, "rb": 0.2},
            ("wind", 1): {"rs": 0.5, "bo": 0.2, "rb": 0.4},
            ("quake", 0): {"rs": 0.1, "bo": 0.2, "rb": 0.3},
            ("quake", 1): {"rs": 0.9, "bo": 0.1},  # no rb: does not count
            ("pol", 0): {"rs": 0.9, "bo": 0.1, "rb": None},  # unknown: does not count
        },
    )
    finals = read_study(tmp_path).finals
    methods = ("RS-ES", "BO-ES", "RB-ES", "DivBO")  # nobody has run the last one
    assert complete_errors(finals, methods, "test").shape == (3, 3)
    ranks = average_ranks(finals, methods, "test").set_index("method")
    # wind: means 0.3, 0.2, 0.3 -> 2.5, 1, 2.5; quake: 1, 2, 3
    assert ranks["rank"].to_dict() == {"BO-ES": 1.5, "RS-ES": 1.75, "RB-ES": 2.75}
    # Student's t with one degree of freedom: 12.706 s / sqrt(2), s = 1 / sqrt(2), beyond all ranks
    assert ranks.loc["BO-ES", ["low", "high"]].tolist() == [1.0, 3.0]


def test_errors_on_data_sets_use_every_seed_of_a_method(tmp_path: Path) -> None:
    errors = {("wind", 0): {"rs": 0.1, "bo": 0.2}, ("wind", 1): {"rs": 0.3}}
    write_errors(tmp_path, errors)
    found = errors_on_data_sets(read_study(tmp_path).finals, "test").set_index("method")
    assert found["n_seeds"].to_dict() == {"BO-ES": 1, "RS-ES": 2}
    assert found.loc["RS-ES", "mean"] == pytest.approx(20.0)
    assert found.loc["RS-ES", "std"] == pytest.approx(14.1421, abs=1e-4)


def test_table_1_sets_the_paper_beside_what_was_measured(tmp_path: Path) -> None:
    pairs = {("quake", s): {"rs": 0.45 + 0.02 * s, "divbo": 0.44} for s in (0, 1)}
    write_errors(tmp_path, {**pairs, ("own", 0): {"rs": 0.3}})
    table = table_1(read_study(tmp_path)).set_index("data set")
    assert table.loc["quake", "RS-ES"] == "46.00 ± 1.41 / 46.79 ± 1.57"
    assert table.loc["quake", "DivBO"] == "44.00 ± 0.00 / 45.55 ± 1.37"
    assert table.loc["quake", "BO-ES"] == "- / 46.10 ± 2.52"
    assert table.loc["own", "RS-ES"] == "30.00 / -"
    ranks = table.loc["average rank (1 complete / 1 of them)"]
    assert ranks[["RS-ES", "DivBO", "RB"]].tolist() == ["2.00 / 2.00", "1.00 / 1.00", "- / -"]
    assert table.loc["average rank, all 15 of the paper", "DivBO"] == "- / 1.73"


def test_further_searches_and_designs_have_rows_of_their_own(tmp_path: Path) -> None:
    write_study(tmp_path, datasets=("wind",), searches=("divbo", "bo_densbo"))
    study = read_study(tmp_path)
    others = further_methods(study, of_paper=False)
    assert others["method"].tolist() == ["bo_densbo/es_25", "bo_densbo/single"]
    designs = further_methods(study, of_paper=True)["method"].tolist()
    assert designs == ["divbo/bagging_5", "divbo/es_100", "divbo/stacking_5"]


def test_table_4_ends_with_the_means_and_those_of_the_paper(tmp_path: Path) -> None:
    for dataset, errors in (("wind", [0.5, 0.4, 0.3]), ("pol", [0.5, 0.4, 0.4])):
        trials = {"es_validation": errors, "in_pool": [1, 1, 1]}
        write_run(tmp_path, (dataset, "divbo", 0), trials, {"es_25": (0.3, 0.3)})
    table = table_4(read_study(tmp_path), 50).set_index("data set")
    assert table["DivBO"].to_dict() == {
        "pol": 1.0,
        "wind": 2.0,
        "mean": 1.5,
        "mean in the paper": 1.5,
    }


def test_means_of_table_4_are_of_the_data_sets_of_every_search(tmp_path: Path) -> None:
    errors = {("wind", "divbo"): [0.5, 0.4, 0.3], ("wind", "bo"): [0.5, 0.4, 0.4]}
    for (dataset, search), course in {**errors, ("pol", "bo"): [0.5, 0.4, 0.3]}.items():
        trials = {"es_validation": course, "in_pool": [1, 1, 1]}
        write_run(tmp_path, (dataset, search, 0), trials, {"es_25": (0.3, 0.3)})
    table = table_4(read_study(tmp_path), 50).set_index("data set")
    assert table.loc["mean", ["DivBO", "BO-ES"]].tolist() == [2.0, 1.0]


def test_a_whole_report_has_every_section_and_no_nan(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=1, searches=(*SEARCHES, "kbo"))
    text = report(read_study(tmp_path))
    titles = re.findall(r"^## (.*?)(?::.*)?$", text, re.M)
    assert titles == [
        "Average ranks",
        "Table 1",
        "Table 2",
        "Table 3",
        "Table 4",
        "Figure 6",
        "Figure 3",
        "Further searches",
        "Other designs",
    ]
    assert not re.search(r"\bnan\b", text, re.I)
    assert "not ranked here" not in text


def test_files_without_the_columns_of_later_ones_are_read(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=1)
    for path in tmp_path.glob("runs/*/*/*.csv"):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        frame = pd.read_csv(path, skiprows=1)
        later = ["members_validation", "own_validation", "own_test"]
        path.write_text(f"{first}\n{frame.drop(columns=later).to_csv(index=False)}")
    study = read_study(tmp_path)
    text = report(study)
    assert "Without a curve in the run files, so not ranked here: EO." in text
    assert not re.search(r"\bnan\b", text, re.I)
    write_frames(study, tmp_path / "frames")


def test_ten_methods_share_55_ranks(tmp_path: Path) -> None:
    write_study(tmp_path)
    ranks = average_ranks(read_study(tmp_path).finals, tuple(PAPER_METHODS), "validation")
    assert ranks["rank"].sum() == pytest.approx(55.0)
    assert ranks["method"].iloc[0] == "DivBO"


def test_few_seeds_are_no_finding(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=5)
    text = report(read_study(tmp_path))
    table = text.partition("## Table 2")[2].partition("\n## ")[0]
    assert "cannot tell: of 5 seeds its smallest two-sided p-value is 0.0625" in table
    assert "| baseline | data sets | lower mean | better/same/worse in the paper |" in table


def test_six_seeds_can_be_a_finding(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=6, searches=("rs", "divbo"))
    text = report(read_study(tmp_path))
    table = text.partition("## Table 2")[2].partition("\n## ")[0]
    assert "cannot tell" not in table
    assert "| RS-ES | 2 | 2 | 2 | 0 | 0 | 0 | 13/2/0 |" in table


@pytest.mark.parametrize("searches", [("kbo",), ("eo",), ("divbo",), ("rs", "bo")])
def test_parts_of_a_study_can_be_reported(tmp_path: Path, searches: tuple[str, ...]) -> None:
    write_study(tmp_path, datasets=("own",), searches=searches, n_seeds=1, n_trials=1)
    study = read_study(tmp_path)
    text = report(study)
    assert not re.search(r"\bnan\b", text, re.I)
    absent = [name for name in SEARCHES if name not in searches]
    assert f"Searches of the paper that nobody has run: {', '.join(absent)}." in text
    write_frames(study, tmp_path / "frames")


def test_one_thing_is_not_told_as_several(tmp_path: Path) -> None:
    write_study(tmp_path, datasets=("wind",), searches=("rs",), n_seeds=1, n_trials=1)
    text = report(read_study(tmp_path))
    assert "\n1 data set, 1 search, 1 seed, up to 1 trial each.\n" in text
    assert not re.search(r"\b1 (data sets|searches|seeds|trials)\b", text)


def test_missing_runs_are_named_and_long_lists_cut(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=13, n_trials=2)
    for seed in range(1, 13):
        for dataset in ("quake", "wind"):
            for suffix in (".csv", ".json"):
                (tmp_path / f"runs/{dataset}/eo/{seed}{suffix}").unlink()
    text = report(read_study(tmp_path))
    assert "Missing runs, whose data set and seed count in no comparison of them (24):" in text
    assert "- quake, eo, seed 1\n" in text
    assert "- and 4 more\n" in text


def test_frames_are_written(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=2)
    surrogates = pd.DataFrame(
        {
            "dataset": "wind",
            "surrogate": "lgb",
            "n_observations": 50,
            "seed": [0, 1],
            "tau": [0.4, 0.6],
        }
    )
    study = read_study(tmp_path)
    write_frames(study, tmp_path / "frames", surrogates)
    found = pd.read_csv(tmp_path / "frames" / "taus.csv")
    assert found["tau"].tolist() == [0.5]
    table = pd.read_csv(tmp_path / "frames" / "table_1.csv").set_index(["dataset", "method"])
    assert table.loc[("quake", "DivBO"), "paper_mean"] == 45.55
    assert table.loc[("quake", "DivBO"), "n_seeds"] == 2
    assert "| wind | lgb | 50 | 0.5 | 0.1414 |" in report(study, surrogates)


def test_nothing_to_rank_is_an_error() -> None:
    with pytest.raises(InputError, match="no errors to rank"):
        ranks_of_means(pd.DataFrame(columns=["a"]))
