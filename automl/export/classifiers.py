"""The last step of a pipeline, said with classifiers of scikit-learn, LightGBM and XGBoost."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier as PlainOneVsRest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer
from sklearn.tree import DecisionTreeClassifier

from automl.errors import InputError
from automl.export.pieces import function, of_a_library
from search_space.arrays import Features, IntArray
from search_space.balancers import BalancedClassifier
from search_space.classifiers.boosting import BoostedClassifier
from search_space.classifiers.contained import ContainedClassifier
from search_space.classifiers.decision_values import DecisionValueClassifier
from search_space.classifiers.hist_gradient_boosting import HistGradientBoostingModel
from search_space.classifiers.lightgbm import LightGBMModel
from search_space.classifiers.logistic_regression import OneVsRestClassifier
from search_space.classifiers.xgboost import XGBoostModel
from search_space.custom import CertainClassifier


@singledispatch
def plain_classifier(classifier: Any, like: Features) -> Any:
    """Return a fitted classifier with the same probabilities that is made of libraries alone.

    Parameters
    ----------
    classifier : classifier
        Fitted to class codes 0, 1, ... without a gap; one that is not ours is returned as it is.
    like : (2, d) array or sparse array
        Rows such as it takes.

    Raises
    ------
    InputError
        If it is ours and has no counterpart.
    """
    return of_a_library(classifier)


@plain_classifier.register
def _(classifier: ContainedClassifier, like: Features) -> Any:
    return plain_classifier(classifier.estimator_, like)


@plain_classifier.register
def _(classifier: BalancedClassifier, like: Features) -> Any:
    return plain_classifier(classifier.classifier_, like)


@plain_classifier.register
def _(classifier: OneVsRestClassifier, like: Features) -> PlainOneVsRest:
    plain = PlainOneVsRest(classifier.estimator)
    plain.estimators_ = classifier.estimators_
    plain.label_binarizer_ = LabelBinarizer().fit(classifier.classes_)
    plain.n_features_in_ = like.shape[1]
    return plain


@plain_classifier.register
def _(classifier: DecisionValueClassifier, like: Features) -> StackingClassifier:
    """Return a regression on the decision values whose coefficients are one.

    Its probabilities are the logistic function of the value, or the softmax of several.
    """
    codes = np.asarray(classifier.classes_)
    n_values = 1 if len(codes) == 2 else len(codes)
    link = LogisticRegression().fit(_one_hot(codes)[:, -n_values:], codes)
    link.coef_, link.intercept_ = np.eye(n_values), np.zeros(n_values)
    return _stacked(classifier.estimator_, "decision_function", link, codes, like)


@plain_classifier.register
def _(classifier: CertainClassifier, like: Features) -> StackingClassifier:
    """Return a tree on the predicted class that knows each class by its code."""
    codes = np.asarray(classifier.classes_)
    tree = DecisionTreeClassifier().fit(codes[:, None], codes)
    return _stacked(classifier.estimator_, "predict", tree, codes, like)


def _stacked(
    estimator: Any, method: str, final: Any, codes: IntArray, like: Features
) -> StackingClassifier:
    stack = StackingClassifier([("first", estimator)], cv="prefit", stack_method=method)
    stack.set_params(final_estimator=DecisionTreeClassifier())
    stack.fit(np.zeros((len(codes), like.shape[1])), codes)
    stack.set_params(final_estimator=final)
    stack.final_estimator_ = final
    return stack


def _one_hot(codes: IntArray) -> Any:
    return np.eye(len(codes))[codes]


@plain_classifier.register
def _(classifier: BoostedClassifier, like: Features) -> Any:
    return _plain_model(classifier.model_, len(classifier.classes_), like)


@singledispatch
def _plain_model(model: Any, n_classes: int, like: Features) -> Any:
    raise InputError(f"{type(model).__name__} has no counterpart; use save and load")


@_plain_model.register
def _(model: HistGradientBoostingModel, n_classes: int, like: Features) -> Any:
    return model.estimator


@_plain_model.register
def _(model: LightGBMModel, n_classes: int, like: Features) -> Any:
    from lightgbm import LGBMClassifier

    plain = LGBMClassifier(n_estimators=1, n_jobs=1, verbose=-1)
    plain.fit(np.zeros((2 * n_classes, like.shape[1])), np.tile(np.arange(n_classes), 2))
    # LightGBM has no public way to make a classifier of a trained booster.
    plain._Booster = model.booster
    if scipy.sparse.issparse(like):  # it takes sparse matrices and warns of sparse arrays
        return make_pipeline(function(scipy.sparse.csr_matrix), plain)
    return plain


@_plain_model.register
def _(model: XGBoostModel, n_classes: int, like: Features) -> Any:
    from xgboost import XGBClassifier

    options: dict[str, Any] = {}
    if model.categorical_positions:
        types = ["c" if j in model.categorical_positions else "q" for j in range(like.shape[1])]
        options = {"enable_categorical": True, "feature_types": types}
    plain = XGBClassifier(n_jobs=1, **options)
    plain.load_model(model.booster.save_raw("ubj"))
    return plain
