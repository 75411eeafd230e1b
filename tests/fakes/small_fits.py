"""Small tables, and estimators that fit them in about a second."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from automl import AutoClassifier
from search_space.arrays import FloatArray, IntArray


def toy(n: int = 150, d: int = 6, k: int = 2, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Return n rows of d numbers, four of them informative, in k classes."""
    X, y = make_classification(n, d, n_informative=4, n_redundant=0, n_classes=k, random_state=seed)
    return X, y


def frame(n: int = 150, k: int = 2, seed: int = 0) -> tuple[pd.DataFrame, IntArray]:
    """Return the same as a frame with a column of text and one of truth values beside it."""
    rng = np.random.default_rng(seed)
    X, y = toy(n, 6, k, seed)
    table = pd.DataFrame(X, columns=list("abcdef"))
    table["city"] = rng.choice(["rome", "oslo", "lima"], n)
    table["flag"] = rng.random(n) > 0.5
    return table, y


def quick(**arguments: Any) -> AutoClassifier:
    """Return an estimator that ends after one cheap evaluation, or after `n_trials`."""
    cheap = {"n_trials": 1, "time_limit": None, "search_space": "fast", "random_state": 0}
    return AutoClassifier(**{**cheap, **arguments})


def score_of(seed: int) -> float:
    """Fit with two workers and return the accuracy on the same rows; any process can import it."""
    X, y = toy()
    return quick(random_state=seed, n_jobs=2, n_trials=2).fit(X, y).score(X, y)
