"""Surrogates whose answers are known, and which remember what they were asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from automl.errors import SurrogateError
from search_space.arrays import FloatArray


@dataclass
class KnownLoss:
    """Predicts a linear function of the encoded configuration, everywhere as certain."""

    std: float = 0.1
    fitted_on: list[tuple[FloatArray, FloatArray]] = field(default_factory=list)

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> KnownLoss:  # noqa: ARG002
        """Remember the observations and learn nothing from them."""
        self.fitted_on.append((X, y))
        return self

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the same mean for the same configuration, always."""
        # Irrational slopes: no two different configurations tie.
        slopes = np.sqrt(np.arange(2, X.shape[1] + 2))
        return X @ slopes, np.full(len(X), self.std)


@dataclass
class KnownDiversity:
    """Predicts the distance of the encoded configurations, with a share of it as deviation."""

    doubt: float = 0.0
    fitted_on: list[tuple[FloatArray, FloatArray]] = field(default_factory=list)
    pools: list[FloatArray] = field(default_factory=list)

    def fit(
        self,
        X: FloatArray,
        diversity: FloatArray,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> KnownDiversity:
        """Remember the observations and learn nothing from them."""
        self.fitted_on.append((X, diversity))
        return self

    def predict(self, A: FloatArray, B: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the distance of every pair, and remember the pool."""
        self.pools.append(B)
        mean = np.linalg.norm(A[:, np.newaxis] - B[np.newaxis], axis=-1)
        return mean, self.doubt * mean


@dataclass
class FixedPrediction:
    """Predicts the same everywhere, and counts how often it is asked."""

    mean: float
    std: float = 1.0
    asked: int = 0

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> FixedPrediction:  # noqa: ARG002
        """Learn nothing."""
        return self

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what was given."""
        self.asked += 1
        return np.full(len(X), self.mean), np.full(len(X), self.std)


@dataclass
class Unfittable:
    """Can never be fitted, whatever the observations."""

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> KnownLoss:  # noqa: ARG002
        """Fail as surrogates do."""
        raise SurrogateError("no factor")
