"""Models against closed forms, scikit-learn's own, and what their hyperparameters should do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import multivariate_normal
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier as SklearnOneVsRest

from search_space.arrays import FloatArray
from search_space.classifiers import (
    DEFAULT_CLASSIFIERS,
    FAST_CLASSIFIERS,
    PAPER_CLASSIFIERS,
    lda,
    logistic_regression,
    mlp,
    qda,
    random_forest,
)
from search_space.classifiers.logistic_regression import OneVsRestClassifier
from search_space.component import BuildContext
from search_space.task import TaskProperties

TASK = TaskProperties(
    n_rows=90, n_classes=3, smallest_class=20, largest_class=40, numeric=(0, 1, 2)
)
CONTEXT = BuildContext(task=TASK, seed=11)

_RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], [20, 30, 40])
X = _RNG.normal(size=(90, 3)) * (1.0 + Y[:, np.newaxis]) + Y[:, np.newaxis] * [1.0, 0.0, -1.0]
X_NEW = _RNG.normal(size=(50, 3))


def bayes(points: FloatArray, covariances: list[FloatArray]) -> FloatArray:
    """Return posterior probabilities of Gaussian classes by Bayes' rule."""
    log_posterior = [
        np.log(np.mean(code == Y))
        + multivariate_normal(X[code == Y].mean(axis=0), covariance).logpdf(points)
        for code, covariance in enumerate(covariances)
    ]
    return np.asarray(softmax(np.column_stack(log_posterior), axis=1))


def within_class_covariances() -> list[FloatArray]:
    return [np.cov(X[code == Y].T, bias=True) for code in range(3)]


def test_qda_gives_the_posterior_of_gaussian_classes() -> None:
    model = qda.COMPONENT.build({"reg_param": 0.0}, CONTEXT).fit(X, Y)
    expected = bayes(X_NEW, within_class_covariances())
    np.testing.assert_allclose(model.predict_proba(X_NEW), expected, atol=1e-9)


def test_lda_gives_the_posterior_of_classes_with_a_common_covariance() -> None:
    def probabilities(**values: Any) -> FloatArray:
        model = lda.COMPONENT.build({"tol": 1e-4, "n_components": 1, **values}, CONTEXT)
        return np.asarray(model.fit(X, Y).predict_proba(X_NEW))

    pooled = np.einsum("c,cij->ij", np.bincount(Y) / 90, np.array(within_class_covariances()))
    expected = bayes(X_NEW, [pooled] * 3)
    unshrunk = probabilities(shrinkage="manual", shrinkage_factor=0.0)
    np.testing.assert_allclose(unshrunk, expected, atol=1e-9)
    # Without shrinkage releases of scikit-learn differ in the divisor: rows, or rows - classes.
    np.testing.assert_allclose(probabilities(shrinkage="none"), expected, atol=0.01)


def test_lda_shrinks_by_hand() -> None:
    def probabilities(**values: Any) -> FloatArray:
        model = lda.COMPONENT.build({"tol": 1e-4, "n_components": 1, **values}, CONTEXT)
        return np.asarray(model.fit(X, Y).predict_proba(X_NEW))

    plain = probabilities(shrinkage="none")
    half = probabilities(shrinkage="manual", shrinkage_factor=0.5)
    full = probabilities(shrinkage="manual", shrinkage_factor=1.0)
    assert np.abs(half - plain).max() > 0.01
    assert np.abs(full - half).max() > 0.01
    assert np.abs(probabilities(shrinkage="auto") - plain).max() > 1e-6


def test_lda_components_may_exceed_the_columns_that_a_preprocessor_leaves() -> None:
    values = {"shrinkage": "none", "tol": 1e-4, "n_components": 2}
    model = lda.COMPONENT.build(values, CONTEXT).fit(X[:, :1], Y)
    assert model.predict_proba(X_NEW[:, :1]).shape == (50, 3)


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1e7])
def test_qda_refuses_a_degenerate_covariance_at_any_scale(scale: float) -> None:
    twins = scale * np.column_stack([X, X[:, 0]])
    model = qda.COMPONENT.build({"reg_param": 0.0}, CONTEXT)
    with pytest.raises(ValueError, match="covariance matrix of class 0 is not full rank"):
        model.fit(twins, Y)


@pytest.mark.parametrize("scale", [1e-7, 1e7])
def test_qda_does_not_depend_on_the_unit_of_the_columns(scale: float) -> None:
    model = qda.COMPONENT.build({"reg_param": 0.0}, CONTEXT)
    expected = model.fit(X, Y).predict_proba(X_NEW)
    scaled = model.fit(scale * X, Y).predict_proba(scale * X_NEW)
    np.testing.assert_allclose(scaled, expected, atol=1e-6)


def test_qda_of_the_default_preset_takes_a_degenerate_covariance() -> None:
    default = dict(qda.DEFAULT_COMPONENT.space(TASK).get_default_configuration())
    model = qda.DEFAULT_COMPONENT.build(default, CONTEXT)
    model.fit(np.column_stack([X, X[:, 0]]), Y)


