"""Calls that fit what brings threads of its own: OpenMP of two makers, BLAS."""

from __future__ import annotations

import os

import numpy as np
import psutil
import threadpoolctl
from lightgbm import LGBMClassifier
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

from automl.evaluation.framing import Payload


def fit_lightgbm(n_threads: int) -> Payload:
    X, y = make_classification(300, random_state=0)
    model = LGBMClassifier(n_estimators=5, num_threads=n_threads, verbose=-1).fit(X, y)
    return Payload(header={"trees": model.booster_.num_trees()})


def fit_histogram_boosting() -> Payload:
    X, y = make_classification(300, random_state=0)
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, y)
    return Payload(header={"trees": model.n_iter_})


def multiply() -> Payload:
    square = np.random.default_rng(0).normal(size=(300, 300))
    inverse = np.linalg.inv(square)
    return Payload(header={"error": float(np.abs(square @ inverse - np.eye(300)).max())})


def threads() -> Payload:
    """Tell how many threads each library may use here, and how many its supervisor runs."""
    allowed = {(pool["user_api"], pool["num_threads"]) for pool in threadpoolctl.threadpool_info()}
    running = psutil.Process(os.getppid()).num_threads()
    return Payload(header={"allowed": sorted(allowed), "supervisor": running})
