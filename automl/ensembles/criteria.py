"""What the loss of an ensemble would be with one model more, for every model at once.

An ensemble is a multiset of models; its prediction is the mean of theirs.  Adding one model of m to
an ensemble of s is judged by a criterion that keeps the running sum and knows its metric, so that a
round of ensemble selection costs one pass over the predictions, or over less.

Rows that sum to one in single precision only are rescaled, before the mean is taken where a metric
is a smooth function of the probabilities, after it where classes are compared: so that what two
models certain of different classes leave undecided is an exact tie.

Symbols: m models, n rows, k classes, s the members of the ensemble, counting repeats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from automl.batched_losses import (
    KnownLoss,
    brier_scale,
    chunks,
    log_losses,
    losses_from_hits,
    ranking_losses,
    residuals,
    true_class_probabilities,
    weighted_rows,
)
from automl.metrics import Metric, rescaled
from search_space.arrays import FloatArray, IntArray

Stack = npt.NDArray[np.floating[Any]]
"""Class probabilities of every model, (m, n, k), any precision, perhaps memory-mapped."""

Models = slice | IntArray
"""Some models of a library: all up to one, or those of these numbers."""

ALL = slice(None)

_SLACK = 1e-6  # relative, far above the rounding of a sum of probabilities


class Criterion(Protocol):
    """Judges models as the next member of an ensemble that starts empty.

    A shallow copy judges for the ensemble as it was when the copy was made: `add` leaves arrays as
    they are.
    """

    def losses_if_added(self, models: Models = ALL) -> FloatArray:
        """Return the loss of the ensemble with each of these models added once more, (m,)."""
        ...

    def add(self, model: int) -> None:
        """Add a model to the ensemble."""
        ...


def criterion_for(
    metric: Metric, predictions: Stack, codes: IntArray, sample_weight: FloatArray | None
) -> Criterion:
    """Return the fastest criterion for a metric; all give the loss that the metric gives."""
    if metric.known is None or not metric.is_batched(sample_weight):
        return AnyMetric(metric, predictions, codes, sample_weight)
    match metric.known:
        case KnownLoss.LOG_LOSS:
            return LogLoss(predictions, codes, sample_weight)
        case KnownLoss.RANKING:
            return Ranking(predictions, codes)
        case KnownLoss.BRIER:
            return Brier(predictions, codes, sample_weight)
        case KnownLoss.ERROR | KnownLoss.BALANCED_ERROR:
            return Hits(metric.known, predictions, codes, sample_weight)


class LogLoss:
    """Log loss, which needs the probability of each row's own class and nothing else."""

    def __init__(
        self, predictions: Stack, codes: IntArray, sample_weight: FloatArray | None = None
    ) -> None:
        self._sample_weight = sample_weight
        self._own = np.empty(predictions.shape[:2])
        for chunk in chunks(predictions):
            self._own[chunk] = true_class_probabilities(codes, rescaled(predictions[chunk]))
        self._sum = np.zeros(len(codes))
        self._n_members = 0

    def losses_if_added(self, models: Models = ALL) -> FloatArray:
        """Return the loss of the ensemble with each of these models added once more, (m,)."""
        own = self._own[models]
        losses = np.empty(len(own))
        for chunk in chunks(own[:, :, None]):
            means = (self._sum + own[chunk]) / (self._n_members + 1)
            losses[chunk] = log_losses(means, self._sample_weight)
        return losses

    def add(self, model: int) -> None:
        """Add a model to the ensemble."""
        self._sum = self._sum + self._own[model]
        self._n_members += 1

    def losses_of_runs(self, order: Sequence[int]) -> FloatArray:
        """Return the loss of the ensemble of the first 1, 2, ... models of an order."""
        sums = np.cumsum(self._own[list(order)], axis=0)
        means = sums / np.arange(1, len(order) + 1)[:, np.newaxis]
        return log_losses(means, self._sample_weight)


class Ranking:
    """One minus the area under the ROC curve of two classes: the order of one column."""

    def __init__(self, predictions: Stack, codes: IntArray) -> None:
        self._scores = np.empty(predictions.shape[:2])
        for chunk in chunks(predictions):
            self._scores[chunk] = rescaled(predictions[chunk])[:, :, 1]
        self._is_positive = codes == 1
        self._sum = np.zeros(len(codes))

    def losses_if_added(self, models: Models = ALL) -> FloatArray:
        """Return the loss of the ensemble with each of these models added once more, (m,)."""
        scores = self._scores[models]
        losses = np.empty(len(scores))
        for chunk in chunks(scores[:, :, None]):
            losses[chunk] = ranking_losses(self._is_positive, self._sum + scores[chunk])
        return losses

    def add(self, model: int) -> None:
        """Add a model to the ensemble."""
        self._sum = self._sum + self._scores[model]


