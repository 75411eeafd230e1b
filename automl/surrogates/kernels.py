r"""A covariance of losses over numbers and categories, and its derivatives.

.. math::

   k(x, x') = s^2 \, M(r) \, e^{-m}, \quad
   r^2 = \sum_j (x_j - x'_j)^2 / \ell_j^2, \quad
   m = \sum_g w_g [x_g \ne x'_g]

with the Matern covariance of smoothness 5/2 [1]_,
:math:`M(r) = (1 + \sqrt 5 r + 5 r^2 / 3) e^{-\sqrt 5 r}`, over the numeric columns j, and the
exponential of a weighted Hamming distance over the categorical hyperparameters g [2]_. Both
factors are covariances, so their product is one.

A hyperparameter that is not active is a value like any other. A category without a choice differs
from every choice. A number keeps the distance of its encoding, where the inactive 0 lies below all
active values; configurations in which it is active and inactive also differ in the category that
decides this, whose weight can set them apart as far as needed.

Sums over the pairs of n points are matrix products throughout, so that no array of n by n by
columns is ever needed.

References
----------
.. [1] Rasmussen, Williams (2006). Gaussian Processes for Machine Learning. MIT Press, Eq. 4.17.
.. [2] Hutter (2009). Automated Configuration of Algorithms for Solving Hard Computational Problems.
   PhD thesis, University of British Columbia, section 10.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from search_space.arrays import FloatArray, IntArray
from search_space.encoding import ColumnLayout

_SQRT5 = math.sqrt(5.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Encoded configurations, numbers and categories apart.

    Attributes
    ----------
    numbers : (n, d) array
        Numeric columns.
    levels : (n, l) array
        1 for the level taken, else 0: the choices of each categorical hyperparameter, and after
        them the level of having no choice.
    owners : (l,) array
        Categorical hyperparameter of each level.
    """

    numbers: FloatArray
    levels: FloatArray
    owners: IntArray


def points_of(X: FloatArray, layout: ColumnLayout) -> Points:
    """Return encoded configurations as points.

    Parameters
    ----------
    X : (n, d) array
        Encoded configurations.
    layout : ColumnLayout
        What their columns are.

    Raises
    ------
    ValueError
        If the number of columns is not that of the layout.
    """
    if X.ndim != 2 or X.shape[1] != layout.n_columns:
        raise ValueError(f"X must be (n, {layout.n_columns}), as the layout says, not {X.shape}")
    levels = [np.zeros((len(X), 0))]
    for group in layout.categorical:
        choices = X[:, list(group)]
        levels += [choices, 1.0 - choices.sum(axis=1, keepdims=True)]
    sizes = [len(group) + 1 for group in layout.categorical]
    return Points(
        numbers=X[:, list(layout.numeric)],
        levels=np.hstack(levels),
        owners=np.repeat(np.arange(len(sizes)), sizes),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedKernel:
    """The covariance for given parameters.

    Attributes
    ----------
    length_scales : (d,) array
        Length scale of each numeric column.
    weights : (g,) array
        Weight of each categorical hyperparameter.
    variance : float
        Variance of a loss.
    """

    length_scales: FloatArray
    weights: FloatArray
    variance: float

    def covariance(self, A: Points, B: Points) -> FloatArray:
        """Return the covariances of the losses at two sets of points.

        Parameters
        ----------
        A, B : Points
            a points and b points.

        Returns
        -------
        (a, b) array
        """
        root, decay = self._parts(A, B)
        return _matern(root, decay)

    def covariance_and_gradient(
        self, P: Points
    ) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
        """Return the covariances of n points, and how a function of them changes with parameters.

        What both need is computed once.

        Parameters
        ----------
        P : Points
            n points.

        Returns
        -------
        covariance : (n, n) array
        gradient_by : callable
            Given an (n, n) array of which ``half + half.T`` is the derivative of the function by
            each entry of the covariance, returns those by the logarithms of length scales, weights
            and variance, (d + g + 1,).
        """
        root, decay = self._parts(P, P)
        covariance = _matern(root, decay)
        whole = covariance.copy()  # the caller may write to what is returned
        return covariance, lambda half: self._gradient(P, root, decay, whole, half)

    def _gradient(
        self, P: Points, root: FloatArray, decay: FloatArray, whole: FloatArray, half: FloatArray
    ) -> FloatArray:
        # All sums over pairs are twice those over the triangle.
        # dk / d log l_j is this factor times (x_j - x'_j)^2 / l_j^2.
        pairs = root + 1.0
        pairs *= decay
        pairs *= half
        numbers = P.numbers / self.length_scales
        sums = pairs.sum(axis=0) + pairs.sum(axis=1)
        crossed = np.einsum("ij,ij->j", numbers, pairs @ numbers)
        of_scales = 10.0 / 3.0 * (sums @ numbers**2 - 2.0 * crossed)
        total = 2.0 * float(np.vdot(whole, half))
        if not len(self.weights):
            return np.append(of_scales, total)
        whole = whole * half
        equal = 2.0 * np.einsum("ij,ij->j", P.levels, whole @ P.levels)
        of_weights = self.weights * (_by_owner(equal, P.owners, len(self.weights)) - total)
        return np.concatenate([of_scales, of_weights, [total]])

    def _parts(self, A: Points, B: Points) -> tuple[FloatArray, FloatArray]:
        """Return (a, b) arrays: sqrt(5) r, and variance times exp(-sqrt(5) r - m)."""
        a, b = (points.numbers * (_SQRT5 / self.length_scales) for points in (A, B))
        # |a|^2 - 2 a b + |b|^2 as one product.
        of_a, of_b = (np.einsum("ij,ij->i", x, x)[:, np.newaxis] for x in (a, b))
        left = np.hstack([a, of_a, np.ones_like(of_a)])
        root = left @ np.hstack([-2.0 * b, np.ones_like(of_b), of_b]).T
        # Rounding leaves equal points at distances that may be below zero.
        np.maximum(root, 0.0, out=root)
        np.sqrt(root, out=root)
        if len(self.weights):
            decay = (A.levels * self.weights[A.owners]) @ B.levels.T
            decay -= self.weights.sum()
            decay -= root
        else:
            decay = np.negative(root)
        np.exp(decay, out=decay)
        decay *= self.variance
        return root, decay


def _matern(root: FloatArray, decay: FloatArray) -> FloatArray:
    """Return ``(1 + root + root**2 / 3) * decay``."""
    # In place: fresh memory would cost more than the arithmetic.
    found = root * (1.0 / 3.0)
    found += 1.0
    found *= root
    found += 1.0
    found *= decay
    return found


def _by_owner(of_levels: FloatArray, owners: IntArray, n_owners: int) -> FloatArray:
    """Return the sums over the levels of each categorical hyperparameter."""
    return np.asarray(np.bincount(owners, weights=of_levels, minlength=n_owners))
