r"""Expected improvement of a normal prediction, and its logarithm.

The loss is minimised, so a candidate improves by what its loss falls below the incumbent's:
:math:`EI = E[\max(incumbent - f, 0)]` for :math:`f \sim N(mean, std^2)` [1]_. With
:math:`z = (incumbent - mean) / std` this is :math:`std \, h(z)`,
:math:`h(z) = \varphi(z) + z \Phi(z)`.

Rank candidates by the logarithm: from z of about -38 the value itself is 0 in double precision,
and candidates that differ look the same [2]_.

References
----------
.. [1] Jones, Schonlau, Welch (1998). Efficient Global Optimization of Expensive Black-Box
   Functions. Journal of Global Optimization 13, 455-492.
.. [2] Ament et al. (2023). Unexpected Improvements to Expected Improvement for Bayesian
   Optimization. NeurIPS. https://arxiv.org/abs/2310.20708
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, ndtr

from automl.acquisition.predictions import standardised_fall
from search_space.arrays import FloatArray

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_SERIES_BELOW = -50.0  # there both ways are good to 3e-13, and the other one loses digits below


def expected_improvement(mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
    """Return the expected fall of the loss below the incumbent.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative. Where one is zero
        the definition still holds: the improvement is certain, and zero if there is none.
    incumbent : float, loss
        Best loss observed so far.

    Returns
    -------
    (c,) array, loss
        Never negative.

    Raises
    ------
    ValueError
        If the shapes differ or a standard deviation is negative.

    Examples
    --------
    >>> expected_improvement(np.array([0.0, 0.2]), np.array([1.0, 0.0]), incumbent=0.3).round(4)
    array([0.5668, 0.1   ])
    """
    return np.exp(log_expected_improvement(mean, std, incumbent))


def log_expected_improvement(mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
    """Return the logarithm of :func:`expected_improvement`.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    incumbent : float, loss
        Best loss observed so far.

    Returns
    -------
    (c,) array, log loss
        Minus infinity only where there is no improvement and the standard deviation is zero, or
        next to nothing (z below about -1e154).

    Raises
    ------
    ValueError
        If the shapes differ or a standard deviation is negative.
    """
    z = standardised_fall(mean, std, incumbent)
    # Differs from OpenBox, which gives 0 to every candidate without variance.
    result = np.full(mean.shape, -np.inf)
    certain, uncertain = z == np.inf, np.isfinite(z)
    result[certain] = np.log(incumbent - mean[certain])
    with np.errstate(over="ignore"):  # of z^2, whose negative is the exponent
        result[uncertain] = _log_h(z[uncertain]) + np.log(std[uncertain])
    return result


def _log_h(z: FloatArray) -> FloatArray:
    """Return log(phi(z) + z Phi(z)) to nearly full precision for every z."""
    result = np.empty_like(z)
    above, far = z >= 0.0, z < _SERIES_BELOW
    below = ~(above | far)
    result[above] = _log_h_above_zero(z[above])
    result[below] = _log_h_below_zero(z[below])
    result[far] = _log_h_series(z[far])
    return result


def _log_phi(z: FloatArray) -> FloatArray:
    """Return the logarithm of the standard normal density."""
    return np.asarray(-0.5 * z**2 - _LOG_SQRT_2PI)


def _log_h_above_zero(z: FloatArray) -> FloatArray:
    """Return log h where both of its terms are positive."""
    return np.asarray(np.log(np.exp(_log_phi(z)) + z * ndtr(z)))


def _log_h_below_zero(z: FloatArray) -> FloatArray:
    """Return log h as log phi + log(1 + z Phi / phi), the ratio from the scaled error function."""
    mills = math.sqrt(0.5 * math.pi) * erfcx(-z / math.sqrt(2.0))
    return np.asarray(_log_phi(z) + np.log1p(z * mills))


def _log_h_series(z: FloatArray) -> FloatArray:
    """Return log h by the expansion h = phi / z^2 (1 - 3 / z^2 + 15 / z^4 - 105 / z^6 + ...)."""
    w = 1.0 / z**2
    correction = np.log1p(-w * (3.0 - w * (15.0 - w * (105.0 - 945.0 * w))))
    return np.asarray(_log_phi(z) - 2.0 * np.log(-z) + correction)
