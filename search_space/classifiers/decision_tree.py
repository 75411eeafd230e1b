"""A single decision tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace, Integer

from search_space.classifiers.contained import ContainedClassifier
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties


def space(task: TaskProperties) -> ConfigurationSpace:
    """Return hyperparameters that bound the tree; leaves of some rows give usable frequencies."""
    configuration_space = ConfigurationSpace()
    configuration_space.add(
        Categorical("criterion", ["gini", "entropy"], default="gini"),
        Integer("max_depth", (1, 20), default=8),
        Integer("min_samples_leaf", (1, 50), default=20, log=True),
    )
    return configuration_space


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ContainedClassifier:
    """Return an unfitted decision tree."""
    from sklearn.tree import DecisionTreeClassifier

    return ContainedClassifier(
        DecisionTreeClassifier(
            criterion=str(hyperparameters["criterion"]),
            max_depth=int(hyperparameters["max_depth"]),
            min_samples_leaf=int(hyperparameters["min_samples_leaf"]),
            random_state=context.seed,
        )
    )


COMPONENT = Component(
    name="decision_tree",
    stage=Stage.CLASSIFIER,
    build=build,
    space=space,
    handles_missing=True,
    handles_sparse=True,
    cost=0.07,
    modules=("sklearn.tree",),
)
