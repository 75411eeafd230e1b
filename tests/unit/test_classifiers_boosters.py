"""What LightGBM, XGBoost and histogram boosting do with their hyperparameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from lightgbm import LGBMClassifier
from sklearn.metrics import log_loss

from search_space.arrays import FloatArray, IntArray
from search_space.classifiers import hist_gradient_boosting, lightgbm, xgboost
from search_space.classifiers.boosting import BoostingLearner, Rows
from search_space.classifiers.hist_gradient_boosting import HistGradientBoostingLearner
from search_space.classifiers.lightgbm import LightGBMLearner
from search_space.classifiers.xgboost import XGBoostLearner
from search_space.component import BuildContext
from search_space.task import TaskProperties

LIGHTGBM = LightGBMLearner(
    num_leaves=7,
    learning_rate=0.2,
    min_child_samples=5,
    subsample=1.0,
    colsample_bytree=1.0,
    seed=0,
)
XGBOOST = XGBoostLearner(
    learning_rate=0.2,
    max_depth=3,
    min_child_weight=1.0,
    subsample=1.0,
    colsample_bytree=1.0,
    reg_alpha=0.0,
    reg_lambda=1.0,
    seed=0,
)
HISTOGRAM = HistGradientBoostingLearner(
    learning_rate=0.2,
    max_leaf_nodes=7,
    min_samples_leaf=5,
    l2_regularization=0.0,
    max_features=1.0,
    seed=0,
)
LEARNERS: list[Any] = [LIGHTGBM, XGBOOST, HISTOGRAM]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda x: type(x).__name__)


def noisy(n_rows: int, seed: int, n_classes: int = 2) -> Rows:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    codes = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=n_rows), np.arange(n_classes - 1))
    return Rows(X, codes, None)


TRAINING, VALIDATION = noisy(150, 0), noisy(400, 1)


def validation_loss(learner: BoostingLearner, n_rounds: int) -> float:
    probabilities = learner.train(TRAINING, n_rounds).predict_proba(VALIDATION.X)
    return float(log_loss(VALIDATION.codes, probabilities))


@every_learner
def test_training_stops_at_the_round_of_the_smallest_validation_loss(learner: Any) -> None:
    model = learner.train_until_flat(TRAINING, VALIDATION, max_rounds=60, patience=20)
    losses = [validation_loss(learner, n_rounds) for n_rounds in range(1, 41)]
    assert model.n_rounds == 1 + int(np.argmin(losses))
    assert 1 < model.n_rounds < 40


@every_learner
def test_the_number_of_rounds_is_bounded(learner: Any) -> None:
    assert learner.train(TRAINING, 9).n_rounds == 9
    model = learner.train_until_flat(TRAINING, TRAINING, max_rounds=9, patience=5)
    assert model.n_rounds == 9


@every_learner
def test_training_that_never_helps_keeps_one_round(learner: Any) -> None:
    rng = np.random.default_rng(0)
    noise = Rows(TRAINING.X, rng.permutation(TRAINING.codes), None)
    wrong = Rows(noise.X, 1 - noise.codes, None)
    assert learner.train_until_flat(noise, wrong, max_rounds=30, patience=5).n_rounds == 1


@every_learner
def test_validation_weights_decide_where_training_stops(learner: Any) -> None:
    # The rows that count contradict the training part, so that no round helps them.
    helpful = np.arange(400) < 200
    codes = np.where(helpful, VALIDATION.codes, 1 - VALIDATION.codes)
    weights = np.where(helpful, 1.0, 1e-6)
    good = replace(VALIDATION, codes=codes, weights=weights)
    bad = replace(VALIDATION, codes=codes, weights=weights[::-1].copy())
    rounds = {"max_rounds": 30, "patience": 5}
    assert learner.train_until_flat(TRAINING, good, **rounds).n_rounds > 1
    assert learner.train_until_flat(TRAINING, bad, **rounds).n_rounds == 1


@every_learner
def test_weights_of_two_are_like_rows_given_twice(learner: Any) -> None:
    twice = np.concatenate([np.arange(150), np.arange(0, 150, 2)])
    weights = np.where(np.arange(150) % 2 == 0, 2.0, 1.0)
    if isinstance(learner, XGBoostLearner):
        weighted, repeated = learner, learner
    else:
        # Bounds on rows, not on weights, would make a difference; so would bins of 3 rows.
        size = "min_child_samples" if isinstance(learner, LightGBMLearner) else "min_samples_leaf"
        weighted = repeated = replace(learner, **{size: 1})
    X = np.round(TRAINING.X)
    one = weighted.train(Rows(X, TRAINING.codes, weights), 5).predict_proba(X)
    other = repeated.train(Rows(X[twice], TRAINING.codes[twice], None), 5).predict_proba(X)
    np.testing.assert_allclose(one, other, atol=1e-5)


@every_learner
def test_three_classes_have_three_columns(learner: Any) -> None:
    rows = noisy(200, 0, n_classes=3)
    probabilities = learner.train(rows, 20).predict_proba(rows.X)
    assert probabilities.shape == (200, 3)
    assert np.mean(probabilities.argmax(axis=1) == rows.codes) > 0.7


@pytest.mark.parametrize("learner", [LIGHTGBM, XGBOOST], ids=["lightgbm", "xgboost"])
@pytest.mark.parametrize("share", ["subsample", "colsample_bytree"])
def test_shares_below_one_change_the_model(learner: Any, share: str) -> None:
    full = learner.train(TRAINING, 10).predict_proba(VALIDATION.X)
    part = replace(learner, **{share: 0.7}).train(TRAINING, 10).predict_proba(VALIDATION.X)
    assert np.abs(full - part).max() > 0.01


def test_the_published_lightgbm_is_that_of_its_scikit_learn_face() -> None:
    task = TaskProperties(
        n_rows=150, n_classes=2, smallest_class=60, largest_class=90, numeric=(0, 1, 2, 3)
    )
    values = {
        "n_estimators": 100,
        "num_leaves": 40,
        "learning_rate": 0.05,
        "min_child_samples": 6,
        "subsample": 0.8,
        "colsample_bytree": 0.7,
    }
    ours = lightgbm.COMPONENT.build(values, BuildContext(task=task, seed=3))
    ours.fit(TRAINING.X, TRAINING.codes)
    theirs = LGBMClassifier(
        **values,
        max_depth=15,
        subsample_freq=1,
        random_state=3,
        n_jobs=1,
        verbose=-1,
        deterministic=True,
        force_row_wise=True,
    ).fit(TRAINING.X, TRAINING.codes)
    expected = theirs.predict_proba(VALIDATION.X)
    np.testing.assert_allclose(ours.predict_proba(VALIDATION.X), expected, atol=1e-12)


def test_xgboost_does_not_care_which_zeros_are_stored() -> None:
    X = np.where(TRAINING.X > 0.5, TRAINING.X, 0.0)
    sparse = scipy.sparse.csr_array(X)
    stored = scipy.sparse.csr_array(np.where(X == 0.0, 9.0, X))
    stored.data[stored.data == 9.0] = 0.0
    assert stored.nnz == X.size
    model = XGBOOST.train(Rows(sparse, TRAINING.codes, None), 10)
    np.testing.assert_array_equal(model.predict_proba(stored), model.predict_proba(sparse))
    assert stored.nnz == X.size


def levels(n_levels: int) -> tuple[FloatArray, IntArray]:
    """Return a column of many levels, of which half, at random, mean class 1."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_levels, 3000)
    return codes[:, np.newaxis].astype(float), rng.integers(0, 2, n_levels)[codes]


