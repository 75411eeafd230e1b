"""Classifiers that misbehave, each in the way that its name says.

They stand at module level, so that worker processes can import them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from automl.benchmark.hostile import Hog, HostileClassifier, Killer, Sleeper, Stubborn
from search_space.arrays import FloatArray

__all__ = ["Boom", "Hog", "Killer", "NanProba", "Sleeper", "Stubborn"]


def explode() -> None:
    raise ValueError("boom")


def do_no_harm() -> None:
    pass


class Boom(HostileClassifier):
    """Raises an error."""

    misbehave = staticmethod(explode)


class NanProba(HostileClassifier):
    """Predicts probabilities that are no numbers."""

    misbehave = staticmethod(do_no_harm)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return NaN for each class."""
        return np.full((len(X), len(self.classes_)), np.nan)
