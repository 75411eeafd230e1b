"""The command line without a search: options, exit codes, and one line for each wrong input."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from fakes.fitted_search import fitted_search, fruitless_search, small_table

from automl import command_fit, command_leaderboard
from automl.cli import main
from automl.command_result import CommandResult
from automl.errors import AutoMLWarning
from automl.estimator import AutoClassifier
from automl.model_file import SavedModel, load_model, save_model

ROOT = Path(__file__).parents[2]
COMMANDS = ("fit", "predict", "leaderboard", "demo")
FIT = ("fit", "train.csv", "--target", "shape", "--model", "new.model")
PREDICT = ("predict", "a.model", "new.csv", "--output", "out.csv")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with tables and a model the current one; a search in it is an error."""
    X, y = small_table()
    X.to_csv(tmp_path / "new.csv", index=False)
    X.assign(shape=y).to_csv(tmp_path / "train.csv", index=False)
    save_model(tmp_path / "a.model", SavedModel(estimator=fitted_search(), target="shape"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("automl.estimator.fit_ensemble", refuse_to_search)
    return tmp_path


def refuse_to_search(*_: object, **__: object) -> None:
    raise AssertionError("a search was started")


def fail(argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must fail for wrong input; return the line on standard error."""
    try:
        code: object = main(argv)
    except SystemExit as end:
        code = end.code
    written = capsys.readouterr()
    assert code == 2
    assert written.out == ""
    assert re.fullmatch(r"automl: error: [^\n]+\n", written.err)
    return written.err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "required: COMMAND"),
        (("train",), "invalid choice: 'train'"),
        (("fit", "train.csv"), "required: --target, --model"),
        (("fit",), "required: TRAIN, --target, --model"),
        (("predict", "a.model"), "required: DATA, --output"),
        (("leaderboard",), "required: MODEL"),
        ((*FIT, "--tim", "3"), "unrecognized arguments: --tim 3"),
        ((*FIT, "--quiet", "--verbose"), "not allowed with argument --quiet"),
        ((*FIT, "--time-limit", "0"), "--time-limit: must be a positive number or none"),
        ((*FIT, "--time-limit", "nan"), "--time-limit: must be a positive number or none"),
        ((*FIT, "--time-limit", "1 h"), "found '1 h'"),
        ((*FIT, "--time-limit"), "--time-limit: expected one argument"),
        ((*FIT, "--trials", "0"), "--trials: must be a whole number of at least 1"),
        ((*FIT, "--trials", "1.5"), "--trials: must be a whole number of at least 1"),
        ((*FIT, "--trial-time-limit", "-1"), "must be a positive number, auto or none"),
        ((*FIT, "--memory-limit", "2G"), "--memory-limit: must be a positive number"),
        ((*FIT, "--jobs", "0"), "--jobs: must be a number of workers"),
        ((*FIT, "--jobs", "two"), "--jobs: must be a number of workers"),
        ((*FIT, "--seed", "-1"), "--seed: must be a whole number that is not negative"),
        ((*FIT, "--seed", "x"), "--seed: must be a whole number that is not negative"),
        ((*FIT, "--cv", "1"), "--cv: must be auto, holdout, a number of folds"),
        ((*FIT, "--cv", "2.5"), "found '2.5'"),
        ((*FIT, "--cv", "five"), "found 'five'"),
        ((*FIT, "--include", ","), "--include: must be names with commas"),
        ((*FIT, "--ensemble-size", "0"), "--ensemble-size: must be a whole number"),
        (("demo", "--time-limit", "none"), "--time-limit: must be a positive number, found 'none'"),
        (("leaderboard", "a.model", "--top", "0"), "--top: must be a whole number"),
    ],
)
def test_a_wrong_option_is_one_line(
    argv: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in fail(argv, capsys)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--time-limit", "none"), "--time-limit none needs --trials"),
        (("--optimizer", "tpe"), "optimizer 'tpe' is unknown; use one of 'divbo'"),
        (("--search-space", "huge"), "huge"),
        (("--scoring", "acuracy"), "'accuracy'"),
        (("--include", "lightgmb"), "'lightgbm'"),
        (("--exclude", "nothing_like_it"), "nothing_like_it"),
        (("--cv", "41"), "41"),
        (("--work-dir", "."), "is not empty"),
        (("--work-dir", "train.csv"), "--work-dir 'train.csv': File exists"),
        (("--work-dir", "train.csv/new"), "--work-dir 'train.csv/new': Not a directory"),
    ],
)
def test_an_option_that_does_not_fit_the_table_is_one_line_before_the_search(
    options: tuple[str, ...], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in fail((*FIT, *options), capsys)
    assert not (folder / "new.model").exists()


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
        ("one_class.csv", "class"),
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


@pytest.mark.usefixtures("folder")
def test_options_reach_the_estimator(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = estimator_of(
        (
            *("--trials", "7", "--time-limit", "60", "--scoring", "roc_auc", "--cv", "0.2"),
            *("--optimizer", "random", "--search-space", "fast", "--include", "lda, mlp"),
            *("--exclude", "mlp", "--ensemble-size", "9", "--trial-time-limit", "none"),
            *("--memory-limit", "512", "--no-refit", "--work-dir", "w", "--seed", "3"),
            *("--jobs", "-1", "--verbose"),
        ),
        monkeypatch,
    )
    assert asked.get_params() == {
        "time_limit": 60.0,
        "n_trials": 7,
        "scoring": "roc_auc",
        "cv": 0.2,
        "optimizer": "random",
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


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_predict_writes_a_label_for_each_row(
    suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = small_table()
    output = f"out{suffix}"
    assert main(("predict", "a.model", "new.csv", "--output", output)) == 0
    table = pd.read_csv(output) if suffix == ".csv" else pd.read_parquet(output)
    assert list(table.columns) == ["shape"]
    assert (table["shape"] == fitted_search().predict(X)).all()
    assert (table["shape"] == y).mean() > 0.9
    assert capsys.readouterr() == (f"40 predictions: {output}\n", "")


@pytest.mark.usefixtures("folder")
def test_predict_adds_probabilities_in_full_precision() -> None:
    X, _ = small_table()
    assert main((*PREDICT, "--proba")) == 0
    head, *rows = [line.split(",") for line in Path("out.csv").read_text().splitlines()]
    assert head == ["shape", "probability_narrow", "probability_wide"]
    written = [[float(cell) for cell in row[1:]] for row in rows]
    assert written == fitted_search().predict_proba(X).tolist()


@pytest.mark.usefixtures("folder")
def test_predict_drops_the_target_with_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("predict", "a.model", "train.csv", "--output", "out.csv")) == 0
    assert capsys.readouterr().err == (
        "automl: note: column 'shape' is what is predicted; its values are not used\n"
    )
    assert main((*PREDICT[:3], "--output", "same.csv")) == 0
    assert Path("out.csv").read_text() == Path("same.csv").read_text()


@pytest.mark.usefixtures("folder")
def test_predict_knows_columns_by_their_names() -> None:
    X, _ = small_table()
    X[["height", "width"]].to_csv("turned.csv", index=False)
    assert main(("predict", "a.model", "turned.csv", "--output", "turned_out.csv")) == 0
    assert main(PREDICT) == 0
    assert Path("turned_out.csv").read_text() == Path("out.csv").read_text()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("absent", "new.csv", "--output", "out.csv"), "'absent' cannot be read: No such file"),
        (("new.csv", "new.csv", "--output", "out.csv"), "'new.csv' is not a model file"),
        (("a.model", "absent.csv", "--output", "out.csv"), "absent.csv is not there"),
        (("a.model", "half.csv", "--output", "out.csv"), "lacks columns"),
        (("a.model", "more.csv", "--output", "out.csv"), "unseen at fit time: - depth"),
        (("a.model", "words.csv", "--output", "out.csv"), "width"),
        (("a.model", "new.csv", "--output", "new.csv"), "would overwrite what is read"),
        (("a.model", "new.csv", "--output", "./a.model"), "would overwrite what is read"),
        (("a.model", "new.csv", "--output", "out.txt"), "suffix that says no known kind"),
        (("a.model", "new.csv", "--output", "absent/out.csv"), "no file can be written"),
    ],
)
def test_predict_refuses_a_wrong_file_in_one_line(
    argv: tuple[str, ...], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X, _ = small_table()
    X[["width"]].to_csv("half.csv", index=False)
    X.assign(depth=1).to_csv("more.csv", index=False)
    X.assign(width="wide").to_csv("words.csv", index=False)
    before = sorted((path.name, path.read_bytes()) for path in folder.iterdir())
    assert message in fail(("predict", *argv), capsys)
    assert sorted((path.name, path.read_bytes()) for path in folder.iterdir()) == before


@pytest.mark.usefixtures("folder")
def test_leaderboard_prints_the_trials(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("leaderboard", "a.model")) == 0
    written = capsys.readouterr()
    assert [line.split()[0] for line in written.out.splitlines()] == ["trial", "0", "1", "2"]
    assert written.err == ""


@pytest.mark.usefixtures("folder")
def test_leaderboard_prints_at_most_the_top(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("leaderboard", "a.model", "--top", "1")) == 0
    assert capsys.readouterr().out.splitlines()[-1] == (
        "1 of 2 models; 3 trials finished, 1 failed (1 timeout), 1 cancelled at the end."
    )


@pytest.mark.usefixtures("folder")
def test_leaderboard_prints_the_failures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(("leaderboard", "a.model", "--failures")) == 0
    table = capsys.readouterr().out
    assert "mlp      timeout" in table
    assert "cancelled at" in table.splitlines()[-1]
    assert "qda" not in table


def test_an_unknown_bundled_table_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there are: credit-g, quake" in fail(("demo", "--data", "iris"), capsys)


@pytest.mark.usefixtures("folder")
def test_ctrl_c_ends_with_130_and_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command_fit, "read_table", interrupt)
    assert main(FIT) == 130
    assert capsys.readouterr() == ("", "automl: error: interrupted\n")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("error", [RuntimeError("ours"), OSError("ours"), ValueError("ours")])
def test_an_error_of_our_own_is_not_hidden(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object) -> None:
        raise error

    monkeypatch.setattr(AutoClassifier, "fit", break_down)
    with pytest.raises(type(error), match="ours"):
        main(FIT)


def test_our_warnings_are_one_line_and_others_are_left_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def warn(_: Any) -> CommandResult:
        warnings.warn("two\nlines", AutoMLWarning, stacklevel=1)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("theirs", RuntimeWarning, stacklevel=1)
        return CommandResult("done\n")

    monkeypatch.setattr(command_leaderboard, "run", warn)
    with pytest.warns(RuntimeWarning, match="theirs"):
        assert main(("leaderboard", "a.model")) == 0
    assert capsys.readouterr() == ("done\n", "automl: warning: two lines\n")


@pytest.mark.usefixtures("folder")
def test_a_reader_that_has_gone_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    code = (
        "from automl.cli import CommandResult, _write; "
        "raise SystemExit(_write(CommandResult('x\\n' * 10_000)))"
    )
    try:
        ended = subprocess.run(
            [sys.executable, "-c", code],
            stdout=writer,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=False,
        )
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, b"")


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
