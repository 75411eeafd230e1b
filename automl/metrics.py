"""The metric of a search: any scikit-learn scorer, turned once into a loss of stored probabilities.

Everything else in `automl` asks a `Metric` and knows neither scorers nor their signs.  A scorer is
only ever called as scikit-learn calls it, on a stand-in classifier that returns the stored
probabilities; what it can do is found out by calling it on a small problem before the search.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import config_context
from sklearn.metrics import check_scoring, get_scorer_names

from automl import scoring_advice
from automl.batched_losses import KnownLoss, batched_losses, chunks
from automl.errors import AutoMLError, InputError, InputTypeError
from automl.stored_predictions import Labels, StoredPredictions
from search_space.arrays import FloatArray, IntArray

Scoring = str | Callable[..., float]
"""A scorer's name in scikit-learn, a scorer object, or any callable (estimator, X, y) -> score."""

_NAMES_OF_KNOWN_LOSSES = frozenset(known.value for known in KnownLoss)
# The Brier scores of two classes do not depend on which of them is called positive, yet
# scikit-learn asks for it when labels are text, and guesses it when only one class occurs.
_SYMMETRIC_SCORES = frozenset({"neg_brier_score", "d2_brier_score"})
_ENOUGH_CLASSES = 3


class MetricError(AutoMLError, ValueError):
    """A metric has no finite value for a prediction."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Metric:
    """A scorer as a loss of class probabilities; `as_metric` makes it.

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
        if self.known is None or sample_weight is not None:
            return self.optimum - self.score(codes, table, sample_weight)
        # The very value that `losses` has, so that the best of both is the same to the last bit.
        return float(self._batched(self.known, codes, table[None])[0])

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
            return self._call(codes, rescaled(table), sample_weight)

    def losses(
        self,
        codes: IntArray,
        probabilities: npt.NDArray[np.floating[Any]],
        sample_weight: FloatArray | None = None,
    ) -> FloatArray:
        """Return the losses (m,) of m predictions (m, n, k).

        Fast for a `KnownLoss` without weights, else m calls of the scorer.  The array may be
        memory-mapped: a few candidates are read at a time.
        """
        self._check(codes, probabilities, n_axes=3)
        if self.known is None or sample_weight is not None:
            one_by_one = (self.loss(codes, table, sample_weight) for table in probabilities)
            return np.fromiter(one_by_one, dtype=np.float64, count=len(probabilities))
        return self._batched(self.known, codes, probabilities)

    def to_score(self, loss: float) -> float:
        """Return the scorer's value that a loss stands for."""
        return self.optimum - loss

    def _batched(
        self, known: KnownLoss, codes: IntArray, probabilities: npt.NDArray[np.floating[Any]]
    ) -> FloatArray:
        """Return the losses of m predictions, a few at a time."""
        losses = np.empty(len(probabilities))
        for chunk in chunks(probabilities):
            losses[chunk] = batched_losses(known, codes, rescaled(probabilities[chunk]))
        if not np.isfinite(losses).all():
            raise MetricError(self._undefined(codes, float(losses[~np.isfinite(losses)][0])))
        return losses

    def _call(
        self, codes: IntArray, probabilities: FloatArray, sample_weight: FloatArray | None = None
    ) -> float:
        """Return the scorer's value, or raise a MetricError that says why there is none."""
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


def as_metric(scoring: Scoring, classes: npt.ArrayLike) -> Metric:
    """Return the metric that a user asked for, tried out on a small problem with these classes.

    Scorers of one class (f1, precision, recall, jaccard, average precision) follow scikit-learn:
    the positive class is the label 1, and where there is no such label it must be named with
    ``make_scorer(f1_score, pos_label=...)``.  Which class matters is not ours to guess.

    Parameters
    ----------
    scoring : str or callable
        What the user passed; a scorer's table `X` will be the class probabilities.
    classes : (k,) array
        The user's labels, sorted, at least two.

    Raises
    ------
    InputTypeError
        If `scoring` is neither a name nor callable.
    InputError
        If the name is unknown, or the scorer does not work with so many classes or such labels.

    Examples
    --------
    >>> metric = as_metric("accuracy", ["no", "yes"])
    >>> metric.loss(np.array([0, 1]), np.array([[0.9, 0.1], [0.6, 0.4]]))
    0.5
    """
    labels = np.asarray(classes)
    if labels.ndim != 1 or len(labels) < 2:
        raise InputError(f"a metric needs a list of at least two classes, got {labels.shape}")
    # To scikit-learn's own scorers three classes are like a thousand; others may count them.
    metric = _draft(scoring, labels[:_ENOUGH_CLASSES] if isinstance(scoring, str) else labels)
    codes, probabilities = _small_problem(len(metric.classes))
    try:
        # Not silenced: a complaint about an easy problem is about the choice of the metric.
        score = metric._call(codes, probabilities.copy())
    except MetricError as error:
        raise _refusal(scoring, labels, error) from error
    metric = replace(metric, needs_labels=_needs_labels(metric, codes, probabilities))
    weighted = replace(metric, takes_sample_weight=True)
    return replace(
        metric,
        classes=labels,
        optimum=_optimum(metric, codes, score),
        takes_sample_weight=_works(weighted, codes, probabilities, np.ones(len(codes))),
    )


