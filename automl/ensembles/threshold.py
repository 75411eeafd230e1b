"""From which probability of the second class on a row counts as that class.

Metrics that only read labels, such as F1 or balanced accuracy, are often best at another threshold
than one half: that of F1 is half of the best F1 [1]_.  It is chosen on validation rows, which is
one more parameter fitted to them, so it has to prove itself on rows that it was not chosen on.

References
----------
.. [1] Z. Lipton, C. Elkan, B. Naryanaswamy (2014). Optimal Thresholding of Classifiers to Maximize
   F1 Measure. ECML PKDD. https://arxiv.org/abs/1402.1892
"""

from __future__ import annotations

import math
import time

import numpy as np

from automl.batched_losses import BoolArray, KnownLoss
from automl.ensembles.tolerance import only_labels_count
from automl.metrics import Metric, MetricError
from search_space.arrays import FloatArray, IntArray

EVEN_THRESHOLD = 0.5
"""The more probable class is predicted."""

_FEWEST_ROWS = 25  # of each class
_N_CANDIDATES = 60
_FEWEST_CANDIDATES = 10
_N_PARTS = 4


def decision_threshold(
    metric: Metric,
    codes: IntArray,
    probabilities: FloatArray,
    sample_weight: FloatArray | None = None,
    *,
    seconds: float = math.inf,
) -> float:
    """Return the threshold with the lowest loss, or one half where another brings nothing.

    One half stays if there are not two classes, or fewer than 25 rows of one that have a weight,
    if the metric reads probabilities or is the accuracy, of which one half is the best, or if
    thresholds that are chosen on three quarters of the rows are no better on the other quarters.

    Parameters
    ----------
    metric : Metric
        Labels to a loss.
    codes : (n,) array of int
        Class of each validation row.
    probabilities : (n, k) array
        Predictions for these rows, none made by a model that was trained on the row.
    sample_weight : (n,) array or None
        Weight of each row in the metric.
    seconds : float
        How long it may take, about: fewer thresholds are compared where the metric is slow.

    Returns
    -------
    float
        In (0, 1).
    """
    if sample_weight is not None:
        counts = sample_weight > 0.0
        codes, probabilities = codes[counts], probabilities[counts]
        sample_weight = sample_weight[counts]
    if probabilities.shape[1] != 2 or np.bincount(codes, minlength=2).min() < _FEWEST_ROWS:
        return EVEN_THRESHOLD
    if metric.known is KnownLoss.ERROR:
        return EVEN_THRESHOLD
    started = time.perf_counter()
    try:
        if not only_labels_count(metric, codes, probabilities, sample_weight):
            return EVEN_THRESHOLD
        n_candidates = _N_CANDIDATES
        if not metric.is_batched(sample_weight):
            seconds_per_loss = (time.perf_counter() - started) / 2
            n_candidates = int(min(n_candidates, seconds / seconds_per_loss / (_N_PARTS + 1)))
        if n_candidates < _FEWEST_CANDIDATES:
            return EVEN_THRESHOLD
        rows = _Rows(metric, codes, probabilities[:, 1], sample_weight)
        return _tuned(rows, _candidates(probabilities[:, 1], n_candidates))
    except MetricError:  # of a part of the rows, or of labels that no model has predicted
        return EVEN_THRESHOLD


class _Rows:
    """Losses of labels by threshold, on some of the rows."""

    def __init__(
        self,
        metric: Metric,
        codes: IntArray,
        probability: FloatArray,
        sample_weight: FloatArray | None,
    ) -> None:
        self._metric = metric
        self._codes = codes
        self._probability = probability
        self._sample_weight = sample_weight

    def parts(self) -> IntArray:
        """Return the part of each row: every class is spread over all of them."""
        parts = np.empty(len(self._codes), dtype=np.intp)
        parts[np.argsort(self._codes, kind="stable")] = np.arange(len(self._codes)) % _N_PARTS
        return parts

    def labels(self, threshold: float) -> BoolArray:
        """Return which rows count as the second class."""
        return np.asarray(self._probability > threshold)

    def loss(self, labels: BoolArray, rows: BoolArray | None = None) -> float:
        """Return the loss of labels on all rows, or on some."""
        kept = np.ones(len(self._codes), dtype=bool) if rows is None else rows
        certain = np.eye(2)[labels[kept].astype(np.intp)]
        weight = None if self._sample_weight is None else self._sample_weight[kept]
        return self._metric.loss(self._codes[kept], certain, weight)

    def best(self, candidates: FloatArray, rows: BoolArray | None = None) -> float:
        """Return the candidate with the lowest loss, the first among equals."""
        losses = [self.loss(self.labels(float(candidate)), rows) for candidate in candidates]
        return float(candidates[int(np.argmin(losses))])


def _tuned(rows: _Rows, candidates: FloatArray) -> float:
    parts = rows.parts()
    labels = rows.labels(EVEN_THRESHOLD)
    loss_before = rows.loss(labels)
    honest = labels.copy()
    for part in range(_N_PARTS):
        chosen = rows.best(candidates, parts != part)
        honest[parts == part] = rows.labels(chosen)[parts == part]
    return rows.best(candidates) if rows.loss(honest) < loss_before else EVEN_THRESHOLD


def _candidates(probability: FloatArray, n_candidates: int) -> FloatArray:
    """Return thresholds between predictions, those nearest to one half first."""
    values = np.unique(probability)
    between = (values[1:] + values[:-1]) / 2
    if len(between) > n_candidates:
        ranks = np.linspace(0, len(between) - 1, n_candidates).round().astype(np.intp)
        between = between[ranks]
    candidates = np.append(between, EVEN_THRESHOLD)
    order = np.argsort(np.abs(candidates - EVEN_THRESHOLD), kind="stable")
    return np.asarray(candidates[order])
