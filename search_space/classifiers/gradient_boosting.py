"""Gradient boosting with exact splits.

References
----------
.. [1] J. H. Friedman (2001). Greedy Function Approximation: A Gradient Boosting Machine. Annals of
   Statistics 29.
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

N_TREES = 100

LARGEST_WORK = 10_000_000
"""Rows times encoded columns times trees per round: a hundred times that of `cost`."""


def paper_space(task: TaskProperties) -> ConfigurationSpace:
    """Return the published hyperparameters; one split criterion is left."""
    space = ConfigurationSpace()
    space.add(
        Float("learning_rate", (0.01, 1.0), default=0.1, log=True),
        Integer("max_depth", (1, 8), default=3),
        Constant("criterion", "squared_error"),
        Integer("min_samples_split", (2, 20), default=2),
        Integer("min_samples_leaf", (1, 20), default=1),
        Float("subsample", (0.01, 1.0), default=1.0),
        Float("max_features", (0.1, 1.0), default=1.0),
    )
    return space


def default_space(task: TaskProperties) -> ConfigurationSpace:
    """Return hyperparameters whose default looks at half of the columns, which halves its time."""
    space = ConfigurationSpace()
    space.add(
        Float("learning_rate", (0.01, 1.0), default=0.1, log=True),
        Integer("max_depth", (1, 8), default=4),
        Integer("min_samples_split", (2, 20), default=2),
        Integer("min_samples_leaf", (1, 20), default=3),
        Float("subsample", (0.3, 1.0), default=0.8),
        Float("max_features", (0.1, 1.0), default=0.5),
    )
    return space


def unsuitable(task: TaskProperties) -> str | None:
    """Refuse tables on which exact splits take too long; histogram boosting does the same job."""
    trees_per_round = 1 if task.n_classes == 2 else task.n_classes
    if task.n_rows * columns(task).value * trees_per_round > LARGEST_WORK:
        return (
            f"{task.n_rows} rows x {columns(task).value} columns x {trees_per_round} trees per "
            f"round are too many for exact splits"
        )
    return None


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ContainedClassifier:
    """Return an unfitted gradient boosting classifier of 100 rounds."""
    from sklearn.ensemble import GradientBoostingClassifier

    return ContainedClassifier(
        GradientBoostingClassifier(
            n_estimators=N_TREES,
            learning_rate=float(hyperparameters["learning_rate"]),
            max_depth=int(hyperparameters["max_depth"]),
            min_samples_split=int(hyperparameters["min_samples_split"]),
            min_samples_leaf=int(hyperparameters["min_samples_leaf"]),
            subsample=float(hyperparameters["subsample"]),
            max_features=float(hyperparameters["max_features"]),
            random_state=context.seed,
        )
    )


COMPONENT = Component(
    name="gradient_boosting",
    stage=Stage.CLASSIFIER,
    build=build,
    space=paper_space,
    unsuitable=unsuitable,
    handles_sparse=True,
    cost=2.4,
    modules=("sklearn.ensemble",),
)

DEFAULT_COMPONENT = replace(COMPONENT, space=default_space, cost=1.5)
