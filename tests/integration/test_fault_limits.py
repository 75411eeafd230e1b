"""Limits of time and memory, and learners and metrics that fail: told, and never the end of all."""

from __future__ import annotations

import logging
import re
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace
from fakes.hostile_learners import BadSum, Boom, FileEater, NanProba, PriorClassifier
from fakes.small_fits import quick, toy

from automl import AutoClassifier
from automl.errors import DegradedResultWarning, InputError

X, Y = toy()


def test_a_limit_too_short_for_any_model_leaves_the_class_frequencies_and_says_so() -> None:
    # T03
    with pytest.warns(DegradedResultWarning, match="no trial gave a model in the given limits"):
        clf = AutoClassifier(time_limit=0.01, random_state=0).fit(X, Y)
    assert clf.predict(X).shape == Y.shape
    assert np.allclose(clf.predict_proba(X), np.bincount(Y) / len(Y))


def test_two_threads_fit_at_the_same_time_and_get_what_each_gets_alone() -> None:
    # T05
    results: dict[int, Any] = {}

    def fit(seed: int) -> None:
        results[seed] = quick(random_state=seed).fit(X, Y).predict_proba(X)

    threads = [threading.Thread(target=fit, args=(seed,)) for seed in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120.0)
    for seed in (0, 1):
        assert np.array_equal(results[seed], quick(random_state=seed).fit(X, Y).predict_proba(X))


@pytest.mark.slow
def test_most_of_the_time_is_used() -> None:
    # T06
    started = time.monotonic()
    AutoClassifier(time_limit=6.0, search_space="fast", random_state=0).fit(X, Y)
    assert time.monotonic() - started > 3.0


def test_a_search_that_ends_with_time_left_says_why() -> None:
    # T06
    space = ConfigurationSpace({"classifier": ["gaussian_nb", "logistic_regression"]})
    clf = quick(search_space=space, time_limit=600.0, n_trials=None).fit(X, Y)
    assert len(clf.trials_) == 2
    assert any("every configuration" in str(change) for change in clf.changes_)


@pytest.mark.parametrize(("time_limit", "n_trials"), [(600.0, 2), (None, 2), (0.01, 10_000)])
def test_the_limit_that_is_reached_first_ends_the_search(
    time_limit: float | None, n_trials: int
) -> None:
    # T08
    started = time.monotonic()
    clf = quick(time_limit=time_limit, n_trials=n_trials)
    if time_limit == 0.01:
        with pytest.warns(DegradedResultWarning):
            clf.fit(X, Y)
        assert clf.trials_ == ()
    else:
        assert len(clf.fit(X, Y).trials_) == n_trials
    assert time.monotonic() - started < 300.0


def test_a_search_without_any_limit_is_refused() -> None:
    # T08
    with pytest.raises(InputError, match="never end"):
        quick(time_limit=None, n_trials=None).fit(X, Y)


def test_limits_in_force_and_time_used_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    # T10
    with caplog.at_level(logging.INFO, logger="automl"):
        quick(time_limit=300.0, trial_time_limit=3000.0, memory_limit=512).fit(X, Y)
        quick(time_limit=80.0, n_jobs=2).fit(X, Y)
    told = [record.getMessage() for record in caplog.records]
    limits = [text for text in told if text.startswith("one evaluation")]
    assert limits[0] == (
        "one evaluation, all folds, may take 3000 s and 512 MiB, 1 at the same time"
    )
    assert re.fullmatch(
        r"one evaluation, all folds, may take 10 s and [\d,]+ MiB, 2 at the same time", limits[1]
    )
    assert len(limits) == 2
    used = [text for text in told if text.startswith("asked")]
    assert re.fullmatch(r"asked 300 s or 1 trial, used [\d.]+ s", used[0])
    assert len(used) == 2


