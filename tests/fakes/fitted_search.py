"""A fitted `AutoClassifier` without a search, for everything that only uses one."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from automl.data.schema import learn_schema
from automl.ensembles.weighted_ensemble import Member, WeightedEnsemble
from automl.estimator import AutoClassifier
from automl.evaluation.baseline import fit_baseline
from automl.leaderboard import TrialRecord
from automl.trial import Status


def small_table() -> tuple[pd.DataFrame, pd.Series]:
    """Return 40 rows of two columns, and labels that the first column decides."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"width": rng.normal(size=40), "height": rng.normal(size=40)})
    return X, pd.Series(np.where(X["width"] > 0.0, "wide", "narrow"), name="shape")


def fitted_search() -> AutoClassifier:
    """Return an estimator fitted on `small_table`.

    Trial 0 is its member, 1 is worse, 2 failed, 3 was cancelled.
    """
    X, y = small_table()
    search = AutoClassifier()
    search._schema = learn_schema(X)
    search.classes_, codes = np.unique(y.to_numpy(dtype=object), return_inverse=True)
    search.n_features_in_ = X.shape[1]
    search.feature_names_in_ = np.array(X.columns, dtype=object)
    search.changes_ = ()
    search.baseline_loss_, search.best_loss_ = 0.5, 0.125
    model = make_pipeline(LogisticRegression()).fit(search._schema.transform(X), codes)
    member = Member(
        number=0,
        learner="logistic_regression",
        weight=1.0,
        loss=0.125,
        configuration={},
        models=(model,),
        is_refitted=True,
    )
    search.ensemble_ = WeightedEnsemble(members=(member,), n_classes=2, loss=0.125)
    search._best_member = member
    search.was_interrupted_ = False
    search.trials_ = (
        _record(0, "logistic_regression", 0.125, {"classifier:logistic_regression:C": 0.98765}),
        _record(1, "lda", 0.25, {"preprocessor": "pca"}),
        _record(2, "mlp", math.inf, {"preprocessor": "none"}, Status.TIMEOUT),
        _record(3, "qda", math.inf, {"preprocessor": "none"}, Status.CANCELLED),
    )
    return search


def fruitless_search() -> AutoClassifier:
    """Return an estimator whose only trial failed: it predicts the class frequencies."""
    search = fitted_search()
    _, y = small_table()
    codes = np.searchsorted(search.classes_, y.to_numpy(dtype=object))
    member = Member(
        number=-1,
        learner="baseline",
        weight=1.0,
        loss=0.5,
        configuration={},
        models=(fit_baseline(codes),),
        is_refitted=True,
    )
    search.ensemble_ = WeightedEnsemble(members=(member,), n_classes=2, loss=0.5)
    search.best_loss_ = math.inf
    search.trials_ = (_record(0, "mlp", math.inf, {}, Status.TIMEOUT),)
    return search


def _record(
    number: int,
    learner: str,
    loss: float,
    configuration: dict[str, object],
    status: Status = Status.SUCCESS,
) -> TrialRecord:
    return TrialRecord(
        trial=number,
        learner=learner,
        loss=loss,
        seconds=1.25,
        status=str(status),
        reason="" if status is Status.SUCCESS else "took longer than 1 s",
        traceback="",
        memory_mib=1.0,
        origin="random",
        configuration={"classifier": learner, **configuration},
    )
