"""From a fitted estimator to scikit-learn objects that live without this library."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fakes.fitted_search import fitted_search, small_table
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline

from automl import AutoClassifier
from automl.errors import InputError

ALONE = """
import pickle, sys
sys.modules["automl"] = sys.modules["search_space"] = None  # importing them raises ImportError
with open("model.pkl", "rb") as file:
    model, X = pickle.load(file)
with open("predicted.pkl", "wb") as file:
    pickle.dump((model.predict(X), model.predict_proba(X)), file)
"""


def mixed_table() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "size": np.where(rng.random(150) < 0.1, np.nan, rng.normal(size=150)),
            "colour": rng.choice(["red", "green", "blue"], 150),
            "weight": rng.normal(size=150),
        }
    )
    y = np.select([X["weight"] > 0.4, X["colour"] == "red"], ["heavy", "red"], "other")
    return X, pd.Series(y)


@pytest.fixture(scope="module", params=[True, False], ids=["refit", "folds"])
def search(request: pytest.FixtureRequest) -> AutoClassifier:
    X, y = mixed_table()
    return AutoClassifier(
        n_trials=12, time_limit=None, cv=3, refit=request.param, random_state=0,
        include=["lightgbm", "xgboost", "random_forest", "liblinear_svc", "gaussian_nb"],
    ).fit(X, y)  # fmt: skip


def predicted_alone(model: Pipeline, X: pd.DataFrame, folder: Path) -> tuple[object, object]:
    """Return what a process without this library predicts."""
    (folder / "model.pkl").write_bytes(pickle.dumps((model, X)))
    subprocess.run([sys.executable, "-c", ALONE], check=True, cwd=folder)
    labels, probabilities = pickle.loads((folder / "predicted.pkl").read_bytes())
    return labels, probabilities


@pytest.mark.slow
def test_the_exported_ensemble_predicts_the_same_without_this_library(
    search: AutoClassifier, tmp_path: Path
) -> None:
    X, _ = mixed_table()
    labels, probabilities = predicted_alone(search.to_sklearn(), X, tmp_path)
    np.testing.assert_allclose(probabilities, search.predict_proba(X), rtol=0.0, atol=1e-6)
    assert np.array_equal(labels, search.predict(X))


@pytest.mark.slow
def test_the_best_pipeline_predicts_as_its_trial_without_this_library(
    search: AutoClassifier, tmp_path: Path
) -> None:
    X, _ = mixed_table()
    best = min(search.trials_, key=lambda record: (record.loss, record.trial))
    member = search._best_member
    assert member is not None
    assert member.number == best.trial
    expected = member.predict_proba(search._schema.transform(X), 3)
    labels, probabilities = predicted_alone(search.best_pipeline_, X, tmp_path)
    np.testing.assert_allclose(probabilities, expected, rtol=0.0, atol=1e-6)
    assert np.array_equal(labels, search.classes_[expected.argmax(axis=1)])
    assert next(iter(search.best_pipeline_.named_steps)) == "columns"


@pytest.mark.slow
def test_saving_a_real_search_and_loading_it_changes_no_prediction(
    search: AutoClassifier, tmp_path: Path
) -> None:
    X, _ = mixed_table()
    search.save(tmp_path / "a.model")
    loaded = AutoClassifier.load(tmp_path / "a.model")
    assert np.array_equal(loaded.predict_proba(X), search.predict_proba(X))
    assert loaded.leaderboard().equals(search.leaderboard())
    assert loaded.changes_ == search.changes_


def test_the_best_trial_is_there_without_being_a_member(tmp_path: Path) -> None:
    search, (X, _) = fitted_search(), small_table()
    best = search._best_member
    assert best is not None
    search._best_member = replace(best, number=7, weight=0.0)
    np.testing.assert_allclose(search.best_pipeline_.predict_proba(X), search.predict_proba(X))
    search.save(tmp_path / "a.model")  # of which only members are part
    loaded = AutoClassifier.load(tmp_path / "a.model")
    assert not hasattr(loaded, "best_pipeline_")
    with pytest.raises(AttributeError, match="no member of an ensemble that was saved"):
        _ = loaded.best_pipeline_


def test_the_best_trial_is_there_after_loading_if_it_is_a_member(tmp_path: Path) -> None:
    search, (X, _) = fitted_search(), small_table()
    search.save(tmp_path / "a.model")
    loaded = AutoClassifier.load(tmp_path / "a.model")
    np.testing.assert_array_equal(
        loaded.best_pipeline_.predict_proba(X), search.best_pipeline_.predict_proba(X)
    )


def test_members_without_weight_are_left_out() -> None:
    search, (X, _) = fitted_search(), small_table()
    (member,) = search.ensemble_.members
    idle = replace(member, number=5, weight=0.0)
    search.ensemble_ = replace(search.ensemble_, members=(member, idle))
    exported = search.to_sklearn()
    assert len(exported.named_steps["ensemble"].estimators) == 1
    np.testing.assert_allclose(exported.predict_proba(X), search.predict_proba(X))


def test_a_member_that_lacks_a_class_is_told() -> None:
    search = fitted_search()
    search.classes_ = np.array(["narrow", "square", "wide"], dtype=object)
    with pytest.raises(InputError, match="trial 0 was fitted to rows without some of the classes"):
        search.to_sklearn()


def test_an_unfitted_estimator_has_nothing_to_export() -> None:
    with pytest.raises(NotFittedError):
        AutoClassifier().to_sklearn()
    assert not hasattr(AutoClassifier(), "best_pipeline_")
