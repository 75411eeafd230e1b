"""An estimator made of our schema and labels alone passes scikit-learn's checks."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

from automl.data.labels import encode_labels
from automl.data.schema import learn_schema


class Linear(ClassifierMixin, BaseEstimator):
    """A linear model behind the owners of columns and classes."""

    def fit(self, X: Any, y: Any) -> Linear:
        """Learn columns, classes and a model."""
        schema = learn_schema(X, estimator_name="Linear")
        prepared = schema.transform(X)
        codes, self.classes_ = encode_labels(y, prepared.shape[0], estimator_name="Linear")
        self.n_features_in_ = schema.n_features_in
        if schema.feature_names_in is not None:
            self.feature_names_in_ = schema.feature_names_in
        self.schema_ = schema
        self.model_ = make_pipeline(StandardScaler(with_mean=False), LogisticRegression())
        self.model_.fit(self._filled(prepared), codes)
        return self

    def predict(self, X: Any) -> Any:
        """Return a label per row."""
        check_is_fitted(self)
        prepared = self._filled(self.schema_.transform(X))
        return self.classes_[self.model_.predict(prepared)]

    def _filled(self, prepared: Any) -> Any:
        return np.nan_to_num(prepared) if isinstance(prepared, np.ndarray) else prepared

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags


def test_an_estimator_made_of_schema_and_labels_passes_the_common_checks() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings of all kinds
        results = check_estimator(Linear(), on_skip=None)
    assert sum(result["status"] == "passed" for result in results) > 40
