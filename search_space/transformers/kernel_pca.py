"""Principal components in the feature space of a kernel.

References
----------
.. [1] B. Schoelkopf, A. Smola, K.-R. Mueller (1998). Nonlinear Component Analysis as a Kernel
   Eigenvalue Problem. Neural Computation 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.linalg
from ConfigSpace import ConfigurationSpace
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import KernelCenterer

from search_space.arrays import FloatArray, IntArray
from search_space.bounds import bounded_integer, rows
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.kernels import add_kernel
from search_space.transformers.sized_operator import SizedOperator, finite

MOST_ROWS = 2000
"""Rows that the components are computed from: the work grows with the cube of their number."""

_ROWS_AT_ONCE = 5000
_SMALLEST_EIGENVALUE = 1e-10  # relative to the largest one


class KernelComponents(TransformerMixin, BaseEstimator):
    """Kernel principal components of a sample of rows, onto which all rows are projected.

    Unlike scikit-learn's, it takes kernels that are not positive semi-definite, as the sigmoid
    kernel: directions with a negative eigenvalue are left out.

    Parameters
    ----------
    n_components : int
        Directions kept, in the order of their eigenvalues.
    kernel : str
        Name of the kernel in :func:`sklearn.metrics.pairwise.pairwise_kernels`.
    options : mapping of str to float
        Parameters of that kernel.
    seed : int
        Seed of the sample.
    """

    def __init__(
        self, n_components: int, kernel: str, options: Mapping[str, float], seed: int
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.options = options
        self.seed = seed

    def fit(self, X: FloatArray, y: IntArray | None = None) -> Self:
        """Find the directions from at most :data:`MOST_ROWS` training rows."""
        n_rows = len(X)
        if n_rows > MOST_ROWS:
            rng = np.random.default_rng(self.seed)
            self.sample_ = X[np.sort(rng.choice(n_rows, MOST_ROWS, replace=False))]
        else:
            self.sample_ = X.copy()
        gram = self._kernel(self.sample_)
        self.centerer_ = KernelCenterer().fit(gram)
        centered = np.asarray(self.centerer_.transform(gram))
        n = len(centered)
        first = max(0, n - self.n_components)
        values, vectors = scipy.linalg.eigh(centered, subset_by_index=(first, n - 1))
        kept = np.flatnonzero(values > _SMALLEST_EIGENVALUE * max(values[-1], 0.0))[::-1]
        self.projection_ = vectors[:, kept] / np.sqrt(values[kept])
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the coordinates of rows along the directions."""
        parts = [
            np.asarray(self.centerer_.transform(self._kernel(X[start : start + _ROWS_AT_ONCE])))
            @ self.projection_
            for start in range(0, len(X), _ROWS_AT_ONCE)
        ]
        return np.concatenate(parts)

    def _kernel(self, X: FloatArray) -> FloatArray:
        gram = pairwise_kernels(X, self.sample_, metric=self.kernel, n_jobs=1, **self.options)
        return finite(np.asarray(gram))


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(bounded_integer("n_components", (10, MOST_ROWS), rows(task), default=100))
    kernels = ("poly", "rbf", "sigmoid", "cosine")
    # Differs from Nystroem: the width of the sigmoid kernel is not searched here.
    add_kernel(space, kernels, default_gamma=1.0, with_gamma=("poly", "rbf"))
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    return SizedOperator(partial(_make, hyperparameters=dict(hyperparameters), seed=context.seed))


def _make(
    n_rows: int,
    n_columns: int,
    *,
    hyperparameters: Mapping[str, Any],
    seed: int,
) -> KernelComponents:
    options = {
        name: hyperparameters[name]
        for name in ("gamma", "degree", "coef0")
        if name in hyperparameters
    }
    n_components = min(hyperparameters["n_components"], n_rows)
    return KernelComponents(n_components, hyperparameters["kernel"], options, seed)


COMPONENT = Component(name="kernel_pca", stage=Stage.PREPROCESSOR, space=_space, build=_build)
