"""Thresholds against closed forms, and where one half has to stay."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score, make_scorer

from automl.ensembles.threshold import EVEN_THRESHOLD, decision_threshold
from automl.scoring import as_metric
from search_space.arrays import FloatArray, IntArray

CLASSES = np.array([0, 1])


def calibrated(n_rows: int, seed: int = 0, exponent: float = 1.0) -> tuple[IntArray, FloatArray]:
    """Labels drawn with the very probabilities that are predicted: a power of uniform numbers."""
    rng = np.random.default_rng(seed)
    probability = rng.random(n_rows) ** exponent
    codes = (rng.random(n_rows) < probability).astype(np.intp)
    return codes, np.column_stack([1.0 - probability, probability])


def test_the_threshold_of_f1_is_half_of_the_best_f1() -> None:
    # With p uniform, F1(t) = (1 - t^2) / (3/2 - t), whose maximum is at t^2 - 3 t + 1 = 0.
    codes, probabilities = calibrated(20_000)
    found = decision_threshold(as_metric("f1", CLASSES), codes, probabilities)
    assert found == pytest.approx((3.0 - np.sqrt(5.0)) / 2.0, abs=0.05)
    best = f1_score(codes, probabilities[:, 1] > found)
    assert found == pytest.approx(best / 2.0, abs=0.05)


def test_the_threshold_of_balanced_accuracy_is_the_share_of_the_second_class() -> None:
    codes, probabilities = calibrated(20_000, exponent=4.0)
    found = decision_threshold(as_metric("balanced_accuracy", CLASSES), codes, probabilities)
    assert found == pytest.approx(codes.mean(), abs=0.06)


def test_weights_move_it_like_rows_that_are_there_several_times() -> None:
    codes, probabilities = calibrated(2_000, exponent=3.0)
    weights = np.where(codes == 1, 3.0, 1.0)
    times = weights.astype(int)
    metric = as_metric("f1", CLASSES)
    found = decision_threshold(metric, codes, probabilities, weights)
    repeated = decision_threshold(metric, codes.repeat(times), probabilities.repeat(times, axis=0))
    assert found == pytest.approx(repeated, abs=0.05)
    assert found != EVEN_THRESHOLD


def test_rows_without_weight_do_not_count() -> None:
    codes, probabilities = calibrated(2_000, exponent=3.0)
    weights = np.ones(2_000)
    weights[np.flatnonzero(codes == 1)[24:]] = 0.0
    metric = as_metric("balanced_accuracy", CLASSES)
    assert decision_threshold(metric, codes, probabilities) != EVEN_THRESHOLD
    assert decision_threshold(metric, codes, probabilities, weights) == EVEN_THRESHOLD


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc", "neg_brier_score"])
def test_one_half_stays_for_accuracy_and_where_probabilities_count(scoring: str) -> None:
    codes, probabilities = calibrated(2_000, exponent=3.0)
    assert decision_threshold(as_metric(scoring, CLASSES), codes, probabilities) == EVEN_THRESHOLD


def test_one_half_stays_with_three_classes() -> None:
    codes = np.arange(300) % 3
    metric = as_metric("f1_macro", np.arange(3))
    assert decision_threshold(metric, codes, np.full((300, 3), 1 / 3)) == EVEN_THRESHOLD


@pytest.mark.parametrize(("n_second", "moves"), [(24, False), (25, True)])
def test_one_half_stays_with_fewer_than_25_rows_of_a_class(n_second: int, *, moves: bool) -> None:
    codes = np.repeat([0, 1], [200, n_second])
    probability = np.where(codes == 1, 0.3, 0.1) + np.arange(len(codes)) * 1e-6
    probabilities = np.column_stack([1.0 - probability, probability])
    found = decision_threshold(as_metric("f1", CLASSES), codes, probabilities)
    assert (found != EVEN_THRESHOLD) == moves
    if moves:
        assert f1_score(codes, probability > found) > 0.95


def test_one_half_stays_where_another_brings_nothing_on_other_rows() -> None:
    changed = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        codes = (rng.random(200) < 0.5).astype(np.intp)
        probability = rng.random(200)  # says nothing of the class
        found = decision_threshold(
            as_metric(make_scorer(_net_hits), CLASSES),
            codes,
            np.column_stack([1.0 - probability, probability]),
        )
        changed += found != EVEN_THRESHOLD
    assert changed < 14  # where the lowest loss on the same rows is at one half once in 60 times


def _net_hits(y: IntArray, predicted: IntArray) -> float:
    return float(np.mean(y == predicted) - np.mean(y != predicted))


def test_a_slow_metric_gets_fewer_thresholds_or_none() -> None:
    codes, probabilities = calibrated(500, exponent=3.0)
    calls = []

    def counted(y: IntArray, predicted: IntArray) -> float:
        calls.append(len(y))
        return float(f1_score(y, predicted))

    metric = as_metric(make_scorer(counted), CLASSES)
    calls.clear()
    assert decision_threshold(metric, codes, probabilities, seconds=1e-9) == EVEN_THRESHOLD
    assert len(calls) == 2
    calls.clear()
    assert decision_threshold(metric, codes, probabilities) != EVEN_THRESHOLD
    assert len(calls) < 400


def test_a_metric_without_a_value_leaves_one_half() -> None:
    codes, probabilities = calibrated(500)

    def fails_on_many_rows(y: IntArray, predicted: IntArray) -> float:
        if len(y) == len(codes):
            raise ValueError("no value")
        return float(f1_score(y, predicted))

    metric = as_metric(make_scorer(fails_on_many_rows), CLASSES)
    assert decision_threshold(metric, codes, probabilities) == EVEN_THRESHOLD
