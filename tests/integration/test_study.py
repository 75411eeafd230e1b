"""The study from a data set to the report: evaluations shared, runs gone on with, tables."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from automl.benchmark.study import surrogate_quality
from automl.benchmark.study.evaluation_limits import EvaluationLimits
from automl.benchmark.study.evaluations import StudyEvaluator
from automl.benchmark.study.opening import StudySettings
from automl.benchmark.study.run_files import COLUMNS, RunFolder, StudyKey
from automl.benchmark.study.runner import FinishedRun, run_study_search
from automl.benchmark.study.searches import SEARCHES, make_search
from automl.benchmark.study.studies import build_tables, run_missing
from automl.benchmark.study.study_task import StudyTask
from automl.benchmark.study.surrogate_runs import FILE, Measurement, measure_missing, read_taus
from automl.benchmark.study.table import TableSpace, table_configurations
from automl.benchmark.study.task_loading import load_study_task
from automl.benchmark.study_report.courses import curves
from automl.benchmark.study_report.run_files import read_study, read_surrogates
from automl.errors import InputError
from automl.evaluation.sandbox_pool import close_sandboxes
from automl.optimizers.ensemble_optimization import EnsembleOptimization
from automl.optimizers.performance_model import SurrogateModel
from automl.optimizers.rules import RULES
from automl.trial import Status
from search_space.arrays import FloatArray
from search_space.encoding import ConfigurationEncoder

N_TABLE, N_TRIALS = 14, 10
LIMITS = EvaluationLimits(cpu_seconds=30.0)
BIN = Path(__file__).parents[2] / "bin"
load = partial(load_study_task, "quick", None, 1, 240, "fast")


@pytest.fixture(scope="module")
def task() -> StudyTask:
    return load("quake")


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudySettings]:
    """Return settings of a study on a table that was built."""
    settings = StudySettings(
        n_trials=N_TRIALS,
        preset="fast",
        max_rows=240,
        table_size=N_TABLE,
        limits=LIMITS,
        cache=tmp_path_factory.mktemp("cache"),
    )
    parts, n_missing = build_tables(["quake"], settings, load)
    assert [(part.n_done, part.n_new) for part in parts] == [(N_TABLE, N_TABLE)]
    assert n_missing == N_TABLE
    yield settings
    close_sandboxes()


def evaluator_of(task: StudyTask, settings: StudySettings) -> StudyEvaluator:
    return StudyEvaluator(
        task, settings.space_of(task), settings.cache, settings.limits, only_stored=True
    )


def searched(task: StudyTask, settings: StudySettings, search: str, seed: int = 0) -> FinishedRun:
    return run_study_search(
        make_search(search, settings.n_trials),
        evaluator_of(task, settings),
        settings.space_of(task),
        seed=seed,
        n_trials=settings.n_trials,
    )


def test_an_evaluation_is_made_once_and_predicts_what_the_pipeline_does(
    task: StudyTask, settings: StudySettings
) -> None:
    evaluator = evaluator_of(task, settings)
    n_known = len(evaluator.store)
    configuration = task.search_space.defaults[0]
    found = evaluator(configuration)
    assert len(evaluator.store) == n_known
    validation, test = evaluator.predictions([found])
    assert validation.shape == (1, len(task.validation), 2)
    assert test.shape == (1, len(task.test), 2)
    np.testing.assert_allclose(validation.sum(axis=2), 1.0, atol=2e-3)  # half precision
    codes = evaluator.codes
    assert np.array_equal(codes[0], task.codes[task.validation])
    assert np.array_equal(codes[1], task.codes[task.test])


def test_rows_that_are_held_out_are_never_trained_on(task: StudyTask, tmp_path: Path) -> None:
    # Labels that only memory could know: the nearest neighbour knows those that it was given.
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=len(task.codes))
    random = replace(task, codes=codes)
    evaluator = StudyEvaluator(random, task.search_space, tmp_path, LIMITS)
    configurations = table_configurations(task.search_space, 6)
    evaluations = [e for e in map(evaluator, configurations) if e.status is Status.SUCCESS]
    assert len(evaluations) >= 4
    for part, truth in zip(evaluator.predictions(evaluations), evaluator.codes, strict=True):
        wrong = np.mean(part.argmax(axis=2) != truth, axis=1)
        assert np.all(wrong > 0.2)  # five standard deviations from 0.5 on 48 rows: 0.14


def test_what_is_not_stored_is_an_error_on_a_table(
    task: StudyTask, settings: StudySettings
) -> None:
    longer = table_configurations(task.search_space, N_TABLE + 1)
    with pytest.raises(InputError, match="build the table anew"):
        evaluator_of(task, settings)(longer[-1])


def test_a_longer_table_begins_with_a_shorter_one(task: StudyTask) -> None:
    tables = [table_configurations(task.search_space, n) for n in (5, 120, 250)]
    assert [len(table) for table in tables] == [5, 120, 250]
    assert tables[2][:120] == tables[1]
    assert tables[1][:5] == tables[0]
    defaults = task.search_space.defaults
    assert tables[0][: len(defaults)] == defaults
    assert len(set(tables[2])) == 250


@pytest.mark.parametrize("search", SEARCHES)
def test_every_search_runs_on_a_table_and_never_leaves_it(
    search: str, task: StudyTask, settings: StudySettings
) -> None:
    run = searched(task, settings, search)
    assert len(run.trials) == N_TRIALS
    space = settings.space_of(task)
    assert isinstance(space, TableSpace)
    assert {trial.configuration for trial in run.trials} <= set(space.table)
    assert len({trial.configuration for trial in run.trials}) == N_TRIALS
    n_successes = sum(outcome.status is Status.SUCCESS for outcome in run.outcomes)
    assert len(run.validation) == len(run.test) == n_successes > 0


def test_a_table_that_is_used_up_ends_the_search(task: StudyTask, settings: StudySettings) -> None:
    longer = replace(settings, n_trials=N_TABLE + 5)
    assert len(searched(task, longer, "divbo").trials) == N_TABLE


def test_runs_are_the_same_again_and_differ_between_seeds(
    task: StudyTask, settings: StudySettings
) -> None:
    one, again, other = (searched(task, settings, "rs", seed) for seed in (3, 3, 4))
    configurations = [[t.configuration for t in run.trials] for run in (one, again, other)]
    assert configurations[0] == configurations[1] != configurations[2]
    assert np.array_equal(one.test, again.test)


def read_run(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        file.readline()
        return list(csv.DictReader(file))


def test_ensemble_optimisation_has_a_curve_of_its_own_ensemble(
    task: StudyTask, settings: StudySettings
) -> None:
    run = searched(task, settings, "eo")
    assert len(run.own_members) == len(run.trials)
    last = make_search("eo", N_TRIALS)
    assert isinstance(last, EnsembleOptimization)
    assert run.own_members[-1] == last.members(run.history)
    for trial, members in enumerate(run.own_members):
        assert all(number <= trial for number in members)
    assert len(set(run.own_members)) > 2
    assert searched(task, settings, "rs").own_members == ()


def test_files_hold_what_happened_and_the_report_reads_them(
    tmp_path: Path, settings: StudySettings
) -> None:
    keys = [
        StudyKey(dataset="quake", search=search, seed=seed)
        for search in ("rs", "eo", "divbo")
        for seed in (0, 1)
    ]
    ended, n_missing = run_missing(keys[:2], tmp_path, settings, load)
    assert n_missing == 2
    assert [run.failure for run in ended] == ["", ""]
    ended, n_missing = run_missing(keys, tmp_path, settings, load, n_jobs=2)
    assert n_missing == 4
    assert {run.key for run in ended} == set(keys[2:])
    path = tmp_path / "runs" / "quake" / "divbo" / "0.csv"
    assert path.read_text(encoding="utf-8").startswith("# n_trials=10 preset=fast")
    rows = read_run(path)
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == N_TRIALS
    ended_well = [row for row in rows if row["status"] == "success"]
    best = min(float(row["validation_loss"]) for row in ended_well)
    assert float(rows[-1]["single_validation"]) == best
    own = tmp_path / "runs" / "quake" / "eo" / "1.json"
    assert set(json.loads(own.read_text())["designs"]) == {
        *("single", "es_25", "es_100", "bagging_5", "stacking_5", "own")
    }
    of_eo = read_run(own.with_suffix(".csv"))
    ensemble = json.loads(own.read_text())["designs"]["own"]
    assert float(of_eo[-1]["own_validation"]) == ensemble["validation"]
    assert float(of_eo[-1]["own_test"]) == ensemble["test"]
    assert all(row["own_validation"] == "" for row in rows)  # of another search
    study = read_study(tmp_path)
    assert set(curves(study.trials)["method"]) >= {"EO", "DivBO", "RS-ES"}
    assert set(study.missing_runs()["search"]) == {"bo", "nes", "rb"}  # of the paper's
    assert len(study.trials) == 6 * N_TRIALS
    with pytest.raises(InputError, match="name another folder"):
        run_missing(keys, tmp_path, replace(settings, n_trials=9), load)
    own.unlink()
    assert run_missing(keys, tmp_path, settings, load)[1] == 1  # a run has two files
    own.with_suffix(".csv").write_text("")
    with pytest.raises(InputError, match=r"eo/1\.csv is damaged: delete it and run again"):
        run_missing(keys, tmp_path, settings, load)


def test_a_run_that_fails_is_named_and_ends_no_other(
    tmp_path: Path, settings: StudySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: RunFolder, key: StudyKey, *__: object) -> None:
        raise ZeroDivisionError(f"seed {key.seed}")

    monkeypatch.setattr(RunFolder, "write", broken)
    keys = [StudyKey(dataset="quake", search="rs", seed=seed) for seed in (0, 1)]
    ended, _ = run_missing(keys, tmp_path, settings, load)
    assert sorted(run.failure.splitlines()[-1] for run in ended) == [
        "ZeroDivisionError: seed 0",
        "ZeroDivisionError: seed 1",
    ]


def test_a_table_that_was_not_built_to_its_end_is_one_line_and_nothing_is_run(
    tmp_path: Path, settings: StudySettings
) -> None:
    longer = replace(settings, table_size=N_TABLE + 6)
    keys = [StudyKey(dataset="quake", search="rs", seed=0)]
    wanted = [Measurement(dataset="quake", n_observations=4, seed=0)]
    for start in (
        lambda: run_missing(keys, tmp_path, longer, load),
        lambda: measure_missing(wanted, tmp_path, longer, load),
    ):
        with pytest.raises(
            InputError, match="has 20 configurations, of which were built: quake 14"
        ) as e:
            start()
        assert "build-table --configurations 20" in str(e.value)
        assert len(str(e.value)) < 300
    assert not (tmp_path / "runs").exists()


def test_what_a_table_had_before_does_not_count_as_new(
    tmp_path: Path, settings: StudySettings
) -> None:
    shutil.copytree(settings.cache, tmp_path / "cache")
    longer = replace(settings, table_size=N_TABLE + 2, cache=tmp_path / "cache")
    parts, n_missing = build_tables(["quake"], longer, load)
    assert n_missing == 2
    assert [(part.n_done, part.n_new) for part in parts] == [(N_TABLE + 2, 2)]


def test_data_sets_that_cannot_be_loaded_are_named_at_once_and_nothing_is_run(
    tmp_path: Path, settings: StudySettings
) -> None:
    names = ("quake", "earth", "fire")
    keys = [StudyKey(dataset=name, search="rs", seed=0) for name in names]
    expected = r"^2 data sets of 3 cannot be used: earth, fire; nothing was run.* Of earth: suite"
    with pytest.raises(InputError, match=expected):
        run_missing(keys, tmp_path, settings, load)
    with pytest.raises(InputError, match=expected):
        build_tables(names, settings, load)
    assert not (tmp_path / "runs").exists()


def test_folders_that_cannot_be_written_to_are_one_line(
    tmp_path: Path, settings: StudySettings
) -> None:
    file = tmp_path / "file"
    file.touch()
    keys = [StudyKey(dataset="quake", search="rs", seed=0)]
    with pytest.raises(InputError, match=r"no file can be written .*file': .*; name another"):
        run_missing(keys, file, settings, load)
    in_file = replace(settings, cache=file / "cache")
    with pytest.raises(InputError, match=r"no file can be written .*cache': Not a directory"):
        run_missing(keys, tmp_path, in_file, load)
    with pytest.raises(InputError, match=r"no file can be written .*cache': Not a directory"):
        build_tables(["quake"], in_file, load)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("; python=", "; python=0.", "was run with python 0"),
        ("numpy=", "numpy=0.", "was run with numpy 0.*install these versions, or name another"),
        (f" rules={RULES}", "", f"was run with rules 1, not {RULES}: "),
        ("rules=", "rules=0", "was run with rules 0.*rules are those of divbo's optimisers"),
        (
            "data=quake:",
            "data=quake:0",
            r"was run on other data than there are now.* of quake 0\w+, ",
        ),
        ("n_trials=10", "n_trials=11", "was run with n_trials=11 preset"),
    ],
)
def test_runs_of_other_versions_or_data_are_noticed_when_more_are_added(
    tmp_path: Path, settings: StudySettings, old: str, new: str, message: str
) -> None:
    for _ in run_missing(
        [StudyKey(dataset="quake", search="rs", seed=0)], tmp_path, settings, load
    )[0]:
        pass
    path = tmp_path / "runs" / "quake" / "rs" / "0.csv"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        run_missing([StudyKey(dataset="quake", search="rs", seed=1)], tmp_path, settings, load)


def test_unknown_searches_are_refused_before_anything_is_run(
    tmp_path: Path, settings: StudySettings
) -> None:
    key = StudyKey(dataset="quake", search="divb", seed=0)
    with pytest.raises(InputError, match=r"search 'divb' is unknown.*divbo"):
        run_missing([key], tmp_path, settings, load)
    with pytest.raises(InputError, match="has no data set 'earth'"):
        load("earth")


def test_surrogates_are_judged_on_what_they_have_not_seen(
    tmp_path: Path, settings: StudySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surrogate_quality, "N_HELD_OUT", 5)
    wanted = [
        Measurement(dataset="quake", n_observations=n, seed=seed) for seed in (0, 1) for n in (4, 8)
    ]
    for name in "ab":
        measured, n_missing = measure_missing(wanted, tmp_path / name, settings, load)
        assert n_missing == 4
        assert [one.wanted for one in measured] == wanted
    found, again = (read_taus(tmp_path / name / FILE) for name in "ab")
    assert found == again
    assert len(found) == 40
    assert {tau.surrogate.partition(":")[0] for tau in found} == {
        "diversity to observed",
        "diversity among unseen",
        "performance",
    }
    assert all(-1.0 <= tau.tau <= 1.0 for tau in found)


def test_measurements_are_kept_one_by_one_and_gone_on_with(
    tmp_path: Path, settings: StudySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surrogate_quality, "N_HELD_OUT", 5)
    monkeypatch.setattr(surrogate_quality, "_DIVERSITY", ("lightgbm",))
    monkeypatch.setattr(surrogate_quality, "_PERFORMANCE", ())
    wanted = [Measurement(dataset="quake", n_observations=n, seed=0) for n in (4, 50, 6)]
    measured, _ = measure_missing(wanted, tmp_path, settings, load)
    next(measured)  # and nobody waits for the others
    kept = read_taus(tmp_path / FILE)
    assert [tau.n_observations for tau in kept] == [4, 4]
    measured, n_missing = measure_missing(wanted, tmp_path, settings, load)
    assert n_missing == 2
    too_many, last = measured
    assert too_many.left_out.startswith("quake: 50 observations left out")
    assert (last.left_out, last.wanted) == ("", wanted[2])
    assert [tau.n_observations for tau in read_taus(tmp_path / FILE)] == [4, 4, 6, 6]
    assert read_taus(tmp_path / FILE)[:2] == kept
    found = read_surrogates(tmp_path)
    assert found is not None
    assert len(found) == 4
    with pytest.raises(InputError, match="name another folder"):
        measure_missing(wanted, tmp_path, replace(settings, split_seed=2), load)
    path = tmp_path / FILE
    path.write_text(path.read_text(encoding="utf-8").replace("data=quake:", "data=quake:0"))
    with pytest.raises(InputError, match="was run on other data than there are now"):
        measure_missing(wanted, tmp_path, settings, load)


def test_a_surrogate_that_knows_the_truth_has_a_tau_of_one(
    task: StudyTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_configurations(task.search_space, N_TABLE)
    encoded = ConfigurationEncoder(task.search_space).encode(table)
    losses = {e.tobytes(): i / N_TABLE for i, e in enumerate(encoded)}

    class Oracle:
        def fit(self, *_: object) -> Oracle:
            return self

        def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
            return np.array([losses[x.tobytes()] for x in X]), np.ones(len(X))

    known = surrogate_quality._Known(
        space=task.search_space,
        configurations=table,
        losses=np.arange(N_TABLE) / N_TABLE,
        diversity=np.zeros((N_TABLE, N_TABLE)),
    )
    monkeypatch.setattr(
        surrogate_quality, "SURROGATES", {"oracle": SurrogateModel(make=lambda _: Oracle())}
    )
    monkeypatch.setattr(surrogate_quality, "_PERFORMANCE", ("oracle",))
    monkeypatch.setattr(surrogate_quality, "_DIVERSITY", ("lightgbm",))
    rows = np.random.default_rng(0).permutation(N_TABLE)
    found = dict(surrogate_quality._taus(known, rows[:8], rows[8:], seed=0))
    # Diversities that are all equal cannot be ordered.
    assert found == {
        "diversity to observed:lightgbm": 0.0,
        "diversity among unseen:lightgbm": 0.0,
        "performance:oracle": pytest.approx(1.0),
    }


@pytest.mark.slow
def test_the_script_runs_and_says_what_is_wrong(tmp_path: Path, settings: StudySettings) -> None:
    asked = ["run", str(tmp_path / "out"), "--datasets", "quake", "--searches", "rs"]
    asked += ["--trials", str(N_TRIALS), "--table", str(N_TABLE), "--search-space", "fast"]
    asked += ["--max-rows", "240", "--trial-seconds", "30", "--cache", str(settings.cache)]

    def script(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(BIN / "benchmark"), *asked, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    first = script("--seeds", "1")
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("1 runs, 0 were there.\n1/1, 0 min left: quake rs 0 took")
    wrong = script("--suite", "divbp")
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("benchmark: no suite is called 'divbp'; did you mean 'divbo'?")
    assert len(wrong.stderr.splitlines()) == 1
