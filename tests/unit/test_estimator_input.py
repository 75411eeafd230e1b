"""Bad input meets one message, before any evaluation starts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from ConfigSpace import ConfigurationSpace
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression

from automl import AutoClassifier
from automl.estimator import AutoClassifier as Estimator
from search_space.classifiers import lda

X, Y = make_classification(60, 5, random_state=0)
MINE = replace(lda.COMPONENT, cost=1.0)
FRAME = pd.DataFrame(X, columns=list("abcde"))


@pytest.fixture(autouse=True)
def _no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the search was started")

    monkeypatch.setattr("automl.estimator.fit_ensemble", fail)


BAD_ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"time_limit": 0}, r"time_limit .* found 0"),
    ({"time_limit": -5.0}, r"time_limit .* found -5.0"),
    ({"time_limit": "60"}, r"time_limit .* '60'"),
    ({"time_limit": None}, r"time_limit is None and n_trials is None"),
    ({"n_trials": 0}, r"n_trials .* found 0"),
    ({"n_trials": 2.5}, r"n_trials .* 2.5"),
    ({"scoring": "acuracy"}, r"scoring.*acuracy.*accuracy"),
    ({"scoring": "r2"}, r"scoring.*r2"),
    ({"cv": 1}, r"cv.* 1"),
    ({"cv": 1.5}, r"cv.*1\.5"),
    ({"cv": "kfold"}, r"cv.*kfold"),
    ({"cv": 61}, r"cv.*61"),
    ({"optimizer": "tpe"}, r"optimizer 'tpe'.*divbo"),
    ({"optimizer": 3}, r"optimizer .* 3"),
    ({"surrogate": "gausian_process"}, r"surrogate .*did you mean 'gaussian_process'"),
    ({"surrogate": 3}, r"surrogate .* 3"),
    ({"acquisition": "eye"}, r"acquisition 'eye' is unknown.*'ei'"),
    ({"acquisition": 3}, r"acquisition .* 3"),
    ({"surrogate": "densbo", "optimizer": "random"}, r"surrogate has no effect.*'random'"),
    ({"acquisition": "pi", "optimizer": "random"}, r"acquisition has no effect.*'random'"),
    ({"search_space": "huge"}, r"search_space: unknown name 'huge'; legal names are 'default'"),
    ({"search_space": ConfigurationSpace()}, r"classifier"),
    ({"include": ["lightgbn"]}, r"include.*lightgbn.*lightgbm"),
    ({"exclude": ["nothing"]}, r"exclude.*nothing"),
    ({"include": "lightgbm"}, r"include .*list"),
    ({"include": []}, r"include|no learner"),
    (
        {"extra_learners": [LinearRegression()]},
        r"extra_learners: LinearRegression is not",
    ),
    ({"extra_learners": [LogisticRegression]}, r"extra_learners: LogisticRegression is a class"),
    ({"extra_learners": [MINE]}, r"extra_learners: the name 'lda' is taken by another classifier"),
    ({"ensemble_size": 0}, r"ensemble_size .* found 0"),
    ({"ensemble_size": 1_001}, r"ensemble_size must be 1,000 at most, found 1,001"),
    ({"trial_time_limit": -1}, r"trial_time_limit .* found -1"),
    ({"trial_time_limit": "soon"}, r"trial_time_limit .* 'soon'"),
    ({"memory_limit": 0}, r"memory_limit .* found 0"),
    ({"n_jobs": 0}, r"n_jobs .* found 0"),
    ({"refit": "yes"}, r"refit .* 'yes'"),
    ({"verbose": -1}, r"verbose .* found -1"),
    ({"callbacks": [3]}, r"callbacks .* 3"),
    ({"random_state": -1}, r"random_state .* found -1"),
    ({"random_state": "a"}, r"random_state .* 'a'"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS)
def test_a_bad_argument_is_named_with_what_was_found(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        AutoClassifier(**arguments).fit(X, Y)


BAD_TABLES: list[tuple[Callable[[], tuple[Any, Any]], str]] = [
    (lambda: (X, Y[:-1]), "inconsistent numbers of samples"),
    (lambda: (X[:0], Y[:0]), "0 sample"),
    (lambda: (X[:, :0], Y), "0 feature"),
    (lambda: (X, np.zeros(60, int)), "class"),
    (lambda: (X, X[:, 0]), "continuous"),
    (lambda: (X, np.where(np.arange(60) < 3, np.nan, Y.astype(float))), r"y .*3|3 .*y"),
    (lambda: (X, None), "y"),
    (lambda: (np.where(np.arange(300).reshape(60, 5) < 1, np.inf, X), Y), "inf"),
    (lambda: (FRAME.set_axis(["a", "a", "b", "c", "d"], axis=1), Y), "'a'"),
    (lambda: (X[:, 0], Y), "[Rr]eshape"),
    (lambda: (np.zeros((60, 3)), Y), "column|feature"),
    (lambda: (X.astype(complex), Y), "[Cc]omplex"),
]


@pytest.mark.parametrize(("make", "message"), BAD_TABLES)
def test_a_bad_table_is_refused_by_name(make: Callable[[], tuple[Any, Any]], message: str) -> None:
    table, labels = make()
    with pytest.raises(ValueError, match=message):
        AutoClassifier().fit(table, labels)


def test_a_work_dir_that_holds_files_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(ValueError, match=r"work_dir .* is not empty"):
        AutoClassifier(work_dir=tmp_path).fit(X, Y)
    assert (tmp_path / "mine.txt").read_text() == "precious"


def test_a_learner_that_cannot_travel_is_refused() -> None:
    learner = LogisticRegression()
    learner.C = threading.Lock()
    with pytest.raises(ValueError, match=r"extra_learners.*cannot be pickled"):
        AutoClassifier(extra_learners=[learner]).fit(X, Y)


def test_the_constructor_only_stores() -> None:
    clf = Estimator(time_limit=-1, n_jobs=0, cv=object())
    assert clf.get_params()["time_limit"] == -1
