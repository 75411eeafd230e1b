"""The value of a metric: scores and losses of stored probabilities."""

from __future__ import annotations

import math
import warnings
from typing import Any

import cloudpickle
import numpy as np
import pytest
from fakes.scored import LABELS, problem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    get_scorer,
    make_scorer,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.validation import check_is_fitted

from automl.metrics import MetricError, rescaled
from automl.scoring import as_metric, usable_names
from automl.stored_predictions import Labels, StoredPredictions
from search_space.arrays import FloatArray

# --- the scorer's own value -----------------------------------------------------------------------


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_scores_are_those_that_scikit_learn_gives_a_fitted_model(labels: Labels) -> None:
    codes, _ = problem(len(labels))
    X = np.random.default_rng(0).normal(size=(len(codes), 3)) + codes[:, None]
    y = labels[codes]
    model = GaussianNB().fit(X, y)
    probabilities = model.predict_proba(X)
    needs_positive = {"neg_brier_score", "d2_brier_score"} if labels.dtype.kind in "UO" else set()
    names = set(usable_names(labels)) - {"top_k_accuracy"} - needs_positive
    for name in sorted(names):
        score = as_metric(name, labels).score(codes, probabilities)
        assert score == pytest.approx(get_scorer(name)(model, X, y), abs=1e-12), name


def test_a_model_with_decision_values_has_the_same_area_under_the_curve() -> None:
    codes, _ = problem(2)
    X = np.random.default_rng(0).normal(size=(len(codes), 3)) + codes[:, None]
    model = LogisticRegression().fit(X, codes)
    score = as_metric("roc_auc", [0, 1]).score(codes, model.predict_proba(X))
    assert score == pytest.approx(get_scorer("roc_auc")(model, X, codes), abs=1e-12)


def test_log_loss_is_the_mean_negative_logarithm_of_the_own_class() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    loss = as_metric("neg_log_loss", ["a", "b", "c"]).loss(np.array([0, 1, 2]), p)
    assert loss == pytest.approx(-(math.log(0.7) + math.log(0.8) + math.log(0.4)) / 3, rel=1e-14)


def test_the_first_of_equally_probable_classes_is_predicted() -> None:
    metric = as_metric("accuracy", [0, 1, 2])
    tie = np.array([[0.2, 0.4, 0.4]])
    assert [metric.loss(np.array([code]), tie) for code in (1, 2)] == [0.0, 1.0]


@pytest.mark.parametrize("response", [("decision_function", "predict_proba"), "predict_proba"])
def test_a_scorer_of_ranks_gets_the_second_of_two_columns(response: Any) -> None:
    codes, probabilities = problem(2)
    metric = as_metric(make_scorer(roc_auc_score, response_method=response), ["a", "b"])
    assert metric.score(codes, probabilities) == roc_auc_score(codes, probabilities[:, 1])


def test_a_plain_function_may_ask_the_estimator_for_its_score() -> None:
    codes, probabilities = problem(3)
    metric = as_metric(lambda estimator, X, y: estimator.score(X, y), ["a", "b", "c"])
    assert metric.score(codes, probabilities) == accuracy_score(codes, probabilities.argmax(1))
    assert metric.loss(codes, probabilities) == 1.0 - metric.score(codes, probabilities)


def test_a_scorer_that_writes_into_its_table_leaves_the_predictions_alone() -> None:
    def spoil(estimator: StoredPredictions, X: FloatArray, y: Labels) -> float:
        score = estimator.score(X, y)
        X[:] = 0.0
        return float(score)

    codes, probabilities = problem(2)
    before = probabilities.copy()
    as_metric(spoil, [0, 1]).loss(codes, probabilities)
    np.testing.assert_array_equal(probabilities, before)


# --- folds that lack a class, predictions that lack one -------------------------------------------


