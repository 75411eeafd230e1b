"""One evaluation: fit a pipeline on each training part, predict the rows that were left out."""

from __future__ import annotations

import pickle
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
from sklearn import config_context
from sklearn.pipeline import Pipeline

from automl.data.table_store import Table, TableHandle, load_table
from automl.evaluation.framing import Payload
from automl.metrics import Metric
from automl.probabilities import predicted_probabilities
from search_space.arrays import Features, FloatArray, IntArray, PredictionArray
from search_space.component import Component
from search_space.pipeline import build_pipeline
from search_space.task import TaskProperties

_LARGEST_STORED_MODELS = 256 * 2**20  # bytes; beyond, keeping fold models costs more than a refit


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineSpec:
    """Everything that determines an unfitted pipeline.

    Attributes
    ----------
    configuration : mapping
        Values of the active hyperparameters by name.
    components : tuple of Component
        What the names refer to.
    task : TaskProperties
        The task that the pipeline is for.
    seed : int
        Seed of everything random in it.
    rescale_first : bool
        Whether the rescaler comes before the preprocessor.
    """

    configuration: Mapping[str, Any]
    components: tuple[Component, ...]
    task: TaskProperties
    seed: int
    rescale_first: bool

    def build(self) -> Pipeline:
        """Return the unfitted pipeline."""
        return build_pipeline(
            self.configuration, self.components, self.task, self.seed, self.rescale_first
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDestination:
    """Where the fitted pipelines of an evaluation go.

    Attributes
    ----------
    path : str
        File to write, if its folder can be reached from where the evaluation runs. Large models
        then do not pass through pipes.
    largest_loss : float
        Models of a trial with a higher loss are not wanted.
    """

    path: str
    largest_loss: float

    def write(self, models: bytes) -> bool:
        """Write the models; return whether that was possible."""
        path = Path(self.path)
        if not path.parent.is_dir():
            return False
        path.write_bytes(models)
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationCall:
    """Evaluates a pipeline on all splits; runs inside the sandbox.

    Attributes
    ----------
    spec : PipelineSpec
        What is evaluated.
    table : TableHandle
        Where the data and the splits are.
    metric : Metric
        Turns out-of-fold predictions into the loss.
    models : ModelDestination
        Where the fitted pipelines go, unless they are larger than 256 MiB.
    """

    spec: PipelineSpec
    table: TableHandle
    metric: Metric
    models: ModelDestination

    def __call__(self) -> Payload:
        """Return the loss, the predictions and, if they could not be written, the pipelines."""
        table = load_table(self.table)
        predictions, pipelines = out_of_fold(self.spec, table)
        covered = table.splits.covered
        loss = self.metric.loss(
            table.codes[covered], predictions, _rows_of(table.weights.metric, covered)
        )
        models = dump_models(pipelines) if loss <= self.models.largest_loss else b""
        if len(models) > _LARGEST_STORED_MODELS or self.models.write(models):
            models = b""
        return Payload(header={"loss": loss}, blobs=(predictions, models))


@dataclass(frozen=True, slots=True, kw_only=True)
class RefitCall:
    """Fits a pipeline on all rows; runs inside the sandbox.

    Attributes
    ----------
    spec : PipelineSpec
        What is fitted.
    table : TableHandle
        Where the data are.
    """

    spec: PipelineSpec
    table: TableHandle

    def __call__(self) -> Payload:
        """Return the fitted pipeline."""
        table = load_table(self.table)
        pipeline = self.spec.build()
        started = time.perf_counter()
        weights = table.weights.training
        _fit(pipeline, _writable(table.X), np.array(table.codes), _rows_of(weights, slice(None)))
        seconds = time.perf_counter() - started
        return Payload(header={"fit_seconds": seconds}, blobs=(dump_models([pipeline]),))


def out_of_fold(spec: PipelineSpec, table: Table) -> tuple[PredictionArray, list[Pipeline]]:
    """Return predictions for every covered row by pipelines that never saw it.

    Rows that are validated more than once get the average of their predictions.

    Returns
    -------
    (rows, classes) array
        Probabilities in the order of ``table.splits.covered``.
    list of Pipeline
        The fitted pipelines, one for each split.
    """
    splits = table.splits
    position = np.full(table.codes.shape[0], -1)
    position[splits.covered] = np.arange(splits.covered.shape[0])
    total = np.zeros((splits.covered.shape[0], table.n_classes))
    counts = np.zeros(splits.covered.shape[0])
    pipelines = []
    for fold in splits.folds:
        pipeline = spec.build()
        weights = _rows_of(table.weights.training, fold.train)
        _fit(pipeline, table.X[fold.train], np.array(table.codes[fold.train]), weights)
        rows = position[fold.validation]
        total[rows] += predicted_probabilities(pipeline, table.X[fold.validation], table.n_classes)
        counts[rows] += 1.0
        pipelines.append(pipeline)
    return (total / counts[:, np.newaxis]).astype(np.float32), pipelines


def dump_models(pipelines: list[Pipeline]) -> bytes:
    """Return fitted pipelines as bytes."""
    data: bytes = cloudpickle.dumps(pipelines, protocol=5)
    return data


def load_models(data: bytes | memoryview) -> list[Pipeline]:
    """Return the pipelines that `dump_models` wrote."""
    models: list[Pipeline] = pickle.loads(data)
    return models


def _fit(pipeline: Pipeline, X: Features, codes: IntArray, weights: FloatArray | None) -> None:
    arguments = {} if weights is None else {"classifier__sample_weight": weights}
    # Where a user has turned on the routing of metadata, a step's argument has no such name.
    with config_context(enable_metadata_routing=False):
        pipeline.fit(X, codes, **arguments)


def _rows_of(weights: FloatArray | None, rows: IntArray | slice) -> FloatArray | None:
    """Return a copy of the weights of some rows: some learners refuse read-only maps."""
    return None if weights is None else np.array(weights[rows])


def _writable(X: Any) -> Any:
    """Return a table in memory: some learners refuse read-only maps."""
    return np.array(X) if isinstance(X, np.ndarray) else X.copy()
