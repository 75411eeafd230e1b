r"""Several acquisition functions at once: the candidates that none outdoes in all of them.

MACE takes expected improvement, probability of improvement and the lower confidence bound as
three objectives [1]_; HEBO evaluates a batch of the candidates that are not dominated [2]_.
Objectives are scores: greater is better in all of them.

References
----------
.. [1] Lyu et al. (2018). Batch Bayesian Optimization via Multi-objective Acquisition Ensemble for
   Automated Analog Circuit Design. ICML.
.. [2] Cowen-Rivers et al. (2022). HEBO: Pushing the Limits of Sample-Efficient Hyperparameter
   Optimisation. Journal of Artificial Intelligence Research 74. https://arxiv.org/abs/2012.03826
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from automl.acquisition.confidence_bound import confidence_score
from automl.acquisition.expected_improvement import log_expected_improvement
from automl.acquisition.improvement_probability import log_improvement_probability
from search_space.arrays import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]

_FEW = 1_000  # candidates: comparing all pairs costs less than going through the front


def mace_objectives(
    mean: FloatArray, std: FloatArray, incumbent: float, *, kappa: float
) -> FloatArray:
    """Return log EI, log PI and the confidence score of each candidate.

    Parameters
    ----------
    mean, std : (c,) arrays, loss
        Predictions for c candidates; the standard deviations are not negative.
    incumbent : float, loss
        Loss to improve on. HEBO takes the predicted mean of the best configuration observed,
        which noise does not flatter.
    kappa : float, standard deviations
        Width of the confidence bound.

    Returns
    -------
    (c, 3) array
        Greater is better. Logarithms leave the order, and so the front, as it is.

    Raises
    ------
    ValueError
        If the shapes differ, or a standard deviation or the width is negative.

    Examples
    --------
    >>> mace_objectives(np.array([0.3]), np.array([0.1]), 0.3, kappa=2.0).round(3)
    array([[-3.222, -0.693, -0.1  ]])
    """
    improvement = log_expected_improvement(mean, std, incumbent)
    probability = log_improvement_probability(mean, std, incumbent)
    return np.column_stack([improvement, probability, confidence_score(mean, std, kappa=kappa)])


def nondominated(objectives: FloatArray) -> BoolArray:
    """Return which candidates no other one dominates.

    One candidate dominates another if it is at least as good in every objective and better in
    one; so equal candidates do not dominate each other.

    Parameters
    ----------
    objectives : (c, m) array
        Greater is better; infinite values are compared like any other.

    Returns
    -------
    (c,) array of bool
        At least one is true if there are candidates.

    Raises
    ------
    ValueError
        If the array is not two-dimensional, has no objective or holds NaN.

    Notes
    -----
    Takes one pass over the remaining candidates for each one of the front.

    Examples
    --------
    >>> nondominated(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]]))
    array([ True,  True, False])
    """
    _check_objectives(objectives)
    mask = np.zeros(len(objectives), dtype=np.bool_)
    # From the best last objective down, ties by the one before: what comes first among those that
    # remain is dominated by none of them, and what dominated it would have removed it.
    remaining = np.lexsort(-objectives.T)
    values = objectives[remaining]
    while len(remaining):
        first = values[0]
        equal = (values == first).all(axis=1)
        mask[remaining[equal]] = True
        kept = (values > first).any(axis=1)
        remaining, values = remaining[kept], values[kept]
    return mask


def nondominated_ranks(objectives: FloatArray) -> IntArray:
    """Return in which front each candidate lies.

    Parameters
    ----------
    objectives : (c, m) array
        Greater is better.

    Returns
    -------
    (c,) array of int
        0 for what no other candidate dominates, 1 for what none dominates once those are gone,
        and so on.

    Raises
    ------
    ValueError
        If the array is not two-dimensional, has no objective or holds NaN.

    Examples
    --------
    >>> nondominated_ranks(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [0.0, 1.0]]))
    array([0, 0, 1, 2])
    """
    _check_objectives(objectives)
    if len(objectives) <= _FEW:
        return _ranks_of_few(objectives)
    ranks = np.zeros(len(objectives), dtype=np.int64)
    remaining = np.arange(len(objectives))
    while len(remaining):
        front = nondominated(objectives[remaining])
        remaining = remaining[~front]
        ranks[remaining] += 1
    return ranks


def _ranks_of_few(objectives: FloatArray) -> IntArray:
    """Return the same as :func:`nondominated_ranks`, from a comparison of all pairs."""
    worse = np.zeros((len(objectives), len(objectives)), dtype=np.bool_)
    for column in objectives.T:
        worse |= column[:, np.newaxis] < column
    dominates = worse.T & ~worse
    n_dominating = dominates.sum(axis=0)
    ranks = np.zeros(len(objectives), dtype=np.int64)
    rank, left = 0, np.ones(len(objectives), dtype=np.bool_)
    while left.any():
        front = left & (n_dominating == 0)
        ranks[front] = rank
        n_dominating -= dominates[front].sum(axis=0)
        left &= ~front
        rank += 1
    return ranks


def mace_batch(
    objectives: FloatArray,
    mean: FloatArray,
    std: FloatArray,
    n: int,
    rng: np.random.Generator,
) -> IntArray:
    """Return candidates of the front to evaluate together.

    They are drawn uniformly and without replacement; of more than two, the first is the most
    uncertain one of the front and the second the one with the lowest mean [2]_.

    Parameters
    ----------
    objectives : (c, m) array
        Greater is better. The candidates differ and have not been evaluated.
    mean, std : (c,) arrays, loss
        Predictions for the same candidates.
    n : int
        Size of the batch, at least one.
    rng : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    (k,) array of int
        Positions of different candidates, k <= n: all of the front if it has fewer. The caller
        fills up.

    Raises
    ------
    ValueError
        If the lengths differ, the batch is empty, or the objectives hold NaN.
    """
    if not len(objectives) == len(mean) == len(std) or n < 1:
        raise ValueError(f"need as many predictions as objectives and n >= 1, got n={n}")
    front = np.flatnonzero(nondominated(objectives))
    drawn = rng.permutation(front)
    if n <= 2 or not len(front):
        return drawn[:n]
    # Differs from HEBO's code, where the second may take the place of the first if that was
    # drawn there by chance.
    first = [front[std[front].argmax()], front[mean[front].argmin()]]
    return np.array(list(dict.fromkeys([*first, *drawn])), dtype=np.int64)[:n]


def _check_objectives(objectives: FloatArray) -> None:
    if objectives.ndim != 2 or objectives.shape[1] < 1:
        raise ValueError(f"objectives must be (c, m >= 1), got {objectives.shape}")
    if np.isnan(objectives).any():
        raise ValueError("objectives must not hold NaN")
