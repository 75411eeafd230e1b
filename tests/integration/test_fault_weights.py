"""Known faults with weights, groups and folds of the user's; the comments name the cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fakes.in_process import evaluations_in_process
from fakes.small_fits import quick, toy
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from automl import AutoClassifier
from automl.errors import AutoMLWarning, InputError

X, Y = toy()
RNG = np.random.default_rng(0)
W = RNG.random(len(Y)) + 0.1
FOLDS = list(StratifiedKFold(3).split(X, Y))
NO_MODEL_IS_BETTER = "ignore::automl.errors.DegradedResultWarning"


@pytest.fixture(autouse=True)
def _in_process() -> Iterator[None]:
    """Spare processes: the checks of scikit-learn send weights through them."""
    with evaluations_in_process():
        yield


# --- weights of rows ----------------------------------------------------------------------------


def test_weights_belong_to_rows_by_position_and_reach_the_losses() -> None:
    # G01
    by_index = pd.Series(W, index=RNG.permutation(len(Y)))
    one, two, none = (quick(n_trials=2).fit(X, Y, sample_weight=w) for w in (W, by_index, None))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.best_loss_ == two.best_loss_ != none.best_loss_
    assert one.baseline_loss_ != none.baseline_loss_
    with pytest.raises(ValueError, match=r"sample_weight .* each of 150 rows"):
        quick().fit(X, Y, sample_weight=np.ones(5))


def test_only_the_ratios_of_weights_count_and_equal_ones_are_none() -> None:
    fits = [quick().fit(X, Y, sample_weight=w) for w in (W, 1024.0 * W, np.full(len(Y), 3.0), None)]
    weighted, scaled, alike, none = (clf.predict_proba(X) for clf in fits)
    np.testing.assert_array_equal(weighted, scaled)
    np.testing.assert_array_equal(alike, none)
    assert not np.array_equal(weighted, none)


def test_an_honest_loss_is_the_weighted_one_of_its_folds() -> None:
    clf = quick(ensemble_size=1, refit=False, cv=FOLDS[:1]).fit(X, Y, sample_weight=W)
    held_out = FOLDS[0][1]
    expected = accuracy_score(Y[held_out], clf.predict(X[held_out]), sample_weight=W[held_out])
    assert clf.best_score_ == pytest.approx(expected) == 1.0 - clf.best_loss_
    assert clf.ensemble_.loss == clf.best_loss_
    (record,) = clf.trials_
    assert record.loss == clf.best_loss_
    assert clf.score(X[held_out], Y[held_out], W[held_out]) == pytest.approx(expected)


class Failing(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # its bases are untyped
    """Takes weights and fails."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Failing:  # noqa: ARG002
        """Fail."""
        raise ValueError("in vain")

    def predict(self, X: Any) -> Any:
        """Never get here."""
        raise NotImplementedError


@pytest.mark.filterwarnings(NO_MODEL_IS_BETTER)
def test_where_no_model_succeeds_the_frequencies_are_those_of_the_weights() -> None:
    clf = quick(extra_learners=[Failing()], include=["Failing"]).fit(X, Y, sample_weight=W)
    assert clf.ensemble_.members[0].learner == "baseline"
    np.testing.assert_allclose(clf.predict_proba(X[:1])[0], np.bincount(Y, W) / W.sum())


def test_folds_in_which_only_one_class_has_a_weight_are_refused() -> None:
    train, _ = FOLDS[0]
    weights = W.copy()
    weights[train[Y[train] == 1]] = 0.0
    with pytest.raises(InputError, match=r"sample_weight: .* training part of fold 0"):
        quick(cv=FOLDS[:1]).fit(X, Y, sample_weight=weights)


def test_rows_with_all_the_weight_decide_what_is_learnt() -> None:
    # Both halves have the same features and opposite labels.
    table, labels = np.vstack([X, X]), np.concatenate([Y, 1 - Y])
    weights = np.repeat([1.0, 1e-3], len(Y))
    clf = quick(n_trials=2).fit(table, labels, sample_weight=weights)
    assert clf.score(X, Y) > 0.6
    assert quick(n_trials=2).fit(table, labels, sample_weight=weights[::-1]).score(X, Y) < 0.4


