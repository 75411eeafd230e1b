"""Any table meets a refusal that names what is wrong, or an estimator that keeps its promises.

``DIVBO_FUZZ_EXAMPLES=3000`` tries that many tables, other ones each time.
"""

from __future__ import annotations

import copy
import os
import pickle
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from fakes.in_process import evaluations_in_process
from hypothesis import HealthCheck, event, given, settings
from strategies.training_tables import Task, rows_of, tasks, unseen_rows

from automl import AutoClassifier
from automl.errors import AutoMLWarning, InputError
from automl.optimizers.random_search import RandomSearch
from search_space.arrays import FloatArray

N_EXAMPLES = int(os.environ.get("DIVBO_FUZZ_EXAMPLES", "0"))
N_ROWS_ALONE = 6
NAMED = re.compile(r"\b(X|y|cv|[Ff]eature|column)\b|Found array")

pytestmark = pytest.mark.slow


def unchanged(value: Any, before: Any) -> bool:
    """Return whether a table or labels are what they were, types and all."""
    if isinstance(value, pd.DataFrame):
        pd.testing.assert_frame_equal(value, before)
        return True
    if isinstance(value, pd.Series):
        pd.testing.assert_series_equal(value, before)
        return True
    if scipy.sparse.issparse(value):
        return bool((value.tocsr() != before.tocsr()).nnz == 0)
    if isinstance(value, list):
        return repr(value) == repr(before)
    return bool(value.dtype == before.dtype and repr(value.tolist()) == repr(before.tolist()))


def fitted(task: Task) -> AutoClassifier | InputError:
    """Return a fitted estimator, or why there is none."""
    clf = AutoClassifier(
        n_trials=2,
        time_limit=None,
        memory_limit=None,
        search_space="fast",
        optimizer=RandomSearch(),
        random_state=task.seed,
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AutoMLWarning)
            return clf.fit(task.X, task.y)
    except InputError as error:
        return error


def check_promises(clf: AutoClassifier, task: Task) -> None:
    X, labels = task.X, set(pd.Series(task.y))
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    probabilities = clf.predict_proba(X)
    assert set(clf.classes_.tolist()) == labels
    assert list(clf.classes_) == sorted(labels)
    assert probabilities.shape == (n_rows, len(labels))
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0.0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-6)
    assert np.array_equal(clf.predict(X), clf.classes_[probabilities.argmax(axis=1)])
    rows = range(min(n_rows, N_ROWS_ALONE))
    alone = np.vstack([clf.predict_proba(rows_of(X, [row])) for row in rows])
    np.testing.assert_allclose(alone, probabilities[: len(rows)], rtol=1e-6, atol=1e-9)
    travelled = pickle.loads(pickle.dumps(clf))
    assert np.array_equal(travelled.predict_proba(X), probabilities)
    check_files_and_exports(clf, X, probabilities)
    new = clf.predict_proba(unseen_rows(X, task.seed))
    assert np.isfinite(new).all()
    failures = [f"{t.learner}: {t.reason}\n{t.traceback}" for t in clf.trials_ if t.reason]
    # A learner may be at a loss with columns that are constant in a fold, or reach beyond 1e30.
    at_a_loss = re.compile("InvalidPredictionsError|rescale the input X")
    assert [text for text in failures if not at_a_loss.search(text)] == []


def check_files_and_exports(clf: AutoClassifier, X: Any, probabilities: FloatArray) -> None:
    """Check that what was written to a file, or exported, predicts the same."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.model"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AutoMLWarning)  # an optimizer object stays out
            clf.save(path)
        assert np.array_equal(AutoClassifier.load(path).predict_proba(X), probabilities)
    try:
        plain = clf.to_sklearn()
    except InputError as error:
        event(f"not exported: {str(error)[:25]}")
        return
    np.testing.assert_allclose(plain.predict_proba(X), probabilities, atol=1e-6)


@settings(
    max_examples=N_EXAMPLES or 40,
    derandomize=not N_EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=bool(N_EXAMPLES),
)
@given(task=tasks())
def test_any_table_is_refused_by_name_or_gives_an_estimator_that_keeps_its_promises(
    task: Task,
) -> None:
    before = copy.deepcopy(task)
    with evaluations_in_process():
        result = fitted(task)
    if isinstance(result, InputError):
        event(f"refused: {str(result)[:40]}")
        assert NAMED.search(str(result)), f"no column or argument is named: {result}"
    else:
        event("fitted")
        check_promises(result, task)
    assert unchanged(task.X, before.X)
    assert unchanged(task.y, before.y)