@pytest.mark.slow
def test_a_longer_search_is_not_worse_on_rows_it_never_saw() -> None:
    # T11
    few, many = [], []
    for seed in (0, 1):
        table, labels = toy(n=1150, d=30, seed=seed)
        for n_trials, scores in ((3, few), (14, many)):
            clf = quick(n_trials=n_trials, random_state=seed).fit(table[:150], labels[:150])
            scores.append(clf.score(table[150:], labels[150:]))
    assert np.mean(many) > np.mean(few) - 0.05


# --- failures -----------------------------------------------------------------------------------


def test_a_memory_limit_counts_what_a_trial_adds_and_not_what_was_imported() -> None:
    # X01
    clf = quick(memory_limit=64).fit(X, Y)
    assert clf.failures_ == ()
    with pytest.raises(InputError, match=r"memory_limit .* '64MB'"):
        quick(memory_limit="64MB").fit(X, Y)


def test_a_learner_that_raises_is_a_failure_with_its_traceback_and_not_the_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # X03
    with caplog.at_level(logging.INFO, logger="automl"):
        clf = quick(extra_learners=[Boom()], n_trials=4).fit(X, Y)
    (failure,) = clf.failures_
    assert (failure.status, failure.reason, failure.count) == ("crashed", "ValueError: boom", 1)
    assert clf.trials_[failure.first_trial].learner == "Boom"
    assert 'raise ValueError("boom")' in failure.traceback
    assert f"failed: {failure}" in caplog.messages
    assert clf.score(X, Y) > 0.7


def test_a_metric_that_is_never_a_number_is_refused_before_the_search() -> None:
    # X05
    with pytest.raises(InputError, match="nan"):
        quick(scoring=lambda *_: float("nan")).fit(X, Y)


def test_a_metric_that_is_no_number_for_some_trials_fails_those_only() -> None:
    # X05
    def brittle(estimator: Any, table: Any, labels: Any) -> float:
        p = estimator.predict_proba(table)
        # Probabilities of a tree are shares of the rows of a leaf, here nearly always 0 or 1.
        is_tree = len(labels) > 50 and np.isin(p, (0.0, 1.0)).mean() > 0.5
        return float("nan") if is_tree else float(estimator.score(table, labels))

    clf = quick(scoring=brittle, n_trials=6).fit(X, Y)
    assert {failure.status for failure in clf.failures_} == {"crashed"}
    assert all("nan" in failure.reason.lower() for failure in clf.failures_)
    assert (clf.leaderboard()["status"] == "success").sum() >= 1
    assert np.isfinite(clf.best_loss_)


def test_probabilities_that_are_none_fail_the_trial_and_those_of_fit_sum_to_one() -> None:
    # X06
    table, labels = toy(k=3)
    clf = quick(extra_learners=[BadSum(), NanProba()], n_trials=5).fit(table, labels)
    reasons = {clf.trials_[f.first_trial].learner: f.reason for f in clf.failures_}
    assert reasons.keys() == {"BadSum", "NanProba"}
    P = clf.predict_proba(table)
    assert P.min() >= 0.0
    assert P.max() <= 1.0
    assert np.allclose(P.sum(axis=1), 1.0, rtol=0.0, atol=1e-12)


def test_files_of_the_user_stay_and_those_that_learners_leave_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # X08
    (tmp_path / "precious.txt").write_text("x")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is not empty"):
        quick(work_dir=tmp_path).fit(X, Y)
    clf = quick(extra_learners=[FileEater()], n_trials=4, work_dir=tmp_path / "run").fit(X, Y)
    assert clf.failures_ == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["precious.txt", "run"]
    assert list((tmp_path / "run").rglob("left_by_learner*")) == []


def test_a_model_without_signal_is_told_once_and_with_its_reason() -> None:
    # E05
    rng = np.random.default_rng(0)
    with pytest.warns(DegradedResultWarning) as caught:
        quick(extra_learners=[PriorClassifier()], include=["PriorClassifier"]).fit(
            rng.normal(size=(100, 3)), np.arange(100) % 2
        )
    (warning,) = caught
    assert "no model has a lower loss than the class frequencies" in str(warning.message)
