"""Losses of many predictions at once, against scikit-learn and against counting."""

from __future__ import annotations

import functools
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies.libraries import Library, libraries, weights_of

from automl.batched_losses import KnownLoss, log_losses, ranking_losses
from automl.metrics import Metric, MetricError
from automl.scoring import as_metric


@functools.cache
def numbered(name: str, n_classes: int) -> Metric:
    """Return the metric for classes that are called by their codes."""
    return as_metric(name, np.arange(n_classes))


@pytest.mark.parametrize("known", KnownLoss)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_batched_losses_are_those_of_scikit_learn(known: KnownLoss, data: st.DataObject) -> None:
    n_classes = 2 if known is KnownLoss.RANKING else None
    predictions, codes = data.draw(libraries(n_classes=n_classes))
    assume(known is not KnownLoss.RANKING or 0 < codes.sum() < len(codes))
    metric = numbered(known.value, predictions.shape[2])
    losses = metric.losses(codes, predictions)
    one_by_one = [metric.optimum - metric.score(codes, p) for p in predictions]
    np.testing.assert_allclose(losses, one_by_one, rtol=0, atol=1e-12)
    assert losses.tolist() == [metric.loss(codes, p) for p in predictions]


@pytest.mark.parametrize("known", KnownLoss)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_losses_with_weights_are_those_of_scikit_learn(
    known: KnownLoss, data: st.DataObject
) -> None:
    n_classes = 2 if known is KnownLoss.RANKING else None
    predictions, codes = data.draw(libraries(n_classes=n_classes))
    weights = data.draw(weights_of(len(codes)))
    assume(known is not KnownLoss.RANKING or 0 < codes[weights > 0.0].sum() < weights.size)
    assume(known is not KnownLoss.RANKING or (codes[weights > 0.0] == 0).any())
    metric = numbered(known.value, predictions.shape[2])
    assert metric.is_batched(weights) == known.takes_weights == (known is not KnownLoss.RANKING)
    losses = metric.losses(codes, predictions, weights)
    one_by_one = [metric.optimum - metric.score(codes, p, weights) for p in predictions]
    np.testing.assert_allclose(losses, one_by_one, rtol=0, atol=1e-11)
    assert losses.tolist() == [metric.loss(codes, p, weights) for p in predictions]


@pytest.mark.parametrize("known", KnownLoss)
def test_without_any_weight_there_is_no_loss(known: KnownLoss) -> None:
    with pytest.raises(MetricError):
        numbered(known.value, 2).loss(np.array([0, 1]), np.full((2, 2), 0.5), np.zeros(2))


@settings(deadline=None, max_examples=20)
@given(library=libraries(n_classes=3))
def test_metrics_without_a_batched_form_give_the_same_one_by_one(library: Library) -> None:
    metric = numbered("f1_macro", 3)
    one_by_one = [metric.loss(library.codes, p) for p in library.predictions]
    assert metric.losses(library.codes, library.predictions).tolist() == one_by_one


@pytest.mark.parametrize("weights", [None, np.random.default_rng(1).random(5000)])
@pytest.mark.parametrize("known", KnownLoss)
def test_a_loss_does_not_depend_on_what_is_in_the_batch(
    known: KnownLoss, weights: Any, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 5000)
    stored = np.memmap(tmp_path / "p", dtype=np.float32, mode="w+", shape=(17, 5000, 2))
    stored[:] = rng.dirichlet(np.ones(2), (17, 5000))  # six candidates fit into a batch
    metric = numbered(known.value, 2)
    losses = metric.losses(codes, stored, weights)
    assert losses.tolist() == [metric.loss(codes, p, weights) for p in stored]
    one_by_one = [metric.optimum - metric.score(codes, p, weights) for p in stored]
    np.testing.assert_allclose(losses, one_by_one, rtol=1e-12)


@given(data=st.data())
def test_ranking_losses_are_shares_of_pairs_in_the_wrong_order(data: st.DataObject) -> None:
    few_values = st.lists(
        st.sampled_from([0.0, 0.25, 0.5, math.nextafter(0.5, 1), 3.0]), min_size=1
    )
    positive, negative = data.draw(few_values), data.draw(few_values)
    pairs = list(itertools.product(positive, negative))
    wrong = sum(1.0 if p < q else 0.5 if p == q else 0.0 for p, q in pairs) / len(pairs)
    is_positive = np.arange(len(positive) + len(negative)) < len(positive)
    scores = np.array([positive + negative])
    assert ranking_losses(is_positive, scores)[0] == pytest.approx(wrong, abs=1e-12)


@pytest.mark.parametrize("n_rows", [1, 15, 16, 17, 100])
def test_logarithms_of_products_of_the_smallest_probabilities_do_not_underflow(n_rows: int) -> None:
    eps = np.finfo(np.float64).eps
    losses = log_losses(np.array([np.zeros(n_rows), np.ones(n_rows)]))
    np.testing.assert_allclose(losses, [-math.log(eps), eps], rtol=1e-12)
