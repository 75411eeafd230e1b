r"""Probability of improvement of a normal prediction, and its logarithm.

The loss is minimised: :math:`PI = P(f < incumbent) = \Phi(z)` for :math:`f \sim N(mean, std^2)`
and :math:`z = (incumbent - mean) / std` [1]_.

Rank candidates by the logarithm: below z of about -38 the probability is 0 in double precision,
and above 8 it is 1.

References
----------
.. [1] Kushner (1964). A New Method of Locating the Maximum Point of an Arbitrary Multipeak Curve
   in the Presence of Noise. Journal of Basic Engineering 86, 97-106.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, ndtr

from automl.acquisition.predictions import standardised_fall
from search_space.arrays import FloatArray


def improvement_probability(mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
    """Return the probability that the loss falls below the incumbent.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative. Where one is zero
        the definition still holds: one if the mean is below the incumbent, otherwise zero.
    incumbent : float, loss
        Best loss observed so far.

    Returns
    -------
    (c,) array
        In [0, 1].

    Raises
    ------
    ValueError
        If the shapes differ or a standard deviation is negative.

    Examples
    --------
    >>> mean, std = np.array([0.3, 0.2, 0.5]), np.array([1.0, 0.0, 0.1])
    >>> improvement_probability(mean, std, incumbent=0.3).round(4)
    array([0.5   , 1.    , 0.0228])
    """
    return np.asarray(ndtr(standardised_fall(mean, std, incumbent)))


def log_improvement_probability(mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
    """Return the logarithm of :func:`improvement_probability`.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    incumbent : float, loss
        Best loss observed so far.

    Returns
    -------
    (c,) array
        Not positive. Minus infinity where the standard deviation is zero, or next to nothing
        (z below about -1e154), and there is no improvement.

    Raises
    ------
    ValueError
        If the shapes differ or a standard deviation is negative.

    Examples
    --------
    >>> log_improvement_probability(np.array([40.0, 41.0]), np.ones(2), incumbent=0.0).round(3)
    array([-804.608, -845.133])
    """
    return np.asarray(log_ndtr(standardised_fall(mean, std, incumbent)))
