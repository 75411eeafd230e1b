"""What classifiers that predict probabilities share."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from search_space.arrays import Features, FloatArray, IntArray


class _Fitted(Protocol):
    """A classifier that was fitted."""

    classes_: IntArray

    def predict_proba(self, X: Features) -> FloatArray: ...


class ProbabilisticClassifier(ClassifierMixin, BaseEstimator):
    """Base of classifiers that name the label to which they give the highest probability.

    Those that derive from it have a method `predict_proba` and, once fitted, ``classes_``.
    """

    def predict(self: _Fitted, X: Features) -> IntArray:
        """Return the most probable label of each row, the first of equals, (n,)."""
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])
