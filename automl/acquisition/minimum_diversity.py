"""How different a candidate is expected to be from the most similar model of a pool.

References
----------
.. [1] Shen et al. (2022). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS, eq. (4).
   https://arxiv.org/abs/2302.03255
"""

from __future__ import annotations

import numpy as np

from search_space.arrays import FloatArray


def minimum_diversity(
    mean: FloatArray, std: FloatArray, *, n_samples: int, rng: np.random.Generator
) -> FloatArray:
    """Return the expected minimum over the pool of each candidate's predicted diversity.

    The expectation is a mean over samples of independent normals, one for each candidate and
    model of the pool [1]_.

    Parameters
    ----------
    mean, std : (c, p) arrays
        Predicted diversity of c candidates to the p models of the pool, on any scale that rises
        with diversity; the standard deviations are not negative.
    n_samples : int
        Samples to average over, at least one.
    rng : numpy.random.Generator
        Source of the samples.

    Returns
    -------
    (c,) array, in the scale of the mean
        Greater is better.

    Raises
    ------
    ValueError
        If the shapes differ, the pool is empty, a standard deviation is negative, or no sample
        is asked for.

    Examples
    --------
    >>> mean, certain = np.array([[0.4, 0.1]]), np.zeros((1, 2))
    >>> minimum_diversity(mean, certain, n_samples=1, rng=np.random.default_rng(0))
    array([0.1])
    """
    if mean.ndim != 2 or mean.shape != std.shape or mean.shape[1] < 1:
        raise ValueError(f"mean {mean.shape} and std {std.shape} must be the same (c, p >= 1)")
    if n_samples < 1 or not np.all(std >= 0.0):
        raise ValueError("n_samples must be positive and no std negative")
    total = np.zeros(len(mean))
    # All candidates share the draws (common random numbers): where two candidates are believed
    # to be alike they get alike values, so chance changes their order less than separate draws
    # of the same number would.
    for draw in rng.standard_normal((n_samples, mean.shape[1])):
        total += (mean + std * draw).min(axis=1)
    return total / n_samples
