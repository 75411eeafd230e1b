"""Class probabilities of a support vector machine, from its decision values.

Cheaper than the cross-validated scaling of Platt: no further fit. The order of the rows, hence
accuracy and area under the curve, is that of the decision values; the probabilities are not
calibrated. Two classes: logistic function of the value, which is clipped to [-20, 20]; more
classes: softmax over the one-vs-rest values, as MindWare does it.

References
----------
.. [1] MindWare, models for classification. https://github.com/thomas-young-2013/mindware
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.utils.validation import check_is_fitted

from search_space.arrays import Features, FloatArray
from search_space.classifiers.contained import ContainedClassifier, contained, narrow

LARGEST_DECISION_VALUE = 20.0
"""Two classes: beyond, a probability would round to 0 or 1 (logistic(20) = 1 - 2e-9)."""

_LARGEST = 1e300  # the difference of two such values is a number


def probabilities_from(decision_values: FloatArray) -> FloatArray:
    """Return the probabilities that stand for decision values.

    Parameters
    ----------
    decision_values : (n,) or (n, n_classes) array
        Signed distance to the boundary for two classes, else one value per class. NaN, which
        a kernel that overflows gives, counts as "undecided".

    Returns
    -------
    (n, n_classes) array
        Rows sum to 1.

    Examples
    --------
    >>> probabilities_from(np.array([0.0, 1e9])).round(3)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    if decision_values.ndim == 1:
        clipped = np.clip(decision_values, -LARGEST_DECISION_VALUE, LARGEST_DECISION_VALUE)
        second = np.where(np.isnan(clipped), 0.5, expit(clipped))
        return np.column_stack([1.0 - second, second])
    finite = np.clip(np.asarray(decision_values, np.float64), -_LARGEST, _LARGEST)
    finite[np.isnan(decision_values).any(axis=1)] = 0.0
    return np.asarray(softmax(finite, axis=1))


class DecisionValueClassifier(ContainedClassifier):
    """A classifier whose probabilities come from the decision values of another.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Classifier with ``decision_function``, one-vs-rest for more than two classes.

    Attributes
    ----------
    estimator_ : scikit-learn classifier
        The fitted clone.
    classes_ : (n_classes,) array
        Labels seen in `fit`, sorted.
    """

    def __init__(self, estimator: Any) -> None:
        super().__init__(estimator)

    def predict_proba(self, X: Features) -> FloatArray:
        """Return probabilities, (n, n_classes), in the order of ``classes_``."""
        check_is_fitted(self)
        with contained():
            return probabilities_from(np.asarray(self.estimator_.decision_function(narrow(X))))