def test_learners_and_metrics_that_take_no_weights_are_named() -> None:
    # G03
    include = ["k_nearest_neighbors", "gaussian_nb", "random_forest"]
    clf = quick(search_space="default", include=include).fit(X, Y, sample_weight=W)
    left_out = [str(change) for change in clf.changes_ if change.subject.startswith("learner")]
    assert left_out == [
        "learner k_nearest_neighbors left out: it does not take weights of rows",
    ]
    with pytest.raises(InputError, match=r"no learner is left .*does not take weights"):
        quick(search_space="default", include=include[:1]).fit(X, Y, sample_weight=W)

    def share_right(estimator: Any, table: Any, labels: Any) -> float:
        return float((estimator.predict(table) == labels).mean())

    with pytest.warns(AutoMLWarning, match="scoring 'share_right' takes no weights") as caught:
        clf = quick(scoring=share_right).fit(X, Y, sample_weight=W)
    assert len(caught) == 1
    assert any(change.subject == "sample_weight" for change in clf.changes_)
    assert (150 * clf.best_score_) % 1 == pytest.approx(0.0, abs=1e-9)  # a share of rows


def test_weights_outlive_a_search_that_goes_on_and_others_are_refused(tmp_path: Path) -> None:
    def resumable(n_trials: int, folder: str) -> AutoClassifier:
        return quick(n_trials=n_trials, work_dir=tmp_path / folder, resume=True)

    whole = resumable(3, "whole").fit(X, Y, sample_weight=W)
    resumable(1, "parts").fit(X, Y, sample_weight=W)
    resumed = resumable(2, "parts").fit(X, Y, sample_weight=W)
    more = resumed.fit_more(n_trials=1)
    np.testing.assert_array_equal(more.predict_proba(X), whole.predict_proba(X))
    assert more.baseline_loss_ == whole.baseline_loss_
    for other in (W[::-1], None):
        with pytest.raises(InputError, match=r"another search .*sample_weight"):
            resumable(3, "whole").fit(X, Y, sample_weight=other)


# --- weights of classes -------------------------------------------------------------------------


@pytest.mark.filterwarnings(NO_MODEL_IS_BETTER)
def test_classes_may_have_weights_of_their_own(tmp_path: Path) -> None:
    # G05
    table, _ = toy(n=300)
    noise = np.random.default_rng(1).normal(size=300)
    labels = np.where(table[:, 0] + noise > 2.0, "rare", "common")
    held = {"search_space": "fast", "include": ["gaussian_nb"], "n_trials": 2}
    plain = quick(**held).fit(table, labels)
    balanced = quick(**held, class_weight="balanced").fit(table, labels)
    costly = quick(**held, class_weight={"rare": 10}).fit(table, labels)
    share = [(clf.predict(table) == "rare").mean() for clf in (plain, balanced, costly)]
    assert share[0] < share[1]
    assert share[0] < share[2]
    costly.save(tmp_path / "a.model")
    assert AutoClassifier.load(tmp_path / "a.model").class_weight == {"rare": 10}
    with pytest.raises(InputError, match="class_weight names 'rara'"):
        quick(class_weight={"rara": 2}).fit(table, labels)


# --- groups and folds ---------------------------------------------------------------------------


@pytest.mark.filterwarnings(NO_MODEL_IS_BETTER)
@pytest.mark.parametrize("cv", ["auto", 4, 0.3, GroupKFold(3)])
def test_groups_keep_what_identifies_a_group_out_of_the_score(cv: Any) -> None:
    # G06: a group is told by its features, and its label is drawn by lot.
    rng = np.random.default_rng(0)
    groups, labels = np.repeat(np.arange(60), 10), np.repeat(rng.integers(0, 2, 60), 10)
    table = np.repeat(rng.normal(size=(60, 5)), 10, axis=0) + 0.01 * rng.normal(size=(600, 5))
    order = rng.permutation(600)
    names = pd.Series([f"group {group}" for group in groups[order]], index=order)
    held = {"cv": cv, "include": ["k_nearest_neighbors"]}
    clf = quick(**held).fit(table[order], labels[order], groups=names)
    assert clf.best_score_ < 0.75
    if isinstance(cv, str):
        assert quick(**held).fit(table[order], labels[order]).best_score_ > 0.9
        assert "keeps groups together" in clf.validation_


def test_groups_that_cannot_be_used_are_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"groups must have one entry for each of 150 rows"):
        quick().fit(X, Y, groups=np.arange(5))
    with pytest.raises(InputError, match="groups has 1 missing"):
        quick().fit(X, Y, groups=np.where(np.arange(150) == 3, None, "a"))
    clf = quick(cv=FOLDS).fit(X, Y, groups=np.arange(150) % 5)
    assert any(change.subject == "groups" for change in clf.changes_)


