"""Losses of many candidate predictions at once, for the metrics that searches use most.

A batch of class probabilities is ``(m, n, k)``: m candidates, n rows, k classes, in double
precision, rows summing to one.  The losses are those of scikit-learn's functions, one for each
candidate.  Ensemble selection puts the same pieces together in another order.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from search_space.arrays import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]

_EPS = float(np.finfo(np.float64).eps)
_FACTORS = (
    16  # eps ** 16 is about 1e-250, so a product of sixteen clipped probabilities is a number
)
_VALUES_AT_A_TIME = 2**16  # 512 KiB in double precision: the steps of a loss stay in the cache


class KnownLoss(StrEnum):
    """A metric that has a batched form; the value is scikit-learn's name of its scorer."""

    ERROR = "accuracy"
    BALANCED_ERROR = "balanced_accuracy"
    LOG_LOSS = "neg_log_loss"
    RANKING = "roc_auc"
    BRIER = "neg_brier_score"

    @property
    def takes_weights(self) -> bool:
        """Whether the batched form knows weights of rows."""
        return self is not KnownLoss.RANKING


def batched_losses(
    known: KnownLoss,
    codes: IntArray,
    probabilities: FloatArray,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return the loss of each candidate of a batch.

    Parameters
    ----------
    known : KnownLoss
        The metric; ranking is for two classes.
    codes : (n,) array
        Class code of each row.
    probabilities : (m, n, k) array
        Class probabilities, rows summing to one.
    weights : (n,) array or None
        Weight of each row, if the metric takes them; their sum is not zero.

    Returns
    -------
    (m,) array, loss
        NaN where the metric is undefined, as ranking is with one class in `codes`.
    """
    match known:
        case KnownLoss.LOG_LOSS:
            return log_losses(true_class_probabilities(codes, probabilities), weights)
        case KnownLoss.RANKING:
            return ranking_losses(codes == 1, probabilities[:, :, 1])
        case KnownLoss.BRIER:
            errors = residuals(codes, probabilities, weights)
            squares = np.square(errors).reshape(len(errors), -1).sum(axis=1)
            return np.asarray(brier_scale(codes, probabilities.shape[2], weights) * squares)
        case KnownLoss.ERROR | KnownLoss.BALANCED_ERROR:
            one_hot = weighted_rows(np.eye(probabilities.shape[2])[codes], weights)
            is_hit = probabilities.argmax(axis=2) == codes
            if weights is None:  # whole numbers, which any order of summing gets right
                hits = is_hit.astype(np.float64) @ one_hot
            else:
                hits = np.stack([(is_hit * own).sum(axis=1) for own in one_hot.T], axis=1)
            return losses_from_hits(known, hits, one_hot.sum(axis=0))


def chunks(probabilities: npt.NDArray[np.floating[Any]]) -> Iterator[slice]:
    """Yield slices of the candidates of an (m, n, k) array, each small enough to work on."""
    n_candidates, n_rows, n_classes = probabilities.shape
    step = max(1, _VALUES_AT_A_TIME // (n_rows * n_classes))
    for start in range(0, n_candidates, step):
        yield slice(start, min(start + step, n_candidates))


def true_class_probabilities(codes: IntArray, probabilities: FloatArray) -> FloatArray:
    """Return the probability that each candidate gives each row's own class, (m, n)."""
    if probabilities.shape[2] == 2:
        # As scikit-learn does: of two classes only the second one's probability is used.
        return np.abs((1.0 - codes) - probabilities[:, :, 1])
    return np.take_along_axis(probabilities, codes[None, :, None], axis=2)[:, :, 0]


def log_losses(true_probabilities: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return the mean negative logarithm of each row of an (m, n) array of probabilities.

    Probabilities are clipped to [eps, 1 - eps] of double precision, as scikit-learn does.  One
    logarithm is taken of every product of sixteen probabilities, which is what makes it fast; with
    weights (n,) of the columns, one of each.
    """
    clipped = np.clip(true_probabilities, _EPS, 1.0 - _EPS)
    if weights is not None:
        # No product of matrices: its last bits depend on how many candidates there are.
        return np.asarray(-(np.log(clipped) * weights).sum(axis=1) / weights.sum())
    n_rows = clipped.shape[1]
    whole = n_rows - n_rows % _FACTORS
    factors = clipped[:, :whole].reshape(len(clipped), _FACTORS, whole // _FACTORS)
    logarithms = np.log(np.multiply.reduce(factors, axis=1)).sum(axis=1)
    logarithms += np.log(clipped[:, whole:]).sum(axis=1)
    return np.asarray(-logarithms / n_rows)


def ranking_losses(is_positive: BoolArray, scores: FloatArray) -> FloatArray:
    """Return one minus the area under the ROC curve of each row of an (m, n) array of scores.

    The area is the share of (negative, positive) pairs in the right order, a tie counting one half
    (Hanley & McNeil, 1982).  Scores are not negative, so that their bits sort as they do and the
    free sign bit makes room for the label: one sort of whole numbers, ties stay exact.
    """
    n_pairs = int(is_positive.sum()) * int((~is_positive).sum())
    if n_pairs == 0:
        return np.full(len(scores), np.nan)
    bits = np.ascontiguousarray(scores).view(np.uint64) << np.uint64(1)
    keys = np.sort(bits | is_positive, axis=1)
    ordered = _ordered_pairs(keys)  # where scores tie, negatives come first
    tied = np.flatnonzero(((keys[:, 1:] ^ keys[:, :-1]) == 1).any(axis=1))
    reversed_keys = np.sort(bits[tied] | ~is_positive, axis=1)  # where scores tie, positives first
    ordered[tied] = 0.5 * (ordered[tied] + n_pairs - _ordered_pairs(reversed_keys))
    return np.asarray(1.0 - ordered / n_pairs)


def _ordered_pairs(keys: npt.NDArray[np.uint64]) -> FloatArray:
    """Return how many (even, odd) pairs of each sorted row have the even key first."""
    is_odd = (keys & np.uint64(1)).astype(np.bool_)
    n_odd = is_odd.sum(axis=1)
    positions = is_odd @ np.arange(keys.shape[1])
    return np.asarray(positions - n_odd * (n_odd - 1) // 2, dtype=np.float64)


def residuals(
    codes: IntArray, probabilities: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return the probabilities minus one at each row's own class, (m, n, k).

    Weights (n,) enter by their square roots, so that squares have the weight of their row.
    """
    errors = probabilities.copy()
    errors[:, np.arange(len(codes)), codes] -= 1.0
    return errors if weights is None else weighted_rows(errors, np.sqrt(weights))


def brier_scale(codes: IntArray, n_classes: int, weights: FloatArray | None = None) -> float:
    """Return what turns a sum of squared residuals into a Brier score.

    It is one over the number of rows, or the sum of their weights, and with two classes half of it,
    as scikit-learn has it.
    """
    total = len(codes) if weights is None else float(weights.sum())
    return (0.5 if n_classes == 2 else 1.0) / total


def weighted_rows(values: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return values (..., n, k) times the weight (n,) of their row."""
    return values if weights is None else values * weights[:, np.newaxis]


def losses_from_hits(known: KnownLoss, hits: FloatArray, class_sizes: FloatArray) -> FloatArray:
    """Return error rates, or their mean over the classes that occur.

    Parameters
    ----------
    known : KnownLoss
        Error or balanced error.
    hits : (m, k) array
        How many rows of each class each candidate gets right, or the sum of their weights.
    class_sizes : (k,) array
        The same of all rows of each class.
    """
    if known is KnownLoss.ERROR:
        return np.asarray(1.0 - hits.sum(axis=1) / class_sizes.sum())
    occurs = class_sizes > 0
    return np.asarray(1.0 - (hits[:, occurs] / class_sizes[occurs]).mean(axis=1))
