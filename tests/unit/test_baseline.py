"""The class frequencies as a model."""

from __future__ import annotations

import math
from typing import Any

import cloudpickle
import numpy as np
import pytest
import scipy.sparse
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_predict

from automl.data.folds import Fold, Splits
from automl.data.weights import RowWeights
from automl.errors import InputError
from automl.evaluation.baseline import baseline_loss, baseline_predictions, fit_baseline
from automl.scoring import as_metric


def splits_of(n_rows: int, *pairs: tuple[list[int], list[int]]) -> Splits:
    folds = tuple(Fold(np.array(train), np.array(validation)) for train, validation in pairs)
    return Splits(folds=folds, n_rows=n_rows, description="by hand")


def test_a_row_gets_the_frequencies_of_the_part_that_left_it_out() -> None:
    codes = np.array([0, 0, 1, 2])
    splits = splits_of(4, ([0, 1, 2], [3]), ([2, 3], [0, 1]))
    found = baseline_predictions(codes, splits, 3)
    # Row 2 is validated by no fold. Rows 0, 1 follow from rows 2 and 3, row 3 from rows 0 to 2.
    expected = [[0, 1 / 2, 1 / 2], [0, 1 / 2, 1 / 2], [2 / 3, 1 / 3, 0]]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_row_that_is_validated_twice_gets_the_average() -> None:
    codes = np.array([0, 1, 1, 1])
    splits = splits_of(4, ([0, 1], [2, 3]), ([1, 2], [0, 3]))
    # Frequencies (1/2, 1/2) of the first part and (0, 1) of the second.
    expected = [[0.0, 1.0], [0.5, 0.5], [0.25, 0.75]]
    np.testing.assert_allclose(baseline_predictions(codes, splits, 2), expected, rtol=1e-6)


def test_it_is_what_a_dummy_classifier_predicts_in_cross_validation() -> None:
    codes = np.random.default_rng(0).integers(3, size=30)
    cv = [(np.delete(np.arange(30), np.s_[i : i + 10]), np.arange(i, i + 10)) for i in (0, 10, 20)]
    dummy = DummyClassifier(strategy="prior")
    expected = cross_val_predict(dummy, np.zeros((30, 1)), codes, cv=cv, method="predict_proba")
    splits = splits_of(30, *((train.tolist(), val.tolist()) for train, val in cv))
    np.testing.assert_allclose(baseline_predictions(codes, splits, 3), expected, rtol=1e-6)


def test_the_fitted_baseline_ignores_the_features() -> None:
    model = fit_baseline(np.array([0, 0, 0, 2]))
    assert model.classes_.tolist() == [0, 2]
    for X in (np.full((2, 5), np.nan), scipy.sparse.csr_array(np.eye(2)), np.zeros((2, 0))):
        assert model.predict_proba(X).tolist() == [[0.75, 0.25]] * 2


def test_the_fitted_baseline_can_be_pickled() -> None:
    model = cloudpickle.loads(cloudpickle.dumps(fit_baseline(np.array([0, 1]))))
    assert model.predict_proba(np.zeros((1, 2))).tolist() == [[0.5, 0.5]]


FOUR = splits_of(4, ([0, 1], [2, 3]), ([2, 3], [0, 1]))


def test_its_loss_is_that_of_its_predictions() -> None:
    codes = np.array([0, 1, 0, 1])
    metric = as_metric("neg_log_loss", [0, 1])
    found = baseline_loss(metric, codes, FOUR, 2)
    assert found.loss == pytest.approx(math.log(2))
    assert found.changes == ()


def test_rows_count_as_much_as_they_weigh() -> None:
    codes, training = np.array([0, 1, 0, 1]), np.array([3.0, 1.0, 1.0, 7.0])
    found = baseline_predictions(codes, FOUR, 2, training)
    expected = [[1 / 8, 7 / 8]] * 2 + [[3 / 4, 1 / 4]] * 2
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    weights = RowWeights(training=training, metric=np.array([1.0, 0.0, 2.0, 1.0]))
    loss = baseline_loss(as_metric("neg_log_loss", [0, 1]), codes, FOUR, 2, weights).loss
    by_hand = -(np.log(1 / 8) + 2 * np.log(3 / 4) + np.log(1 / 4)) / 4
    assert loss == pytest.approx(by_hand, rel=1e-6)
    model = fit_baseline(codes, training)
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 1))), [[4 / 12, 8 / 12]])


def test_a_metric_without_a_value_for_a_constant_prediction_has_no_baseline() -> None:
    def spread(estimator: Any, X: Any, y: Any) -> float:
        if np.ptp(X[:, 1]) < 1e-6:
            raise ValueError("all predictions are alike")
        return float((estimator.predict(X) == y).mean())

    found = baseline_loss(as_metric(spread, [0, 1]), np.array([0, 1, 0, 1]), FOUR, 2)
    assert math.isinf(found.loss)
    assert "all predictions are alike" in str(found.changes[0])


def test_validation_rows_without_a_class_that_the_metric_needs_are_refused() -> None:
    codes = np.array([0, 1, 1, 1])
    splits = splits_of(4, ([0, 1], [2, 3]))
    with pytest.raises(InputError, match=r"cv: no validation row has the class 'a', and without"):
        baseline_loss(as_metric("roc_auc", ["a", "b"]), codes, splits, 2)


def test_a_metric_without_any_value_on_the_validation_rows_is_refused() -> None:
    def picky(estimator: Any, X: Any, y: Any) -> float:
        if len(y) == 4:
            raise ValueError("I do not like four rows")
        return float((estimator.predict(X) == y).mean())

    with pytest.raises(InputError, match=r"scoring: picky has no value .* four rows"):
        baseline_loss(as_metric(picky, [0, 1]), np.array([0, 1, 0, 1]), FOUR, 2)
