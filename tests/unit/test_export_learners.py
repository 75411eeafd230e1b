"""Learners of a user in exported pipelines."""

from __future__ import annotations

import pickle
from typing import Any, Self

import numpy as np
import pytest
from fakes.every_pipeline import table
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from automl.errors import InputError
from automl.export.classifiers import plain_classifier
from automl.export.transformers import plain
from search_space.component import BuildContext
from search_space.custom import as_component


class OnlyLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # bases are untyped
    """Predicts labels and nothing else."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fit normal distributions."""
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Return labels."""
        return self.model_.predict(X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", [GaussianNB(), RidgeClassifier(), OnlyLabels()])
def test_learners_of_a_user_predict_the_same(learner: Any, n_classes: int) -> None:
    X, y = table("dense", n_classes)
    task: Any = None
    fitted = as_component(learner, ()).build({}, BuildContext(task=task, seed=0)).fit(X, y)
    exported = plain_classifier(fitted, X[:2])
    assert b"search_space" not in pickle.dumps(exported)
    np.testing.assert_allclose(exported.predict_proba(X), fitted.predict_proba(X), atol=1e-6)


def test_what_is_ours_and_has_no_counterpart_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="BuildContext has no counterpart"):
        plain(BuildContext(task=None, seed=0), np.zeros((2, 1)))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="BuildContext has no counterpart"):
        plain_classifier(BuildContext(task=None, seed=0), np.zeros((2, 1)))  # type: ignore[arg-type]
