"""Quadratic discriminant analysis.

The probabilities are those of the Gaussian model; no softmax is applied to them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace, Float

from search_space.arrays import Features, IntArray
from search_space.bounds import columns
from search_space.classifiers.contained import ContainedClassifier
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

MOST_COLUMNS = 1_000
"""Encoded columns; every class has a covariance of its own, 8 MB there."""


def regularised_space(task: TaskProperties, *, reg_param: float) -> ConfigurationSpace:
    """Return the published hyperparameter with the default of a preset."""
    space = ConfigurationSpace()
    space.add(Float("reg_param", (0.0, 1.0), default=reg_param))
    return space


def unsuitable(task: TaskProperties) -> str | None:
    """Refuse too many columns, and classes without a covariance of full rank."""
    if columns(task).value > MOST_COLUMNS:
        return f"the covariances of {columns(task).value} columns take too long"
    if task.smallest_class <= columns(task).value:
        return (
            f"a class of {task.smallest_class} rows has no covariance of full rank "
            f"in {columns(task).value} columns"
        )
    return None


def smallest_variance(X: Features, y: IntArray) -> dict[str, float]:
    """Return ``tol``, the variance along a principal axis that counts as zero.

    It is the rule of ``numpy.linalg.matrix_rank``, squared since variances are squares of singular
    values: relative to the data, where scikit-learn's own value is absolute and would refuse any
    column of small numbers.
    """
    rounding = max(X.shape) * np.finfo(np.float64).eps
    return {"tol": float(np.var(X, axis=0).sum() * rounding**2)}


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ContainedClassifier:
    """Return an unfitted quadratic discriminant analysis.

    Its ``fit`` raises `numpy.linalg.LinAlgError`, a `ValueError`, which names the class if the
    covariance of a class is degenerate.
    """
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return ContainedClassifier(
        QuadraticDiscriminantAnalysis(reg_param=float(hyperparameters["reg_param"])),
        data_parameters=smallest_variance,
    )


COMPONENT = Component(
    name="qda",
    stage=Stage.CLASSIFIER,
    build=build,
    space=partial(regularised_space, reg_param=0.0),
    unsuitable=unsuitable,
    takes_weights=False,
    cost=0.01,
    modules=("sklearn.discriminant_analysis",),
)

# Without regularisation one column that is constant within a class is enough to fail.
DEFAULT_COMPONENT = replace(COMPONENT, space=partial(regularised_space, reg_param=0.1))
