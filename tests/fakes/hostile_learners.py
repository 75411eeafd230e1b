"""Classifiers that misbehave, each in the way that its name says, and one that does not."""

from __future__ import annotations

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

__all__ = ["Boom", "Hog", "Killer", "NanProba", "PriorClassifier", "Sleeper", "Stubborn"]


class PriorClassifier(HostileClassifier):
    """Does no harm."""

    misbehave = staticmethod(behave)
