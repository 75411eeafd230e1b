"""Support vector machine with a kernel.

References
----------
.. [1] C.-C. Chang, C.-J. Lin (2011). LIBSVM: A Library for Support Vector Machines. ACM TIST 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    EqualsCondition,
    Float,
    InCondition,
    Integer,
)

from search_space.bounds import columns
from search_space.classifiers.decision_values import DecisionValueClassifier
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

MOST_ROWS = 20_000
"""Time and support vectors grow with the square of the rows."""

MAX_ITERATIONS = 10_000
GAMMA_BOUNDS = (2.0**-15, 8.0)


def paper_space(task: TaskProperties) -> ConfigurationSpace:
    """Return the published hyperparameters."""
    return _space(default_gamma=0.1)


def default_space(task: TaskProperties) -> ConfigurationSpace:
    """Return the same with gamma one over the number of columns, right for columns of unit size."""
    lower, upper = GAMMA_BOUNDS
    return _space(default_gamma=min(max(1.0 / max(columns(task).value, 1), lower), upper))


def _space(*, default_gamma: float) -> ConfigurationSpace:
    space = ConfigurationSpace()
    kernel = Categorical("kernel", ["rbf", "poly", "sigmoid"], default="rbf")
    degree = Integer("degree", (2, 5), default=3)
    coef0 = Float("coef0", (-1.0, 1.0), default=0.0)
    space.add(
        Float("C", (0.03125, 32768.0), default=1.0, log=True),
        kernel,
        degree,
        Float("gamma", GAMMA_BOUNDS, default=default_gamma, log=True),
        coef0,
        Categorical("shrinking", [True, False], default=True),
        Float("tol", (1e-5, 1e-1), default=1e-3, log=True),
    )
    space.add(
        EqualsCondition(degree, kernel, "poly"), InCondition(coef0, kernel, ["poly", "sigmoid"])
    )
    return space


def unsuitable(task: TaskProperties) -> str | None:
    """Refuse tables with too many rows."""
    if task.n_rows > MOST_ROWS:
        return f"its time grows with the square of the rows, here {task.n_rows}"
    return None


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> DecisionValueClassifier:
    """Return an unfitted support vector machine of at most 10,000 iterations."""
    from sklearn.svm import SVC

    return DecisionValueClassifier(
        SVC(
            C=float(hyperparameters["C"]),
            kernel=str(hyperparameters["kernel"]),
            degree=int(hyperparameters.get("degree", 3)),
            gamma=float(hyperparameters["gamma"]),
            coef0=float(hyperparameters.get("coef0", 0.0)),
            shrinking=bool(hyperparameters["shrinking"]),
            tol=float(hyperparameters["tol"]),
            max_iter=MAX_ITERATIONS,
            random_state=context.seed,
        )
    )


COMPONENT = Component(
    name="libsvm_svc",
    stage=Stage.CLASSIFIER,
    build=build,
    space=paper_space,
    unsuitable=unsuitable,
    handles_sparse=True,
    cost=0.9,
    modules=("sklearn.svm",),
)

DEFAULT_COMPONENT = replace(COMPONENT, space=default_space)
