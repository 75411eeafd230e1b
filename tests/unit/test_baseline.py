"""The class frequencies as a model."""

from __future__ import annotations

import cloudpickle
import numpy as np
import scipy.sparse
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_predict

from automl.data.folds import Fold, Splits
from automl.evaluation.baseline import baseline_predictions, fit_baseline


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
