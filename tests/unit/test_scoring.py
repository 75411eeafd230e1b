"""What users may pass as `scoring`, what becomes of it, and what they are told otherwise."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest
from fakes.scored import LABELS, problem
from sklearn import config_context
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    f1_score,
    fbeta_score,
    get_scorer_names,
    hinge_loss,
    log_loss,
    make_scorer,
    r2_score,
)

from automl.errors import InputError, InputTypeError
from automl.scoring import as_metric, usable_names
from automl.scoring_advice import MADE_FOR_CLUSTERS, MADE_FOR_NUMBERS, close_names
from automl.stored_predictions import Labels, StoredPredictions
from search_space.arrays import FloatArray

# --- scorers of every kind ------------------------------------------------------------------------


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


def test_a_named_positive_class_is_respected() -> None:
    codes, probabilities = problem(2)
    metric = as_metric(make_scorer(f1_score, pos_label="bad"), ["bad", "good"])
    predicted = probabilities.argmax(axis=1)
    assert metric.score(codes, probabilities) == f1_score(codes, predicted, pos_label=0)


def test_the_positive_class_of_f1_is_the_label_one_even_if_it_is_the_smaller() -> None:
    codes, predicted = np.array([0, 0, 1, 0]), np.array([0, 1, 1, 0])
    score = as_metric("f1", [1, 2]).score(codes, np.eye(2)[predicted])
    assert score == pytest.approx(4 / 5)  # two right, one missed; of the label 2 it would be 2/3


# --- loss and score -------------------------------------------------------------------------------


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


# --- what scorers may raise -----------------------------------------------------------------------


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_scorer_without_finite_values_is_refused_before_the_search(value: float) -> None:
    with pytest.raises(InputError, match=f"constantly' is {value} on"):
        as_metric(_named_constantly(value), [0, 1])


def _named_constantly(value: float) -> Any:
    def constantly(estimator: StoredPredictions, X: FloatArray, y: Labels) -> float:  # noqa: ARG001 - a scorer
        return value

    return constantly


def test_a_scorer_that_looks_for_columns_of_the_table_learns_what_it_gets() -> None:
    with pytest.raises(InputError, match="gets the class probabilities in place of X"):
        as_metric(lambda estimator, X, y: X["amount"].sum(), [0, 1])  # noqa: ARG005 - a scorer


def test_a_scorer_of_decision_values_is_refused() -> None:
    with pytest.raises(InputError, match="decision_function"):
        as_metric(make_scorer(hinge_loss, response_method="decision_function"), [0, 1])


# --- choices that cannot be used ------------------------------------------------------------------


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


@pytest.mark.parametrize(("wanted", "takes"), [(None, True), (True, True), (False, False)])
def test_a_scorer_that_was_told_to_take_no_weights_takes_none(
    wanted: bool | None, takes: bool
) -> None:
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=wanted)
        assert as_metric(scorer, [0, 1]).takes_sample_weight == takes
