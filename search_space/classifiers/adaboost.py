"""AdaBoost over small decision trees.

References
----------
.. [1] J. Zhu et al. (2009). Multi-class AdaBoost. Statistics and Its Interface 2 (SAMME).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ConfigSpace import ConfigurationSpace, Constant, Float, Integer

from search_space.bounds import columns
from search_space.classifiers.contained import ContainedClassifier
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

LARGEST_TABLE = 10_000_000
"""Rows times encoded columns: a hundred times the table of `Component.cost`, so minutes."""


def paper_space(task: TaskProperties) -> ConfigurationSpace:
    """Return the published hyperparameters; SAMME is the only algorithm left."""
    space = ConfigurationSpace()
    space.add(
        Integer("n_estimators", (50, 500), default=50),
        Float("learning_rate", (0.01, 2.0), default=0.1, log=True),
        Constant("algorithm", "SAMME"),
        Integer("max_depth", (2, 8), default=3),
    )
    return space


def default_space(task: TaskProperties) -> ConfigurationSpace:
    """Return hyperparameters whose default learns faster than the published one.

    The published ranges reach forests of 500 deep trees, the slowest configurations of all.
    """
    space = ConfigurationSpace()
    space.add(
        Integer("n_estimators", (50, 200), default=50),
        Float("learning_rate", (0.01, 2.0), default=0.5, log=True),
        Integer("max_depth", (1, 6), default=6),
    )
    return space


def unsuitable(task: TaskProperties) -> str | None:
    """Refuse tables on which hundreds of trees, one after the other, take too long."""
    if task.n_rows * columns(task).value > LARGEST_TABLE:
        return f"{task.n_rows} rows x {columns(task).value} columns are too many for AdaBoost"
    return None


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ContainedClassifier:
    """Return an unfitted AdaBoost classifier."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    return ContainedClassifier(
        AdaBoostClassifier(
            DecisionTreeClassifier(max_depth=int(hyperparameters["max_depth"])),
            n_estimators=int(hyperparameters["n_estimators"]),
            learning_rate=float(hyperparameters["learning_rate"]),
            random_state=context.seed,
        )
    )


COMPONENT = Component(
    name="adaboost",
    stage=Stage.CLASSIFIER,
    build=build,
    space=paper_space,
    unsuitable=unsuitable,
    handles_sparse=True,
    cost=1.5,
    modules=("sklearn.ensemble", "sklearn.tree"),
)

DEFAULT_COMPONENT = replace(COMPONENT, space=default_space, cost=2.8)
