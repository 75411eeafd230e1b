"""What happens in the course of runs, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fakes.study_folder import write_run

from automl.benchmark.study_report.courses import (
    curves,
    distances,
    effective_updates,
    learner_errors,
    mean_curves,
    ranks_over_trials,
)
from automl.benchmark.study_report.run_files import read_study

DESIGNS = {"es_25": (0.1, 0.1)}


def trials_of(
    folder: Path, runs: dict[tuple[str, str, int], dict[str, list[object]]]
) -> pd.DataFrame:
    for run, trials in runs.items():
        write_run(folder, run, trials, DESIGNS)
    return read_study(folder).trials


def test_effective_updates_need_a_change_of_the_pool_and_a_lower_error(tmp_path: Path) -> None:
    trials: dict[str, list[object]] = {
        #                 first  both  no pool  no gain  failed  both  rounding       worse
        "es_validation": [0.50, 0.40, 0.39, 0.39, None, 0.30, 0.30 - 1e-15, 0.35],
        "in_pool": [1, 1, 0, 1, None, 1, 1, 1],
    }
    found = trials_of(tmp_path, {("wind", "divbo", 0): trials})
    counts = {last: effective_updates(found, last)["updates"].tolist() for last in (100, 6, 2)}
    assert counts == {100: [2], 6: [1], 2: [0]}


def test_effective_updates_are_means_over_seeds_and_runs_do_not_mix(tmp_path: Path) -> None:
    runs: dict[tuple[str, str, int], dict[str, list[object]]] = {
        ("wind", "bo", 0): {"es_validation": [0.5, 0.4, 0.3], "in_pool": [1, 1, 1]},
        ("wind", "bo", 1): {"es_validation": [0.2, 0.2, 0.1], "in_pool": [1, 1, 1]},
        ("wind", "rb", 0): {"es_validation": [0.05, 0.05], "in_pool": [1, 0]},
    }
    found = effective_updates(trials_of(tmp_path, runs), 50)
    assert found.to_numpy().tolist() == [["wind", "bo", 1.5], ["wind", "rb", 0.0]]


def test_failed_trials_keep_the_errors_before_them(tmp_path: Path) -> None:
    run: dict[str, list[object]] = {
        "es_validation": [None, 0.4, None, 0.3],
        "es_test": [None, 0.5, None, 0.6],
        "single_validation": [None, 0.4, None, 0.4],
        "single_test": [None, 0.45, None, 0.45],
    }
    found = curves(trials_of(tmp_path, {("wind", "bo", 0): run}))
    ensemble = found[found["method"] == "BO-ES"]
    assert ensemble["step"].tolist() == [2, 3, 4]  # before the first model nothing is known
    assert ensemble["validation"].tolist() == [0.4, 0.4, 0.3]
    assert ensemble["test"].tolist() == [0.5, 0.5, 0.6]
    assert found.loc[found["method"] == "BO", "test"].tolist() == [0.45] * 3


def test_own_ensembles_have_curves_where_files_have_them(tmp_path: Path) -> None:
    both: dict[str, list[object]] = {"es_validation": [0.4, 0.3], "es_test": [0.4, 0.3]}
    own: dict[str, list[object]] = {"own_validation": [0.2, 0.1], "own_test": [0.3, 0.2]}
    found = trials_of(tmp_path, {("wind", "eo", 0): {**both, **own}, ("wind", "rs", 0): both})
    by_method = curves(found).groupby("method")["validation"].apply(list).to_dict()
    assert by_method == {"EO": [0.2, 0.1], "eo/es_25": [0.4, 0.3], "RS-ES": [0.4, 0.3]}


def test_mean_curves_are_over_seeds_in_per_cent() -> None:
    rows = [("wind", s, 1, "RS", e, 2 * e) for s, e in ((0, 0.1), (1, 0.3))]
    found = mean_curves(
        pd.DataFrame(rows, columns=["dataset", "seed", "step", "method", "validation", "test"])
    )
    (row,) = found.to_dict("records")
    assert row["validation"] == pytest.approx(20.0)
    assert row["validation_std"] == pytest.approx(10.0 * np.sqrt(2.0))
    assert row["test"] == pytest.approx(40.0)


def test_ranks_over_trials_are_of_means_and_of_complete_pairs_only() -> None:
    columns = ["dataset", "seed", "step", "method", "validation", "test"]
    errors = {
        ("wind", 0): (0.1, 0.2, 0.2),
        ("wind", 1): (0.5, 0.2, 0.4),
        ("quake", 0): (0.1, 0.2, 0.3),
        ("quake", 1): (0.9, 0.1, None),  # does not count
    }
    rows = [
        (dataset, seed, 1, method, error, error)
        for (dataset, seed), of_run in errors.items()
        for method, error in zip(("RS", "BO", "RB"), of_run, strict=True)
        if error is not None
    ]
    found = ranks_over_trials(pd.DataFrame(rows, columns=columns), ("RS", "BO", "RB"), "test")
    ranks = found.set_index("method")["rank"].to_dict()
    # wind: means 0.3, 0.2, 0.3 -> 2.5, 1, 2.5; quake: 1, 2, 3
    assert ranks == {"RS": 1.75, "BO": 1.5, "RB": 2.75}
    apart = pd.DataFrame([row for row in rows if row[0] != row[3]][:1], columns=columns)
    assert len(ranks_over_trials(apart, ("BO",), "test")) == 0


def test_errors_of_learners_leave_failed_trials_out(tmp_path: Path) -> None:
    runs: dict[tuple[str, str, int], dict[str, list[object]]] = {
        ("wind", "bo", 0): {"validation_loss": [0.1, None, 0.3]},
        ("wind", "bo", 1): {"validation_loss": [0.5]},
    }
    (row,) = learner_errors(trials_of(tmp_path, runs)).to_dict("records")
    assert row["n_learners"] == 3
    assert row["mean"] == pytest.approx(30.0)
    assert row["std"] == pytest.approx(20.0)


def test_distances_are_means_over_the_seeds_that_have_them(tmp_path: Path) -> None:
    runs: dict[tuple[str, str, int], dict[str, list[object]]] = {
        ("wind", "bo", 0): {"distance": [None, 0.1], "members_validation": [0.4, 0.2]},
        ("wind", "bo", 1): {"distance": [None, 0.3], "members_validation": [0.3, None]},
        ("wind", "rs", 0): {"distance": [None, 0.9]},
    }
    (row,) = distances(trials_of(tmp_path, runs), ("bo", "divbo")).to_dict("records")
    assert (row["search"], row["step"]) == ("bo", 2)
    assert row["distance"] == pytest.approx(0.2)
    assert row["members_error"] == pytest.approx(
        25.0
    )  # a trial that left none keeps the one before