@pytest.mark.parametrize("solver", ["liblinear", "saga"])
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_logistic_regression_is_one_vs_rest(solver: str, penalty: str) -> None:
    values = {"C": 0.3, "tol": 1e-4, "penalty": penalty, "solver": solver}
    model = logistic_regression.COMPONENT.build(values, CONTEXT).fit(X, Y)
    theirs = SklearnOneVsRest(
        LogisticRegression(
            C=0.3,
            l1_ratio={"l1": 1.0, "l2": 0.0}[penalty],
            solver=solver,
            max_iter=3000,
            random_state=11,
        )
    ).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X_NEW), theirs.predict_proba(X_NEW), atol=1e-9)


def test_one_vs_rest_of_two_classes_is_the_estimator_itself() -> None:
    y = np.where(Y > 0, 5, 3)
    estimator = LogisticRegression()
    model = OneVsRestClassifier(estimator).fit(X, y)
    assert len(model.estimators_) == 1
    expected = estimator.fit(X, y).predict_proba(X_NEW)
    np.testing.assert_allclose(model.predict_proba(X_NEW), expected, atol=1e-12)


def test_one_vs_rest_handles_a_row_that_no_class_claims() -> None:
    model = OneVsRestClassifier(LogisticRegression(C=1e6)).fit(X, Y)
    for estimator in model.estimators_:
        estimator.intercept_ -= 1e9
    np.testing.assert_allclose(model.predict_proba(X_NEW), 1.0 / 3.0)


def test_one_vs_rest_refuses_one_class() -> None:
    with pytest.raises(ValueError, match="two classes"):
        OneVsRestClassifier(LogisticRegression()).fit(X, np.zeros(90, dtype=np.int64))


def test_logistic_regression_takes_weights_as_repetitions() -> None:
    values = {"C": 1.0, "tol": 1e-6, "penalty": "l2", "solver": "liblinear"}
    repeated = np.repeat(np.arange(90), 1 + Y)
    model = logistic_regression.COMPONENT.build(values, CONTEXT)
    expected = model.fit(X[repeated], Y[repeated]).predict_proba(X_NEW)
    weighted = model.fit(X, Y, sample_weight=1.0 + Y).predict_proba(X_NEW)
    np.testing.assert_allclose(weighted, expected, atol=1e-4)


@pytest.mark.parametrize(("exponent", "expected"), [(0.0, 1), (0.5, 3), (0.99, 9), (1.0, 10)])
def test_forests_try_a_power_of_the_columns(exponent: float, expected: int) -> None:
    values = {
        "criterion": "gini",
        "max_features": exponent,
        "min_samples_split": 2,
        "min_samples_leaf": 1,
        "bootstrap": True,
    }
    model = random_forest.COMPONENT.build(values, CONTEXT)
    model.fit(np.tile(X, 4)[:, :10], Y)
    assert model.estimator_.max_features == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((125, 125), True),
        ((124, 125), False),  # 24 validation rows
        ((300, 1), False),
        ((300, 2), True),
        ((9,) * 27, False),  # 24 validation rows for 27 classes
        ((11,) * 27, True),
    ],
)
def test_networks_hold_rows_back_where_they_can(counts: tuple[int, ...], expected: bool) -> None:
    y = np.repeat(np.arange(len(counts)), counts)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    assert mlp.stopping(X, y) == {"early_stopping": expected}
    values = {
        "n_hidden_layers": 1,
        "n_nodes_per_layer": 2,
        "activation": "relu",
        "alpha": 1e-4,
        "learning_rate_init": 1e-1,
    }
    mlp.COMPONENT.build(values, CONTEXT).fit(X, y)


# Hyperparameters that reach the estimator under another name, or not as they are.
RENAMED: dict[str, Any] = {
    "adaboost": {"algorithm": None, "max_depth": "estimator__max_depth"},
    "gradient_boosting": {"criterion": None},
    "random_forest": {"max_features": None},
    "extra_trees": {"max_features": None},
    "lda": {"n_components": None, "shrinkage_factor": None, "shrinkage": None},
    "logistic_regression": {"penalty": None},
    "mlp": {"n_hidden_layers": None, "n_nodes_per_layer": None},
    "lightgbm": {"n_estimators": "n_rounds"},
}


@pytest.mark.parametrize(
    "component",
    [*PAPER_CLASSIFIERS, *DEFAULT_CLASSIFIERS, *FAST_CLASSIFIERS],
    ids=lambda c: c.name,
)
def test_every_hyperparameter_reaches_the_estimator(component: Any) -> None:
    space = component.space(TASK)
    space.seed(5)
    for configuration in space.sample_configuration(4):
        model = component.build(dict(configuration), CONTEXT)
        if hasattr(model, "learner"):
            parts = (model.learner, model.rounds)
            reached = {name: getattr(part, name) for part in parts for name in part.__slots__}
        else:
            reached = model.estimator.get_params()
        for name, value in configuration.items():
            target = RENAMED.get(component.name, {}).get(name, name)
            if target is not None:
                assert reached[target] == value, name
        if "random_state" in reached:
            assert reached["random_state"] == CONTEXT.seed


def test_seeds_differ_between_forests() -> None:
    component = random_forest.COMPONENT
    default = dict(component.space(TASK).get_default_configuration())
    first, other = (
        component.build(default, BuildContext(task=TASK, seed=seed)).fit(X, Y).predict_proba(X_NEW)
        for seed in (1, 2)
    )
    assert not np.array_equal(first, other)
