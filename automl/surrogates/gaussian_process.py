"""A Gaussian process over numbers and categories, with parameters of greatest posterior density.

Losses are standardised, so that the mean of the process is their mean. Length scales, weights,
variance and noise are those of greatest posterior density, found on their logarithms from a few
starting points: the medians of the priors (:mod:`automl.surrogates.gaussian_priors`), and draws
from them. Where those of a process of nearly the same observations are known, the search begins
there, which is a small part of the work, and at the other points only where observations have
become a tenth more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import minimize

from automl.errors import SurrogateError
from automl.surrogates.gaussian_likelihood import (
    cholesky_factor,
    diagonal_of,
    log_likelihood,
    precision_times,
    solve_lower,
)
from automl.surrogates.gaussian_priors import LogNormalNoise, LogPriors, NoisePrior
from automl.surrogates.kernels import MixedKernel, Points, points_of
from automl.surrogates.surrogate import check_observations, check_positive
from search_space.arrays import FloatArray, IntArray
from search_space.encoding import ColumnLayout

# Differs from HEBO's, the Gaussian process of DensBO: categories have a Hamming factor instead of
# learned embeddings, smoothness is 5/2 instead of 3/2, and the parameters come from a
# deterministic optimiser instead of a hundred noisy gradient steps.

_BLOCK = 500  # configurations that are predicted together: larger arrays do not stay in the cache
_SEARCHED_AT = "searched_at"
_DIGITS = 4  # of logarithms that are remembered
_SMALLEST_GAIN = 1e-5  # relative, of the log posterior: a step that gains less is the last


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownParameters:
    """Parameters of a process, from which those of another one with a few more losses are near.

    Attributes
    ----------
    logs : (p,) array
        Logarithms of length scales, weights, variance and noise.
    searched_at : int
        Number of observations when the search for them last began at all starting points.
    """

    logs: FloatArray
    searched_at: int

    @classmethod
    def remembered(cls, memory: Mapping[str, float]) -> KnownParameters:
        """Return parameters from what :attr:`memory` gave."""
        logs = np.array([memory[str(i)] for i in range(len(memory) - 1)])
        return cls(logs=logs, searched_at=int(memory[_SEARCHED_AT]))

    @property
    def memory(self) -> Mapping[str, float]:
        """These as numbers by name, rounded, as a start of a search may be."""
        named = {str(i): round(float(log), _DIGITS) for i, log in enumerate(self.logs)}
        return {_SEARCHED_AT: float(self.searched_at), **named}


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianProcess:
    """Settings of the process.

    Attributes
    ----------
    layout : ColumnLayout
        What the columns of encoded configurations are.
    noise : NoisePrior
        What is expected of noise.
    n_starts : int
        Starting points of the search for parameters.
    max_steps : int
        Steps of the search from each.
    max_rows : int
        Observations that the parameters are found from, drawn from all: the time for it grows with
        their cube. Predictions know all observations.
    first_rows : int
        Where there are half as many again, the search for parameters goes over so many of them
        from all starting points, and over all of them from what that has found alone.
    std_floor : float, standard deviations of the observed losses
        Smallest predicted standard deviation, positive.
    growth : float
        By which share observations have to grow in number before the search for parameters begins
        at all starting points again, and not at known parameters alone. Below half of `first_rows`
        it always does: it costs little, and the parameters still change a lot.
    known : KnownParameters or None
        Of a process of nearly the same observations.
    """

    layout: ColumnLayout
    noise: NoisePrior = field(default_factory=LogNormalNoise)
    n_starts: int = 2
    max_steps: int = 40
    max_rows: int = 300
    first_rows: int = 100
    std_floor: float = 1e-6
    growth: float = 0.1
    known: KnownParameters | None = None

    def __post_init__(self) -> None:
        check_positive(
            n_starts=self.n_starts,
            max_steps=self.max_steps,
            max_rows=self.max_rows,
            first_rows=self.first_rows,
            std_floor=self.std_floor,
            growth=self.growth,
        )

    @property
    def _priors(self) -> LogPriors:
        return LogPriors.of(self.layout, self.noise)

    def continued(self, memory: Mapping[str, float]) -> GaussianProcess:
        """Return the same settings, the search for parameters beginning at those remembered."""
        n_parameters = len(self._priors.start)
        if memory.keys() != {_SEARCHED_AT, *map(str, range(n_parameters))}:
            return self  # it is of another layout or surrogate
        return replace(self, known=KnownParameters.remembered(memory))

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> FittedGaussianProcess:
        """Fit the process; see :class:`automl.surrogates.surrogate.Surrogate`.

        Raises
        ------
        SurrogateError
            If the losses are too large to be standardised, or no parameters were found for which
            the covariance matrix can be factorised.
        """
        check_observations(X, y)
        points = points_of(X, self.layout)
        centre, scale = _location_and_scale(y)
        targets = (y - centre) / scale
        parameters = self._most_probable(X, targets, rng)
        kernel, noise = kernel_and_noise(parameters.logs, self.layout)
        factor = cholesky_factor(_noisy(kernel.covariance(points, points), noise))
        alpha = precision_times(factor, targets)
        log_root = float(np.log(np.diag(factor)).sum()) + 0.5 * len(y) * math.log(2.0 * math.pi)
        return FittedGaussianProcess(
            settings=self,
            parameters=parameters,
            kernel=kernel,
            noise=noise,
            points=points,
            factor=factor,
            alpha=alpha,
            centre=centre,
            scale=scale,
            log_likelihood=-0.5 * float(targets @ alpha) - log_root - len(y) * math.log(scale),
        )

    def _most_probable(
        self, X: FloatArray, targets: FloatArray, rng: np.random.Generator
    ) -> KnownParameters:
        """Return the parameters, those known already being a start."""
        priors = self._priors
        if not targets.any():  # equal losses do not tell anything about the parameters
            return KnownParameters(logs=priors.start, searched_at=0)
        n, rows = len(X), _some(len(X), self.max_rows, rng)
        X, targets = X[rows], targets[rows]
        known = [] if self.known is None else [self.known.logs]
        if self.known is not None and self._is_near(self.known, n):
            with suppress(SurrogateError):  # other starts may lead further
                return replace(self.known, logs=self._best_of(X, targets, known, priors))
        starts = [*known, *self._starts(X, targets, priors, rng)]
        return KnownParameters(logs=self._best_of(X, targets, starts, priors), searched_at=n)

    def _is_near(self, known: KnownParameters, n: int) -> bool:
        """Return whether known parameters are a good enough start for n observations."""
        return self.first_rows <= 2 * n and n < (1.0 + self.growth) * known.searched_at

    def _starts(
        self, X: FloatArray, targets: FloatArray, priors: LogPriors, rng: np.random.Generator
    ) -> list[FloatArray]:
        """Return where a search begins that knows nothing."""
        starts = [priors.start, *(priors.draw(rng) for _ in range(self.n_starts - 1))]
        if len(X) < 1.5 * self.first_rows:
            return starts
        rows = _some(len(X), self.first_rows, rng)
        return [self._best_of(X[rows], targets[rows], starts, priors)]

    def _best_of(
        self, X: FloatArray, targets: FloatArray, starts: list[FloatArray], priors: LogPriors
    ) -> FloatArray:
        """Return the most probable of what searches from some starting points end at."""
        points, bounds = points_of(X, self.layout), priors.bounds
        best, least, reason = priors.start, math.inf, "no parameters were found"
        for start in starts:
            try:
                found = minimize(
                    _negative_log_posterior,
                    np.clip(start, *np.array(bounds).T),
                    args=(points, targets, self.layout, priors),
                    jac=True,
                    method="L-BFGS-B",
                    bounds=bounds,
                    options={"maxiter": self.max_steps, "ftol": _SMALLEST_GAIN},
                )
            except SurrogateError as error:
                reason = str(error)
                continue
            if found.fun < least:
                best, least = found.x, found.fun
        if least == math.inf:
            raise SurrogateError(reason)
        return np.asarray(best)


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedGaussianProcess:
    """A process given observations.

    Attributes
    ----------
    settings : GaussianProcess
        What it was fitted with.
    parameters : KnownParameters
        Logarithms of all parameters.
    kernel : MixedKernel
        Covariance of standardised losses.
    noise : float
        Variance of the noise of a standardised loss.
    points : Points
        The n observed configurations.
    factor : (n, n) array
        Lower Cholesky factor of their covariances, noise included.
    alpha : (n,) array
        The inverse of these covariances times the standardised losses.
    centre, scale : float, loss
        Mean and standard deviation of the losses.
    log_likelihood : float
        Log density of the losses at these parameters.
    """

    settings: GaussianProcess
    parameters: KnownParameters
    kernel: MixedKernel
    noise: float
    points: Points
    factor: FloatArray
    alpha: FloatArray
    centre: float
    scale: float
    log_likelihood: float

    @property
    def memory(self) -> Mapping[str, float]:
        """What :meth:`GaussianProcess.continued` begins at."""
        return self.parameters.memory

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the loss without noise.

        Parameters
        ----------
        X : (n, d) array
            Encoded configurations.

        Returns
        -------
        mean, std : (n,) arrays, loss
            The standard deviation is at least the floor.

        Raises
        ------
        ValueError
            If the number of columns is not that of the layout.
        """
        mean, variance = np.empty(len(X)), np.empty(len(X))
        for start in range(0, len(X), _BLOCK):
            block = slice(start, start + _BLOCK)
            points = points_of(X[block], self.settings.layout)
            cross = self.kernel.covariance(points, self.points)
            mean[block] = cross @ self.alpha
            explained = solve_lower(self.factor, cross)
            variance[block] = self.kernel.variance - np.einsum("ij,ij->i", explained, explained)
        std = np.sqrt(np.maximum(variance, self.settings.std_floor**2))
        return self.centre + self.scale * mean, self.scale * std


