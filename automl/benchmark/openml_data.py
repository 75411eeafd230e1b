"""Data sets and tasks of OpenML (J. Vanschoren et al., SIGKDD Explorations 15(2), 2014).

With a cache given, what is there is read without a network and the folder is never written to.
Without one, openml-python's own cache is used, and what it lacks is downloaded.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from automl.benchmark.openml_files import (
    data_id_of_task,
    dataset_folder,
    linked_cache,
    openml_package,
    task_folder,
)
from automl.data.labels import encode_labels
from automl.errors import InputError
from search_space.arrays import IntArray

_NETWORK = ("requests", "urllib3", "minio")  # packages that openml speaks to its server with


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyData:
    """One table, as `AutoClassifier.fit` takes it.

    Attributes
    ----------
    name : str
        What it is called.
    data_id : int or None
        Its number at OpenML; None for a table from elsewhere.
    X : (n, d) DataFrame
        Features.
    y : (n,) Series
        Labels of at least two classes.
    """

    name: str
    data_id: int | None
    X: pd.DataFrame
    y: pd.Series[Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaskFold:
    """One of a task's official splits: positions of rows.

    Attributes
    ----------
    repeat, fold : int
        Its place among the splits, both from 0.
    train, test : (n,) array
        The rows to learn from and those to predict.
    """

    repeat: int
    fold: int
    train: IntArray
    test: IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenMLTask:
    """A classification task of OpenML: a table and how to split it.

    Attributes
    ----------
    task_id : int
        Its number at OpenML.
    data : StudyData
        The table.
    folds : tuple of TaskFold
        By repeat, then by fold.
    class_labels : tuple of str
        Classes in OpenML's order, those without a row included.
    cache : Path or None
        The cache that it was read from; None: the package's own.
    """

    task_id: int
    data: StudyData
    folds: tuple[TaskFold, ...]
    class_labels: tuple[str, ...]
    cache: Path | None = None


def load_dataset(data_id: int, *, cache: Path | None = None) -> StudyData:
    """Return a data set of OpenML with its default target.

    Parameters
    ----------
    data_id : int
        Number of the data set, such as 61 for iris.
    cache : Path or None
        Root of a folder in openml-python's layout, only read; None: its own cache and the server.

    Raises
    ------
    InputError
        If it is not there, cannot be reached or read, or is not a classification problem.
    """
    what = f"OpenML dataset {_checked(data_id, 'data_id')}"
    folders = () if cache is None else (dataset_folder(cache, data_id),)
    with _openml(cache, folders, what) as package:
        dataset = _dataset(package, data_id)
        return _study_data(dataset, dataset.default_target_attribute, what)


def load_task(task_id: int, *, cache: Path | None = None) -> OpenMLTask:
    """Return a classification task of OpenML with its official splits.

    Parameters
    ----------
    task_id : int
        Number of the task, such as 59 for iris in ten folds.
    cache : Path or None
        Root of a folder in openml-python's layout, only read; None: its own cache and the server.

    Raises
    ------
    InputError
        If it is not there, cannot be reached or read, or is not about classification.
    """
    what = f"OpenML task {_checked(task_id, 'task_id')}"
    with _openml(cache, _task_folders(cache, task_id), what) as package:
        task = package.tasks.get_task(task_id)
        curves = package.tasks.OpenMLLearningCurveTask  # a class below that of classification
        is_classification = isinstance(task, package.tasks.OpenMLClassificationTask)
        if not is_classification or isinstance(task, curves):
            raise InputError(f"{what} is about {task.task_type}; only classification can be used")
        data = _study_data(_dataset(package, task.dataset_id), task.target_name, what)
        return OpenMLTask(
            task_id=task_id,
            data=data,
            folds=_folds(_splits(task), len(data.y), what),
            class_labels=tuple(map(str, task.class_labels or ())),
            cache=cache,
        )


@contextmanager
def reading(task: OpenMLTask, advice: str) -> Iterator[Any]:
    """Yield the package openml while it finds a task where the task was read from.

    Whatever it raises becomes an `InputError` of one line.

    Parameters
    ----------
    task : OpenMLTask
        The task.
    advice : str
        What the user can do if the server refuses.
    """
    folders = _task_folders(task.cache, task.task_id)
    with _openml(task.cache, folders, f"OpenML task {task.task_id}", advice) as package:
        yield package


def _task_folders(cache: Path | None, task_id: int) -> tuple[Path, ...]:
    if cache is None:
        return ()
    folder = task_folder(cache, task_id)
    return folder, dataset_folder(cache, data_id_of_task(folder))


@contextmanager
def _openml(
    cache: Path | None, folders: tuple[Path, ...], what: str, advice: str = "check the number"
) -> Iterator[Any]:
    """Yield the package openml, and turn whatever it raises into one line."""
    package = openml_package()
    try:
        if cache is None:
            yield package
        else:
            with linked_cache(cache, folders):
                yield package
    except InputError:
        raise
    except Exception as error:  # the package raises Exception itself where a file is damaged
        raise InputError(f"{what}: {_reason(package, error, cache, advice)}") from error


def _reason(package: Any, error: Exception, cache: Path | None, advice: str) -> str:
    """Return why something could not be had and what to do, in one line."""
    said = " ".join(str(error).split()) or type(error).__name__
    server = package.config.server
    exceptions = package.exceptions
    is_answer = isinstance(error, exceptions.OpenMLServerException) and error.code is not None
    if is_answer or isinstance(error, exceptions.OpenMLNotAuthorizedError):
        return f"the server {server} refuses it ({said}): {advice}"
    is_server = isinstance(error, exceptions.OpenMLServerError)
    if is_server or type(error).__module__.split(".")[0] in _NETWORK:
        return (
            f"the server {server} cannot be reached ({said}): try again later, or read it from a "
            "cache that holds it"
        )
    place = cache or package.config.get_cache_directory()
    return f"what {place} holds of it cannot be read ({said}): replace its files there"


def _dataset(package: Any, data_id: int) -> Any:
    return package.datasets.get_dataset(
        data_id, download_data=True, download_features_meta_data=True
    )


def _study_data(dataset: Any, target: str | None, what: str) -> StudyData:
    """Return the table of a data set without the columns that OpenML tells to ignore."""
    if target not in {feature.name for feature in dataset.features.values()}:
        raise InputError(
            f"{what} has no target column {target!r}; choose a data set for classification"
        )
    X, y, _, _ = dataset.get_data(target=target)
    try:
        encode_labels(y, len(X), estimator_name="classification")
    except InputError as error:
        raise InputError(f"{what} cannot be used: its target {target!r}: {error}") from error
    return StudyData(name=dataset.name, data_id=int(dataset.dataset_id), X=X, y=y)


def _splits(task: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the package leaves the file open
        try:
            return task.download_split().split
        except Exception as error:
            traceback.clear_frames(error.__traceback__)  # closes the file here and now
            raise


def _folds(splits: Any, n_rows: int, what: str) -> tuple[TaskFold, ...]:
    """Return the splits of a task, from OpenML's nested mappings of repeat, fold and sample."""
    folds = tuple(
        TaskFold(
            repeat=repeat,
            fold=fold,
            train=np.asarray(samples[0].train, dtype=np.int64),
            test=np.asarray(samples[0].test, dtype=np.int64),
        )
        for repeat, by_fold in sorted(splits.items())
        for fold, samples in sorted(by_fold.items())
    )
    if max(int(np.concatenate([fold.train, fold.test]).max()) for fold in folds) >= n_rows:
        raise InputError(f"{what} splits rows that its data set of {n_rows} rows does not have")
    return folds


def _checked(number: int, name: str) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InputError(f"{name} must be a whole number from 1, found {number!r}")
    return number
