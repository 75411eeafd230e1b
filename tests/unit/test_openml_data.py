"""Data sets and tasks of OpenML, read from a cache that is written here; no test has a network."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pytest
from fakes.openml_cache import task_xml, write_dataset, write_task

from automl.benchmark.bundled import load_bundled
from automl.benchmark.openml_data import TaskFold, load_dataset, load_task
from automl.errors import InputError

openml = pytest.importorskip("openml")

DATA_ID, TASK_ID = 31, 59
FOLDS = (
    TaskFold(repeat=0, fold=0, train=np.arange(60), test=np.arange(60, 120)),
    TaskFold(repeat=0, fold=1, train=np.arange(60, 120), test=np.arange(60)),
)
KEPT = ("description.xml", "features.xml", "task.xml", "datasplits.arff")


@pytest.fixture
def table() -> tuple[pd.DataFrame, pd.Series[Any]]:
    X, y = load_bundled("credit-g")
    return X.iloc[:120], y.iloc[:120].astype("category")


@pytest.fixture
def cache(tmp_path: Path, table: tuple[pd.DataFrame, pd.Series[Any]]) -> Path:
    write_dataset(tmp_path, DATA_ID, *table)
    write_task(tmp_path, TASK_ID, DATA_ID, FOLDS)
    return tmp_path


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("the server was asked")

    for name in ("_send_request", "_download_minio_file"):
        monkeypatch.setattr(openml._api_calls, name, refuse)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def dataset_of(cache: Path) -> Path:
    return cache / "org/openml/www/datasets" / str(DATA_ID)


def task_of(cache: Path) -> Path:
    return cache / "org/openml/www/tasks" / str(TASK_ID)


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_data_set_is_the_table_that_was_written(
    cache: Path, table: tuple[pd.DataFrame, pd.Series[Any]]
) -> None:
    data = load_dataset(DATA_ID, cache=cache)
    assert (data.name, data.data_id) == ("small", DATA_ID)
    pd.testing.assert_frame_equal(data.X, table[0])
    pd.testing.assert_series_equal(data.y, table[1])


def test_a_task_has_its_official_splits_and_classes(cache: Path) -> None:
    task = load_task(TASK_ID, cache=cache)
    assert task.class_labels == ("bad", "good")
    assert task.data.X.shape == (120, 20)
    assert [(f.repeat, f.fold) for f in task.folds] == [(0, 0), (0, 1)]
    for found, written in zip(task.folds, FOLDS, strict=True):
        assert found.train.dtype == np.int64
        np.testing.assert_array_equal(found.train, written.train)
        np.testing.assert_array_equal(found.test, written.test)


def test_the_given_folder_is_left_as_it_is_even_if_reading_fails(cache: Path) -> None:
    (dataset_of(cache) / "dataset_31.pq").write_bytes(b"not a table")
    before = files_of(cache)
    with pytest.raises(InputError, match="cannot be read"):
        load_dataset(DATA_ID, cache=cache)
    with pytest.raises(InputError, match="cannot be read"):
        load_task(TASK_ID, cache=cache)
    assert files_of(cache) == before


def test_reading_leaves_neither_files_nor_settings_behind(cache: Path) -> None:
    before, settings = files_of(cache), openml.config.get_config_as_dict()
    load_task(TASK_ID, cache=cache)
    assert files_of(cache) == before
    assert openml.config.get_config_as_dict() == settings
    assert "OPENML_SKIP_PARQUET" not in os.environ


def test_pickles_in_the_given_folder_are_not_opened(cache: Path) -> None:
    (dataset_of(cache) / "dataset_31.pkl.py3").write_bytes(b"would not be a pickle")
    (task_of(cache) / "datasplits.pkl.py3").write_bytes(b"would not be a pickle")
    assert len(load_task(TASK_ID, cache=cache).data.X) == 120


def test_tables_in_arff_are_read_without_a_download(cache: Path) -> None:
    folder = dataset_of(cache)
    (folder / "dataset_31.pq").unlink()
    rows = "".join(f"{j},{'good' if j % 3 else 'bad'}\n" for j in range(9))
    (folder / "dataset.arff").write_text(
        "@RELATION r\n@ATTRIBUTE duration NUMERIC\n@ATTRIBUTE target {bad,good}\n@DATA\n" + rows
    )
    text = '<oml:data_features xmlns:oml="http://openml.org/openml">' + "".join(
        f"<oml:feature><oml:index>{j}</oml:index><oml:name>{name}</oml:name><oml:data_type>{kind}"
        "</oml:data_type><oml:number_of_missing_values>0</oml:number_of_missing_values>"
        "</oml:feature>"
        for j, (name, kind) in enumerate([("duration", "numeric"), ("target", "string")])
    )
    (folder / "features.xml").write_text(text + "</oml:data_features>")
    data = load_dataset(DATA_ID, cache=cache)
    assert data.X["duration"].tolist() == list(range(9))
    assert data.y.value_counts().to_dict() == {"good": 6, "bad": 3}


@pytest.mark.parametrize("load", [load_dataset, load_task])
def test_what_a_cache_lacks_is_named_with_a_way_out(
    load: Callable[..., Any], tmp_path: Path
) -> None:
    kind = load.__name__.removeprefix("load_")
    with pytest.raises(InputError, match=f"OpenML {kind} 7 is not in the given cache") as raised:
        load(7, cache=tmp_path)
    assert "no cache to have it downloaded" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", [*KEPT, "dataset_31.pq"])
def test_a_cache_that_lacks_a_file_does_not_ask_the_server(name: str, cache: Path) -> None:
    for path in cache.rglob(name):
        path.unlink()
    with pytest.raises(InputError, match=f"there is no .*{name}"):
        load_task(TASK_ID, cache=cache)


@pytest.mark.parametrize("name", KEPT)
def test_a_damaged_file_is_told_in_one_line(name: str, cache: Path) -> None:
    for path in cache.rglob(name):
        path.write_text("<damaged")
    with pytest.raises(InputError, match=r"replace it|replace its files") as raised:
        load_task(TASK_ID, cache=cache)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("number", [0, -1, True, "61", 61.0, None])
def test_what_is_no_number_of_a_data_set_is_refused(number: Any, cache: Path) -> None:
    with pytest.raises(InputError, match="data_id must be a whole number from 1"):
        load_dataset(number, cache=cache)
    with pytest.raises(InputError, match="task_id must be a whole number from 1"):
        load_task(number, cache=cache)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (["a"] * 30, r"y has one class \(a\)"),
        (["a", None] * 15, "missing"),
        (list(np.linspace(0, 1, 30)), "continuous"),
    ],
)
def test_a_target_that_holds_no_classes_is_refused_with_the_number_of_the_data_set(
    labels: list[Any], reason: str, tmp_path: Path
) -> None:
    write_dataset(tmp_path, 5, pd.DataFrame({"x": range(30)}), pd.Series(labels, name="target"))
    with pytest.raises(InputError, match=f"OpenML dataset 5 .*'target': .*{reason}"):
        load_dataset(5, cache=tmp_path)


@pytest.mark.parametrize("target", ["", "other", "age,target"])
def test_a_data_set_without_one_target_column_is_refused(target: str, cache: Path) -> None:
    replaced(dataset_of(cache) / "description.xml", ">target<", f">{target}<")
    with pytest.raises(InputError, match="OpenML dataset 31 has no target column"):
        load_dataset(DATA_ID, cache=cache)


@pytest.mark.parametrize(("kind", "name"), [(2, "Supervised Regression"), (3, "Learning Curve")])
def test_a_task_that_is_not_about_classes_alone_is_refused(
    kind: int, name: str, cache: Path
) -> None:
    (task_of(cache) / "task.xml").write_text(task_xml(TASK_ID, DATA_ID, kind))
    with pytest.raises(InputError, match=f"task 59 is about {name}; only classification"):
        load_task(TASK_ID, cache=cache)


def test_splits_of_rows_that_are_not_there_are_refused(tmp_path: Path) -> None:
    X, y = load_bundled("credit-g")
    write_dataset(tmp_path, DATA_ID, X.iloc[:100], y.iloc[:100])
    write_task(tmp_path, TASK_ID, DATA_ID, FOLDS)
    with pytest.raises(InputError, match="splits rows that its data set of 100 rows"):
        load_task(TASK_ID, cache=tmp_path)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError("no room"), r"what .* holds of it cannot be read \(no room\)"),
        (openml.exceptions.OpenMLServerException("Unknown dataset", code=111), "check the number"),
        (openml.exceptions.OpenMLServerError("nonsense"), "cannot be reached"),
    ],
)
def test_trouble_with_the_server_is_one_line_that_names_the_number(
    error: Exception, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> NoReturn:
        raise error

    monkeypatch.setattr(openml._api_calls, "_perform_api_call", fail)
    monkeypatch.setattr(openml.config, "_root_cache_directory", tmp_path)
    with pytest.raises(InputError, match=f"OpenML dataset 77: .*{reason}") as raised:
        load_dataset(77)
    assert "\n" not in str(raised.value)


def test_an_unreachable_server_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(openml.config, "_root_cache_directory", tmp_path)
    monkeypatch.setattr(openml.config, "server", "http://localhost:9/api")
    monkeypatch.setattr(openml.config, "connection_n_retries", 1)
    with pytest.raises(InputError, match="localhost:9/api cannot be reached"):
        load_dataset(77)


def test_a_missing_package_is_told_with_the_extra(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openml", None)
    with pytest.raises(InputError, match=r"pip install 'divbo\[openml\]'"):
        load_dataset(DATA_ID, cache=cache)


def test_own_caches_are_read_where_none_is_given(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openml.config, "_root_cache_directory", cache)
    assert load_task(TASK_ID).data.X.shape == (120, 20)
