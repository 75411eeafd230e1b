"""How much the rows of each class count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.class_weight import compute_sample_weight

from search_space.arrays import Features, FloatArray, IntArray
from search_space.component import BuildContext, Component, Stage
from search_space.transformers.empty import identity


class BalancedClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that is fitted with as much weight on each class as on any other.

    Parameters
    ----------
    classifier : classifier
        Classifier whose ``fit`` takes ``sample_weight``; it is cloned before it is fitted.

    Attributes
    ----------
    classifier_ : classifier
        The fitted clone.
    classes_ : (n_classes,) array
        Labels seen in ``fit``, sorted.
    """

    def __init__(self, classifier: Any = None) -> None:
        self.classifier = classifier

    def fit(self, X: Features, y: IntArray, sample_weight: FloatArray | None = None) -> Self:
        """Fit the classifier; the weights of classes multiply those given."""
        weights = compute_sample_weight("balanced", y)
        if sample_weight is not None:
            weights = weights * sample_weight
        self.classifier_ = clone(self.classifier).fit(X, y, sample_weight=weights)
        self.classes_ = self.classifier_.classes_
        return self

    def predict(self, X: Features) -> IntArray:
        """Return the label of each row, (n,)."""
        return np.asarray(self.classifier_.predict(X))

    def predict_proba(self, X: Features) -> FloatArray:
        """Return probabilities, (n, n_classes), in the order of ``classes_``."""
        return np.asarray(self.classifier_.predict_proba(X))


def _weighting(
    hyperparameters: Mapping[str, Any],
    context: BuildContext,
) -> BalancedClassifier:
    return BalancedClassifier()


EMPTY = Component(name="empty", stage=Stage.BALANCER, build=identity, handles_sparse=True)
WEIGHTING = Component(name="weighting", stage=Stage.BALANCER, build=_weighting, handles_sparse=True)

BALANCERS = (EMPTY, WEIGHTING)
"""What is searched; the first one is the default."""
