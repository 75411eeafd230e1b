r"""Which of several acquisition functions to follow: GP-Hedge.

Each function of the portfolio nominates a candidate, one nomination is evaluated, and then every
function is rewarded by what the model, fitted with the outcome, predicts for its nomination. The
next function is drawn with probabilities :math:`p_i \propto \exp(\eta \, g_i)` of the gains summed
up [1]_.

References
----------
.. [1] Hoffman, Brochu, de Freitas (2011). Portfolio Allocation for Bayesian Optimization. UAI,
   algorithm 2. https://arxiv.org/abs/1009.5419
"""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from search_space.arrays import FloatArray


def portfolio_gains(predicted: FloatArray) -> FloatArray:
    """Return what each function has gained.

    Parameters
    ----------
    predicted : (t, k) array, loss
        Means that were predicted for the nominations of k functions in t rounds, each round by
        the model fitted with its outcome. Losses of different scale, as of a transformation that
        is fitted anew, ought not to be mixed.

    Returns
    -------
    (k,) array, negative loss
        Greater is better; zero before the first round.

    Raises
    ------
    ValueError
        If the array is not two-dimensional, has no function or holds values that are not finite.

    Examples
    --------
    >>> portfolio_gains(np.array([[0.25, 0.5], [0.125, 0.5]]))
    array([-0.375, -1.   ])
    """
    if predicted.ndim != 2 or predicted.shape[1] < 1 or not np.all(np.isfinite(predicted)):
        raise ValueError(f"predicted must be (t, k >= 1) and finite, got {predicted.shape}")
    # Differs from the code published with SAWEI, which adds up the predicted losses themselves
    # and so favours the worst function: the reward of [1] is one of a maximisation.
    return np.asarray(-predicted.sum(axis=0))


def hedge_probabilities(gains: FloatArray, eta: float) -> FloatArray:
    """Return with which probability to follow each function.

    Parameters
    ----------
    gains : (k,) array, negative loss
        Greater is better; only differences count.
    eta : float, per loss
        How sharply gains are answered, not negative; 0 ignores them.

    Returns
    -------
    (k,) array
        Sums to one.

    Raises
    ------
    ValueError
        If there is no function, a gain is not finite, or eta is negative or not finite.

    Examples
    --------
    >>> hedge_probabilities(np.array([-0.375, -1.0]), eta=1.0).round(3)
    array([0.651, 0.349])
    """
    if gains.ndim != 1 or not gains.size or not np.all(np.isfinite(gains)):
        raise ValueError(f"gains must be (k >= 1,) and finite, got {gains.shape}")
    if not 0.0 <= eta < np.inf:
        raise ValueError(f"eta must be finite and not negative, got {eta}")
    return np.asarray(softmax(eta * (gains - gains.max())))
