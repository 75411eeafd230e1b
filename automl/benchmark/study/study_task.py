"""One table as the searches of the study see it: prepared features, codes and three parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from automl.benchmark.openml_data import StudyData
from automl.benchmark.study.splits import stratified_sample, three_way_split
from automl.data.folds import Fold, Splits
from automl.data.labels import encode_labels
from automl.data.schema import learn_schema
from automl.data.task_description import describe_task
from automl.errors import InputError
from search_space.arrays import Features, IntArray
from search_space.space import SearchSpace, build_space
from search_space.task import TaskProperties


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyTask:
    """What every method of the study is given.

    Attributes
    ----------
    name : str
        Of the data set.
    X : (n, d) array or sparse array
        Prepared features.
    codes : (n,) array of int
        Classes.
    n_classes : int
        Number of classes.
    train, validation, test : array of int
        Positions of the rows of each part.
    properties : TaskProperties
        What the search space is built for.
    search_space : SearchSpace
        What may be tried.
    """

    name: str
    X: Features
    codes: IntArray
    n_classes: int
    train: IntArray
    validation: IntArray
    test: IntArray
    properties: TaskProperties
    search_space: SearchSpace


def study_task(
    data: StudyData, *, split_seed: int, max_rows: int | None = None, preset: str = "divbo"
) -> StudyTask:
    """Return a table prepared and split.

    Types and levels of columns are learnt from all rows, so that no part holds a level that is
    unknown; everything that is fitted to values is a matter of the pipelines, which see the rows
    that train alone.

    Parameters
    ----------
    data : StudyData
        The table.
    split_seed : int
        Decides which rows train, validate and test, and which are left out.
    max_rows : int or None
        The reduced setting: most rows to take, by class; a class without one is no class then.
    preset : str
        Name of the search space.

    Raises
    ------
    InputError
        If the table cannot be used or split.
    """
    try:
        X, y = _reduced(data, max_rows, split_seed)
        schema = learn_schema(X, estimator_name=data.name)
        codes, classes = encode_labels(y, len(X), estimator_name=data.name)
        parts = three_way_split(codes, split_seed)
    except InputError as error:
        raise InputError(f"data set {data.name!r}: {error}") from error
    fold = Fold(parts.train, parts.validation)
    splits = Splits(folds=(fold,), n_rows=len(codes), description="60/20/20 holdout")
    properties = describe_task(schema, codes, splits, len(classes))
    return StudyTask(
        name=data.name,
        X=schema.transform(X),
        codes=codes,
        n_classes=len(classes),
        train=parts.train,
        validation=parts.validation,
        test=parts.test,
        properties=properties,
        search_space=build_space(properties, preset=preset),
    )


def _reduced(
    data: StudyData, max_rows: int | None, seed: int
) -> tuple[pd.DataFrame, pd.Series[Any]]:
    if max_rows is None:
        return data.X, data.y
    if max_rows < 1:
        raise InputError(f"max_rows must be a whole number from 1, found {max_rows!r}")
    codes, _ = encode_labels(data.y, len(data.X), estimator_name=data.name)
    rows = stratified_sample(codes, max_rows, np.random.default_rng(seed))
    return data.X.iloc[rows], data.y.iloc[rows]
