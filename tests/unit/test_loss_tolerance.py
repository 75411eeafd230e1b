"""The standard error of a validation loss: closed form, simulation, and where it is not wanted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from automl.ensembles.tolerance import loss_tolerance, standard_error
from automl.metrics import Metric
from automl.scoring import as_metric
from search_space.arrays import FloatArray, IntArray


def numbered(scoring: Any, n_classes: int = 2) -> Metric:
    return as_metric(scoring, np.arange(n_classes))


def problem(n_rows: int, seed: int) -> tuple[IntArray, FloatArray]:
    """Return codes and predictions of which about a fifth is wrong."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, n_rows)
    codes[:2] = 0, 1
    score = np.clip(0.5 + (codes - 0.5) * 0.4 + rng.normal(0, 0.24, n_rows), 0.01, 0.99)
    return codes, np.column_stack([1 - score, score])


def test_one_row_a_group_is_the_textbook_standard_error_of_a_share() -> None:
    codes = np.zeros(20, int)
    predictions = np.where((np.arange(20) < 4)[:, None], [0.2, 0.8], [0.9, 0.1])
    expected = math.sqrt(0.2 * 0.8 / 19)
    assert standard_error(numbered("accuracy"), codes, predictions) == pytest.approx(expected)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1_macro"])
def test_the_standard_error_is_the_spread_over_fresh_samples(scoring: str) -> None:
    metric = numbered(scoring)
    samples = [problem(400, seed) for seed in range(60)]
    spread = np.std([metric.loss(*sample) for sample in samples])
    estimates = np.mean([standard_error(metric, *sample) for sample in samples])
    assert estimates == pytest.approx(spread, rel=0.25)


def test_a_single_row_has_no_standard_error() -> None:
    assert standard_error(numbered("accuracy"), np.zeros(1, int), np.array([[0.9, 0.1]])) == 0.0


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1", "matthews_corrcoef"])
def test_metrics_of_labels_have_a_tolerance(scoring: str) -> None:
    codes, predictions = problem(300, 0)
    metric = numbered(scoring)
    assert loss_tolerance(metric, codes, predictions) == standard_error(metric, codes, predictions)
    assert loss_tolerance(metric, codes, predictions) > 0.0


def test_rows_of_weight_zero_are_as_good_as_none() -> None:
    codes, predictions = problem(40, 0)
    keeps = np.arange(40) % 2 == 0
    order = np.argsort(codes, kind="stable")
    codes, predictions = codes[order], predictions[order]
    metric = numbered("accuracy")
    weighted = loss_tolerance(metric, codes, predictions, keeps.astype(float))
    # Of twenty groups every second one has no weight: leaving it out changes nothing.
    losses = [metric.loss(codes[keeps], predictions[keeps])] * 10
    rows = np.flatnonzero(keeps)
    for group in range(0, 20, 2):
        kept = rows[rows % 20 != group]
        losses.append(metric.loss(codes[kept], predictions[kept]))
    assert weighted == pytest.approx(math.sqrt(19 * np.var(losses)))
    assert weighted != loss_tolerance(metric, codes, predictions) > 0.0


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score", "roc_auc"])
def test_metrics_of_probabilities_have_none(scoring: str) -> None:
    assert loss_tolerance(numbered(scoring), *problem(300, 0)) == 0.0


def test_a_callable_is_known_by_what_it_reads() -> None:
    def of_labels(estimator: Any, X: Any, y: Any) -> float:
        return float((estimator.predict(X) == y).mean())

    def of_order(estimator: Any, X: Any, y: Any) -> float:
        return float(roc_auc_score(y, estimator.predict_proba(X)[:, 1]))

    assert loss_tolerance(numbered(of_labels), *problem(300, 0)) > 0.0
    assert loss_tolerance(numbered(of_order), *problem(300, 0)) == 0.0


def test_where_a_part_of_the_rows_has_no_loss_there_is_no_tolerance() -> None:
    def needs_all_rows(estimator: Any, X: Any, y: Any) -> float:
        if len(y) in range(250, 300):
            raise ValueError("too few rows")
        return float((estimator.predict(X) == y).mean())

    assert loss_tolerance(numbered(needs_all_rows), *problem(300, 0)) == 0.0
