"""The command ``automl fit`` without a search: what it refuses, asks for, says and saves."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from fakes.command_line import FIT, PREDICT, fail
from fakes.fitted_search import fitted_search, fruitless_search

from automl.changes import Change
from automl.cli import main
from automl.estimator import AutoClassifier
from automl.model_file import load_model
from automl.optimizers.named import ACQUISITIONS, SURROGATES
from automl.settings import OPTIMIZERS
from search_space.presets import PRESETS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--time-limit", "none"), "--time-limit none needs --trials"),
        (("--scoring", "acuracy"), "--scoring 'acuracy' is not a scorer of scikit-learn"),
        (("--scoring", "r2"), "--scoring 'r2' compares numbers"),
        (("--scoring", "f1"), "--scoring 'f1' cannot be used with the 2 classes"),
        (("--include", "lightgmb"), "--include: unknown name 'lightgmb' (close: 'lightgbm')"),
        (("--exclude", "nothing_like_it"), "--exclude: unknown name 'nothing_like_it'"),
        (("--include", "lda", "--exclude", "lda"), "both in --include and in --exclude"),
        (("--cv", "41"), "--cv 41 folds cannot be made of 40 rows"),
        (("--work-dir", "."), "--work-dir '"),
        (("--work-dir", "train.csv"), "--work-dir 'train.csv' is a file; name a folder"),
        (("--work-dir", "train.csv/new"), "train.csv' is a file, not a folder"),
    ],
)
def test_an_option_that_does_not_fit_the_table_is_one_line_before_the_search(
    options: tuple[str, ...], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = fail((*FIT, *options), capsys)
    assert message in line
    assert not re.search("make_scorer|splitter|propose|ConfigurationSpace|None", line)
    assert not (folder / "new.model").exists()


def test_no_folder_is_made_for_a_search_that_does_not_start(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fail((*FIT, "--work-dir", "runs/first", "--scoring", "acuracy"), capsys)
    assert not (folder / "runs").exists()


def test_the_names_that_options_accept_are_those_that_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = {
        "--optimizer": list(OPTIMIZERS),
        "--surrogate": list(SURROGATES),
        "--acquisition": list(ACQUISITIONS),
        "--search-space": [p.name for p in PRESETS],
    }
    for option, known in names.items():
        assert f"{option}: must be one of {', '.join(known)}, found" in fail(
            (*FIT, option, "nothing like it"), capsys
        )


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ("absent.csv", "absent.csv is not there"),
        (".", "is a folder"),
        ("a.model", "has a suffix that says no known kind of table"),
        ("empty.csv", "empty.csv is empty"),
        ("head.csv", "head.csv holds no rows"),
        ("text.parquet", "text.parquet cannot be read as parquet"),
        ("labels.csv", "has no column besides the target 'shape'"),
        ("one_class.csv", "--target 'shape' has one class (wide); automl needs at least two"),
        ("unlabelled.csv", "--target 'shape' contains NaN: 1 of 3 labels are missing"),
        ("fractions.csv", "--target 'shape' holds fractions such as 0.5"),
        ("constant.csv", "'constant.csv' has no column to learn from: column 'y' dropped"),
    ],
)
def test_a_wrong_table_is_one_line(
    train: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty.csv").write_text("")
    (folder / "head.csv").write_text("width,shape\n")
    (folder / "text.parquet").write_text("width,shape\n1,wide\n")
    (folder / "labels.csv").write_text("shape\nwide\nnarrow\n")
    (folder / "one_class.csv").write_text("width,shape\n1,wide\n2,wide\n")
    (folder / "unlabelled.csv").write_text("width,shape\n1,wide\n2,\n3,narrow\n")
    (folder / "fractions.csv").write_text("width,shape\n1,0.5\n2,1.5\n3,1\n")
    (folder / "constant.csv").write_text("y,shape\n1,wide\n1,narrow\n1,wide\n")
    argv = ("fit", train, "--target", "shape", "--model", "new.model")
    assert message in fail(argv, capsys)


@pytest.mark.usefixtures("folder")
def test_an_unknown_target_names_the_close_and_the_other_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    argv = ("fit", "train.csv", "--target", "shap", "--model", "new.model")
    assert fail(argv, capsys) == (
        "automl: error: --target 'shap' is no column of 'train.csv'; did you mean 'shape'? "
        "the columns are 'width', 'height', 'shape'\n"
    )


@pytest.mark.usefixtures("folder")
def test_an_unknown_target_of_a_wide_table_names_the_first_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pd.DataFrame([range(30)], columns=[f"c{j}" for j in range(30)]).to_csv("wide.csv", index=False)
    line = fail(("fit", "wide.csv", "--target", "label", "--model", "new.model"), capsys)
    assert line.endswith("'c18', 'c19' and 10 more\n")
    assert "did you mean" not in line


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("a.model", "--model 'a.model' exists; --force overwrites it"),
        ("train.csv", "--model 'train.csv' exists; --force overwrites it"),
        (".", "--model '.' is a folder; name a file in it"),
        ("absent/new.model", "no file can be written in folder"),
        ("train.csv/new.model", "no file can be written in folder"),
        ("/proc/new.model", "no file can be written in folder '/proc'"),
    ],
)
def test_a_model_that_cannot_be_written_is_refused_before_the_table_is_read(
    model: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "a.model").read_bytes()
    argv = ("fit", "not even there.csv", "--target", "shape", "--model", model)
    assert message in fail(argv, capsys)
    assert (folder / "a.model").read_bytes() == before


def test_the_table_is_never_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / "train.csv").read_bytes()
    line = fail((*FIT[:-1], str(folder / "train.csv"), "--force"), capsys)
    assert line.endswith("train.csv' would overwrite what is read\n")
    assert (folder / "train.csv").read_bytes() == before


@pytest.mark.usefixtures("folder")
def test_options_reach_the_estimator(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = estimator_of(
        (
            *("--trials", "7", "--time-limit", "60", "--scoring", "roc_auc", "--cv", "0.2"),
            *("--class-weight", "balanced", "--surrogate", "densbo", "--acquisition", "mace"),
            *("--optimizer", "bo", "--search-space", "fast", "--include", "lda, mlp"),
            *("--exclude", "mlp", "--ensemble-size", "9", "--trial-time-limit", "none"),
            *("--memory-limit", "512", "--no-refit", "--work-dir", "w", "--seed", "3"),
            *("--jobs", "-1", "--verbose", "--resume", "--deterministic"),
        ),
        monkeypatch,
    )
    assert asked.get_params() == {
        "time_limit": 60.0,
        "n_trials": 7,
        "scoring": "roc_auc",
        "cv": 0.2,
        "class_weight": "balanced",
        "optimizer": "bo",
        "surrogate": "densbo",
        "acquisition": "mace",
        "search_space": "fast",
        "include": ["lda", "mlp"],
        "exclude": ["mlp"],
        "extra_learners": None,
        "ensemble_size": 9,
        "trial_time_limit": None,
        "memory_limit": 512.0,
        "n_jobs": -1,
        "refit": False,
        "work_dir": Path("w"),
        "resume": True,
        "deterministic": True,
        "verbose": 2,
        "callbacks": None,
        "random_state": 3,
    }


@pytest.mark.usefixtures("folder")
def test_without_options_the_defaults_are_those_of_the_estimator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = estimator_of((), monkeypatch).get_params()
    assert asked == AutoClassifier().get_params() | {"n_jobs": 1, "verbose": 1}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "seconds"),
    [
        ((), 300.0),
        (("--trials", "5"), None),
        (("--trials", "5", "--time-limit", "9"), 9.0),
        (("--trials", "5", "--time-limit", "none"), None),
        (("--quiet",), 300.0),
    ],
)
def test_a_limit_of_trials_lifts_the_default_time_limit(
    options: tuple[str, ...], seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = estimator_of(options, monkeypatch)
    assert asked.time_limit == seconds
    assert asked.verbose == (0 if "--quiet" in options else 1)


def estimator_of(options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> AutoClassifier:
    """Return the estimator that ``automl fit`` makes of some options."""
    made: list[AutoClassifier] = []

    def keep(self: AutoClassifier, *_: object) -> AutoClassifier:
        made.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(AutoClassifier, "fit", keep)
    assert main((*FIT, *options)) == 130
    return made[0]


def test_a_model_is_saved_with_its_target_and_the_summary_printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def take_over(self: AutoClassifier, *_: object) -> AutoClassifier:
        self.__dict__.update(fitted_search().__dict__)
        return self

    monkeypatch.setattr(AutoClassifier, "fit", take_over)
    assert main((*FIT[:-1], "a.model", "--force", "--quiet")) == 0
    assert load_model(folder / "a.model").target == "shape"
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 trials finished, 1 failed (1 timeout), 1 cancelled at the end"
    assert "best single model 0.125, ensemble 0.125, class frequencies 0.5" in lines[1]
    assert "logistic_regression" in lines[4]
    assert re.fullmatch(r"Model: a\.model \(\d+\.\d KiB\)", lines[-1])


def test_a_search_without_a_model_saves_the_class_frequencies_and_ends_with_3(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def find_nothing(self: AutoClassifier, *_: object) -> AutoClassifier:
        self.__dict__.update(fruitless_search().__dict__)
        return self

    monkeypatch.setattr(AutoClassifier, "fit", find_nothing)
    assert main(FIT) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 trial finished, 1 failed (1 timeout)"
    assert "best single model none, ensemble 0.5, class frequencies 0.5" in lines[1]
    assert lines[4].split() == ["1.00", "none", "class", "frequencies", "0.5", "all", "rows"]
    assert main((*PREDICT[:1], "new.model", *PREDICT[2:])) == 0
    assert set((folder / "out.csv").read_text().split()[1:]) == {"narrow"}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("option", "notes"),
    [
        (
            (),
            [
                "column 'depth' dropped: it has no values",
                "search space cut to the data in 2 places; --verbose lists them",
            ],
        ),
        (
            ("--verbose",),
            [
                "column 'depth' dropped: it has no values",
                "search space cut to the data: pca ends at 5",
                "search space cut to the data: svd ends at 6",
            ],
        ),
        (("--quiet",), []),
    ],
)
def test_notes_on_one_subject_are_one_line_unless_in_full(
    option: tuple[str, ...],
    notes: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    changes = (
        Change("column 'depth'", "dropped", "it has no values"),
        Change("search space", "cut to the data", "pca ends at 5"),
        Change("search space", "cut to the data", "svd ends at 6"),
    )

    def take_over(self: AutoClassifier, *_: object) -> AutoClassifier:
        self.__dict__.update(fitted_search().__dict__, changes_=changes)
        return self

    monkeypatch.setattr(AutoClassifier, "fit", take_over)
    assert main((*FIT, *option)) == 0
    assert capsys.readouterr().err.splitlines() == [f"automl: note: {note}" for note in notes]
    assert load_model(Path("new.model")).estimator.changes_ == changes
