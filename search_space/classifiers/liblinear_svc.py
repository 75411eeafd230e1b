"""Linear support vector machine.

References
----------
.. [1] R.-E. Fan et al. (2008). LIBLINEAR: A Library for Large Linear Classification. JMLR 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
)

from search_space.classifiers.decision_values import DecisionValueClassifier
from search_space.classifiers.table_limits import too_much_linear_work
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties


def linear_space(task: TaskProperties, *, dual: bool) -> ConfigurationSpace:
    """Return the published hyperparameters; `dual` is the default of that name.

    Four combinations are left: l1 with squared hinge in the primal, l2 with hinge in the dual, l2
    with squared hinge in either.
    """
    space = ConfigurationSpace()
    penalty = Categorical("penalty", ["l1", "l2"], default="l2")
    loss = Categorical("loss", ["hinge", "squared_hinge"], default="squared_hinge")
    is_dual = Categorical("dual", [True, False], default=dual)
    space.add(
        penalty,
        loss,
        is_dual,
        Float("tol", (1e-5, 1e-1), default=1e-4, log=True),
        Float("C", (0.03125, 32768.0), default=1.0, log=True),
    )
    l1, l2 = ForbiddenEqualsClause(penalty, "l1"), ForbiddenEqualsClause(penalty, "l2")
    hinge = ForbiddenEqualsClause(loss, "hinge")
    in_dual = ForbiddenEqualsClause(is_dual, True)
    in_primal = ForbiddenEqualsClause(is_dual, False)
    space.add(
        ForbiddenAndConjunction(l1, hinge),
        ForbiddenAndConjunction(in_primal, l2, hinge),
        ForbiddenAndConjunction(in_dual, l1),
    )
    return space


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> DecisionValueClassifier:
    """Return an unfitted linear support vector machine, one-vs-rest."""
    from sklearn.svm import LinearSVC

    return DecisionValueClassifier(
        LinearSVC(
            penalty=str(hyperparameters["penalty"]),
            loss=str(hyperparameters["loss"]),
            dual=bool(hyperparameters["dual"]),
            tol=float(hyperparameters["tol"]),
            C=float(hyperparameters["C"]),
            random_state=context.seed,
        )
    )


COMPONENT = Component(
    name="liblinear_svc",
    stage=Stage.CLASSIFIER,
    build=build,
    space=partial(linear_space, dual=True),
    unsuitable=too_much_linear_work,
    handles_sparse=True,
    cost=0.3,
    modules=("sklearn.svm",),
)

# The dual needs many passes as soon as there are more rows than columns.
DEFAULT_COMPONENT = replace(COMPONENT, space=partial(linear_space, dual=False), cost=0.01)