@pytest.mark.parametrize(
    "make",
    [
        lambda: 3,
        lambda: StratifiedKFold(3),
        lambda: FOLDS,
        lambda: (fold for fold in FOLDS),
        lambda: PredefinedSplit(np.arange(len(Y)) % 3),
        lambda: PredefinedSplit(np.arange(len(Y)) % 3 - 1),
        lambda: TimeSeriesSplit(3),
        lambda: RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
    ],
)
def test_folds_may_be_given_in_any_form(make: Callable[[], Any]) -> None:
    # G08
    clf = quick(cv=make()).fit(X, Y, sample_weight=W)
    assert 0.5 < clf.best_score_ <= 1.0
    assert clf.score(X, Y) > 0.7


def test_rows_that_no_fold_validates_are_not_judged() -> None:
    # Of four parts of a time series the first one only trains. Its rows may have all the weight but
    # a little: what the losses are taken with is the little, which is the same for all others.
    n_first = len(Y) - 3 * (len(Y) // 4)
    weights = np.where(np.arange(len(Y)) < n_first, 1.0, 0.25)
    clf = quick(cv=TimeSeriesSplit(3)).fit(X, Y, sample_weight=weights)
    n_wrong = clf.best_loss_ * (len(Y) - n_first)
    assert n_wrong == pytest.approx(round(n_wrong))
    assert n_wrong >= 1.0


def test_a_splitter_that_needs_groups_gets_them() -> None:
    clf = quick(cv=LeaveOneGroupOut()).fit(X, Y, groups=np.array(list("abc"))[np.arange(150) % 3])
    assert clf.validation_.startswith("3 folds")


# --- routing of metadata ------------------------------------------------------------------------


class Recording(AutoClassifier):  # type: ignore[misc]  # its base is untyped
    """Keeps what it was given; a parent process fits it."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Recording:
        """Fit and keep weights and groups."""
        super().fit(X, y, sample_weight=sample_weight, groups=groups)
        self.given_ = (sample_weight, groups)
        return self


def recording() -> Recording:
    return Recording(**quick().get_params())


def test_weights_and_groups_are_routed_into_pipelines_and_searches() -> None:
    groups = np.arange(150) % 10
    with config_context(enable_metadata_routing=True):
        clf = recording().set_fit_request(sample_weight=True, groups=True)
        clf.set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), clf)
        pipeline.fit(X, Y, sample_weight=W, groups=groups)
        weights, names = pipeline[-1].given_
        np.testing.assert_array_equal(weights, W)
        np.testing.assert_array_equal(names, groups)
        assert "keeps groups together" in pipeline[-1].validation_

        grid = GridSearchCV(clf, {"random_state": [0, 1]}, cv=GroupKFold(2))
        grid.fit(X, Y, sample_weight=W, groups=groups)
        np.testing.assert_array_equal(grid.best_estimator_.given_[0], W)

        found = cross_validate(
            clf,
            X,
            Y,
            cv=GroupKFold(2),
            params={"sample_weight": W, "groups": groups},
            return_estimator=True,
            return_indices=True,
        )
        parts = zip(found["estimator"], found["indices"]["train"], strict=True)
        for estimator, train in parts:
            np.testing.assert_array_equal(estimator.given_[0], W[train])
            np.testing.assert_array_equal(estimator.given_[1], groups[train])


def test_requests_for_metadata_outlive_a_fit_and_are_in_no_file(tmp_path: Path) -> None:
    with config_context(enable_metadata_routing=True):
        clf = quick().set_fit_request(sample_weight=True).fit(X, Y, sample_weight=W)
        assert clf.get_metadata_routing().fit.requests["sample_weight"] is True
        with pytest.warns(AutoMLWarning, match="leaves out metadata requests"):
            clf.save(tmp_path / "a.model")
        loaded = AutoClassifier.load(tmp_path / "a.model")
    np.testing.assert_array_equal(loaded.predict_proba(X), clf.predict_proba(X))


def test_without_routing_a_step_of_a_pipeline_takes_weights_by_its_name() -> None:
    pipeline = make_pipeline(StandardScaler(), recording())
    pipeline.fit(X, Y, recording__sample_weight=W)
    np.testing.assert_array_equal(pipeline[-1].given_[0], W)