def kernel_and_noise(logs: FloatArray, layout: ColumnLayout) -> tuple[MixedKernel, float]:
    """Return the covariance and the variance of the noise from the logarithms of all parameters."""
    parameters = np.exp(logs)
    d = len(layout.numeric)
    kernel = MixedKernel(
        length_scales=parameters[:d],
        weights=parameters[d:-2],
        variance=float(parameters[-2]),
    )
    return kernel, float(parameters[-1])


def _negative_log_posterior(
    logs: FloatArray, points: Points, targets: FloatArray, layout: ColumnLayout, priors: LogPriors
) -> tuple[float, FloatArray]:
    """Return minus the log posterior density, but for a constant, and its gradient."""
    kernel, noise = kernel_and_noise(logs, layout)
    covariances, gradient_by = kernel.covariance_and_gradient(points)
    value, half = log_likelihood(_noisy(covariances, noise), targets)
    of_kernel = gradient_by(half)
    prior, of_prior = priors.density(logs)
    gradient = np.append(of_kernel, 2.0 * noise * np.trace(half)) + of_prior
    return -(value + prior), -gradient


def _noisy(covariances: FloatArray, noise: float) -> FloatArray:
    """Return covariances with noise added to the variances."""
    diagonal_of(covariances)[:] += noise
    return covariances


def _some(n: int, at_most: int, rng: np.random.Generator) -> IntArray:
    """Return the positions of all of n observations, or of so many of them, in order."""
    if n <= at_most:
        return np.arange(n)
    return np.sort(rng.choice(n, at_most, replace=False))


def _location_and_scale(y: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation, 1 for the latter if all are equal or nearly so."""
    with np.errstate(over="ignore", invalid="ignore"):
        centre, scale = float(np.mean(y)), float(np.std(y))
    if not (math.isfinite(centre) and math.isfinite(scale)):
        raise SurrogateError("the losses are too large to be standardised")
    # Of equal losses, mean and deviation may be off by rounding; of tiny ones, squares vanish.
    if np.ptp(y) == 0.0 or scale == 0.0:
        return float(y[0]), 1.0
    return centre, scale
