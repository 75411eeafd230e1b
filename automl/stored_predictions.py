"""Stored class probabilities behind the methods of a fitted classifier, for any scorer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from search_space.arrays import FloatArray

Labels = npt.NDArray[Any]
"""Class labels of any type: numbers, text, booleans."""


class StoredPredictions(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """A classifier whose table *is* its prediction: `predict_proba` returns the table it is given.

    It has no `decision_function`, so that scorers which can do with either take the probabilities.

    Attributes
    ----------
    classes_ : (k,) array
        The user's labels, in the order of the columns.
    """

    def __init__(self, classes: Labels) -> None:
        self.classes = classes

    @property
    def classes_(self) -> Labels:
        """The user's labels, in the order of the columns."""
        return self.classes

    def fit(self, X: FloatArray, y: Labels) -> StoredPredictions:  # noqa: ARG002 - the interface
        """Return the estimator as it is: there is nothing to learn."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """Return the class probabilities `X`."""
        return X

    def predict_log_proba(self, X: FloatArray) -> FloatArray:
        """Return the logarithms of the class probabilities `X`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(X))

    def predict(self, X: FloatArray) -> Labels:
        """Return the first most probable label of each row of `X`."""
        labels: Labels = self.classes[np.argmax(X, axis=1)]
        return labels
