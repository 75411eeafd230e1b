"""The contract of class probabilities, checked once where a learner hands them over."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from search_space.arrays import Features, FloatArray, IntArray

_ROUNDING = 1e-12
_TOLERANCE = 1e-3  # learners that compute in single precision


class InvalidPredictionsError(ValueError):
    """A learner returned something that is not a matrix of class probabilities."""


def checked_probabilities(
    probabilities: npt.ArrayLike, n_rows: int, classes: IntArray
) -> FloatArray:
    """Return a learner's output as probabilities whose rows sum to one.

    Parameters
    ----------
    probabilities : (n, c) array
        What ``predict_proba`` returned.
    n_rows : int
        Rows that were predicted, n.
    classes : (c,) array of int
        Class codes that the learner has seen.

    Raises
    ------
    InvalidPredictionsError
        If the shape is another one, a value is not finite or outside [0, 1], or a row does not sum
        to one, up to 0.001.
    """
    p = np.asarray(probabilities, dtype=float)
    expected = (n_rows, classes.shape[0])
    if p.shape != expected:
        raise InvalidPredictionsError(
            f"predict_proba returned shape {p.shape}, expected {expected} (rows, classes)"
        )
    if not np.isfinite(p).all():
        n_bad = int((~np.isfinite(p)).any(axis=1).sum())
        raise InvalidPredictionsError(f"predict_proba returned NaN or infinity in {n_bad} rows")
    if p.min() < -_TOLERANCE or p.max() > 1.0 + _TOLERANCE:
        raise InvalidPredictionsError(
            f"predict_proba returned values in [{p.min():.4g}, {p.max():.4g}], expected [0, 1]"
        )
    sums = p.sum(axis=1)
    if np.abs(sums - 1.0).max() > _TOLERANCE:
        raise InvalidPredictionsError(
            f"rows of predict_proba sum to values in [{sums.min():.4g}, {sums.max():.4g}], "
            "expected 1"
        )
    p = np.clip(p, 0.0, 1.0)
    sums = p.sum(axis=1, keepdims=True)
    # Rows that sum to one up to rounding stay as they are, to the last bit.
    normalised: FloatArray = np.where(np.abs(sums - 1.0) > _ROUNDING, p / sums, p)
    return normalised


def predicted_probabilities(model: Any, X: Features, n_classes: int) -> FloatArray:
    """Return the checked class probabilities of a fitted model, (n, n_classes).

    Parameters
    ----------
    model : fitted classifier
        With class codes as its ``classes_``.
    X : (n, d) array or sparse array
        A prepared table.
    n_classes : int
        Columns of the result; a class that the model has not seen gets zero.

    Raises
    ------
    InvalidPredictionsError
        If the model does not give probabilities.
    """
    classes: IntArray = np.asarray(model.classes_)
    probabilities = checked_probabilities(model.predict_proba(X), X.shape[0], classes)
    return aligned(probabilities, classes, n_classes)


def aligned(probabilities: FloatArray, classes: IntArray, n_classes: int) -> FloatArray:
    """Return probabilities with a column for every class; classes never seen get zero.

    Parameters
    ----------
    probabilities : (n, c) array
        Columns in the order of `classes`.
    classes : (c,) array of int
        Codes in [0, n_classes).
    n_classes : int
        Columns of the result.

    Examples
    --------
    >>> aligned(np.array([[0.25, 0.75]]), np.array([0, 2]), 3)
    array([[0.25, 0.  , 0.75]])
    """
    if np.array_equal(classes, np.arange(n_classes)):
        return probabilities
    full = np.zeros((probabilities.shape[0], n_classes))
    full[:, classes] = probabilities
    return full
