"""Random Fourier features of a Gaussian kernel.

References
----------
.. [1] A. Rahimi, B. Recht (2007). Random Features for Large-Scale Kernel Machines. NeurIPS.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ConfigSpace import ConfigurationSpace, Float
from sklearn.kernel_approximation import RBFSampler

from search_space.bounds import bounded_integer, cells, lowest, rows
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    limit = lowest(rows(task), cells(task))
    space.add(
        Float("gamma", (2.0**-15, 8.0), default=1.0, log=True),
        bounded_integer("n_components", (50, 5000), limit, default=100, log=True),
    )
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    make = partial(
        _make,
        gamma=hyperparameters["gamma"],
        n_components=hyperparameters["n_components"],
        seed=context.seed,
    )
    return SizedOperator(make)


def _make(n_rows: int, n_columns: int, *, gamma: float, n_components: int, seed: int) -> RBFSampler:
    return RBFSampler(gamma=gamma, n_components=min(n_components, n_rows), random_state=seed)


COMPONENT = Component(
    name="kitchen_sinks",
    stage=Stage.PREPROCESSOR,
    space=_space,
    build=_build,
    handles_sparse=True,
)
