"""Logistic regression, one model per class if there are more than two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace, Float
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from search_space.arrays import Features, FloatArray, IntArray
from search_space.classifiers.contained import contained, narrow, weight_argument
from search_space.classifiers.probabilistic import ProbabilisticClassifier
from search_space.classifiers.table_limits import too_much_linear_work
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

MAX_ITERATIONS = 3_000


class OneVsRestClassifier(ProbabilisticClassifier):
    """A binary classifier made to separate each class from all others.

    scikit-learn's own takes sample weights only with metadata routing switched on globally.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Binary classifier with ``predict_proba``.

    Attributes
    ----------
    estimators_ : list
        One fitted clone per class, or a single one, for the second class, if there are two.
    classes_ : (n_classes,) array
        Labels seen in `fit`, sorted.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Features, y: IntArray, sample_weight: FloatArray | None = None) -> Self:
        """Fit one model per class, with weights if there are any.

        Raises
        ------
        ValueError
            If there is one class only.
        """
        X = narrow(X)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"one-vs-rest needs two classes, got one: {self.classes_}")
        positives = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        with contained():
            self.estimators_ = [
                clone(self.estimator).fit(X, y == label, **weight_argument(sample_weight))
                for label in positives
            ]
        return self

    def predict_proba(self, X: Features) -> FloatArray:
        """Return probabilities, (n, n_classes): those of the models, scaled to a sum of 1."""
        check_is_fitted(self)
        X = narrow(X)
        with contained():
            positive = [estimator.predict_proba(X)[:, 1] for estimator in self.estimators_]
        if len(positive) == 1:
            return np.column_stack([1.0 - positive[0], positive[0]])
        # The smallest positive number: no class claims a row whose probabilities all underflow.
        stacked = np.column_stack(positive) + np.finfo(np.float64).tiny
        return np.asarray(stacked / stacked.sum(axis=1, keepdims=True))


def space(task: TaskProperties) -> ConfigurationSpace:
    """Return the published hyperparameters."""
    configuration_space = ConfigurationSpace()
    configuration_space.add(
        Float("C", (0.03125, 10.0), default=1.0, log=True),
        Float("tol", (1e-6, 1e-2), default=1e-4, log=True),
        Categorical("penalty", ["l1", "l2"], default="l2"),
        Categorical("solver", ["liblinear", "saga"], default="liblinear"),
    )
    return configuration_space


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> OneVsRestClassifier:
    """Return an unfitted logistic regression."""
    from sklearn.linear_model import LogisticRegression

    return OneVsRestClassifier(
        LogisticRegression(
            l1_ratio=1.0 if hyperparameters["penalty"] == "l1" else 0.0,
            C=float(hyperparameters["C"]),
            tol=float(hyperparameters["tol"]),
            solver=str(hyperparameters["solver"]),
            max_iter=MAX_ITERATIONS,
            random_state=context.seed,
        )
    )


COMPONENT = Component(
    name="logistic_regression",
    stage=Stage.CLASSIFIER,
    build=build,
    space=space,
    unsuitable=too_much_linear_work,
    handles_sparse=True,
    cost=0.01,
    modules=("sklearn.linear_model",),
)
