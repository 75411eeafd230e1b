"""Classifiers that misbehave, each in the way that its name says; otherwise they predict priors.

They stand at module level, so that worker processes can import them.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

from search_space.arrays import FloatArray

SECONDS = 600.0  # far beyond any time limit in a test


def sleep() -> None:
    time.sleep(SECONDS)


def sleep_stubbornly() -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            time.sleep(1.0)
        except BaseException:  # noqa: BLE001 - that is the point
            continue


def sleep_from_the_second_time_on() -> None:
    Lucky.n_fits += 1
    time.sleep(0.0 if Lucky.n_fits == 1 else SECONDS)


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def explode() -> None:
    raise ValueError("boom")


def allocate() -> None:
    hoard = [np.ones(10**7) for _ in range(10**4)]
    raise ValueError(f"{len(hoard)} arrays fit into memory")


def make_noise() -> None:
    sys.stdout.write("noise\n")
    warnings.warn("noise", stacklevel=1)
    os.write(1, b"raw noise\n")


def leave_a_file() -> None:
    Path("left_by_learner.tmp").write_bytes(bytes(10**6))


def take_time(probabilities: FloatArray) -> FloatArray:
    time.sleep(0.01 * len(probabilities))
    return probabilities


class PriorClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # bases are untyped
    """Predicts how frequent each class was; the well-behaved part of all others."""

    @staticmethod
    def before_fit() -> None:
        """Do no harm."""

    @staticmethod
    def distort(probabilities: FloatArray) -> FloatArray:
        """Change nothing."""
        return probabilities

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Do what the learner is known for, then count the classes."""
        self.before_fit()
        self.prior_ = DummyClassifier(strategy="prior").fit(X, y, sample_weight)
        self.classes_ = self.prior_.classes_
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the frequencies of the classes for each row, distorted."""
        return self.distort(self.prior_.predict_proba(X))

    def predict(self, X: Any) -> Any:
        """Return the class of the highest probability for each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Sleeper(PriorClassifier):
    """Takes too long, but can be interrupted."""

    before_fit = staticmethod(sleep)


class Stubborn(PriorClassifier):
    """Takes too long and swallows every interrupt."""

    before_fit = staticmethod(sleep_stubbornly)


class Lucky(PriorClassifier):
    """Is fast at its first fit in a process, and takes too long from then on."""

    n_fits: ClassVar[int] = 0
    before_fit = staticmethod(sleep_from_the_second_time_on)


class Killer(PriorClassifier):
    """Kills its own process."""

    before_fit = staticmethod(kill_itself)


class Boom(PriorClassifier):
    """Raises an error."""

    before_fit = staticmethod(explode)


class Hog(PriorClassifier):
    """Allocates memory until there is none."""

    before_fit = staticmethod(allocate)


class Chatty(PriorClassifier):
    """Prints, warns and writes to the file descriptor of the standard output."""

    before_fit = staticmethod(make_noise)


class FileEater(PriorClassifier):
    """Leaves a file in the working directory."""

    before_fit = staticmethod(leave_a_file)


class SlowPredict(PriorClassifier):
    """Takes 10 ms to predict a row."""

    distort = staticmethod(take_time)


class NanProba(PriorClassifier):
    """Predicts probabilities that are no numbers."""

    distort = staticmethod(lambda probabilities: probabilities * np.nan)


class BadSum(PriorClassifier):
    """Predicts probabilities that sum to 1.7."""

    distort = staticmethod(lambda probabilities: probabilities * 1.7)


class ClassLoser(PriorClassifier):
    """Predicts no probability for the last class."""

    distort = staticmethod(lambda probabilities: probabilities[:, :-1])
