"""Classifiers that misbehave, each in the way that its name says, and one that does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from automl.benchmark.hostile import (
    Boom,
    Hog,
    HostileClassifier,
    Killer,
    NanProba,
    Sleeper,
    Stubborn,
    behave,
)
from search_space.arrays import FloatArray

__all__ = [
    "BadSum",
    "Boom",
    "FileEater",
    "Hog",
    "Killer",
    "NanProba",
    "PriorClassifier",
    "Sleeper",
    "Stubborn",
]


class PriorClassifier(HostileClassifier):
    """Does no harm."""

    misbehave = staticmethod(behave)


def leave_a_file() -> None:
    Path("left_by_learner.tmp").write_bytes(bytes(10**5))


class FileEater(HostileClassifier):
    """Leaves a file in the current folder."""

    misbehave = staticmethod(leave_a_file)


class BadSum(HostileClassifier):
    """Predicts probabilities that sum to 1.7."""

    misbehave = staticmethod(behave)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return too much for each class."""
        return 1.7 * super().predict_proba(X)
