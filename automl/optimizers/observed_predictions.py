"""Predictions of trials as searches for ensembles look at them: of some rows, by a fast metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from automl.batched_losses import KnownLoss
from automl.ensembles.criteria import Criterion, criterion_for
from automl.history import History
from automl.metrics import Metric
from search_space.arrays import FloatArray, IntArray, PredictionArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObservedPredictions:
    """Validation predictions of some trials.

    Attributes
    ----------
    predictions : (m, n, k) array
        Class probabilities of m trials.
    codes : (n,) array
        Classes of the rows.
    sample_weight : (n,) array or None
        Weights of the rows.
    metric : Metric
        What they are judged by.
    """

    predictions: PredictionArray
    codes: IntArray
    sample_weight: FloatArray | None
    metric: Metric

    def criterion(self) -> Criterion:
        """Return what tells the loss of an ensemble of them with one more."""
        return criterion_for(self.metric, self.predictions, self.codes, self.sample_weight)


def observed_predictions(
    history: History, numbers: Sequence[int], *, n_rows: int = 5_000, n_values: int = 50_000
) -> ObservedPredictions:
    """Return the predictions of some successful trials.

    Parameters
    ----------
    history : History
        Where they are.
    numbers : sequence of int
        The trials.
    n_rows : int
        Validation rows that are used, up to one more for each class.
    n_values : int
        Probabilities of one trial that are used at most, so that many classes mean fewer rows.
    """
    problem = history.problem
    metric, weights = problem.metric, problem.sample_weight
    if problem.is_slow:
        # A scorer would be called for each trial in each round, before every evaluation. The
        # log loss of the stored predictions stands for it.
        metric = replace(metric, known=KnownLoss.LOG_LOSS)
    rows = _row_subset(problem.codes, min(n_rows, max(1, n_values // len(metric.classes))))
    return ObservedPredictions(
        predictions=history.predictions.stack(numbers)[:, rows],
        codes=problem.codes[rows],
        sample_weight=None if weights is None else weights[rows],
        metric=metric,
    )


def _row_subset(codes: IntArray, n_wanted: int) -> slice | IntArray:
    """Return all rows or, of more than are wanted, every s-th of each class.

    No class is lost, as some metrics are undefined without one.
    """
    step = -(-codes.shape[0] // n_wanted)
    if step == 1:
        return slice(None)
    by_class = np.argsort(codes, kind="stable")
    ordered = codes[by_class]
    place_in_class = np.arange(codes.shape[0]) - np.searchsorted(ordered, ordered)
    return np.sort(by_class[place_in_class % step == 0])
