"""Predictions for a task of OpenML in the form that its server takes.

A run is written to a folder with the classes of openml-python (``flow.xml``, ``description.xml``,
``predictions.arff``), without the server. Nothing is uploaded unless `publish` is called with a
key. The flow is described here rather than by the package's extension for scikit-learn, which
later versions of the package leave out and which knows its own estimators only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from automl.benchmark.openml_data import OpenMLTask, TaskFold, reading
from automl.benchmark.openml_flow import flow_of, parameter_settings
from automl.benchmark.openml_labels import class_positions
from automl.errors import InputError
from search_space.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldPredictions:
    """What an estimator predicts for the rows that a split tests.

    Attributes
    ----------
    fold : TaskFold
        The split.
    classes : (k,) array
        Labels that the columns of `probabilities` stand for.
    labels : (n,) array
        Predicted labels of ``fold.test``.
    probabilities : (n, k) array
        Predicted probabilities of ``fold.test``.
    """

    fold: TaskFold
    classes: Any
    labels: Any
    probabilities: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaskRun:
    """An estimator and its predictions for every split of a task.

    Attributes
    ----------
    task : OpenMLTask
        The task.
    estimator : object
        The unfitted estimator, for its name and parameters.
    predictions : tuple of FoldPredictions
        One for each split.
    """

    task: OpenMLTask
    estimator: Any
    predictions: tuple[FoldPredictions, ...]


def run_on_task(estimator: Any, task: OpenMLTask) -> TaskRun:
    """Return the run of an estimator that is fitted anew for each split of a task.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``; it is cloned, not fitted itself.
    task : OpenMLTask
        The task.
    """
    predictions = tuple(_predicted(clone(estimator), task, fold) for fold in task.folds)
    return TaskRun(task=task, estimator=estimator, predictions=predictions)


def write_run(run: TaskRun, folder: Path) -> Path:
    """Write a run to a folder, without the server, and return the folder.

    Parameters
    ----------
    run : TaskRun
        The run.
    folder : Path
        Where to; it is made if it is not there, and has to be empty.

    Raises
    ------
    InputError
        If the folder is not empty, or predictions do not fit the task.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not an empty folder; a run needs one of its own")
    with reading(run.task, "check the number") as package:
        built = _built(package, run, flow_of(package, run.estimator))
        built.to_filesystem(folder, store_model=False)
    return folder


def publish(run: TaskRun, *, api_key: str) -> int:
    """Upload a run and its flow to OpenML under the name of the key's owner.

    Parameters
    ----------
    run : TaskRun
        The run.
    api_key : str
        The key of an account at OpenML.

    Returns
    -------
    int
        The run's number at OpenML.

    Raises
    ------
    InputError
        If there is no key, or the server cannot be reached or refuses.
    """
    if not api_key.strip():
        raise InputError("uploading to OpenML needs an API key: it is in your profile there")
    advice = "check the API key"
    with reading(run.task, advice) as package, _signed(package, api_key):
        flow = flow_of(package, run.estimator).publish()
        built = _built(package, run, flow)
        built.flow_id = flow.flow_id
        for setting in built.parameter_settings:
            setting["oml:component"] = str(flow.flow_id)
        return int(built.publish().run_id)


def _predicted(estimator: Any, task: OpenMLTask, fold: TaskFold) -> FoldPredictions:
    X, y = task.data.X, task.data.y
    estimator.fit(X.iloc[fold.train], y.iloc[fold.train])
    X_test = X.iloc[fold.test]
    return FoldPredictions(
        fold=fold,
        classes=estimator.classes_,
        labels=estimator.predict(X_test),
        probabilities=estimator.predict_proba(X_test),
    )


@contextmanager
def _signed(package: Any, api_key: str) -> Iterator[None]:
    own = package.config.apikey
    package.config.apikey = api_key
    try:
        yield
    finally:
        package.config.apikey = own


def _built(package: Any, run: TaskRun, flow: Any) -> Any:
    """Return the package's own object for a run."""
    _check(run)
    return package.runs.OpenMLRun(
        task_id=run.task.task_id,
        flow_id=None,
        flow=flow,
        flow_name=flow.name,
        dataset_id=run.task.data.data_id,
        parameter_settings=parameter_settings(run.estimator),
        model=run.estimator,
        data_content=[row for p in run.predictions for row in _rows(run.task, p)],
        fold_evaluations={"predictive_accuracy": _accuracies(run)},
        description_text=f"Predictions of {flow.name} ({flow.external_version})",
        tags=["divbo"],
    )


def _check(run: TaskRun) -> None:
    """Refuse predictions that are not those of every split once."""
    places = sorted((p.fold.repeat, p.fold.fold) for p in run.predictions)
    if places != sorted((fold.repeat, fold.fold) for fold in run.task.folds):
        raise InputError(
            f"OpenML task {run.task.task_id} has {len(run.task.folds)} splits, and a run needs "
            f"predictions for each of them once; found {len(run.predictions)}"
        )
    for p in run.predictions:
        shape = (len(p.fold.test), len(p.classes))
        if p.probabilities.shape != shape or len(p.labels) != shape[0]:
            raise InputError(
                f"predictions of repeat {p.fold.repeat}, fold {p.fold.fold} must be {shape[0]} "
                f"labels and probabilities of shape {shape}, found {len(p.labels)} and "
                f"{p.probabilities.shape}"
            )


def _rows(task: OpenMLTask, predictions: FoldPredictions) -> Iterator[list[Any]]:
    """Yield repeat, fold, sample, row, prediction, truth and probabilities of each tested row."""
    names, fold = task.class_labels, predictions.fold
    probabilities = np.zeros((len(fold.test), len(names)))
    probabilities[:, class_positions(predictions.classes, names)] = predictions.probabilities
    predicted = class_positions(predictions.labels, names)
    true = class_positions(task.data.y.iloc[fold.test], names)
    for i, row in enumerate(fold.test.tolist()):
        place: Sequence[int] = (fold.repeat, fold.fold, 0, row)
        yield [*place, names[predicted[i]], names[true[i]], *probabilities[i].tolist()]


def _accuracies(run: TaskRun) -> dict[int, dict[int, float]]:
    """Return the share of right predictions by repeat and fold."""
    names = run.task.class_labels
    found: dict[int, dict[int, float]] = {}
    for predictions in run.predictions:
        fold = predictions.fold
        true = class_positions(run.task.data.y.iloc[fold.test], names)
        is_right = class_positions(predictions.labels, names) == true
        found.setdefault(fold.repeat, {})[fold.fold] = float(np.mean(is_right))
    return found
