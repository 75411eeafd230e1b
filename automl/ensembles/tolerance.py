"""How far two validation losses may lie apart and still tell nothing about the models.

A metric that only reads predicted labels takes few values, and the one-standard-error rule of [1]_
treats losses that the validation rows cannot tell apart as equal.  Selecting an ensemble by such a
metric alone fits the rows on which it happens to be right.

References
----------
.. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone (1984). Classification and Regression Trees,
   section 3.4.3.
.. [2] J. Shao, C. F. J. Wu (1989). A General Theory for Jackknife Variance Estimation. The Annals
   of Statistics 17(3). https://doi.org/10.1214/aos/1176347263
"""

from __future__ import annotations

import numpy as np

from automl.batched_losses import BoolArray
from automl.metrics import Metric, MetricError
from search_space.arrays import FloatArray, IntArray

_N_GROUPS = 20
_EQUAL = 1e-9


def loss_tolerance(
    metric: Metric,
    codes: IntArray,
    predictions: FloatArray,
    sample_weight: FloatArray | None = None,
) -> float:
    """Return the standard error of a model's loss, or 0 if probabilities count.

    Parameters
    ----------
    metric : Metric
        Predictions to a loss.
    codes : (n,) array of int
        Class of each validation row.
    predictions : (n, k) array
        Class probabilities of the model.
    sample_weight : (n,) array or None
        Weight of each row in the metric.

    Returns
    -------
    float
        In the unit of the loss; also 0 where the loss of a part of the rows is not defined.
    """
    if not only_labels_count(metric, codes, predictions, sample_weight):
        return 0.0
    try:
        return standard_error(metric, codes, predictions, sample_weight)
    except MetricError:
        return 0.0


def standard_error(
    metric: Metric,
    codes: IntArray,
    predictions: FloatArray,
    sample_weight: FloatArray | None = None,
) -> float:
    """Return the standard error of a loss by the jackknife [2]_ that leaves out a group of rows.

    Parameters
    ----------
    metric : Metric
        Predictions to a loss.
    codes : (n,) array of int
        Class of each row. Every class is spread over the at most 20 groups.
    predictions : (n, k) array
        Class probabilities.
    sample_weight : (n,) array or None
        Weight of each row in the metric.

    Raises
    ------
    MetricError
        If the loss of the other groups is not defined.

    Examples
    --------
    Four of twenty rows are wrong: the square root of 0.2 x 0.8 / 19 is 0.0918.

    >>> from automl.scoring import as_metric
    >>> predictions = np.array([[0.2, 0.8]] * 4 + [[0.9, 0.1]] * 16)
    >>> error = standard_error(as_metric("accuracy", [0, 1]), np.zeros(20, int), predictions)
    >>> round(error, 4)
    0.0918
    """
    n = min(_N_GROUPS, len(codes))
    if n < 2:
        return 0.0
    groups = np.empty(len(codes), dtype=np.intp)
    groups[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % n
    losses = np.array(
        [
            metric.loss(codes[kept], predictions[kept], _weights_of(sample_weight, kept))
            for kept in (groups != group for group in range(n))
        ]
    )
    return float(np.sqrt((n - 1) * losses.var()))


def only_labels_count(
    metric: Metric, codes: IntArray, predictions: FloatArray, sample_weight: FloatArray | None
) -> bool:
    """Return whether the loss stays the same when each row's first class gets more certain."""
    certain = np.eye(predictions.shape[1])[predictions.argmax(axis=1)]
    # Rows move by different amounts, so that their order by any column changes as well.
    share = np.linspace(0.2, 0.8, len(codes))[:, np.newaxis]
    sharper = share * certain + (1.0 - share) * predictions
    loss = metric.loss(codes, predictions, sample_weight)
    moved = abs(metric.loss(codes, sharper, sample_weight) - loss)
    return moved <= _EQUAL * max(1.0, abs(loss))


def _weights_of(sample_weight: FloatArray | None, rows: BoolArray) -> FloatArray | None:
    return None if sample_weight is None else sample_weight[rows]
