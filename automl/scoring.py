"""From a user's `scoring` to a metric: any scorer of scikit-learn, tried out before the search.

What a scorer can do (work with these labels and so many classes, take weights, do without a class)
is found out by calling it on a small problem, and so is where its scores end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import check_scoring, get_scorer_names

from automl import scoring_advice
from automl.batched_losses import KnownLoss
from automl.errors import InputError, InputTypeError
from automl.metrics import Metric, MetricError, rescaled
from automl.stored_predictions import Labels, StoredPredictions
from search_space.arrays import FloatArray, IntArray

Scoring = str | Callable[..., float]
"""A scorer's name in scikit-learn, a scorer object, or any callable (estimator, X, y) -> score."""

_NAMES_OF_KNOWN_LOSSES = frozenset(known.value for known in KnownLoss)
# The Brier scores of two classes do not depend on which of them is called positive, yet
# scikit-learn asks for it when labels are text, and guesses it when only one class occurs.
_SYMMETRIC_SCORES = frozenset({"neg_brier_score", "d2_brier_score"})
_ENOUGH_CLASSES = 3


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
        score = metric.unfiltered_score(codes, probabilities.copy())
    except MetricError as error:
        raise _refusal(scoring, labels, error) from error
    metric = replace(metric, needs_labels=_needs_labels(metric, codes, probabilities))
    weighted = replace(metric, takes_sample_weight=True)
    return replace(
        metric,
        classes=labels,
        optimum=_optimum(metric, codes, score),
        takes_sample_weight=not _declines_weights(metric.scorer)
        and _works(weighted, codes, probabilities, np.ones(len(codes))),
    )


def _declines_weights(scorer: Any) -> bool:
    """Return whether somebody said ``set_score_request(sample_weight=False)``."""
    if not hasattr(scorer, "get_metadata_routing"):
        return False
    asked = scorer.get_metadata_routing()
    return (
        getattr(asked, "score", None) is not None
        and asked.score.requests.get("sample_weight") is False
    )


def usable_names(classes: npt.ArrayLike) -> list[str]:
    """Return the names of scikit-learn's scorers of classification that work with these labels."""
    labels = np.asarray(classes)[:_ENOUGH_CLASSES]
    codes, probabilities = _small_problem(len(labels))
    others = scoring_advice.MADE_FOR_NUMBERS | scoring_advice.MADE_FOR_CLUSTERS
    names = [name for name in get_scorer_names() if name not in others]
    return [name for name in names if _works(_named(name, labels), codes, probabilities)]


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
