"""Targets brought to a normal shape: only their order is kept.

References
----------
.. [1] Liu, Lafferty, Wasserman (2009). The Nonparanormal: Semiparametric Estimation of High
   Dimensional Undirected Graphs. Journal of Machine Learning Research 10, 2295-2328.
.. [2] Salinas, Shen, Perrone (2020). A Quantile-based Approach for Hyperparameter Transfer
   Learning. ICML. https://arxiv.org/abs/1909.13595
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from search_space.arrays import FloatArray


def gaussian_ranks(values: FloatArray) -> FloatArray:
    r"""Return the normal scores of values.

    A value of rank r among n (ties share the mean of their ranks) becomes
    :math:`\Phi^{-1}((r - 1/2) / n)`, the quantile clipped to :math:`[\delta, 1 - \delta]` with
    :math:`\delta = 1 / (4 n^{1/4} \sqrt{\pi \ln n})`, so that extremes of small samples do not
    become outliers [1]_ [2]_.

    Parameters
    ----------
    values : (n,) array
        Finite values.

    Returns
    -------
    (n,) array, standard deviations
        Not decreasing in the values; negated when the values are; zero if all are equal.

    Examples
    --------
    >>> gaussian_ranks(np.array([10.0, -3.0, 10.0, 500.0])).round(3)
    array([ 0.  , -1.15,  0.  ,  1.15])
    """
    n = len(values)
    if n < 2:
        return np.zeros(n)
    delta = 1.0 / (4.0 * n**0.25 * math.sqrt(math.pi * math.log(n)))
    # Differs from [1] and [2]: rank less one half instead of rank, so that the scores are
    # symmetric about zero.
    quantiles = (rankdata(values) - 0.5) / n
    return np.asarray(ndtri(np.clip(quantiles, delta, 1.0 - delta)))
