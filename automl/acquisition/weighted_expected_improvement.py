r"""Expected improvement with its two terms weighted: Eq. (1) of SAWEI.

With :math:`z = (incumbent - mean) / std`,

.. math:: WEI(\alpha) = \alpha \, z \, std \, \Phi(z) + (1 - \alpha) \, std \, \varphi(z),

an exploiting and an exploring term [1]_ [2]_. Half of expected improvement is
:math:`\alpha = 1/2`; the exploiting term alone, which resembles the probability of improvement,
is :math:`\alpha = 1`.

What holds at equal standard deviations: a lower mean never scores worse for :math:`\alpha` in
[0.19, 0.5]. Below, the exploring term prefers means near the incumbent to lower ones. Above, the
score is negative for means well above the incumbent and rises to 0 from there on, so that of two
hopeless candidates the more hopeless is preferred; `acquisition.WeightedExpectedImprovement` puts
that right.

References
----------
.. [1] Sobester, Leary, Keane (2005). On the Design of Optimization Strategies Based on Global
   Response Surface Approximation Models. Journal of Global Optimization 33, 31-59.
.. [2] Benjamins et al. (2023). Self-Adjusting Weighted Expected Improvement for Bayesian
   Optimization. AutoML-Conf, eq. (1). https://arxiv.org/abs/2306.04262
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from automl.acquisition.expected_improvement import log_expected_improvement
from automl.acquisition.predictions import standardised_fall
from search_space.arrays import FloatArray

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)


def exploration_term(mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
    r"""Return :math:`std \, \varphi(z)`, eq. (3) of [2]_.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    incumbent : float, loss
        Best loss observed so far.

    Returns
    -------
    (c,) array, loss
        Never negative; zero without uncertainty.

    Raises
    ------
    ValueError
        If the shapes differ or a standard deviation is negative.

    Examples
    --------
    >>> exploration_term(np.array([0.3, 0.2]), np.array([1.0, 0.0]), incumbent=0.3).round(4)
    array([0.3989, 0.    ])
    """
    return np.exp(_log_exploration_term(mean, std, incumbent))


def exploitation_term(mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
    r"""Return :math:`z \, std \, \Phi(z) = (incumbent - mean) \Phi(z)`, eq. (4) of [2]_.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    incumbent : float, loss
        Best loss observed so far.

    Returns
    -------
    (c,) array, loss
        Negative where the mean is above the incumbent. Without uncertainty the definition still
        holds: what the mean lies below the incumbent, and zero if it does not.

    Raises
    ------
    ValueError
        If the shapes differ or a standard deviation is negative.

    Examples
    --------
    >>> exploitation_term(np.array([0.3, 0.2]), np.array([1.0, 0.0]), incumbent=0.3).round(4)
    array([0. , 0.1])
    """
    # Differs from the published code, which gives 0 to every candidate without variance.
    return np.asarray((incumbent - mean) * ndtr(standardised_fall(mean, std, incumbent)))


def weighted_expected_improvement(
    mean: FloatArray, std: FloatArray, incumbent: float, *, alpha: float
) -> FloatArray:
    """Return the weighted sum of both terms.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    incumbent : float, loss
        Best loss observed so far.
    alpha : float
        Weight of exploitation, in [0, 1].

    Returns
    -------
    (c,) array, loss
        Greater is better. May be negative if alpha exceeds 1/2.

    Raises
    ------
    ValueError
        If the shapes differ, a standard deviation is negative, or alpha is outside [0, 1].

    Examples
    --------
    >>> mean, std = np.array([0.3, 0.2]), np.array([1.0, 0.0])
    >>> weighted_expected_improvement(mean, std, 0.3, alpha=0.75).round(4)
    array([0.0997, 0.075 ])
    """
    _check_alpha(alpha, highest=1.0)
    if alpha <= 0.5:
        # The terms of opposite signs cancel, which the logarithm avoids.
        return np.exp(log_weighted_expected_improvement(mean, std, incumbent, alpha=alpha))
    exploit = exploitation_term(mean, std, incumbent)
    return alpha * exploit + (1.0 - alpha) * exploration_term(mean, std, incumbent)


def log_weighted_expected_improvement(
    mean: FloatArray, std: FloatArray, incumbent: float, *, alpha: float
) -> FloatArray:
    r"""Return the logarithm of :func:`weighted_expected_improvement` where it is never negative.

    The sum is written :math:`\alpha \, EI + (1 - 2 \alpha) \, std \, \varphi(z)`, of which both
    parts are positive for :math:`\alpha \le 1/2`; candidates whose sum underflows are told apart.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    incumbent : float, loss
        Best loss observed so far.
    alpha : float
        Weight of exploitation, in [0, 1/2].

    Returns
    -------
    (c,) array, log loss
        Greater is better.

    Raises
    ------
    ValueError
        If the shapes differ, a standard deviation is negative, or alpha is outside [0, 1/2].
    """
    _check_alpha(alpha, highest=0.5)
    improvement = log_expected_improvement(mean, std, incumbent) + _log(alpha)
    exploration = _log_exploration_term(mean, std, incumbent) + _log(1.0 - 2.0 * alpha)
    return np.logaddexp(improvement, exploration)


def _log_exploration_term(mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
    """Return log(std phi(z)), minus infinity where the standard deviation is zero."""
    z = standardised_fall(mean, std, incumbent)
    with np.errstate(divide="ignore", over="ignore"):  # minus infinity is meant
        return np.asarray(np.log(std) - 0.5 * z**2 - _LOG_SQRT_2PI)


def _log(weight: float) -> float:
    return math.log(weight) if weight > 0.0 else -math.inf


def _check_alpha(alpha: float, *, highest: float) -> None:
    if not 0.0 <= alpha <= highest:
        raise ValueError(f"alpha must lie in [0, {highest:g}], got {alpha}")
