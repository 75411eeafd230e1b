r"""How far the search may still be from the minimum, by what the surrogate believes.

.. math:: r = \min_{x \in G} UCB(x) - \min_{x \in X} LCB(x)

over the evaluated configurations G and the whole space X [1]_ [2]_; the smaller, the less is left
to gain.

References
----------
.. [1] Makarova et al. (2022). Automatic Termination for Hyperparameter Optimization. AutoML-Conf.
   https://arxiv.org/abs/2104.08166
.. [2] Benjamins et al. (2023). Self-Adjusting Weighted Expected Improvement for Bayesian
   Optimization. AutoML-Conf, eq. (2). https://arxiv.org/abs/2306.04262
"""

from __future__ import annotations

import math

import numpy as np

from automl.acquisition.confidence_bound import lower_confidence_bound, upper_confidence_bound
from search_space.arrays import FloatArray, IntArray


def upper_bound_regret(
    mean: FloatArray, std: FloatArray, lowest_elsewhere: float, *, kappa: float
) -> float:
    """Return the least upper bound evaluated less the least lower bound anywhere.

    Parameters
    ----------
    mean, std : (n,) arrays, loss
        Predictions for the evaluated configurations, at least one.
    lowest_elsewhere : float, loss
        Least lower confidence bound that a search of the space has found. The search need not
        pass the evaluated configurations: they are part of the space and are counted here.
    kappa : float, standard deviations
        Width of the bounds.

    Returns
    -------
    float, loss
        Never negative.

    Raises
    ------
    ValueError
        If the shapes differ, there is no prediction, a standard deviation or the width is
        negative, or the bound is missing.

    Examples
    --------
    >>> mean, std = np.array([0.3, 0.2]), np.array([0.0, 0.1])
    >>> round(upper_bound_regret(mean, std, 0.1, kappa=2.0), 4)
    0.3
    """
    if not mean.size or math.isnan(lowest_elsewhere):
        raise ValueError("need an evaluated configuration and a bound to compare it with")
    upper = float(upper_confidence_bound(mean, std, kappa=kappa).min())
    lower = float(lower_confidence_bound(mean, std, kappa=kappa).min())
    return upper - min(lower, lowest_elsewhere)


def best_share(losses: FloatArray, *, share: float) -> IntArray:
    """Return which configurations have the lowest losses.

    The regret of [2]_ is one over all that was evaluated, and its published code, like [1]_, takes
    the best half: give the predictions for these to :func:`upper_bound_regret` to do the same.

    Parameters
    ----------
    losses : (n,) array, loss
        Observed losses.
    share : float
        Part to keep, in (0, 1]; rounded up to whole configurations.

    Returns
    -------
    (m,) array of int
        Positions from the lowest loss up; equal losses keep their order.

    Raises
    ------
    ValueError
        If the share is outside (0, 1] or a loss is missing.

    Examples
    --------
    >>> best_share(np.array([0.4, 0.1, 0.3]), share=0.5)
    array([1, 2])
    """
    if not 0.0 < share <= 1.0 or np.isnan(losses).any():
        raise ValueError(f"share must lie in (0, 1] and no loss be missing, got share {share}")
    return np.argsort(losses, kind="stable")[: math.ceil(share * len(losses))]


def interquartile_mean(values: FloatArray) -> FloatArray:
    """Return the mean of the middle half along the last axis.

    Parameters
    ----------
    values : (..., n) array
        Samples, at least one each.

    Returns
    -------
    (...) array
        A quarter of the samples is left out at either end; where that is no whole number, the
        samples at the border count in part.

    Raises
    ------
    ValueError
        If there is no sample.

    Examples
    --------
    >>> interquartile_mean(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 70.0]))
    array(4.)
    """
    n = values.shape[-1] if values.ndim else 0
    if n < 1:
        raise ValueError("need at least one value to average")
    # Differs from the published code, which leaves out whole samples only: one of seven at
    # either end, so that nearly three quarters are averaged.
    cut = 0.25 * n
    places = np.arange(n)
    weights = np.clip(np.minimum(places + 1, n - cut) - np.maximum(places, cut), 0.0, None)
    # No matrix product: equal samples must give equal means wherever they stand, as differences
    # between means are looked at.
    return np.asarray((np.sort(values, axis=-1) * weights).sum(axis=-1) / weights.sum())
