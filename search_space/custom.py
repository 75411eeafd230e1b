"""A user's own learners as components."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from search_space.arrays import Features, FloatArray, IntArray
from search_space.classifiers.contained import weight_argument
from search_space.classifiers.decision_values import DecisionValueClassifier
from search_space.component import BuildContext, Component, Stage
from search_space.errors import SearchSpaceError


class CertainClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that only names a label, as one that is certain of it.

    Parameters
    ----------
    estimator : classifier
        Classifier with ``predict``; it is cloned before it is fitted.

    Attributes
    ----------
    estimator_ : classifier
        The fitted clone.
    classes_ : (n_classes,) array
        Labels seen in ``fit``, sorted.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Features, y: IntArray, sample_weight: FloatArray | None = None) -> Self:
        """Fit the classifier, with weights if there are any."""
        self.estimator_ = clone(self.estimator).fit(X, y, **weight_argument(sample_weight))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Features) -> IntArray:
        """Return the label of each row, (n,)."""
        return np.asarray(self.estimator_.predict(X))

    def predict_proba(self, X: Features) -> FloatArray:
        """Return 1 for the label of each row and 0 for the others, (n, n_classes)."""
        return np.asarray(self.predict(X)[:, np.newaxis] == self.classes_, dtype=np.float64)


def as_component(learner: object, taken_names: Collection[str]) -> Component:
    """Return a user's learner as a component.

    Parameters
    ----------
    learner : Component or scikit-learn classifier
        A component is returned as it is. A classifier keeps its parameters; where they, or those
        of estimators that it is made of, leave the seed or the number of threads open, the
        pipeline's seed and one thread are used.
    taken_names : collection of str
        Names of other learners; a classifier is named after its class and given a number where
        that name is taken.

    Raises
    ------
    SearchSpaceError
        If `learner` is neither, or a component's name is taken.
    """
    if isinstance(learner, Component):
        if learner.name in taken_names:
            raise SearchSpaceError(f"the name {learner.name!r} is taken: rename the component")
        return learner
    problem = _why_not_a_classifier(learner)
    if problem is not None:
        raise SearchSpaceError(
            f"{problem}; pass an unfitted scikit-learn classifier, such as LogisticRegression(), "
            "or a search_space.Component"
        )
    tags = get_tags(learner)
    return Component(
        name=_unique_name(type(learner).__name__, taken_names),
        stage=Stage.CLASSIFIER,
        build=partial(_build, learner=learner),
        takes_weights=has_fit_parameter(learner, "sample_weight"),
        handles_missing=bool(tags.input_tags.allow_nan),
        handles_sparse=bool(tags.input_tags.sparse),
        modules=_modules_of(learner),
    )


def _why_not_a_classifier(learner: object) -> str | None:
    if isinstance(learner, type):
        return f"{learner.__name__} is a class, not an instance"
    needed = ("fit", "predict", "get_params", "set_params")
    missing = [name for name in needed if not hasattr(learner, name)]
    if missing:
        return f"{type(learner).__name__} has no {', '.join(missing)}"
    if not is_classifier(learner):
        return f"{type(learner).__name__} is not a classifier"
    return None


def _modules_of(learner: Any) -> tuple[str, ...]:
    """Return the modules that the learner and the estimators that it is made of come from."""
    parts = [learner, *learner.get_params(deep=True).values()]
    modules = {type(part).__module__ for part in parts if hasattr(part, "get_params")}
    # What the script itself defines has no module that another process could import.
    return tuple(sorted(modules - {"__main__", "__mp_main__"}))


def _unique_name(name: str, taken_names: Collection[str]) -> str:
    unique, number = name, 1
    while unique in taken_names:
        number += 1
        unique = f"{name}_{number}"
    return unique


def _build(hyperparameters: Mapping[str, Any], context: BuildContext, *, learner: Any) -> Any:
    estimator = clone(learner)
    open_ends = {"random_state": context.seed, "n_jobs": 1}
    # Deep: the classifier may be a pipeline, or hold another one, and so on.
    parameters = estimator.get_params(deep=True)
    chosen = {name: open_ends.get(name.rpartition("__")[2]) for name in parameters}
    estimator.set_params(
        **{
            name: value
            for name, value in chosen.items()
            if value is not None and parameters[name] is None
        }
    )
    if hasattr(estimator, "predict_proba"):
        return estimator
    if hasattr(estimator, "decision_function"):
        return DecisionValueClassifier(estimator)
    return CertainClassifier(estimator)
