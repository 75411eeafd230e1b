"""A metric: what a scorer says of stored probabilities, as a loss that is lower where it is better.

Everything else in `automl` asks a `Metric` and knows neither scorers nor their signs.  A scorer is
only ever called as scikit-learn calls it, on a stand-in classifier that returns the stored
probabilities.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import config_context

from automl.batched_losses import KnownLoss, batched_losses, chunks
from automl.errors import AutoMLError
from automl.stored_predictions import Labels, StoredPredictions
from search_space.arrays import FloatArray, IntArray


class MetricError(AutoMLError, ValueError):
    """A metric has no finite value for a prediction."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Metric:
    """A scorer as a loss of class probabilities; `automl.scoring.as_metric` makes it.

    Attributes
    ----------
    name : str
        What the user calls it.
    classes : (k,) array
        The user's labels; class code c stands for ``classes[c]``.
    scorer : callable
        Called with an estimator, the probabilities in place of its table, and labels.
    needs_labels, needs_pos_label : bool
        Whether the scorer must be told all classes, or which one is positive.
    optimum : float, score
        The loss is the optimum minus the score: 1 where a perfect prediction scores 1, else 0.
    known : KnownLoss or None
        The batched form, where there is one.
    takes_sample_weight : bool
        Whether rows can have weights.
    """

    name: str
    classes: Labels
    scorer: Callable[..., float]
    needs_labels: bool = False
    needs_pos_label: bool = False
    optimum: float = 0.0
    known: KnownLoss | None = None
    takes_sample_weight: bool = False

    def loss(
        self, codes: IntArray, probabilities: npt.ArrayLike, sample_weight: FloatArray | None = None
    ) -> float:
        """Return the loss of one prediction, always finite.

        Parameters
        ----------
        codes : (n,) array
            Class code of each row.
        probabilities : (n, k) array
            Class probabilities; rows are rescaled to sum to one, in double precision.
        sample_weight : (n,) array or None
            Weight of each row.

        Raises
        ------
        MetricError
            If the scorer fails or its value is not finite, or it takes no weights.
        ValueError
            If the shapes do not fit, or a probability is negative or not finite.
        """
        table = np.asarray(probabilities)
        self._check(codes, table, n_axes=2)
        known = self._batched_form(sample_weight)
        if known is None:
            return self.optimum - self.score(codes, table, sample_weight)
        # The very value that `losses` has, so that the best of both is the same to the last bit.
        return float(self._batched(known, codes, table[None], sample_weight)[0])

    def score(
        self, codes: IntArray, probabilities: npt.ArrayLike, sample_weight: FloatArray | None = None
    ) -> float:
        """Return the scorer's own value for one prediction.

        Parameters and errors are as for `loss`, which is the optimum minus it up to rounding.
        """
        table = np.asarray(probabilities)
        self._check(codes, table, n_axes=2)
        if sample_weight is not None and not self.takes_sample_weight:
            raise MetricError(f"scoring {self.name!r} takes no sample_weight")
        with warnings.catch_warnings():
            # Classes that a model never predicts, or that a fold lacks, are no news here.
            warnings.simplefilter("ignore", UserWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            return self.unfiltered_score(codes, rescaled(table), sample_weight)

    def unfiltered_score(
        self, codes: IntArray, probabilities: FloatArray, sample_weight: FloatArray | None = None
    ) -> float:
        """Return the scorer's own value, with its warnings, of probabilities that sum to one.

        The scorer may write into them. Raises a MetricError that says why there is no value.
        """
        classifier = StoredPredictions(self.classes)
        labels = self.classes[codes]
        arguments = self._arguments(sample_weight)
        try:
            # Routing is scikit-learn's public way to hand arguments through a scorer to its metric.
            with config_context(enable_metadata_routing=bool(arguments)):
                score = float(self.scorer(classifier, probabilities, labels, **arguments))
        except Exception as error:
            # Scorers are the user's or a library's code: whatever they raise is a missing score.
            raise MetricError(f"{type(error).__name__}: {error}") from error
        if not math.isfinite(score):
            raise MetricError(self._undefined(codes, score))
        return score

    def losses(
        self,
        codes: IntArray,
        probabilities: npt.NDArray[np.floating[Any]],
        sample_weight: FloatArray | None = None,
    ) -> FloatArray:
        """Return the losses (m,) of m predictions (m, n, k).

        Fast for a `KnownLoss` that takes these weights, else m calls of the scorer.  The array may
        be memory-mapped: a few candidates are read at a time.
        """
        self._check(codes, probabilities, n_axes=3)
        known = self._batched_form(sample_weight)
        if known is None:
            one_by_one = (self.loss(codes, table, sample_weight) for table in probabilities)
            return np.fromiter(one_by_one, dtype=np.float64, count=len(probabilities))
        return self._batched(known, codes, probabilities, sample_weight)

    def is_batched(self, sample_weight: FloatArray | None) -> bool:
        """Return whether `losses` with these weights does without calls of the scorer."""
        return self._batched_form(sample_weight) is not None

    def to_score(self, loss: float) -> float:
        """Return the scorer's value that a loss stands for."""
        return self.optimum - loss

    def _batched_form(self, sample_weight: FloatArray | None) -> KnownLoss | None:
        """Return the batched form, if there is one for these weights."""
        if self.known is None or sample_weight is None or self.known.takes_weights:
            return self.known
        return None

    def _batched(
        self,
        known: KnownLoss,
        codes: IntArray,
        probabilities: npt.NDArray[np.floating[Any]],
        sample_weight: FloatArray | None,
    ) -> FloatArray:
        """Return the losses of m predictions, a few at a time."""
        if sample_weight is not None and not sample_weight.any():
            raise MetricError(f"scoring {self.name!r}: no row has a weight above zero")
        losses = np.empty(len(probabilities))
        for chunk in chunks(probabilities):
            losses[chunk] = batched_losses(
                known, codes, rescaled(probabilities[chunk]), sample_weight
            )
        if not np.isfinite(losses).all():
            raise MetricError(self._undefined(codes, float(losses[~np.isfinite(losses)][0])))
        return losses

    def _arguments(self, sample_weight: FloatArray | None) -> dict[str, Any]:
        """Return what the scorer gets by name."""
        arguments: dict[str, Any] = {}
        if self.needs_labels:
            arguments["labels"] = self.classes
        if self.needs_pos_label:
            arguments["pos_label"] = self.classes[-1]
        if sample_weight is not None:
            arguments["sample_weight"] = sample_weight
        return arguments

    def _undefined(self, codes: IntArray, score: float) -> str:
        """Return the message for a value that is not finite."""
        return (
            f"scoring {self.name!r} is {score} on {len(codes)} rows with "
            f"{len(np.unique(codes))} of {len(self.classes)} classes"
        )

    def _check(
        self, codes: IntArray, probabilities: npt.NDArray[np.floating[Any]], *, n_axes: int
    ) -> None:
        """Raise unless every row has a code in 0 .. k-1 and a probability of each class."""
        shape = probabilities.shape
        if len(shape) != n_axes or shape[-2:] != (len(codes), len(self.classes)) or 0 in shape:
            expected = ("m", "n", "k")[-n_axes:]
            raise ValueError(
                f"probabilities {shape} do not fit codes {np.shape(codes)} and "
                f"{len(self.classes)} classes: expected ({', '.join(expected)}), none of them zero"
            )
        if codes.min() < 0 or codes.max() >= len(self.classes):
            raise ValueError(
                f"class codes from {codes.min()} to {codes.max()} but {len(self.classes)} classes"
            )


def rescaled(probabilities: npt.NDArray[np.floating[Any]]) -> FloatArray:
    """Return a copy in double precision whose last axis sums to one.

    Raises
    ------
    ValueError
        If a value is negative or not finite, or a row is all zero.
    """
    copy = np.array(probabilities, dtype=np.float64)
    sums = copy.sum(axis=-1, keepdims=True)
    if not (copy.min() >= 0.0 and np.isfinite(sums).all() and sums.min() > 0.0):
        raise ValueError(
            f"probabilities {copy.shape} must be finite and not negative, and no row all zero"
        )
    copy /= sums
    return copy