@pytest.mark.parametrize("labels", [[0, 1], [1, 2], ["a", "b"]])
@pytest.mark.parametrize("code", [0, 1])
def test_proper_scores_of_rows_of_one_class_know_which_class_it_is(labels: Any, code: int) -> None:
    p = np.array([[0.9, 0.1], [0.7, 0.3]])
    codes = np.full(2, code)
    own = p[:, code]
    log = as_metric("neg_log_loss", labels).loss(codes, p)
    brier = as_metric("neg_brier_score", labels).loss(codes, p)
    assert log == pytest.approx(-np.log(own).mean(), rel=1e-12)
    assert brier == pytest.approx(((1.0 - own) ** 2).mean(), rel=1e-12)


@pytest.mark.parametrize("name", ["neg_log_loss", "neg_brier_score", "top_k_accuracy"])
def test_scorers_that_need_every_class_are_told_of_the_missing_ones(name: str) -> None:
    codes, probabilities = problem(4)
    few = codes < 2
    metric = as_metric(name, ["a", "b", "c", "d"])
    everywhere = np.array(
        [metric.score(codes[i : i + 1], probabilities[i : i + 1]) for i in range(60)]
    )
    assert metric.score(codes[few], probabilities[few]) == pytest.approx(everywhere[few].mean())


def test_a_macro_average_does_not_count_classes_that_are_absent() -> None:
    codes, probabilities = np.array([0, 1, 0]), np.eye(3)[[0, 1, 1]]
    score = as_metric("f1_macro", [0, 1, 2]).score(codes, probabilities)
    assert score == pytest.approx(2 / 3)  # F1 is 2/3 for both classes; a third would make it 4/9


def test_a_metric_without_a_value_says_where(recwarn: pytest.WarningsRecorder) -> None:
    metric = as_metric("roc_auc", ["no", "yes"])
    with pytest.raises(MetricError, match=r"'roc_auc' is nan on 3 rows with 1 of 2 classes"):
        metric.loss(np.zeros(3, int), np.full((3, 2), 0.5))
    with pytest.raises(MetricError, match=r"'roc_auc' is nan on 3 rows with 1 of 2 classes"):
        metric.losses(np.zeros(3, int), np.full((4, 3, 2), 0.5))
    assert not recwarn


def test_undefined_parts_are_silent_and_the_filters_of_warnings_are_left_as_they_were() -> None:
    codes, constant = np.array([0, 0, 1]), np.tile([0.2, 0.8, 0.0], (3, 1))
    before = list(warnings.filters)
    for name in ("balanced_accuracy", "precision_macro", "matthews_corrcoef"):
        as_metric(name, [0, 1, 2]).loss(codes, constant)
    assert list(warnings.filters) == before


# --- what scorers may raise -----------------------------------------------------------------------


def test_a_scorer_that_fails_during_the_search_gives_a_metric_error_with_its_cause() -> None:
    def brittle(estimator: StoredPredictions, X: FloatArray, y: Labels) -> float:
        return 1.0 / float((estimator.predict(X) == y).sum())

    metric = as_metric(brittle, [0, 1])
    with pytest.raises(MetricError, match="ZeroDivisionError") as caught:
        metric.loss(np.array([0]), np.array([[0.1, 0.9]]))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


# --- weights of rows ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["accuracy", "neg_log_loss", "neg_brier_score", "roc_auc"])
def test_a_weight_of_two_is_a_row_twice(name: str) -> None:
    codes, probabilities = problem(2, 12)
    weight = 1.0 + np.arange(12) % 2
    twice = np.repeat(np.arange(12), weight.astype(int))
    metric = as_metric(name, ["a", "b"])
    expected = metric.loss(codes[twice], probabilities[twice])
    assert metric.takes_sample_weight
    assert metric.loss(codes, probabilities, weight) == pytest.approx(expected, rel=1e-12)
    stack = probabilities[None].repeat(2, axis=0)
    assert metric.losses(codes, stack, weight) == pytest.approx([expected] * 2, rel=1e-12)


