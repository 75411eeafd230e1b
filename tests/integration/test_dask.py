"""Evaluations on a Dask cluster, chosen with joblib's own configuration."""

from __future__ import annotations

import joblib
import pytest
from sklearn.datasets import make_classification

from automl import AutoClassifier

distributed = pytest.importorskip("distributed")

X, Y = make_classification(200, 6, n_informative=4, random_state=0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # distributed's own, at start-up and shutdown
def test_a_cluster_of_two_workers_runs_the_evaluations() -> None:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        clf = AutoClassifier(n_trials=6, time_limit=None, search_space="fast", random_state=0).fit(
            X, Y
        )
        done = client.run(lambda dask_worker: dask_worker.state.task_counter is not None)
    assert len(done) == 2
    assert (clf.leaderboard()["status"] == "success").all()
    assert clf.score(X, Y) > 0.7
