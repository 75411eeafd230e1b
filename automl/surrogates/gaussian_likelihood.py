r"""The likelihood of a Gaussian process and the factorisation that it needs.

For targets y with covariance :math:`C = K + \sigma^2 I` [1]_,

.. math::

   \log p(y) = -\tfrac12 y^T C^{-1} y - \tfrac12 \log |C| - \tfrac n2 \log 2 \pi, \quad
   \frac{\partial \log p(y)}{\partial C} = \tfrac12 (\alpha \alpha^T - C^{-1}), \quad
   \alpha = C^{-1} y.

References
----------
.. [1] Rasmussen, Williams (2006). Gaussian Processes for Machine Learning. MIT Press, Eq. 2.30
   and 5.9.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import blas, lapack

from automl.errors import SurrogateError
from search_space.arrays import FloatArray

_FIRST_JITTER, _LARGEST_JITTER = 1e-10, 1e-4  # in mean variances; each try takes ten times the last


def cholesky_factor(matrix: FloatArray) -> FloatArray:
    """Return the lower Cholesky factor of a covariance matrix.

    A matrix that is not positive definite by rounding is tried again with a little added to its
    diagonal, ten times more at each try.

    Parameters
    ----------
    matrix : (n, n) array, symmetric
        Covariances.

    Raises
    ------
    SurrogateError
        If an entry is not finite, or the most that may be added is not enough.
    """
    if not np.isfinite(matrix).all():
        raise SurrogateError("the covariance matrix is not finite")
    scale = float(np.mean(np.diag(matrix)))
    jitter = 0.0
    while jitter <= _LARGEST_JITTER * (1.0 + 1e-9):
        padded = matrix if jitter == 0.0 else matrix + jitter * scale * np.eye(len(matrix))
        # The transpose, which is the same, has the order of elements that is used without a copy.
        factor, failed = lapack.dpotrf(padded.T, lower=1, clean=1)
        if not failed:
            return np.asarray(factor)
        jitter = 10.0 * jitter or _FIRST_JITTER
    raise SurrogateError(
        f"the covariance matrix of {len(matrix)} observations is not positive definite, "
        f"even with {_LARGEST_JITTER:g} of its mean variance added to its diagonal"
    )


def solve_lower(factor: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solutions x of ``factor @ x = b`` for a lower triangular factor.

    Parameters
    ----------
    factor : (n, n) array
        Lower Cholesky factor.
    right : (m, n) array
        A right-hand side b in each row. Where its rows are contiguous, it is overwritten.

    Returns
    -------
    (m, n) array
    """
    return np.asarray(blas.dtrsm(1.0, factor, right.T, lower=1, overwrite_b=1)).T


def precision_times(factor: FloatArray, y: FloatArray) -> FloatArray:
    """Return the inverse of the factorised matrix times y, (n,)."""
    solution, _ = lapack.dpotrs(factor, y, lower=1)
    return np.asarray(solution)


def log_likelihood(matrix: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """Return the log likelihood of targets, and its derivative by the covariances.

    Parameters
    ----------
    matrix : (n, n) array, symmetric
        Covariances of the targets, noise included.
    y : (n,) array
        Targets, of mean zero.

    Returns
    -------
    value : float
        Log density.
    half : (n, n) array, upper triangular
        The derivative by each entry of the matrix is ``half + half.T``.

    Raises
    ------
    SurrogateError
        If the matrix cannot be factorised.
    """
    factor = cholesky_factor(matrix)
    alpha = precision_times(factor, y)
    log_root = float(np.sum(np.log(np.diag(factor))))
    value = -0.5 * float(y @ alpha) - log_root - 0.5 * len(y) * math.log(2.0 * math.pi)
    # Lower triangles: of the inverse of C, then of C^-1 - alpha alpha^T.
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    half = blas.dsyr(-1.0, alpha, a=inverse, lower=1, overwrite_a=1).T
    half *= -0.5
    diagonal_of(half)[:] *= 0.5
    return value, half


def diagonal_of(matrix: FloatArray) -> FloatArray:
    """Return the diagonal of a matrix as a view that can be written to."""
    return np.asarray(np.einsum("ii->i", matrix))
