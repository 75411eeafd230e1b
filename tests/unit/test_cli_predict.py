"""The command ``automl predict`` on small files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from fakes.command_line import PREDICT, fail
from fakes.fitted_search import fitted_search, small_table

from automl.cli import main
from automl.model_file import SavedModel, save_model


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


def test_labels_are_not_lost_where_the_target_is_named_like_a_probability(folder: Path) -> None:
    model = SavedModel(estimator=fitted_search(), target="probability_wide")
    save_model(folder / "b.model", model)
    assert main(("predict", "b.model", "new.csv", "--output", "out.csv", "--proba")) == 0
    table = pd.read_csv("out.csv")
    assert list(table.columns) == [
        "probability_wide",
        "class_probability_narrow",
        "class_probability_wide",
    ]
    assert set(table["probability_wide"]) == {"narrow", "wide"}


def test_a_file_of_an_unknown_kind_is_refused_before_the_model_is_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.model").write_text("no model")
    line = fail(("predict", "a.model", "new.csv", "--output", "out.json"), capsys)
    assert "out.json has a suffix" in line


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
        (
            ("a.model", "half.csv", "--output", "out.csv"),
            "'half.csv' lacks columns that the model was",
        ),
        (
            ("a.model", "more.csv", "--output", "out.csv"),
            "model was not fitted with: 'depth'",
        ),
        (
            ("a.model", "renamed.csv", "--output", "out.csv"),
            "'height', and has columns that the model was not fitted with: 'Height'",
        ),
        (("a.model", "words.csv", "--output", "out.csv"), "width"),
        (("a.model", "new.csv", "--output", "new.csv"), "would overwrite what is read"),
        (("a.model", "new.csv", "--output", "new.csv", "--force"), "would overwrite what is read"),
        (
            ("a.model", "new.csv", "--output", "half.csv"),
            "'half.csv' exists; --force overwrites",
        ),
        (("a.model", "new.csv", "--output", "."), "--output '.' is a folder"),
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
    X.rename(columns={"height": "Height"}).to_csv("renamed.csv", index=False)
    X.assign(depth=1).to_csv("more.csv", index=False)
    X.assign(width="wide").to_csv("words.csv", index=False)
    before = sorted((path.name, path.read_bytes()) for path in folder.iterdir())
    assert message in fail(("predict", *argv), capsys)
    assert sorted((path.name, path.read_bytes()) for path in folder.iterdir()) == before


@pytest.mark.usefixtures("folder")
def test_predict_overwrites_where_that_is_asked_for() -> None:
    Path("out.csv").write_text("old")
    assert main((*PREDICT, "--force")) == 0
    assert Path("out.csv").read_text().startswith("shape\n")
