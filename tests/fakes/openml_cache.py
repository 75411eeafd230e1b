"""A small cache in the layout of openml-python, written from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd

from automl.benchmark.openml_data import TaskFold

_XMLNS = 'xmlns:oml="http://openml.org/openml"'


def write_dataset(cache: Path, data_id: int, X: pd.DataFrame, y: pd.Series[Any]) -> Path:
    """Write a data set whose target is the last column and return its folder."""
    folder = cache / "org/openml/www/datasets" / str(data_id)
    folder.mkdir(parents=True)
    table = X.assign(**{str(y.name): y})
    table.to_parquet(folder / f"dataset_{data_id}.pq")
    (folder / "description.xml").write_text(_description(data_id, str(y.name)))
    features = "".join(_feature(j, table[name], name == y.name) for j, name in enumerate(table))
    (folder / "features.xml").write_text(
        f"<oml:data_features {_XMLNS}>{features}</oml:data_features>"
    )
    return folder


def write_task(cache: Path, task_id: int, data_id: int, folds: tuple[TaskFold, ...]) -> Path:
    """Write a task on a data set with the target ``target`` and return its folder."""
    folder = cache / "org/openml/www/tasks" / str(task_id)
    folder.mkdir(parents=True)
    (folder / "task.xml").write_text(task_xml(task_id, data_id))
    lines = [
        f"{part},{row},{fold.repeat},{fold.fold}"
        for fold in folds
        for part, rows in (("TRAIN", fold.train), ("TEST", fold.test))
        for row in rows.tolist()
    ]
    head = ["@RELATION splits", "@ATTRIBUTE type {TRAIN,TEST}"]
    head += [f"@ATTRIBUTE {name} NUMERIC" for name in ("rowid", "repeat", "fold")]
    (folder / "datasplits.arff").write_text("\n".join([*head, "@DATA", *lines, ""]))
    return folder


def task_xml(task_id: int, data_id: int, kind: int = 1) -> str:
    """Return the description of a task: classification (1), regression (2), learning curve (3)."""
    names = {1: "Supervised Classification", 2: "Supervised Regression", 3: "Learning Curve"}
    name = names[kind]
    parameters = "".join(
        f'<oml:parameter name="{key}">{value}</oml:parameter>'
        for key, value in (("number_repeats", 1), ("number_folds", 2))
    )
    return (
        f"<oml:task {_XMLNS}><oml:task_id>{task_id}</oml:task_id>"
        f"<oml:task_type_id>{kind}</oml:task_type_id><oml:task_type>{name}</oml:task_type>"
        f'<oml:input name="source_data"><oml:data_set><oml:data_set_id>{data_id}'
        "</oml:data_set_id><oml:target_feature>target</oml:target_feature></oml:data_set>"
        '</oml:input><oml:input name="estimation_procedure"><oml:estimation_procedure>'
        "<oml:id>1</oml:id><oml:type>crossvalidation</oml:type><oml:data_splits_url>none"
        f"</oml:data_splits_url>{parameters}</oml:estimation_procedure></oml:input></oml:task>"
    )


def _description(data_id: int, target: str) -> str:
    return (
        f"<oml:data_set_description {_XMLNS}><oml:id>{data_id}</oml:id><oml:name>small</oml:name>"
        "<oml:version>1</oml:version><oml:description>none</oml:description>"
        "<oml:format>arff</oml:format><oml:url>none.arff</oml:url>"
        f"<oml:parquet_url>none.pq</oml:parquet_url><oml:file_id>{data_id}</oml:file_id>"
        f"<oml:default_target_attribute>{target}</oml:default_target_attribute>"
        "<oml:status>active</oml:status></oml:data_set_description>"
    )


def _feature(position: int, column: pd.Series[Any], is_target: bool) -> str:
    is_nominal = is_target or column.dtype == "category"
    levels = sorted(column.dropna().astype(str).unique()) if is_nominal else []
    values = "".join(f"<oml:nominal_value>{escape(v)}</oml:nominal_value>" for v in levels)
    return (
        f"<oml:feature><oml:index>{position}</oml:index><oml:name>{column.name}</oml:name>"
        f"<oml:data_type>{'nominal' if is_nominal else 'numeric'}</oml:data_type>{values}"
        f"<oml:is_target>{str(is_target).lower()}</oml:is_target><oml:is_ignore>false"
        "</oml:is_ignore><oml:is_row_identifier>false</oml:is_row_identifier>"
        "<oml:number_of_missing_values>0</oml:number_of_missing_values></oml:feature>"
    )
