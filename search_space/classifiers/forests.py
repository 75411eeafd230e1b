"""What random forest and extra trees share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer

from search_space.arrays import Features, IntArray
from search_space.classifiers.contained import ContainedClassifier
from search_space.task import TaskProperties

MOST_NODE_VALUES = 1_000_000_000
"""Trees times rows times classes.

Every node stores eight bytes per class, and fully grown trees had 0.2 to 1.5 nodes per row on
synthetic tables: such a forest needs 2 to 12 GB.
"""


def forest_space(task: TaskProperties, *, bootstrap: bool) -> ConfigurationSpace:
    """Return the published hyperparameters; `bootstrap` is the default of that name."""
    space = ConfigurationSpace()
    space.add(
        Categorical("criterion", ["gini", "entropy"], default="gini"),
        Float("max_features", (0.0, 1.0), default=0.5),
        Integer("min_samples_split", (2, 20), default=2),
        Integer("min_samples_leaf", (1, 20), default=1),
        Categorical("bootstrap", [True, False], default=bootstrap),
    )
    return space


def too_large(task: TaskProperties, *, n_trees: int) -> str | None:
    """Refuse many rows with many classes, for memory."""
    if n_trees * task.n_rows * task.n_classes > MOST_NODE_VALUES:
        return f"{n_trees} trees for {task.n_rows} rows x {task.n_classes} classes need GBs"
    return None


def columns_per_split(X: Features, y: IntArray, *, exponent: float) -> dict[str, int]:
    """Return ``max_features``, the number of columns to the power of `exponent`, at least one.

    Examples
    --------
    >>> import numpy as np
    >>> columns_per_split(np.zeros((3, 20)), np.array([0, 1, 1]), exponent=0.5)
    {'max_features': 4}
    """
    return {"max_features": max(1, int(X.shape[1] ** exponent))}


def forest(
    forest_class: type[Any], hyperparameters: Mapping[str, Any], *, n_trees: int, seed: int
) -> ContainedClassifier:
    """Return an unfitted forest of fully grown trees of a scikit-learn class."""
    return ContainedClassifier(
        forest_class(
            n_estimators=n_trees,
            criterion=str(hyperparameters["criterion"]),
            min_samples_split=int(hyperparameters["min_samples_split"]),
            min_samples_leaf=int(hyperparameters["min_samples_leaf"]),
            bootstrap=bool(hyperparameters["bootstrap"]),
            n_jobs=1,
            random_state=seed,
        ),
        data_parameters=partial(columns_per_split, exponent=float(hyperparameters["max_features"])),
    )
