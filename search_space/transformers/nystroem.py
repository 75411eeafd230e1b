"""A kernel's features approximated from a sample of rows.

References
----------
.. [1] C. Williams, M. Seeger (2000). Using the Nystroem Method to Speed Up Kernel Machines.
   NeurIPS.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from search_space.arrays import FloatArray
from search_space.bounds import bounded_integer, cells, lowest, rows
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.kernels import add_kernel
from search_space.transformers.sized_operator import SizedOperator

_KERNELS = ("poly", "rbf", "sigmoid", "cosine")


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    limit = lowest(rows(task), cells(task))
    space.add(bounded_integer("n_components", (50, 5000), limit, default=100, log=True))
    # scikit-learn's chi-squared kernel takes dense arrays only.
    add_kernel(space, _KERNELS if task.is_sparse else (*_KERNELS, "chi2"), default_gamma=0.1)
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    return SizedOperator(partial(_make, options=dict(hyperparameters), seed=context.seed))


def _make(
    n_rows: int,
    n_columns: int,
    *,
    options: Mapping[str, Any],
    seed: int,
) -> Nystroem | Pipeline:
    """Return the sampler; `options` are hyperparameters of this operator."""
    n_components = min(options["n_components"], n_rows)
    sampler = Nystroem(**{**options, "n_components": n_components}, random_state=seed, n_jobs=1)
    if options["kernel"] != "chi2":
        return sampler
    # The chi-squared kernel is for counts.
    return Pipeline([("positive", FunctionTransformer(without_negatives)), ("sampler", sampler)])


def without_negatives(X: FloatArray) -> FloatArray:
    """Return `X` with negative values replaced by 0."""
    clipped: FloatArray = np.maximum(X, 0.0)
    return clipped


COMPONENT = Component(
    name="nystroem", stage=Stage.PREPROCESSOR, space=_space, build=_build, handles_sparse=True
)
