r"""What every acquisition function of one normal prediction for each candidate begins with.

The loss is minimised: a candidate falls below the incumbent by
:math:`z = (incumbent - mean) / std` of its standard deviations.
"""

from __future__ import annotations

import numpy as np

from search_space.arrays import FloatArray


def check_predictions(mean: FloatArray, std: FloatArray) -> None:
    """Refuse predictions that are none.

    Parameters
    ----------
    mean, std : arrays, loss
        Predictions for candidates.

    Raises
    ------
    ValueError
        If the shapes differ or a standard deviation is negative or missing.
    """
    if mean.shape != std.shape:
        raise ValueError(f"mean {mean.shape} and std {std.shape} must have the same shape")
    if not np.all(std >= 0.0):
        raise ValueError("no std may be negative")


def standardised_fall(mean: FloatArray, std: FloatArray, incumbent: float) -> FloatArray:
    """Return by how many standard deviations each mean lies below the incumbent.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    incumbent : float, loss
        Best loss observed so far.

    Returns
    -------
    (c,) array, standard deviations
        Where the standard deviation is zero: infinite if there is an improvement, which is
        certain, and minus infinity if there is none.

    Raises
    ------
    ValueError
        If the shapes differ or a standard deviation is negative or missing.

    Examples
    --------
    >>> mean, std = np.array([0.1, 0.7, 0.2, 0.3]), np.array([0.1, 0.2, 0.0, 0.0])
    >>> standardised_fall(mean, std, incumbent=0.3).round(4)
    array([  2.,  -2.,  inf, -inf])
    """
    check_predictions(mean, std)
    fall = incumbent - mean
    z = np.where(fall > 0.0, np.inf, -np.inf)
    uncertain = std > 0.0
    with np.errstate(over="ignore"):  # then infinity is the nearest number
        z[uncertain] = fall[uncertain] / std[uncertain]
    return z
