r"""Confidence bounds of the loss, and how wide they are after so many trials.

The bounds are :math:`mean \mp \kappa \, std`. Two schedules of :math:`\kappa` are given:

* :math:`\kappa_t = \sqrt{\beta_t}, \ \beta_t = 2 \ln(d t^2 / \beta)`, the one of SAWEI [1]_ and
  SMAC after [2]_;
* :math:`\kappa_t = \sqrt{(2 + d / 2) \ln t + \ln(\pi^2 / \delta)}`, the one of HEBO [3]_ after
  [4]_.

References
----------
.. [1] Benjamins et al. (2023). Self-Adjusting Weighted Expected Improvement for Bayesian
   Optimization. AutoML-Conf, eq. (2) and section 4. https://arxiv.org/abs/2306.04262
.. [2] Srinivas et al. (2010). Gaussian Process Optimization in the Bandit Setting: No Regret and
   Experimental Design. ICML. https://arxiv.org/abs/0912.3995
.. [3] Cowen-Rivers et al. (2022). HEBO: Pushing the Limits of Sample-Efficient Hyperparameter
   Optimisation. Journal of Artificial Intelligence Research 74, and the code beside it.
   https://arxiv.org/abs/2012.03826
.. [4] Brochu, Cora, de Freitas (2010). A Tutorial on Bayesian Optimization of Expensive Cost
   Functions. https://arxiv.org/abs/1012.2599
"""

from __future__ import annotations

import math

import numpy as np

from automl.acquisition.predictions import check_predictions
from search_space.arrays import FloatArray


def lower_confidence_bound(mean: FloatArray, std: FloatArray, *, kappa: float) -> FloatArray:
    """Return the loss that each candidate may reach.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    kappa : float, standard deviations
        Width of the bound, not negative.

    Returns
    -------
    (c,) array, loss
        Lower is better: its negative is the score.

    Raises
    ------
    ValueError
        If the shapes differ, or a standard deviation or the width is negative.

    Examples
    --------
    >>> lower_confidence_bound(np.array([0.3, 0.4]), np.array([0.0, 0.1]), kappa=2.0)
    array([0.3, 0.2])
    """
    _check(mean, std, kappa)
    return mean - kappa * std


def upper_confidence_bound(mean: FloatArray, std: FloatArray, *, kappa: float) -> FloatArray:
    """Return the loss that each candidate will hardly exceed.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    kappa : float, standard deviations
        Width of the bound, not negative.

    Returns
    -------
    (c,) array, loss
        Lower is better.

    Raises
    ------
    ValueError
        If the shapes differ, or a standard deviation or the width is negative.
    """
    _check(mean, std, kappa)
    return mean + kappa * std


def confidence_score(mean: FloatArray, std: FloatArray, *, kappa: float) -> FloatArray:
    """Return the negative of :func:`lower_confidence_bound`.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    kappa : float, standard deviations
        Width of the bound, not negative.

    Returns
    -------
    (c,) array, negative loss
        Greater is better.

    Raises
    ------
    ValueError
        If the shapes differ, or a standard deviation or the width is negative.
    """
    return -lower_confidence_bound(mean, std, kappa=kappa)


def sawei_kappa(n_trials: int, n_dimensions: int, *, beta: float = 1.0) -> float:
    r"""Return :math:`\sqrt{2 \ln(d t^2 / \beta)}` [1]_.

    Parameters
    ----------
    n_trials : int
        Observations so far, at least one.
    n_dimensions : int
        Hyperparameters of the space, at least one.
    beta : float
        Positive; greater values narrow the bounds.

    Returns
    -------
    float, standard deviations
        Never falls with either number.

    Raises
    ------
    ValueError
        If a number is below one, or beta is not positive or exceeds d t^2, where the width is
        not defined.

    Examples
    --------
    >>> [round(sawei_kappa(t, 8), 3) for t in (1, 24, 280)]
    [2.039, 4.107, 5.167]
    """
    _check_counts(n_trials, n_dimensions)
    if not 0.0 < beta <= n_dimensions * n_trials**2:
        raise ValueError(f"beta must lie in (0, d t^2], got {beta}")
    # Eq. (2) multiplies the standard deviation by beta_t itself, but takes beta_t "as done in
    # SMAC" and by Srinivas et al., and both multiply by its root; so does the published code.
    return math.sqrt(2.0 * math.log(n_dimensions * n_trials**2 / beta))


def hebo_kappa(n_rounds: int, n_dimensions: int, *, delta: float = 0.01) -> float:
    r"""Return :math:`\sqrt{(2 + d / 2) \ln t + \ln(\pi^2 / \delta)}` [3]_.

    Parameters
    ----------
    n_rounds : int
        Batches observed so far; 1 before the first.
    n_dimensions : int
        Hyperparameters of the space, at least one.
    delta : float
        Chance, in (0, 1), of a loss outside the bounds.

    Returns
    -------
    float, standard deviations
        Never falls with either number.

    Raises
    ------
    ValueError
        If a number is below one or delta is not inside (0, 1).

    Examples
    --------
    >>> [round(hebo_kappa(t, 10), 2) for t in (1, 4, 64)]
    [2.63, 4.07, 6.0]
    """
    _check_counts(n_rounds, n_dimensions)
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta must lie inside (0, 1), got {delta}")
    # The schedule is that of HEBO's code, as its paper has none. Differs from Brochu et al., who
    # divide pi^2 by 3 delta: their delta is three times this one.
    growth = (2.0 + 0.5 * n_dimensions) * math.log(n_rounds)
    return math.sqrt(growth + math.log(math.pi**2 / delta))


def _check(mean: FloatArray, std: FloatArray, kappa: float) -> None:
    check_predictions(mean, std)
    if not 0.0 <= kappa < np.inf:
        raise ValueError(f"kappa must be finite and not negative, got {kappa}")


def _check_counts(n_observed: int, n_dimensions: int) -> None:
    if n_observed < 1 or n_dimensions < 1:
        raise ValueError(f"need positive counts, got {n_observed} observed, {n_dimensions} wide")