class Brier:
    r"""Brier score, a quadratic form of the models' residuals.

    With residuals :math:`d_i` (probabilities minus one at the own class), R the sum over the s
    members and i the model added, the score is proportional to :math:`\|R + d_i\|^2 / (s + 1)^2`.
    Inner products with a model are taken once, when it first becomes a member.
    """

    def __init__(
        self, predictions: Stack, codes: IntArray, sample_weight: FloatArray | None = None
    ) -> None:
        self._predictions = predictions
        self._codes = codes
        self._sample_weight = sample_weight
        self._scale = brier_scale(codes, predictions.shape[2], sample_weight)
        self._squares = np.empty(len(predictions))
        for chunk in chunks(predictions):
            errors = self._errors(chunk)
            self._squares[chunk] = np.einsum("mnk,mnk->m", errors, errors)
        self._products: dict[int, FloatArray] = {}  # of a member's residuals with every model's
        self._product_of_sum = np.zeros(len(predictions))
        self._square_of_sum = 0.0
        self._n_members = 0

    def losses_if_added(self, models: Models = ALL) -> FloatArray:
        """Return the loss of the ensemble with each of these models added once more, (m,)."""
        squares = self._square_of_sum + 2.0 * self._product_of_sum[models] + self._squares[models]
        return self._scale * squares / (self._n_members + 1) ** 2

    def add(self, model: int) -> None:
        """Add a model to the ensemble."""
        if model not in self._products:
            self._products[model] = self._products_with(model)
        self._square_of_sum += 2.0 * self._product_of_sum[model] + self._squares[model]
        self._product_of_sum = self._product_of_sum + self._products[model]
        self._n_members += 1

    def _products_with(self, model: int) -> FloatArray:
        """Return the inner products of every model's residuals with one model's, (m,)."""
        member = self._errors(slice(model, model + 1))[0]
        products = np.empty(len(self._predictions))
        for chunk in chunks(self._predictions):
            products[chunk] = np.einsum("mnk,nk->m", self._errors(chunk), member)
        return products

    def _errors(self, models: slice) -> FloatArray:
        return residuals(self._codes, rescaled(self._predictions[models]), self._sample_weight)


class Hits:
    """Error rate or balanced error rate, from the rows whose first most probable class is right.

    One model moves the distance between two classes' sums by at most the largest probability.  So a
    row where the own class leads, or trails, by more is decided whatever is added, and only the
    others are looked at.
    """

    def __init__(
        self,
        known: KnownLoss,
        predictions: Stack,
        codes: IntArray,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self._known = known
        self._predictions = predictions
        self._codes = codes
        self._one_hot = np.eye(predictions.shape[2])[codes]
        self._counted = weighted_rows(self._one_hot, sample_weight)
        self._largest_step = float(predictions.max()) * (1.0 + _SLACK)
        self._sum = np.zeros(predictions.shape[1:])
        self._undecided = self._undecided_rows()

    def losses_if_added(self, models: Models = ALL) -> FloatArray:
        """Return the loss of the ensemble with each of these models added once more, (m,)."""
        rows, decided_hits = self._undecided
        codes, counted = self._codes[rows], self._counted[rows]
        sums = np.ascontiguousarray(self._sum[rows].T)
        predictions = self._predictions[models]
        hits = np.empty((len(predictions), len(sums)))
        for chunk in chunks(predictions):
            block = predictions[chunk]
            if len(rows) < len(self._codes):
                block = block.take(rows, axis=1)
            is_hit = _labels_of_sums(block, sums) == codes
            hits[chunk] = decided_hits + is_hit.astype(np.float64) @ counted
        return losses_from_hits(self._known, hits, self._counted.sum(axis=0))

    def add(self, model: int) -> None:
        """Add a model to the ensemble."""
        self._sum = self._sum + self._predictions[model]
        self._undecided = self._undecided_rows()

    def _undecided_rows(self) -> tuple[IntArray, FloatArray]:
        """Return the rows that one model may decide, and the hits (k,) of those that none can."""
        own = np.einsum("nk,nk->n", self._sum, self._one_hot)
        others = np.where(self._one_hot > 0.0, -np.inf, self._sum)
        lead = own - others.max(axis=1)  # of each row's own class before the best of the others
        decided_hits = self._counted[lead > self._largest_step].sum(axis=0)
        return np.flatnonzero(np.abs(lead) <= self._largest_step), decided_hits


def _labels_of_sums(models: Stack, sums: FloatArray) -> npt.NDArray[np.integer[Any]]:
    """Return the first most probable class of each model (m, n, k) plus the sums (k, n).

    Class by class, which on long arrays is twice as fast as the arguments of many short maxima.
    """
    small = np.min_scalar_type(len(sums))
    best = models[:, :, 0] + sums[0]
    labels = np.zeros(best.shape, dtype=small)
    for code in range(1, len(sums)):
        values = models[:, :, code] + sums[code]
        np.maximum(labels, (values > best) * small.type(code), out=labels)
        np.maximum(best, values, out=best)
    return labels


class AnyMetric:
    """Any metric, by one call of its scorer for each model and round."""

    def __init__(
        self,
        metric: Metric,
        predictions: Stack,
        codes: IntArray,
        sample_weight: FloatArray | None = None,
    ) -> None:
        self._metric = metric
        self._predictions = predictions
        self._codes = codes
        self._sample_weight = sample_weight
        self._sum = np.zeros(predictions.shape[1:])

    def losses_if_added(self, models: Models = ALL) -> FloatArray:
        """Return the loss of the ensemble with each of these models added once more, (m,)."""
        predictions = self._predictions[models]
        losses = np.empty(len(predictions))
        for i, model in enumerate(predictions):
            losses[i] = self._metric.loss(self._codes, self._sum + model, self._sample_weight)
        return losses

    def add(self, model: int) -> None:
        """Add a model to the ensemble."""
        self._sum = self._sum + self._predictions[model]
