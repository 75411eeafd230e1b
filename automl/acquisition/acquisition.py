"""What an acquisition function of one prediction is: settings that give candidates a score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from automl.acquisition.confidence_bound import confidence_score
from automl.acquisition.expected_improvement import log_expected_improvement
from automl.acquisition.improvement_probability import log_improvement_probability
from automl.acquisition.weighted_expected_improvement import (
    log_weighted_expected_improvement,
    weighted_expected_improvement,
)
from search_space.arrays import FloatArray

_LARGEST_LOG = 710.0  # no logarithm of a float is as large


class AcquisitionFunction(Protocol):
    """Settings of a score; scoring leaves them as they are."""

    def __call__(self, mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
        """Return how much each candidate is worth evaluating.

        Parameters
        ----------
        mean, std : (c,) arrays, loss
            Predictions for c candidates; the standard deviations are not negative.
        incumbent : float, loss
            Best loss observed so far.

        Returns
        -------
        (c,) array
            Greater is better; only the order counts. Never NaN for finite predictions.

        Raises
        ------
        ValueError
            If the shapes differ or a standard deviation is negative.
        """
        ...


@dataclass(frozen=True, slots=True)
class ExpectedImprovement:
    """The logarithm of expected improvement.

    Attributes
    ----------
    margin : float, loss
        What a loss has to be below the incumbent to count; greater ones explore more.
    """

    margin: float = 0.0

    def __call__(self, mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
        """Return how much each candidate is worth evaluating."""
        return log_expected_improvement(mean, std, incumbent - self.margin)


@dataclass(frozen=True, slots=True)
class ImprovementProbability:
    """The logarithm of the probability of improvement.

    Attributes
    ----------
    margin : float, loss
        What a loss has to be below the incumbent to count; greater ones explore more.
    """

    margin: float = 0.0

    def __call__(self, mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
        """Return how much each candidate is worth evaluating."""
        return log_improvement_probability(mean, std, incumbent - self.margin)


@dataclass(frozen=True, slots=True)
class ConfidenceBound:
    """The negative of the lower confidence bound; the incumbent does not count.

    Attributes
    ----------
    kappa : float, standard deviations
        Width of the bound, not negative.
    """

    kappa: float

    def __post_init__(self) -> None:
        """Refuse a width that is none."""
        if not 0.0 <= self.kappa < math.inf:
            raise ValueError(f"kappa must be finite and not negative, got {self.kappa}")

    def __call__(self, mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:  # noqa: ARG002 - the protocol has it
        """Return how much each candidate is worth evaluating."""
        return confidence_score(mean, std, kappa=self.kappa)


@dataclass(frozen=True, slots=True)
class WeightedExpectedImprovement:
    """Weighted expected improvement, its logarithm where it is never negative.

    Where it may be, for weights above 1/2, it is so for all candidates that hardly improve, and
    the closer to 0 the less they do. These have their expected improvement instead, below all
    others. Otherwise, where no candidate is expected to improve, the most hopeless one would win.

    Attributes
    ----------
    alpha : float
        Weight of exploitation, in [0, 1]. A lower mean never scores worse at equal standard
        deviations for weights of at least 0.19.
    """

    alpha: float

    def __post_init__(self) -> None:
        """Refuse a weight out of range."""
        if not 0.0 <= self.alpha <= 1.0:
            raise ValueError(f"alpha must lie in [0, 1], got {self.alpha}")

    def __call__(self, mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
        """Return how much each candidate is worth evaluating."""
        if self.alpha <= 0.5:
            return log_weighted_expected_improvement(mean, std, incumbent, alpha=self.alpha)
        score = weighted_expected_improvement(mean, std, incumbent, alpha=self.alpha)
        hopeless = score <= 0.0
        improvement = log_expected_improvement(mean[hopeless], std[hopeless], incumbent)
        score[hopeless] = improvement - _LARGEST_LOG
        return score
