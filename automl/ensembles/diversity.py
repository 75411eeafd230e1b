"""How differently two models predict: the mean distance of their class probabilities.

Diversity of models i and j over n validation rows with class probabilities p and q [1]_:

    div(i, j) = 1 / (sqrt(2) n) * sum over rows of ||p - q||_2

It is 0 for equal predictions and 1 for models that are certain of different classes everywhere.

References
----------
.. [1] Shen et al. (2022). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS, eq. (3).
   https://arxiv.org/abs/2302.03255
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from search_space.arrays import FloatArray, PredictionArray

_VALUES_PER_MODEL = 1024  # of one block: a block of 250 models and its differences stay in cache


def pairwise_diversity(predictions: PredictionArray) -> FloatArray:
    """Return the diversity of every two models.

    Parameters
    ----------
    predictions : (m, n, k) array, in [0, 1]
        Class probabilities of m models for n rows and k classes; may be memory-mapped, at most a
        few hundred rows of every model are held at once.

    Returns
    -------
    (m, m) array, in [0, 1]
        Exactly symmetric, with a diagonal that is exactly zero.

    Raises
    ------
    ValueError
        If there are no rows, or fewer than two classes.

    Examples
    --------
    >>> certain, undecided = [[1.0, 0.0]], [[0.5, 0.5]]
    >>> pairwise_diversity(np.array([certain, undecided], dtype=np.float32))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    n_models, n_rows, _ = _checked_shape(predictions)
    total = np.zeros((n_models, n_models))
    for rows in _row_blocks(predictions):
        block = _coordinates(predictions[:, rows])
        for model in range(n_models - 1):
            total[model, model + 1 :] += _summed_distances(block[model], block[model + 1 :])
    return np.minimum((total + total.T) / n_rows, 1.0)


def diversity_to(new: PredictionArray, predictions: PredictionArray) -> FloatArray:
    """Return the diversity of one model to each of many: one more row of the matrix.

    Parameters
    ----------
    new : (n, k) array, in [0, 1]
        Class probabilities of the new model.
    predictions : (m, n, k) array, in [0, 1]
        Class probabilities of the others; may be memory-mapped.

    Returns
    -------
    (m,) array, in [0, 1]
        Equal to what :func:`pairwise_diversity` gives for these pairs.

    Raises
    ------
    ValueError
        If the shapes do not fit, if there are no rows, or fewer than two classes.
    """
    n_models, n_rows, n_classes = _checked_shape(predictions)
    if new.shape != (n_rows, n_classes):
        raise ValueError(f"new {new.shape} and predictions {predictions.shape} do not fit")
    total = np.zeros(n_models)
    for rows in _row_blocks(predictions):
        total += _summed_distances(_coordinates(new[rows]), _coordinates(predictions[:, rows]))
    return np.minimum(total / n_rows, 1.0)


def _checked_shape(predictions: PredictionArray) -> tuple[int, int, int]:
    """Return the numbers of models, rows and classes."""
    if predictions.ndim != 3 or predictions.shape[1] < 1 or predictions.shape[2] < 2:
        raise ValueError(
            f"predictions must be (models, rows >= 1, classes >= 2), not {predictions.shape}"
        )
    n_models, n_rows, n_classes = predictions.shape
    return n_models, n_rows, n_classes


def _row_blocks(predictions: PredictionArray) -> Iterator[slice]:
    """Yield slices of rows; their size depends on the classes only, so sums are reproducible."""
    _, n_rows, n_classes = predictions.shape
    size = max(1, _VALUES_PER_MODEL // n_classes)
    for start in range(0, n_rows, size):
        yield slice(start, start + size)


def _coordinates(probabilities: PredictionArray) -> FloatArray:
    """Return (..., rows, k) in double precision; of two classes the second says everything."""
    kept = probabilities[..., 1:] if probabilities.shape[-1] == 2 else probabilities
    return np.ascontiguousarray(kept, dtype=np.float64)


def _summed_distances(one: FloatArray, others: FloatArray) -> FloatArray:
    """Return the sum over rows of ||p - q||_2 / sqrt(2) between one model and each other."""
    difference = others - one
    if difference.shape[-1] == 1:
        # Both probabilities differ by the same amount: ||p - q||_2 = sqrt(2) |p_1 - q_1|.
        return np.asarray(np.abs(difference, out=difference)[..., 0].sum(axis=-1))
    squared = np.einsum("mrk,mrk->mr", difference, difference)
    return np.asarray(np.sqrt(0.5 * squared).sum(axis=-1))
