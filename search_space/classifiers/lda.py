"""Linear discriminant analysis.

The probabilities are those of the Gaussian model; no softmax is applied to them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float

from search_space.bounds import Limit, bounded_integer, columns, lowest
from search_space.classifiers.contained import ContainedClassifier
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

MOST_COLUMNS = 2_000
"""Encoded columns; 5,000 rows of 2,000 columns take about six seconds, and time grows with d^2."""


def default_space(task: TaskProperties) -> ConfigurationSpace:
    """Return what changes predictions: shrinkage, estimated from the data by default."""
    return _space(default_shrinkage="auto")


def paper_space(task: TaskProperties) -> ConfigurationSpace:
    """Return the published hyperparameters, components cut to what the data have."""
    space = _space(default_shrinkage="none")
    directions = Limit(task.n_classes - 1, f"{task.n_classes} classes differ in so many directions")
    most = lowest(directions, columns(task))
    space.add(bounded_integer("n_components", (1, 250), most, default=1))
    return space


def _space(*, default_shrinkage: str) -> ConfigurationSpace:
    space = ConfigurationSpace()
    shrinkage = Categorical("shrinkage", ["none", "auto", "manual"], default=default_shrinkage)
    shrinkage_factor = Float("shrinkage_factor", (0.0, 1.0), default=0.5)
    space.add(shrinkage, shrinkage_factor, Float("tol", (1e-5, 1e-1), default=1e-4, log=True))
    space.add(EqualsCondition(shrinkage_factor, shrinkage, "manual"))
    return space


def unsuitable(task: TaskProperties) -> str | None:
    """Refuse covariances that are too large."""
    if columns(task).value > MOST_COLUMNS:
        return f"the covariance of {columns(task).value} columns takes too long"
    return None


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ContainedClassifier:
    """Return an unfitted linear discriminant analysis.

    ``n_components`` is not handed on: it is the size of what ``transform`` returns, predictions do
    not depend on it, and scikit-learn refuses a value that no longer fits once a preprocessor has
    removed columns.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    tol = float(hyperparameters["tol"])
    match str(hyperparameters["shrinkage"]):
        case "none":
            estimator = LinearDiscriminantAnalysis(solver="svd", tol=tol)
        case "auto":
            estimator = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto", tol=tol)
        case _:
            factor = float(hyperparameters["shrinkage_factor"])
            estimator = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=factor, tol=tol)
    return ContainedClassifier(estimator)


COMPONENT = Component(
    name="lda",
    stage=Stage.CLASSIFIER,
    build=build,
    space=paper_space,
    unsuitable=unsuitable,
    takes_weights=False,
    cost=0.01,
    modules=("sklearn.discriminant_analysis",),
)

DEFAULT_COMPONENT = replace(COMPONENT, space=default_space)
