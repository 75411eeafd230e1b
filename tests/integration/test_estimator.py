"""The estimator from end to end, with real processes and small budgets."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from ConfigSpace import ConfigurationSpace
from fakes.hostile_learners import Boom, Hog, Killer, NanProba, Sleeper, Stubborn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from automl import AutoClassifier
from automl.errors import (
    AutoMLWarning,
    DegradedResultWarning,
    InputError,
    PredictionStoreError,
)
from automl.history import History
from automl.trial import Origin, Outcome, Proposal

X, Y = make_classification(200, 6, n_informative=4, random_state=0)


def quick(**arguments: Any) -> AutoClassifier:
    """Return an estimator that ends after a few cheap evaluations."""
    return AutoClassifier(
        **{
            "n_trials": 4,
            "time_limit": None,
            "search_space": "fast",
            "random_state": 0,
            **arguments,
        }
    )


def test_text_labels_categories_and_gaps_go_in_and_the_users_labels_come_out() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["city"] = pd.Series(rng.choice(["rome", "oslo", "lima"], len(frame)))
    frame.loc[::7, "a"] = np.nan
    frame.loc[::9, "city"] = None
    labels = np.array(["no", "yes"])[Y]
    before = frame.copy()

    clf = quick().fit(frame, labels)

    unseen = frame.assign(city="atlantis")
    p = clf.predict_proba(unseen)
    assert list(clf.classes_) == ["no", "yes"]
    assert np.allclose(p.sum(axis=1), 1.0)
    assert set(clf.predict(frame)) == {"no", "yes"}
    assert clf.score(frame, labels) > 0.7
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("dtype", [object, np.bool_, "boolean"])
def test_truth_values_come_back_as_such_and_are_scored_in_any_container(dtype: Any) -> None:
    y = pd.Series(Y == 1).astype(dtype)
    clf = quick(n_trials=2).fit(X, y)
    predicted = clf.predict(X)
    assert predicted.dtype == np.bool_
    accuracy = float((predicted == (Y == 1)).mean())
    weighted = float(np.average(predicted == (Y == 1), weights=1 + Y))
    assert clf.score(X, y) == accuracy > 0.7
    assert clf.score(X, y.to_numpy(dtype=object)) == accuracy
    assert clf.score(X, list(y), sample_weight=1 + Y) == pytest.approx(weighted)


def test_a_scorer_that_always_fails_in_the_search_ends_it_early_with_its_reason() -> None:
    def brittle(estimator: Any, table: Any, labels: Any) -> float:
        # Neither on the small problem that scorers are tried out on, nor for the class frequencies.
        if len(labels) > 20 and np.ptp(table[:, 0]) > 0.0:
            raise KeyError("amount")
        return float(estimator.score(table, labels))

    with pytest.warns(DegradedResultWarning, match=r"All of the first 1\d .*KeyError: 'amount'"):
        clf = quick(n_trials=200, scoring=brittle, cv=0.5).fit(X, Y)
    assert len(clf.leaderboard()) < 20
    assert np.allclose(clf.predict_proba(X[:2]), [[0.5, 0.5]], atol=0.05)


def test_the_leaderboard_lists_every_trial_once_with_the_weights_of_the_ensemble() -> None:
    clf = quick(n_trials=5).fit(X, Y)
    board = clf.leaderboard()
    assert list(board.columns) == [
        "trial",
        "learner",
        "loss",
        "seconds",
        "status",
        "weight",
        "configuration",
    ]
    assert sorted(board["trial"]) == list(range(5))
    assert board["weight"].sum() == pytest.approx(1.0)
    assert board["loss"].is_monotonic_increasing
    weights = {member.number: member.weight for member in clf.ensemble_.members}
    assert {n: w for n, w in zip(board["trial"], board["weight"], strict=True) if w} == weights


def test_an_ensemble_of_size_one_is_the_trial_with_the_lowest_loss() -> None:
    clf = quick(ensemble_size=1).fit(X, Y)
    (member,) = clf.ensemble_.members
    assert member.number == clf.leaderboard().loc[0, "trial"]
    assert clf.best_loss_ == member.loss == clf.ensemble_.loss


def test_same_seed_same_trials_weights_and_predictions() -> None:
    one, two, other = (quick(n_trials=6, random_state=s).fit(X, Y) for s in (3, 3, 4))
    assert list(one.leaderboard()["configuration"]) == list(two.leaderboard()["configuration"])
    assert one.ensemble_.weights == two.ensemble_.weights
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    assert list(one.leaderboard()["configuration"]) != list(other.leaderboard()["configuration"])


@pytest.mark.parametrize(
    "optimizer",
    ["divbo", "bo", "random", "rising_bandit", "ensemble_optimization", "nes", "kbo"],
)
def test_every_optimizer_goes_beyond_the_defaults(optimizer: str) -> None:
    clf = quick(optimizer=optimizer, n_trials=8).fit(X, Y)
    origins = {record.origin for record in clf.trials_}
    assert len(clf.leaderboard()) == 8
    assert origins & {Origin.RANDOM, Origin.LOCAL}


def test_an_optimizer_of_the_users_own_is_asked() -> None:
    class OnlyDefaults:
        def propose(self, history: History, rng: np.random.Generator) -> Proposal:
            assert rng is not None
            defaults = history.problem.search_space.defaults
            return Proposal(configuration=defaults[history.n_started], origin=Origin.DEFAULT)

    clf = quick(optimizer=OnlyDefaults(), n_trials=2).fit(X, Y)
    assert {record.origin for record in clf.trials_} == {Origin.DEFAULT}


@pytest.mark.parametrize(
    "scoring", ["accuracy", "neg_log_loss", "roc_auc", "f1", "balanced_accuracy"]
)
def test_any_scorer_is_optimised(scoring: str) -> None:
    clf = quick(scoring=scoring, n_trials=3).fit(X, Y)
    assert np.isfinite(clf.best_loss_)
    assert clf.best_loss_ < clf.baseline_loss_


def test_a_callable_scorer_of_the_users_own_is_optimised() -> None:
    def scorer(estimator: Any, X: Any, y: Any) -> float:
        return -log_loss(y, estimator.predict_proba(X))

    clf = quick(scoring=scorer, n_trials=3).fit(X, Y)
    assert 0.0 < clf.best_loss_ < clf.baseline_loss_


def test_refit_fits_on_all_rows_and_without_it_the_fold_models_are_averaged() -> None:
    refitted = quick(cv=3).fit(X, Y)
    averaged = quick(cv=3, refit=False).fit(X, Y)
    assert all(m.is_refitted and len(m.models) == 1 for m in refitted.ensemble_.members)
    assert all(not m.is_refitted and len(m.models) == 3 for m in averaged.ensemble_.members)
    assert np.allclose(averaged.predict_proba(X).sum(axis=1), 1.0)


def test_hostile_learners_do_not_stop_the_search() -> None:
    hostile = [Sleeper(), Stubborn(), Killer(), Hog(), Boom(), NanProba()]
    clf = quick(
        extra_learners=hostile,
        n_trials=9,
        trial_time_limit=4.0,
        memory_limit=300,
        n_jobs=2,
    ).fit(X, Y)
    board = clf.leaderboard().set_index("learner")
    assert board.loc["Sleeper", "status"] == "timeout"
    assert board.loc["Stubborn", "status"] == "timeout"
    assert board.loc["Killer", "status"] == "crashed"
    assert board.loc["Hog", "status"] == "out of memory"
    assert board.loc["Boom", "status"] == "crashed"
    assert board.loc["NanProba", "status"] == "crashed"
    assert (board["status"] == "success").sum() == 3
    boom = next(record for record in clf.trials_ if record.learner == "Boom")
    assert boom.reason == "ValueError: boom"
    assert "boom" in boom.traceback
    assert clf.score(X, Y) > 0.7


def test_a_time_limit_holds_with_learners_that_never_end() -> None:
    started = time.monotonic()
    clf = AutoClassifier(
        time_limit=6.0,
        search_space="fast",
        extra_learners=[Sleeper(), Stubborn()],
        n_jobs=2,
        random_state=0,
    ).fit(X, Y)
    assert time.monotonic() - started < 6.0 + 2.0
    assert clf.score(X, Y) > 0.7


def test_where_nothing_succeeds_the_baseline_predicts_and_says_so() -> None:
    with pytest.warns(DegradedResultWarning, match="ValueError: boom"):
        clf = quick(extra_learners=[Boom()], include=["Boom"], n_trials=1).fit(X, Y)
    assert np.allclose(clf.predict_proba(X[:3]), np.bincount(Y) / len(Y))


def test_models_no_better_than_the_baseline_are_reported() -> None:
    rng = np.random.default_rng(0)
    noise, labels = rng.normal(size=(60, 2)), np.array([0, 1] * 30)
    with pytest.warns(DegradedResultWarning, match="class frequencies"):
        clf = quick(n_trials=1, scoring="neg_log_loss", include=["decision_tree"]).fit(
            noise, labels
        )
    assert len(clf.ensemble_.members) == 1


def test_learners_of_the_users_own_join_the_space() -> None:
    clf = quick(
        extra_learners=[LogisticRegression(C=0.5)], include=["LogisticRegression"], n_trials=1
    ).fit(X, Y)
    assert list(clf.leaderboard()["learner"]) == ["LogisticRegression"]
    assert clf.score(X, Y) > 0.7


def test_a_finite_space_ends_when_it_is_exhausted() -> None:
    space = ConfigurationSpace({"classifier": ["gaussian_nb", "logistic_regression"]})
    clf = quick(search_space=space, n_trials=50).fit(X, Y)
    assert sorted(clf.leaderboard()["learner"]) == ["gaussian_nb", "logistic_regression"]


def test_callbacks_see_every_outcome_and_may_end_the_search() -> None:
    seen: list[int] = []

    def stop_after_two(outcome: Outcome, history: History) -> bool:
        seen.append(outcome.number)
        return history.n_finished >= 2

    clf = quick(n_trials=50, callbacks=[stop_after_two]).fit(X, Y)
    assert seen == [0, 1]
    assert len(clf.leaderboard()) == 2


def test_a_callback_that_ends_the_search_does_not_wait_for_what_runs() -> None:
    started = time.monotonic()
    clf = quick(
        extra_learners=[Sleeper()],
        n_trials=50,
        n_jobs=2,
        callbacks=[lambda _, history: history.n_finished >= 3],
    ).fit(X, Y)
    assert time.monotonic() - started < 30.0  # the learner sleeps ten minutes
    board = clf.leaderboard().set_index("learner")
    assert board.loc["Sleeper", "status"] == "cancelled"
    assert all(member.is_refitted for member in clf.ensemble_.members)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_fit_returns_what_it_has(number: signal.Signals) -> None:
    def interrupt(outcome: Outcome, _: History) -> None:
        if outcome.number == 2:
            signal.raise_signal(number)

    started = time.monotonic()
    with pytest.warns(DegradedResultWarning, match="fit was interrupted after .* the 3 trials"):
        clf = quick(n_trials=10_000, callbacks=[interrupt]).fit(X, Y)
    assert time.monotonic() - started < 60.0
    assert clf.was_interrupted_
    assert clf.score(X, Y) > 0.7
    assert not any(member.is_refitted for member in clf.ensemble_.members)


def test_a_second_interrupt_stops_at_once() -> None:
    def interrupt(outcome: Outcome, _: History) -> None:
        signal.raise_signal(signal.SIGINT)
        if outcome.number == 0:
            signal.raise_signal(signal.SIGINT)

    clf = quick(n_trials=10_000, callbacks=[interrupt])
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, Y)
    assert [name for name in vars(clf) if name.endswith("_")] == []


def test_a_work_dir_keeps_journal_and_predictions(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    quick(work_dir=folder, n_trials=3).fit(X, Y)
    lines = (folder / "journal.jsonl").read_text().splitlines()
    assert len(lines) == 1 + 2 * 3
    assert (folder / "predictions.f32").stat().st_size == 3 * len(X) * 2 * 4


def test_a_kept_history_has_predictions_only_with_a_work_dir(tmp_path: Path) -> None:
    kept: list[History] = []
    for folder in (tmp_path / "run", None):
        quick(work_dir=folder, n_trials=1, callbacks=[lambda _, h: kept.append(h)]).fit(X, Y)
    with_folder, without = kept
    assert with_folder.predictions.stack([0]).shape == (1, len(X), 2)
    with pytest.raises(PredictionStoreError, match="give work_dir"):
        without.predictions.stack([0])


def test_a_relative_work_dir_works_like_an_absolute_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    clf = quick(work_dir="run", n_trials=2).fit(X, Y)
    assert (clf.leaderboard()["status"] == "success").all()
    assert (tmp_path / "run" / "journal.jsonl").exists()


def test_a_fit_that_fails_leaves_nothing_of_the_fit_before() -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("callback")

    clf = quick(n_trials=2).fit(X, np.array(["no", "yes"])[Y])
    with pytest.raises(RuntimeError, match="callback"):
        clf.set_params(callbacks=[fail]).fit(X, 1 - Y)
    assert [name for name in vars(clf) if name.endswith("_")] == []
    with pytest.raises(NotFittedError):
        clf.predict(X)


def test_a_scorer_without_a_value_for_constant_predictions_is_optimised() -> None:
    def spread(estimator: Any, X: Any, y: Any) -> float:
        if np.unique(X[:, 1]).size < 10:
            raise ValueError("all predictions are alike")
        return float(estimator.score(X, y))

    clf = quick(scoring=spread).fit(X, Y)
    assert np.isinf(clf.baseline_loss_)
    assert clf.score(X, Y) > 0.7
    assert any("all predictions are alike" in str(change) for change in clf.changes_)


def test_a_scorer_that_fails_at_the_end_costs_the_ensemble_and_not_the_search() -> None:
    here, ended = os.getpid(), []

    def only_in_children(estimator: Any, X: Any, y: Any) -> float:
        if os.getpid() == here and ended:
            raise RuntimeError("out of order")
        return float(estimator.score(X, y))

    def note(outcome: Outcome, _: History) -> None:
        ended.append(outcome.number)

    with pytest.warns(DegradedResultWarning, match="ensemble selection failed.*out of order"):
        clf = quick(scoring=only_in_children, callbacks=[note], optimizer="random").fit(X, Y)
    (member,) = clf.ensemble_.members
    assert member.loss == clf.best_loss_


def test_a_scorer_that_cannot_be_sent_to_a_process_is_refused_by_name() -> None:
    lock = threading.Lock()

    def locked(estimator: Any, X: Any, y: Any) -> float:
        with lock:
            return float(estimator.score(X, y))

    with pytest.raises(InputError, match=r"^scoring: .* cannot be pickled"):
        quick(scoring=locked).fit(X, Y)


def test_a_column_that_gives_the_answer_away_is_named() -> None:
    table = pd.DataFrame(X).assign(leak=2 * Y + 1).rename(columns=str)
    with pytest.warns(AutoMLWarning, match="column 'leak' kept, but look at it"):
        clf = quick(n_trials=1).fit(table, Y)
    assert any("'leak'" in change.subject for change in clf.changes_)


def test_members_that_there_was_no_time_to_refit_are_named() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("automl.refit.SECONDS_TO_FINISH", 1e9)
        clf = quick(time_limit=1000.0).fit(X, Y)
    assert not any(member.is_refitted for member in clf.ensemble_.members)
    (change,) = [change for change in clf.changes_ if "refit" in change.subject]
    assert "no time left" in change.reason
    for member in clf.ensemble_.members:
        assert str(member.number) in change.subject


def test_a_fitted_estimator_survives_pickle_and_joblib(tmp_path: Path) -> None:
    clf = quick().fit(X, Y)
    joblib.dump(clf, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(clf)), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(copy.predict_proba(X), clf.predict_proba(X))
        assert copy.leaderboard().equals(clf.leaderboard())


def test_an_unfitted_estimator_says_so() -> None:
    for method in ("predict", "predict_proba"):
        with pytest.raises(NotFittedError):
            getattr(quick(), method)(X)
    with pytest.raises(NotFittedError):
        quick().leaderboard()


def test_a_second_fit_starts_afresh() -> None:
    clf = quick()
    iris = load_iris(return_X_y=True)
    clf.fit(*iris)
    clf.fit(X, np.array(["a", "b"])[Y])
    assert list(clf.classes_) == ["a", "b"]
    assert clf.predict_proba(X).shape == (len(X), 2)
    assert clone(clf).get_params() == clf.get_params()


def test_silence_from_python(capfd: pytest.CaptureFixture[str]) -> None:
    quick(n_jobs=2).fit(X, Y)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_the_default_space_finds_a_good_model_on_a_real_table() -> None:
    table = load_breast_cancer(as_frame=True)
    train, test, y_train, y_test = train_test_split(
        table.data, table.target, random_state=0, stratify=table.target
    )
    clf = AutoClassifier(n_trials=6, time_limit=None, n_jobs=2, random_state=0)
    clf.fit(train, y_train)
    assert clf.score(test, y_test) > 0.93
