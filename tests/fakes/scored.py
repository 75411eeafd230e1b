"""Labels of every kind, and predictions of them that are good but not perfect."""

from __future__ import annotations

import numpy as np

from search_space.arrays import FloatArray, IntArray

LABELS = {
    "numbers from zero": np.array([0, 1]),
    "signs": np.array([-1, 1]),
    "booleans": np.array([False, True]),
    "text": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "three numbers": np.array([5, 7, 9]),
    "three words": np.array(["high", "low", "mid"]),
}


def problem(n_classes: int, n_rows: int = 60) -> tuple[IntArray, FloatArray]:
    """Return codes of every class and probabilities that lean towards them."""
    rng = np.random.default_rng(n_classes)
    codes = np.arange(n_rows) % n_classes
    weights = rng.random((n_rows, n_classes))
    weights[np.arange(n_rows), codes] += 0.5
    return codes, weights / weights.sum(axis=1, keepdims=True)