@every_learner
def test_levels_are_told_apart_at_once(learner: Any) -> None:
    X, y = levels(40)
    native = replace(learner, categorical_positions=(0,)).train(Rows(X, y, None), 20)
    numeric = learner.train(Rows(X, y, None), 20)
    assert log_loss(y, native.predict_proba(X)) < 0.5 * log_loss(y, numeric.predict_proba(X))


def test_columns_of_too_many_levels_are_numbers_for_histogram_boosting() -> None:
    X, y = levels(300)
    learner = replace(HISTOGRAM, categorical_positions=(0,))
    assert len(np.unique(X)) > hist_gradient_boosting.MOST_LEVELS
    ours = learner.train(Rows(X, y, None), 5).predict_proba(X)
    expected = HISTOGRAM.train(Rows(X, y, None), 5).predict_proba(X)
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("module", [lightgbm, xgboost, hist_gradient_boosting])
def test_many_classes_are_refused(module: Any) -> None:
    task = TaskProperties(
        n_rows=5000, n_classes=200, smallest_class=9, largest_class=90, numeric=(0,)
    )
    for name in ("COMPONENT", "EARLY_STOPPED"):
        component = getattr(module, name, module.COMPONENT)
        assert component.unsuitable(task) is None
        assert "201 classes" in component.unsuitable(replace(task, n_classes=201))