def test_weights_that_a_scorer_would_not_see_are_refused() -> None:
    metric = as_metric(lambda estimator, X, y: estimator.score(X, y), [0, 1])
    assert not metric.takes_sample_weight
    with pytest.raises(MetricError, match="takes no sample_weight"):
        metric.loss(*problem(2), sample_weight=np.ones(60))


# --- what comes in --------------------------------------------------------------------------------


def test_rows_in_single_precision_are_rescaled_before_they_are_scored() -> None:
    codes, probabilities = problem(3)
    single = probabilities.astype(np.float32)
    metric = as_metric("neg_log_loss", [0, 1, 2])
    assert metric.loss(codes, single) == pytest.approx(metric.loss(codes, probabilities), rel=1e-6)
    assert metric.loss(codes, 1.7 * single) == pytest.approx(metric.loss(codes, single), rel=1e-6)
    np.testing.assert_allclose(rescaled(single).sum(axis=1), 1.0, rtol=1e-15)


@pytest.mark.parametrize("shape", [(3, 3), (2, 2), (3,), (1, 3, 2), (0, 2)])
def test_shapes_that_do_not_fit_are_named(shape: tuple[int, ...]) -> None:
    codes = np.zeros(0 if shape == (0, 2) else 3, int)
    expected = rf"probabilities \({shape[0]},.*\) do not fit codes \({len(codes)},\) and 2 classes"
    with pytest.raises(ValueError, match=expected):
        as_metric("accuracy", [0, 1]).loss(codes, np.full(shape, 0.5))
    with pytest.raises(ValueError, match="do not fit"):
        as_metric("accuracy", [0, 1]).losses(
            codes, np.full(shape if len(shape) < 3 else (3, 2), 0.5)
        )


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1])
@pytest.mark.parametrize("name", ["accuracy", "f1_macro"])
def test_probabilities_that_are_none_are_refused(bad: float, name: str) -> None:
    codes, probabilities = problem(2)
    probabilities[3, 1] = bad
    metric = as_metric(name, [0, 1])
    with pytest.raises(ValueError, match=r"60, 2\) must be finite and not negative"):
        metric.loss(codes, probabilities)
    with pytest.raises(ValueError, match=r"60, 2\) must be finite and not negative"):
        metric.losses(codes, probabilities[None])


def test_a_row_of_zeros_is_refused() -> None:
    with pytest.raises(ValueError, match="no row all zero"):
        as_metric("accuracy", [0, 1]).loss(np.array([0]), np.zeros((1, 2)))


@pytest.mark.parametrize("code", [-1, 2])
def test_codes_of_no_class_are_refused(code: int) -> None:
    with pytest.raises(ValueError, match=f"class codes from {code} to {code} but 2 classes"):
        as_metric("accuracy", [0, 1]).loss(np.array([code]), np.array([[0.5, 0.5]]))


def test_a_metric_of_a_notebook_travels_by_cloudpickle() -> None:
    codes, probabilities = problem(2)
    metric = as_metric(lambda estimator, X, y: estimator.score(X, y) / 2, ["a", "b"])
    copy = cloudpickle.loads(cloudpickle.dumps(metric))
    assert copy.loss(codes, probabilities) == metric.loss(codes, probabilities)
    assert copy.name == "<lambda>"


# --- the stand-in ---------------------------------------------------------------------------------


def test_stored_predictions_are_a_fitted_classifier() -> None:
    p = np.array([[0.0, 1.0], [0.5, 0.5]])
    stand_in = StoredPredictions(np.array(["a", "b"]))
    check_is_fitted(stand_in)
    assert stand_in.fit(p, stand_in.classes_) is stand_in
    assert stand_in.predict(p).tolist() == ["b", "a"]
    assert stand_in.predict_log_proba(p)[0].tolist() == [-math.inf, 0.0]
    assert not hasattr(stand_in, "decision_function")
