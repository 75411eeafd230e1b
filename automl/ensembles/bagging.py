"""Bagging of the best models: the mean of their probabilities, every one with the same weight.

What is learned from the validation rows is which models are the best, nothing else [1]_.

References
----------
.. [1] Breiman (1996). Bagging Predictors. Machine Learning 24, 123-140.
"""

from __future__ import annotations

import numpy as np

from automl.ensembles.criteria import Stack
from automl.ensembles.selection import shortlist
from search_space.arrays import FloatArray


def bagging_weights(losses: FloatArray, size: int) -> FloatArray:
    """Return the share of each model (m,): equal for the best ones, zero for the others.

    Parameters
    ----------
    losses : (m,) array
        Validation loss of each model, at least one of them finite; of equals the first is better.
    size : int
        Models that take part, or all with a finite loss if they are fewer.

    Raises
    ------
    ValueError
        If no loss is finite or the size is below one.

    Examples
    --------
    >>> bagging_weights(np.array([0.3, 0.1, 0.2]), size=2)
    array([0. , 0.5, 0.5])
    """
    best = shortlist(losses, size) if size > 0 else losses[:0]
    if len(best) == 0:
        raise ValueError(f"bagging needs a model with a finite loss and a size above 0, not {size}")
    weights = np.zeros(len(losses))
    weights[best] = 1.0 / len(best)
    return weights


def weighted_mean(weights: FloatArray, predictions: Stack) -> FloatArray:
    """Return the mean prediction (n, k) of models (m, n, k) with these shares (m,).

    Models without a share are not read, which matters where the predictions lie on disk.
    """
    total = np.zeros(predictions.shape[1:])
    for model in np.flatnonzero(weights):
        total += weights[model] * predictions[model]
    return total
