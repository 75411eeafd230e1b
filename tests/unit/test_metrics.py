"""Scorers of every kind as losses of stored probabilities."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import cloudpickle
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    f1_score,
    fbeta_score,
    get_scorer,
    get_scorer_names,
    hinge_loss,
    log_loss,
    make_scorer,
    r2_score,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.validation import check_is_fitted

from automl.errors import InputError, InputTypeError
from automl.metrics import MetricError, as_metric, rescaled, usable_names
from automl.scoring_advice import MADE_FOR_CLUSTERS, MADE_FOR_NUMBERS, close_names
from automl.stored_predictions import Labels, StoredPredictions
from search_space.arrays import FloatArray, IntArray

LABELS = {
    "numbers from zero": np.array([0, 1]),
    "signs": np.array([-1, 1]),
    "booleans": np.array([False, True]),
    "text": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "three numbers": np.array([5, 7, 9]),
    "three words": np.array(["high", "low", "mid"]),
}


def problem(n_classes: int, n_rows: int = 60) -> tuple[IntArray, FloatArray]:
    """Return codes of every class and probabilities that lean towards them."""
    rng = np.random.default_rng(n_classes)
    codes = np.arange(n_rows) % n_classes
    weights = rng.random((n_rows, n_classes))
    weights[np.arange(n_rows), codes] += 0.5
    return codes, weights / weights.sum(axis=1, keepdims=True)


# --- the scorer's own value --------------------------------------------------------------------


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


def test_every_scorer_of_scikit_learn_is_usable_for_some_labels_or_refused_for_a_reason() -> None:
    usable = set(itertools.chain.from_iterable(map(usable_names, LABELS.values())))
    only_for_multilabel = {name for name in get_scorer_names() if name.endswith("_samples")}
    assert usable | only_for_multilabel | MADE_FOR_NUMBERS | MADE_FOR_CLUSTERS == set(
        get_scorer_names()
    )
    assert not usable & (only_for_multilabel | MADE_FOR_NUMBERS)


@pytest.mark.parametrize("name", sorted(MADE_FOR_CLUSTERS))
def test_scorers_of_clusterings_work_on_classes_too(name: str) -> None:
    codes, _ = problem(3)
    perfect = as_metric(name, [1, 2, 3]).score(codes, np.eye(3)[codes])
    # Mutual information of three equal classes with themselves is ln 3, the others end at 1.
    assert perfect == pytest.approx(math.log(3) if name == "mutual_info_score" else 1.0)


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


def test_a_named_positive_class_is_respected() -> None:
    codes, probabilities = problem(2)
    metric = as_metric(make_scorer(f1_score, pos_label="bad"), ["bad", "good"])
    predicted = probabilities.argmax(axis=1)
    assert metric.score(codes, probabilities) == f1_score(codes, predicted, pos_label=0)


def test_the_positive_class_of_f1_is_the_label_one_even_if_it_is_the_smaller() -> None:
    codes, predicted = np.array([0, 0, 1, 0]), np.array([0, 1, 1, 0])
    score = as_metric("f1", [1, 2]).score(codes, np.eye(2)[predicted])
    assert score == pytest.approx(4 / 5)  # two right, one missed; of the label 2 it would be 2/3


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


# --- loss and score ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scoring", "optimum"),
    [
        ("accuracy", 1.0),
        ("matthews_corrcoef", 1.0),
        ("d2_log_loss_score", 1.0),
        ("neg_log_loss", 0.0),
        ("neg_brier_score", 0.0),
        ("positive_likelihood_ratio", 0.0),
        (make_scorer(fbeta_score, beta=2), 1.0),
        (make_scorer(log_loss, greater_is_better=False, response_method="predict_proba"), 0.0),
    ],
)
def test_a_score_that_ends_at_one_becomes_one_minus_it_and_any_other_its_negative(
    scoring: Any, optimum: float
) -> None:
    codes, probabilities = problem(2)
    metric = as_metric(scoring, [0, 1])
    score = metric.score(codes, probabilities)
    assert metric.loss(codes, probabilities) == pytest.approx(optimum - score, rel=1e-12)
    assert metric.to_score(optimum - score) == pytest.approx(score, rel=1e-12)


def test_losses_wrapped_as_scorers_have_the_loss_as_their_loss() -> None:
    codes, probabilities = problem(2)
    metric = as_metric(
        make_scorer(brier_score_loss, greater_is_better=False, response_method="predict_proba"),
        [0, 1],
    )
    expected = np.mean((probabilities[:, 1] - codes) ** 2)
    assert metric.loss(codes, probabilities) == pytest.approx(expected, rel=1e-12)


# --- folds that lack a class, predictions that lack one ----------------------------------------


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


# --- what scorers may raise --------------------------------------------------------------------


def test_a_scorer_that_fails_during_the_search_gives_a_metric_error_with_its_cause() -> None:
    def brittle(estimator: StoredPredictions, X: FloatArray, y: Labels) -> float:
        return 1.0 / float((estimator.predict(X) == y).sum())

    metric = as_metric(brittle, [0, 1])
    with pytest.raises(MetricError, match="ZeroDivisionError") as caught:
        metric.loss(np.array([0]), np.array([[0.1, 0.9]]))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_scorer_without_finite_values_is_refused_before_the_search(value: float) -> None:
    with pytest.raises(InputError, match=f"constantly' is {value} on"):
        as_metric(_named_constantly(value), [0, 1])


def _named_constantly(value: float) -> Any:
    def constantly(estimator: StoredPredictions, X: FloatArray, y: Labels) -> float:  # noqa: ARG001
        return value

    return constantly


def test_a_scorer_that_looks_for_columns_of_the_table_learns_what_it_gets() -> None:
    with pytest.raises(InputError, match="gets the class probabilities in place of X"):
        as_metric(lambda estimator, X, y: X["amount"].sum(), [0, 1])  # noqa: ARG005


def test_a_scorer_of_decision_values_is_refused() -> None:
    with pytest.raises(InputError, match="decision_function"):
        as_metric(make_scorer(hinge_loss, response_method="decision_function"), [0, 1])


# --- choices that cannot be used ---------------------------------------------------------------


def test_plain_roc_auc_of_three_classes_points_to_its_forms_for_many() -> None:
    with pytest.raises(InputError, match=r"multi_class.*Did you mean.*'roc_auc_ovr'"):
        as_metric("roc_auc", [0, 1, 2])


@pytest.mark.parametrize(
    ("name", "meant"),
    [("log_loss", "neg_log_loss"), ("acuracy", "accuracy"), ("AUC", "roc_auc"), ("F1", "f1")],
)
def test_an_unknown_name_is_answered_with_the_nearest_and_with_all(name: str, meant: str) -> None:
    with pytest.raises(InputError, match=rf"{name!r} is not .* Did you mean '{meant}'") as caught:
        as_metric(name, [0, 1])
    assert "balanced_accuracy, d2_brier_score" in str(caught.value)


def test_a_name_like_no_other_is_answered_without_a_guess() -> None:
    assert close_names("zzz", ["accuracy"]) == close_names("", ["accuracy"]) == []


@pytest.mark.parametrize("name", ["r2", "neg_mean_squared_error"])
def test_scorers_of_regression_are_refused_even_where_labels_are_numbers(name: str) -> None:
    with pytest.raises(InputError, match="compares numbers"):
        as_metric(name, [0, 1])
    assert as_metric(make_scorer(r2_score), [0, 1]).optimum == 1.0


@pytest.mark.parametrize("name", ["f1", "average_precision"])
def test_text_labels_without_a_positive_class_are_answered_with_code_that_works(name: str) -> None:
    with pytest.raises(InputError, match="pos_label") as caught:
        as_metric(name, ["no", "yes"])
    code = str(caught.value).split("scoring=sklearn.")[1].removesuffix(".")
    scorer = eval(f"sklearn.{code}", {"sklearn": __import__("sklearn.metrics")})
    codes, probabilities = problem(2)
    expected = as_metric(name, [0, 1]).score(codes, probabilities)
    assert as_metric(scorer, ["no", "yes"]).score(codes, probabilities) == expected


def test_binary_f1_of_three_classes_points_to_its_averages() -> None:
    with pytest.raises(InputError, match=r"Did you mean 'f1_macro'"):
        as_metric("f1", [0, 1, 2])


def test_a_metric_function_that_is_no_scorer_is_refused() -> None:
    with pytest.raises(InputError, match="make_scorer"):
        as_metric(accuracy_score, [0, 1])


@pytest.mark.parametrize("scoring", [None, ["accuracy"], {"a": "accuracy"}, 3])
def test_anything_but_a_name_or_a_callable_is_a_type_error(scoring: Any) -> None:
    with pytest.raises(InputTypeError, match="name of a scikit-learn scorer"):
        as_metric(scoring, [0, 1])


@pytest.mark.parametrize("classes", [[1], [], [[0, 1]]])
def test_one_class_is_not_enough(classes: Any) -> None:
    with pytest.raises(InputError, match="at least two classes"):
        as_metric("accuracy", classes)


def test_a_meaningless_choice_keeps_the_warning_of_scikit_learn() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metric = as_metric("top_k_accuracy", [0, 1])
    assert any("meaningless" in str(warning.message) for warning in caught)
    assert metric.loss(*problem(2)) == 0.0


def test_many_classes_are_tried_out_as_quickly_as_three() -> None:
    calls = 0

    def counting(estimator: StoredPredictions, X: FloatArray, y: Labels) -> float:
        nonlocal calls
        calls += 1
        assert X.shape == (len(y), 40)
        assert len(estimator.classes_) == 40
        return float(estimator.score(X, y))

    assert as_metric(counting, np.arange(40)).optimum == 1.0
    assert calls < 6
    metric = as_metric("roc_auc_ovo", np.arange(500))  # 124,750 pairs of classes, were they tried
    assert len(metric.classes) == 500


# --- weights of rows ---------------------------------------------------------------------------


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


# --- what comes in -----------------------------------------------------------------------------


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


# --- the stand-in ------------------------------------------------------------------------------


def test_stored_predictions_are_a_fitted_classifier() -> None:
    p = np.array([[0.0, 1.0], [0.5, 0.5]])
    stand_in = StoredPredictions(np.array(["a", "b"]))
    check_is_fitted(stand_in)
    assert stand_in.fit(p, stand_in.classes_) is stand_in
    assert stand_in.predict(p).tolist() == ["b", "a"]
    assert stand_in.predict_log_proba(p)[0].tolist() == [-math.inf, 0.0]
    assert not hasattr(stand_in, "decision_function")
