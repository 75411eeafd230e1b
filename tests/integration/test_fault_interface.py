"""The rules of scikit-learn, scorers of every form, and what a fit must leave as it found it."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.small_fits import frame, quick, toy
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from automl import AutoClassifier
from automl.errors import AutoMLWarning, InputError

X, Y = toy()


def test_parameters_survive_cloning_and_a_clone_of_a_fitted_estimator_fits() -> None:
    # K01
    clf = quick(cv=3)
    copy = clone(clf)
    assert copy.get_params() == clf.get_params()
    assert copy.set_params(random_state=7).random_state == 7
    fitted = clf.fit(X, Y)
    again = clone(fitted)
    assert not hasattr(again, "classes_")
    assert np.array_equal(again.fit(X, Y).predict_proba(X), fitted.predict_proba(X))


@pytest.mark.slow
def test_it_works_in_cross_validation_in_a_pipeline_and_in_a_grid_search() -> None:
    # K03
    clf = quick(cv="holdout")
    scores = cross_val_score(clf, X, Y, cv=3, scoring="roc_auc")
    assert np.isfinite(scores).all()
    assert make_pipeline(StandardScaler(), clf).fit(X, Y).score(X, Y) > 0.6
    grid = GridSearchCV(clf, {"random_state": [0, 1]}, cv=2).fit(X, Y)
    assert grid.best_estimator_.random_state in (0, 1)


def test_requests_for_metadata_outlive_a_fit_and_are_in_no_file(tmp_path: Path) -> None:
    # K03
    with config_context(enable_metadata_routing=True):
        clf = quick().set_score_request(sample_weight=True).fit(X, Y)
        assert clf.get_metadata_routing().score.requests["sample_weight"] is True
        with pytest.warns(AutoMLWarning, match="leaves out metadata requests"):
            clf.save(tmp_path / "a.model")
        loaded = AutoClassifier.load(tmp_path / "a.model")
    assert np.array_equal(loaded.predict_proba(X), clf.predict_proba(X))


@pytest.mark.slow
def test_it_works_inside_the_workers_of_a_cross_validation() -> None:
    # K03
    scores = cross_val_score(quick(cv="holdout"), X, Y, cv=2, n_jobs=2)
    assert np.isfinite(scores).all()


@pytest.mark.slow
def test_it_votes_and_stacks_as_a_classifier() -> None:
    # K05
    clf = quick(cv="holdout")
    assert is_classifier(clf)
    members = [("a", clf), ("b", LogisticRegression())]
    assert VotingClassifier(members, voting="soft").fit(X, Y).score(X, Y) > 0.6
    assert StackingClassifier([("a", clf)], cv=2).fit(X, Y).score(X, Y) > 0.6


def test_every_fitted_member_is_a_classifier_to_scikit_learn() -> None:
    # K05
    clf = quick(n_trials=3, ensemble_size=10).fit(X, Y)
    assert all(is_classifier(model) for m in clf.ensemble_.members for model in m.models)


def test_predicting_needs_a_fit_that_did_not_fail() -> None:
    # K06
    clf = quick()
    for _ in range(2):
        with pytest.raises(NotFittedError):
            clf.predict(X)
        with pytest.raises(InputError):
            clf.fit(X, np.zeros(len(X)))


def test_the_checks_of_scikit_learn_are_many_and_none_is_skipped_as_a_whole() -> None:
    # K08
    checks = list(estimator_checks_generator(quick(), mark="skip"))
    assert len(checks) > 40
    assert quick().__sklearn_tags__()._skip_test is False


def test_an_unknown_argument_or_name_is_refused_with_what_was_meant() -> None:
    # K10
    with pytest.raises(TypeError, match="time_budgt"):
        AutoClassifier(time_budgt=3)  # type: ignore[call-arg]  # that is the point
    with pytest.raises(InputError, match=r"xgboots.*xgboost"):
        quick(search_space="default", include=["xgboots"]).fit(X, Y)


# --- scorers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scorer", "name"),
    [
        # R01
        (
            make_scorer(roc_auc_score, response_method=("decision_function", "predict_proba")),
            "roc_auc",
        ),
        # R03
        (
            make_scorer(log_loss, greater_is_better=False, response_method="predict_proba"),
            "neg_log_loss",
        ),
    ],
    ids=["ranks", "loss"],
)
def test_a_scorer_object_is_the_scorer_of_that_name(scorer: Any, name: str) -> None:
    one, other = (quick(scoring=s, n_trials=3).fit(X, Y) for s in (scorer, name))
    assert one.best_loss_ == pytest.approx(other.best_loss_)
    assert one.best_loss_ < one.baseline_loss_
    assert list(one.leaderboard()["trial"]) == list(other.leaderboard()["trial"])


@pytest.mark.parametrize("scoring", ["roc_auc_ovr", "roc_auc_ovo_weighted"])
def test_ranks_of_three_classes_have_scorers_of_their_own(scoring: str) -> None:
    # R05
    table, labels = toy(k=3)
    clf = quick(scoring=scoring).fit(table, labels)
    assert 0.0 < clf.best_loss_ < 0.5
    with pytest.raises(InputError, match=r"roc_auc_ovr"):
        quick(scoring="roc_auc").fit(table, labels)


# --- surroundings -------------------------------------------------------------------------------


def _surroundings() -> dict[str, Any]:
    """Return everything global that a library might change."""
    root = logging.getLogger()
    umask = os.umask(0)
    os.umask(umask)
    return {
        "root logger": (root.level, list(root.handlers), logging.lastResort),
        "disabled logging": logging.root.manager.disable,
        "warning filters": list(warnings.filters),
        "showwarning": warnings.showwarning,
        "numpy": [str(part) for part in np.random.get_state()],  # noqa: NPY002 - watched
        "numpy errors": np.geterr(),
        "random": random.getstate(),
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "import path": list(sys.path),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
        "hooks": (sys.excepthook, threading.excepthook),
        "signals": {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)},
        "children's signal": signal.getsignal(signal.SIGCHLD),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "umask": umask,
        "temporary folders": sorted(Path(tempfile.gettempdir()).glob("automl-*")),
    }


@pytest.fixture
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Other tests may come and go in the common one.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.usefixtures("_own_temporary_folder")
def test_a_fit_prints_nothing_and_leaves_everything_global_as_it_was(
    capfd: pytest.CaptureFixture[str],
) -> None:
    # Q01, N05
    table, labels = frame()
    quick().fit(table, labels)  # what is imported at first use may register something once
    before = _surroundings()
    clf = quick(n_jobs=2, n_trials=4).fit(table, labels)
    clf.predict(table)
    clf.leaderboard()
    after = _surroundings()
    assert after == before
    assert capfd.readouterr() == ("", "")


def test_a_fit_runs_inside_the_event_loop_of_a_notebook() -> None:
    # Q03
    async def cell() -> AutoClassifier:
        return quick(n_jobs=2, n_trials=3).fit(X, Y)

    assert asyncio.run(cell()).score(X, Y) > 0.6


@pytest.mark.parametrize("kind", [MemoryError, ZeroDivisionError])
def test_an_ensemble_that_cannot_be_built_leaves_the_best_model(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    # E01
    def fail(*_: object, **__: object) -> None:
        raise kind("no ensemble today")

    monkeypatch.setattr("automl.member_choice.select", fail)
    with pytest.warns(UserWarning, match="no ensemble today.*single best model"):
        clf = quick(n_trials=3).fit(X, Y)
    (member,) = clf.ensemble_.members
    assert member.loss == clf.best_loss_
    assert clf.score(X, Y) > 0.6


def test_the_threshold_suits_a_metric_of_labels_and_is_kept(tmp_path: Path) -> None:
    # R06
    X, _ = toy(n=2_000)
    noise = np.random.default_rng(0).normal(size=2_000)
    y = np.where(X[:, 0] + 0.8 * noise > 2.2, "yes", "no")
    is_yes = y[1_000:] == "yes"
    scorer = make_scorer(f1_score, pos_label="yes")
    clf = quick(scoring=scorer, n_trials=4).fit(X[:1_000], y[:1_000])
    probabilities = clf.predict_proba(X[1_000:])
    labels = clf.predict(X[1_000:])
    assert 0.0 < clf.decision_threshold_ < 0.5
    assert np.array_equal(labels == "yes", probabilities[:, 1] > clf.decision_threshold_)
    at_one_half = f1_score(is_yes, probabilities[:, 1] > 0.5)
    assert f1_score(is_yes, labels == "yes") >= at_one_half - 0.03
    plain = clf.to_sklearn()
    assert np.array_equal(plain.predict(X[1_000:]), labels)
    assert np.allclose(plain.predict_proba(X[1_000:]), probabilities)
    with pytest.warns(AutoMLWarning, match="scoring"):
        clf.save(tmp_path / "a.model")
    assert np.array_equal(AutoClassifier.load(tmp_path / "a.model").predict(X[1_000:]), labels)