def usable_names(classes: npt.ArrayLike) -> list[str]:
    """Return the names of scikit-learn's scorers of classification that work with these labels."""
    labels = np.asarray(classes)[:_ENOUGH_CLASSES]
    codes, probabilities = _small_problem(len(labels))
    others = scoring_advice.MADE_FOR_NUMBERS | scoring_advice.MADE_FOR_CLUSTERS
    names = [name for name in get_scorer_names() if name not in others]
    return [name for name in names if _works(_named(name, labels), codes, probabilities)]


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


def _draft(scoring: Scoring, labels: Labels) -> Metric:
    """Return the metric before anything is known of what its scorer can do."""
    if isinstance(scoring, str):
        if scoring not in get_scorer_names():
            raise InputError(scoring_advice.unknown_name(scoring, usable_names(labels)))
        if scoring in scoring_advice.MADE_FOR_NUMBERS:
            raise InputError(
                scoring_advice.made_for_numbers(scoring, usable_names(labels)),
                in_python=scoring_advice.NUMBERS_ARE_MEANT,
            )
        return _named(scoring, labels)
    if not callable(scoring):
        raise InputTypeError(
            "scoring must be the name of a scikit-learn scorer or a callable (estimator, X, y), "
            f"got {scoring!r}"
        )
    try:
        scorer = check_scoring(StoredPredictions(labels), scoring=scoring)
    except ValueError as error:  # a function of (y_true, y_pred), not a scorer
        raise InputError(f"scoring cannot be used: {error}") from error
    return Metric(name=getattr(scoring, "__name__", repr(scoring)), classes=labels, scorer=scorer)


def _named(name: str, labels: Labels) -> Metric:
    """Return the metric of a name that scikit-learn has."""
    scorer = check_scoring(StoredPredictions(labels), scoring=name)
    return Metric(
        name=name,
        classes=labels,
        scorer=scorer,
        needs_pos_label=name in _SYMMETRIC_SCORES and len(labels) == 2,
        known=KnownLoss(name) if name in _NAMES_OF_KNOWN_LOSSES else None,
    )


def _refusal(scoring: Scoring, labels: Labels, error: MetricError) -> InputError:
    """Return what to tell the user about a scorer that failed on the small problem."""
    if not isinstance(scoring, str):
        name = getattr(scoring, "__name__", repr(scoring))
        refusal = scoring_advice.does_not_work(name, labels, error)
        return InputError(f"{refusal} A scorer gets the class probabilities in place of X.")
    refusal = scoring_advice.does_not_work(scoring, labels, error)
    advice = scoring_advice.name_advice(scoring, usable_names(labels))
    needs_class = "pos_label" in str(error)
    return InputError(
        f"{refusal} {advice}",
        in_python=scoring_advice.positive_class_advice(scoring, labels) if needs_class else "",
    )


def _small_problem(n_classes: int) -> tuple[IntArray, FloatArray]:
    """Return codes and probabilities with every class, most rows right and one of each class wrong.

    No two rows are alike and no probability is zero, so that every usual metric has a value.
    """
    n_repeats = max(2, math.ceil(12 / n_classes))
    codes = np.tile(np.arange(n_classes), n_repeats)
    rows = np.arange(len(codes))
    weights = 1.0 + np.outer(1.0 + rows, 1.0 + np.arange(n_classes)) % 7 / 7.0
    weights[rows, codes] += 2.0 + rows / len(rows)
    wrong = rows[:n_classes]
    weights[wrong, (codes[wrong] + 1) % n_classes] += 5.0
    return codes, rescaled(weights)


def _works(
    metric: Metric,
    codes: IntArray,
    probabilities: FloatArray,
    sample_weight: FloatArray | None = None,
) -> bool:
    """Return whether the metric has a value."""
    try:
        metric.score(codes, probabilities, sample_weight)
    except MetricError:
        return False
    return True


def _needs_labels(metric: Metric, codes: IntArray, probabilities: FloatArray) -> bool:
    """Return whether a class without rows is an error unless all classes are listed.

    Other scorers that would take the list do without: a macro average would count absent classes.
    """
    is_there = codes < len(metric.classes) - 1
    without_last_class = codes[is_there], probabilities[is_there]
    if _works(metric, *without_last_class):
        return False
    return _works(replace(metric, needs_labels=True), *without_last_class)


def _optimum(metric: Metric, codes: IntArray, imperfect: float) -> float:
    """Return 1 if the perfect prediction scores 1 and an imperfect one no more, else 0."""
    try:
        perfect = metric.score(codes, np.eye(len(metric.classes))[codes])
    except MetricError:  # a ratio to the number of errors, for one
        return 0.0
    return 1.0 if abs(perfect - 1.0) < 1e-9 and imperfect <= 1.0 else 0.0
