"""Workers, pickles, copies and repetition: fits beside each other, and what they leave behind."""

from __future__ import annotations

import gc
import io
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import psutil
import pytest
from fakes.small_fits import quick, score_of, toy

from automl import AutoClassifier
from automl.errors import AutoMLWarning, InputError
from automl.history import History
from automl.trial import Outcome

X, Y = toy()


@pytest.mark.parametrize("n_jobs", [-1, 2])
def test_workers_are_counted_as_joblib_counts_them(n_jobs: int) -> None:
    # J01
    clf = quick(n_jobs=n_jobs, n_trials=3, optimizer="random").fit(X, Y)
    assert (clf.leaderboard()["status"] == "success").all()
    assert clf.predict(X).shape == Y.shape


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all"])
def test_no_number_of_workers_is_refused(n_jobs: Any) -> None:
    # J01
    with pytest.raises(InputError, match="n_jobs"):
        quick(n_jobs=n_jobs).fit(X, Y)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_fits_run_inside_the_workers_of_another_pool(backend: str) -> None:
    # J03
    with joblib.parallel_config(backend=backend):
        scores = joblib.Parallel(n_jobs=2)(joblib.delayed(score_of)(seed) for seed in (0, 1))
    assert len(scores) == 2
    assert min(scores) > 0.6


def test_a_metric_defined_on_the_spot_reaches_the_workers_and_pickles_but_no_file(
    tmp_path: Path,
) -> None:
    # J08
    def here(estimator: Any, table: Any, labels: Any) -> float:
        return float(estimator.score(table, labels))

    clf = quick(scoring=here, n_jobs=2, n_trials=3).fit(X, Y)
    with pytest.warns(AutoMLWarning, match="leaves out scoring"):
        clf.save(tmp_path / "a.model")
    loaded = AutoClassifier.load(tmp_path / "a.model")
    assert np.array_equal(loaded.predict_proba(X), clf.predict_proba(X))


def test_no_process_of_a_fit_listens_to_the_network() -> None:
    # J10
    here = psutil.Process()
    listening: list[Any] = []

    def look(_: Outcome, __: History) -> None:
        for process in {here, *here.children(recursive=True)} - others:
            listening.extend(
                (process.pid, c.laddr)
                for c in process.net_connections(kind="inet")
                if c.status == psutil.CONN_LISTEN
            )

    before = {c.laddr for c in here.net_connections(kind="inet")}
    others = set(here.children(recursive=True))
    quick(n_jobs=2, n_trials=3, callbacks=[look]).fit(X, Y)
    assert [place for _, place in listening if place not in before] == []
    assert set(here.children(recursive=True)) <= others


# --- copies -------------------------------------------------------------------------------------


def test_a_pickle_holds_the_members_and_not_the_table() -> None:
    # S06
    table, labels = toy(n=5000, d=20)
    clf = quick(include=["decision_tree"], cv="holdout", n_trials=2).fit(table, labels)
    assert len(pickle.dumps(clf)) < table.nbytes // 2


def test_copies_do_not_depend_on_each_other(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    # S08
    clf = quick(work_dir=tmp_path / "run").fit(X, Y)
    before = sorted(path.name for path in (tmp_path / "run").rglob("*"))
    data = pickle.dumps(clf)
    one, other = pickle.loads(data), pickle.loads(data)
    buffer = io.BytesIO()
    joblib.dump(clf, buffer)
    P = clf.predict_proba(X)
    del one, clf
    gc.collect()
    assert np.array_equal(other.predict_proba(X), P)
    buffer.seek(0)
    assert np.array_equal(joblib.load(buffer).predict_proba(X), P)
    assert sorted(path.name for path in (tmp_path / "run").rglob("*")) == before
    assert capfd.readouterr() == ("", "")


def test_a_cross_validated_search_predicts_without_a_further_call() -> None:
    # S10
    clf = quick(cv=5, n_trials=2).fit(X, Y)
    assert clf.score(X, Y) > 0.6
    assert all(len(member.models) == 1 for member in clf.ensemble_.members)


# --- repetition ---------------------------------------------------------------------------------

_SEARCH = """
import json, sys
from fakes.small_fits import frame, quick
clf = quick(n_trials=7, random_state=3).fit(*frame())
json.dump([[r.trial, r.configuration, r.loss] for r in clf.trials_], sys.stdout)
"""


@pytest.mark.slow
def test_the_order_of_sets_and_dictionaries_plays_no_part() -> None:
    # N03
    def search(hash_seed: str) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        command = [sys.executable, "-c", _SEARCH]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    processes = [search("0"), search("1")]
    first, second = (json.loads(process.communicate(timeout=120)[0]) for process in processes)
    assert len(first) == 7
    assert first == second


_ELSEWHERE = """
import os, signal, sys
import numpy, sklearn, lightgbm, xgboost, psutil  # which know Windows in their own way
sys.modules["fcntl"] = None  # our own modules must not need what is not there
sys.modules["resource"] = None
for module, names in ((os, ("fork", "getuid", "killpg")), (signal, ("SIGKILL", "SIGCHLD"))):
    for name in names:
        delattr(module, name)
from automl import AutoClassifier
clf = AutoClassifier.load(sys.argv[1])
print(*clf.predict([[-2.0], [3.0]]))
try:
    clf.fit([[0.0], [1.0]], [0, 1])
except Exception as error:
    print(type(error).__name__, error)
"""


def test_where_nothing_can_fork_models_predict_and_fit_says_why_it_cannot(tmp_path: Path) -> None:
    # V01
    column = np.linspace(-1.0, 2.0, 60)[:, None] ** 3
    path = tmp_path / "a.model"
    clf = quick().fit(column, (column[:, 0] > 0).astype(int))
    clf.save(path)
    done = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, path], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    labels, refusal = done.stdout.splitlines()
    assert labels == " ".join(map(str, clf.predict([[-2.0], [3.0]])))
    assert refusal.startswith("SandboxError fit needs a POSIX system")
