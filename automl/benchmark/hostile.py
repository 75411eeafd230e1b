"""Learners that misbehave on purpose, to be planted in a search."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.dummy import DummyClassifier

from search_space.arrays import FloatArray
from search_space.classifiers.probabilistic import ProbabilisticClassifier

_LONG = 600.0  # seconds, longer than any limit that is tried


def sleep() -> None:
    """Sleep far beyond every limit."""
    time.sleep(_LONG)


def ignore_interrupts() -> None:
    """Swallow whatever is thrown in, for a long time."""
    end = time.monotonic() + _LONG
    while time.monotonic() < end:
        with contextlib.suppress(BaseException):
            time.sleep(1.0)


def kill_itself() -> None:
    """Send SIGKILL to this process."""
    os.kill(os.getpid(), signal.SIGKILL)


def allocate() -> None:
    """Fill the memory."""
    blocks = []
    while True:
        blocks.append(np.ones(10**7))


def fork() -> None:
    """Leave a child in a session of its own behind, and sleep in both processes."""
    if os.fork() == 0:
        os.setsid()
    time.sleep(_LONG)


class HostileClassifier(ProbabilisticClassifier):
    """Predicts the class frequencies once it has misbehaved."""

    misbehave: ClassVar[Callable[[], None]]

    def fit(self, X: Any, y: Any) -> Self:
        """Misbehave, then fit."""
        type(self).misbehave()
        self.model_ = DummyClassifier(strategy="prior").fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the class frequencies."""
        probabilities: FloatArray = self.model_.predict_proba(X)
        return probabilities


class Sleeper(HostileClassifier):
    """Sleeps."""

    misbehave = staticmethod(sleep)


class Stubborn(HostileClassifier):
    """Ignores interrupts."""

    misbehave = staticmethod(ignore_interrupts)


class Killer(HostileClassifier):
    """Kills its own process."""

    misbehave = staticmethod(kill_itself)


class Hog(HostileClassifier):
    """Allocates without end."""

    misbehave = staticmethod(allocate)


class Forker(HostileClassifier):
    """Forks and sleeps."""

    misbehave = staticmethod(fork)


HOSTILE_LEARNERS = (Sleeper(), Stubborn(), Killer(), Hog(), Forker())
