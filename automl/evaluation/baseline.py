"""The baseline that a model has to beat: the class frequencies of the training rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline

from automl.changes import Change
from automl.data.resampling import Splits
from automl.data.weights import UNWEIGHTED, RowWeights
from automl.errors import InputError
from automl.metrics import Metric, MetricError, rescaled
from search_space.arrays import FloatArray, IntArray, PredictionArray


@dataclass(frozen=True, slots=True)
class BaselineLoss:
    """What predicting the class frequencies costs.

    Attributes
    ----------
    loss : float
        Validation loss; infinite where the metric has no value for a constant prediction, so that
        every model is better.
    changes : tuple of Change
        Says so, then.
    """

    loss: float
    changes: tuple[Change, ...] = ()


def baseline_loss(
    metric: Metric,
    codes: IntArray,
    splits: Splits,
    n_classes: int,
    weights: RowWeights = UNWEIGHTED,
) -> BaselineLoss:
    """Return the validation loss of predicting the class frequencies.

    Parameters
    ----------
    metric : Metric
        Predictions to a loss.
    codes : (n,) array of int
        Class of each row.
    splits : Splits
        Which rows train and which validate.
    n_classes : int
        Number of classes.
    weights : RowWeights
        How much each row counts, in the frequencies and in the loss.

    Raises
    ------
    InputError
        If the metric has no value for any prediction of the validation rows.
    """
    covered = codes[splits.covered]
    judging = None if weights.metric is None else weights.metric[splits.covered]
    predictions = baseline_predictions(codes, splits, n_classes, weights.training)
    try:
        return BaselineLoss(metric.loss(covered, predictions, judging))
    except MetricError as error:
        _check_defined(metric, covered, judging)
        change = Change(
            "the comparison with the class frequencies",
            "left out",
            f"{metric.name} has no value for a constant prediction ({error})",
        )
        return BaselineLoss(math.inf, (change,))


def _check_defined(metric: Metric, covered: IntArray, judging: FloatArray | None) -> None:
    """Refuse validation rows that no model could be judged on."""
    rows = np.arange(covered.shape[0])
    predictions = np.ones((covered.shape[0], len(metric.classes)))
    predictions[rows, covered] += 0.1 + rows % 7  # no two neighbours alike, every row right
    try:
        metric.loss(covered, rescaled(predictions), judging)
    except MetricError as error:
        absent = np.setdiff1d(np.arange(len(metric.classes)), covered)
        if not absent.size:
            raise InputError(
                f"scoring: {metric.name} has no value on the validation rows ({error})"
            ) from error
        raise InputError(
            f"cv: no validation row has the class {str(metric.classes[absent[0]])!r}, and without "
            f"it {metric.name} has no value ({error}); choose splits in which every class validates"
        ) from error


def baseline_predictions(
    codes: IntArray, splits: Splits, n_classes: int, weights: FloatArray | None = None
) -> PredictionArray:
    """Return what predicting class frequencies gives for every covered row.

    Parameters
    ----------
    codes : (n,) array of int
        Class of each row.
    splits : Splits
        A row gets the frequencies of the training parts that left it out, averaged.
    n_classes : int
        Columns of the result.
    weights : (n,) array or None
        How much each row counts in the frequencies.

    Returns
    -------
    (rows, n_classes) array
        Probabilities in the order of ``splits.covered``.
    """
    total = np.zeros((codes.shape[0], n_classes))
    counts = np.zeros(codes.shape[0])
    for fold in splits.folds:
        of_part = None if weights is None else weights[fold.train]
        sums = np.bincount(codes[fold.train], weights=of_part, minlength=n_classes)
        total[fold.validation] += sums / sums.sum()
        counts[fold.validation] += 1.0
    covered = splits.covered
    return (total[covered] / counts[covered, np.newaxis]).astype(np.float32)


def fit_baseline(codes: IntArray, weights: FloatArray | None = None) -> Pipeline:
    """Return a pipeline that predicts the class frequencies of all rows, whatever the features."""
    model = DummyClassifier(strategy="prior")
    model.fit(np.zeros((codes.shape[0], 1)), codes, sample_weight=weights)
    pipeline = Pipeline([("classifier", model)])
    return pipeline
