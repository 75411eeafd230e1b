"""Two acquisition functions made one by adding up ranks.

References
----------
.. [1] Shen et al. (2022). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS, eq. (5).
   https://arxiv.org/abs/2302.03255
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

from search_space.arrays import FloatArray


def saturating_weight(n_iterations: int, *, beta: float, tau: float) -> float:
    r"""Return how much diversity counts after so many iterations.

    :math:`w = \beta (\mathrm{sigmoid}(\tau t) - 1/2)` [1]_: nothing at first, when the diversity
    surrogate knows little, then rising towards half of :math:`\beta`.

    Parameters
    ----------
    n_iterations : int
        Observations so far, those of the initial design included.
    beta : float
        Twice the limit of the weight.
    tau : float, per iteration
        Speed of the rise.

    Returns
    -------
    float
        In [0, beta / 2].

    Examples
    --------
    >>> [round(saturating_weight(t, beta=0.05, tau=0.2), 4) for t in (0, 5, 10, 20, 25)]
    [0.0, 0.0116, 0.019, 0.0241, 0.0247]
    """
    return beta * (float(expit(tau * n_iterations)) - 0.5)


def rank_sum(performance: FloatArray, diversity: FloatArray, *, weight: float) -> FloatArray:
    """Return the rank by performance plus the weighted rank by diversity.

    Parameters
    ----------
    performance, diversity : (c,) arrays
        Two acquisition functions of c candidates; greater is better in both. Only their order
        counts; infinite values are ranked like any other.
    weight : float
        Worth of a diversity rank in performance ranks.

    Returns
    -------
    (c,) array, ranks
        Lower is better. The best of a column has rank 1, equal values share their mean rank.

    Raises
    ------
    ValueError
        If the shapes differ or a value is not a number.

    Examples
    --------
    >>> rank_sum(np.array([9.0, 5.0, 1.0]), np.array([0.0, 0.0, 7.0]), weight=0.5)
    array([2.25, 3.25, 3.5 ])
    """
    if performance.shape != diversity.shape or performance.ndim != 1:
        raise ValueError(
            f"performance {performance.shape} and diversity {diversity.shape} must be the same (c,)"
        )
    if np.isnan(performance).any() or np.isnan(diversity).any():
        raise ValueError("performance and diversity must not hold NaN")
    ranks: FloatArray = rankdata(-performance) + weight * rankdata(-diversity)
    return ranks
