"""Each criterion of ensemble selection, against scoring every ensemble with scikit-learn."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies.libraries import libraries, weights_of

from automl.batched_losses import KnownLoss
from automl.ensembles.criteria import (
    AnyMetric,
    Brier,
    Criterion,
    Hits,
    LogLoss,
    Ranking,
    Stack,
    criterion_for,
)
from automl.metrics import Metric, rescaled
from automl.scoring import as_metric
from search_space.arrays import FloatArray, IntArray

NAMES = [*(known.value for known in KnownLoss), "f1_macro"]


@functools.cache
def numbered(name: str, n_classes: int) -> Metric:
    """Return the metric for classes that are called by their codes."""
    return as_metric(name, np.arange(n_classes))


def scored_one_by_one(
    metric: Metric,
    predictions: Stack,
    codes: IntArray,
    members: list[int],
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return the loss of the mean prediction of the members and each model."""
    compares_classes = metric.name in ("accuracy", "balanced_accuracy", "f1_macro")
    models = predictions.astype(np.float64) if compares_classes else rescaled(predictions)
    ensemble = models[members].sum(axis=0)
    means = (ensemble + models) / (len(members) + 1)
    return np.array([metric.optimum - metric.score(codes, mean, weights) for mean in means])


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_every_criterion_gives_the_metric_of_the_mean_prediction(
    name: str, data: st.DataObject
) -> None:
    predictions, codes = data.draw(libraries(n_classes=2 if name == "roc_auc" else None))
    assume(name != "roc_auc" or 0 < codes.sum() < len(codes))
    metric = numbered(name, predictions.shape[2])
    members = data.draw(st.lists(st.integers(0, len(predictions) - 1), max_size=6))
    weights = data.draw(st.none() | weights_of(len(codes)))
    if name == "roc_auc" and weights is not None:
        weights = weights + 0.5  # both classes need one
    criterion = criterion_for(metric, predictions, codes, weights)
    for member in members:
        criterion.losses_if_added()  # asking changes nothing
        criterion.add(member)
    expected = scored_one_by_one(metric, predictions, codes, members, weights)
    np.testing.assert_allclose(criterion.losses_if_added(), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("neg_log_loss", LogLoss),
        ("roc_auc", Ranking),
        ("neg_brier_score", Brier),
        ("accuracy", Hits),
        ("balanced_accuracy", Hits),
        ("f1_macro", AnyMetric),
    ],
)
def test_a_metric_gets_its_own_criterion_unless_it_cannot_take_the_weights_of_rows(
    name: str, kind: type[Criterion]
) -> None:
    predictions, codes = np.full((1, 2, 2), 0.5), np.array([0, 1])
    metric = numbered(name, 2)
    assert type(criterion_for(metric, predictions, codes, None)) is kind
    weighted = AnyMetric if kind is Ranking else kind
    assert type(criterion_for(metric, predictions, codes, np.ones(2))) is weighted


@pytest.mark.parametrize("name", ["accuracy", "f1_micro"])
def test_weights_of_rows_reach_the_metric(name: str) -> None:
    predictions = np.array([[[0.9, 0.1], [0.8, 0.2]], [[0.2, 0.8], [0.3, 0.7]]])
    criterion = criterion_for(
        numbered(name, 2), predictions, np.array([0, 1]), np.array([3.0, 1.0])
    )
    np.testing.assert_allclose(criterion.losses_if_added(), [0.25, 0.75])
    criterion.add(0)
    np.testing.assert_allclose(criterion.losses_if_added(), [0.25, 0.25])


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy"])
def test_rows_that_are_decided_are_counted_as_they_are(name: str) -> None:
    """Confident models decide most rows after few rounds; doubtful ones keep some of them open."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 400)
    sharp = rng.dirichlet(np.full(4, 0.05), (10, 400)).astype(np.float32)
    sharp[:, np.arange(400), codes] += rng.integers(0, 2, 400)
    predictions = rescaled(sharp).astype(np.float32)
    metric = numbered(name, 4)
    criterion = Hits(KnownLoss(name), predictions, codes)
    members: list[int] = []
    for member in rng.integers(0, 10, 12):
        members.append(int(member))
        criterion.add(members[-1])
        expected = scored_one_by_one(metric, predictions, codes, members)
        np.testing.assert_allclose(criterion.losses_if_added(), expected, atol=1e-12)


def test_hits_do_not_rely_on_probabilities_being_at_most_one() -> None:
    predictions = 50.0 * np.array([[[0.6, 0.4]], [[0.1, 0.9]]])
    criterion = Hits(KnownLoss.ERROR, predictions, np.array([0]))
    criterion.add(0)
    criterion.add(0)
    assert criterion.losses_if_added().tolist() == [0.0, 1.0]


@pytest.mark.parametrize("name", NAMES)
def test_memory_mapped_single_precision_is_as_good_and_stays_untouched(
    name: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 3000)
    stored = np.memmap(tmp_path / "p", dtype=np.float32, mode="w+", shape=(25, 3000, 2))
    stored[:] = rng.dirichlet(np.ones(2), (25, 3000))
    read_only = np.memmap(tmp_path / "p", dtype=np.float32, mode="r", shape=stored.shape)
    metric = numbered(name, 2)
    criterion = criterion_for(metric, read_only, codes, None)
    for member in (24, 3):  # more than one batch of eleven models, the last one included
        criterion.add(member)
    expected = scored_one_by_one(metric, stored, codes, [24, 3])
    np.testing.assert_allclose(criterion.losses_if_added(), expected, atol=1e-12)
