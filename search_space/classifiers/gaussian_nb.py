"""Naive Bayes with a normal distribution per column and class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ConfigSpace import ConfigurationSpace, Float

from search_space.classifiers.contained import ContainedClassifier
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties


def space(task: TaskProperties) -> ConfigurationSpace:
    """Return the share of the largest variance that is added to all variances."""
    configuration_space = ConfigurationSpace()
    configuration_space.add(Float("var_smoothing", (1e-10, 1e-1), default=1e-9, log=True))
    return configuration_space


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ContainedClassifier:
    """Return an unfitted naive Bayes classifier."""
    from sklearn.naive_bayes import GaussianNB

    return ContainedClassifier(GaussianNB(var_smoothing=float(hyperparameters["var_smoothing"])))


COMPONENT = Component(
    name="gaussian_nb",
    stage=Stage.CLASSIFIER,
    build=build,
    space=space,
    cost=0.01,
    modules=("sklearn.naive_bayes",),
)
