"""Learners that misbehave on purpose, to be planted in a search."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
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


def shout() -> None:
    """Write to both standard streams, past Python too."""
    sys.stdout.write("noise\n" * 1000)
    sys.stderr.write("noise\n" * 1000)
    os.write(1, b"raw noise\n" * 10_000)
    os.write(2, b"raw noise\n" * 10_000)


def leave_files() -> None:
    """Leave files and folders in the current folder and where temporary files go."""
    Path("left_by_learner").write_bytes(bytes(100_000))
    Path(tempfile.mkdtemp(), "left too").write_bytes(bytes(100_000))


def leave_open() -> None:
    """Leave files open."""
    _KEPT.extend(tempfile.TemporaryFile() for _ in range(50))  # noqa: SIM115 - that is the point


def fail() -> None:
    """Raise an error."""
    raise ValueError("boom")


def behave() -> None:
    """Do nothing that is wrong."""


_KEPT: list[Any] = []


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


class Shouter(HostileClassifier):
    """Prints, then works."""

    misbehave = staticmethod(shout)


class Litterer(HostileClassifier):
    """Leaves files behind, then works."""

    misbehave = staticmethod(leave_files)


class Opener(HostileClassifier):
    """Leaves files open, then works."""

    misbehave = staticmethod(leave_open)


class Boom(HostileClassifier):
    """Raises an error."""

    misbehave = staticmethod(fail)


class NanProba(HostileClassifier):
    """Predicts probabilities that are no numbers."""

    misbehave = staticmethod(behave)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return NaN for each class."""
        return np.full((len(X), len(self.classes_)), np.nan)


MISBEHAVING_LEARNERS = (*HOSTILE_LEARNERS, Shouter(), Litterer(), Opener(), Boom(), NanProba())
