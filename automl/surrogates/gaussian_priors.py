r"""What is expected of the parameters of a Gaussian process before losses are seen.

=============  ===================================================================================
length scales  log-normal around sqrt(d), which keeps many columns from explaining few losses [4]_
weights        log-normal; the median makes all categorical hyperparameters together change a
               correlation by a factor e
variance       Gamma(1/2, 1/2), as in HEBO [1]_
noise          log-normal around 0.01, as in HEBO [1]_, or a horseshoe prior, as in SMAC [3]_
=============  ===================================================================================

Noise is the variance of a standardised loss at one configuration. Its prior decides what happens
where observations leave it open: a process that expects noise smooths, one that expects none
follows each loss.

References
----------
.. [1] Cowen-Rivers et al. (2022). HEBO: Pushing the Limits of Sample-Efficient Hyper-parameter
   Optimisation. Journal of Artificial Intelligence Research 74, 1269-1349.
.. [2] Carvalho, Polson, Scott (2010). The horseshoe estimator for sparse signals. Biometrika 97,
   465-480: bounds of the density, Theorem 1.
.. [3] Lindauer et al. (2022). SMAC3: A Versatile Bayesian Optimization Package for Hyperparameter
   Optimization. Journal of Machine Learning Research 23(54).
.. [4] Hvarfner, Hellsten, Nardi (2024). Vanilla Bayesian Optimization Performs Great in High
   Dimensions. ICML. https://arxiv.org/abs/2402.02229
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from automl.surrogates.surrogate import check_positive
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

_VARIANCE_SHAPE = 0.5  # shape and rate of the Gamma prior
_BOUNDS_OF_SCALES = (math.log(0.01), math.log(1e4))
_BOUNDS_OF_WEIGHTS = (math.log(1e-6), math.log(20.0))
_BOUNDS_OF_VARIANCE = (math.log(1e-3), math.log(1e2))


class NoisePrior(Protocol):
    """A prior of the logarithm of the noise, and where a search for it may go."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest logarithm."""
        ...

    @property
    def start(self) -> float:
        """Logarithm where a search begins first."""
        ...

    def density(self, log_noise: float) -> tuple[float, float]:
        """Return the log density at a logarithm, but for a constant, and its derivative."""
        ...

    def draw(self, rng: np.random.Generator) -> float:
        """Return the logarithm of a draw, which may be out of bounds."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LogNormalNoise:
    """Noise is expected: a log-normal prior; the defaults are those of HEBO [1]_.

    Attributes
    ----------
    median : float
        Of the noise.
    deviation : float
        Standard deviation of its logarithm.
    floor, ceiling : float
        Smallest and largest noise.
    """

    median: float = 0.01
    deviation: float = 0.5
    floor: float = 8e-4
    ceiling: float = 10.0

    def __post_init__(self) -> None:
        check_positive(
            median=self.median, deviation=self.deviation, floor=self.floor, ceiling=self.ceiling
        )

    @property
    def bounds(self) -> tuple[float, float]:
        """Logarithms of floor and ceiling."""
        return math.log(self.floor), math.log(self.ceiling)

    @property
    def start(self) -> float:
        """Logarithm of the median."""
        return math.log(self.median)

    def density(self, log_noise: float) -> tuple[float, float]:
        """Return the log density of the logarithm, but for a constant, and its derivative."""
        z = (log_noise - self.start) / self.deviation
        return -0.5 * z * z, -z / self.deviation

    def draw(self, rng: np.random.Generator) -> float:
        """Return the logarithm of a draw."""
        return self.start + self.deviation * float(rng.normal())


@dataclass(frozen=True, slots=True, kw_only=True)
class HorseshoeNoise:
    r"""Little noise is expected but any is possible: a horseshoe prior, as in SMAC [3]_.

    The density of the noise :math:`\theta` itself is, but for a constant, approximated by
    :math:`\log(1 + 3 (s / \theta)^2)`, a form of the bounds of [2]_. Its mode is sought as it is:
    without the factor :math:`\theta` of a density of the logarithm, which would make noise around s
    likely.

    Attributes
    ----------
    scale : float
        s; noise well below it is expected.
    first : float
        Noise at which a search begins first. At much less, the slope of the likelihood would be too
        small for the search to move.
    floor, ceiling : float
        Smallest and largest noise.
    """

    scale: float = 0.1
    first: float = 1e-4
    floor: float = 1e-8
    ceiling: float = 10.0

    def __post_init__(self) -> None:
        check_positive(scale=self.scale, first=self.first, floor=self.floor, ceiling=self.ceiling)

    @property
    def bounds(self) -> tuple[float, float]:
        """Logarithms of floor and ceiling."""
        return math.log(self.floor), math.log(self.ceiling)

    @property
    def start(self) -> float:
        """Logarithm of the first noise."""
        return math.log(self.first)

    def density(self, log_noise: float) -> tuple[float, float]:
        """Return the log density of the noise, but for a constant; its derivative by the log."""
        odds = 3.0 * (self.scale * math.exp(-log_noise)) ** 2
        density = math.log1p(odds)
        return math.log(density), -2.0 * odds / ((1.0 + odds) * density)

    def draw(self, rng: np.random.Generator) -> float:
        """Return the logarithm of the size of a draw: a normal one of half-Cauchy deviation."""
        deviation = abs(float(rng.standard_cauchy()))
        return math.log(self.scale * max(deviation * abs(float(rng.normal())), self.floor))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPriors:
    """Priors of the logarithms of length scales, weights, variance and noise, in this order.

    Attributes
    ----------
    medians, deviations : (p - 2,) arrays
        Of the logarithms of length scales and weights, which are normal.
    kernel_bounds : sequence of p - 2 pairs
        Where they may be.
    noise : NoisePrior
        Of the noise.
    """

    medians: FloatArray
    deviations: FloatArray
    kernel_bounds: Sequence[tuple[float, float]]
    noise: NoisePrior

    @classmethod
    def of(cls, layout: ColumnLayout, noise: NoisePrior) -> LogPriors:
        """Return the priors for these columns."""
        d, g = len(layout.numeric), len(layout.categorical)
        scales, weights = math.sqrt(2.0) + 0.5 * math.log(max(d, 1)), -math.log(max(g, 1))
        return cls(
            medians=np.array([*[scales] * d, *[weights] * g]),
            deviations=np.array([*[math.sqrt(3.0)] * d, *[1.0] * g]),
            kernel_bounds=[*[_BOUNDS_OF_SCALES] * d, *[_BOUNDS_OF_WEIGHTS] * g],
            noise=noise,
        )

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Range of each of the p logarithms."""
        return [*self.kernel_bounds, _BOUNDS_OF_VARIANCE, self.noise.bounds]

    @property
    def start(self) -> FloatArray:
        """Where a search begins first, (p,)."""
        return np.array([*self.medians, 0.0, self.noise.start])

    def density(self, logs: FloatArray) -> tuple[float, FloatArray]:
        """Return the log density of the logarithms, but for a constant, and its gradient."""
        z = (logs[:-2] - self.medians) / self.deviations
        variance = math.exp(logs[-2])
        of_variance = _VARIANCE_SHAPE * (float(logs[-2]) - variance)
        of_noise, by_noise = self.noise.density(float(logs[-1]))
        gradient = [*(-z / self.deviations), _VARIANCE_SHAPE * (1.0 - variance), by_noise]
        return -0.5 * float(z @ z) + of_variance + of_noise, np.array(gradient)

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Return a draw, the variance aside, which stays where its prior is centred."""
        *normal, _of_variance = rng.normal(size=len(self.medians) + 1)
        drawn = self.medians + self.deviations * normal
        return np.array([*drawn, 0.0, self.noise.draw(rng)])
