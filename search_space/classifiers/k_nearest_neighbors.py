"""Nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace

from search_space.bounds import bounded_integer, columns, rows
from search_space.classifiers.contained import ContainedClassifier
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

LARGEST_DISTANCE_WORK = 5 * 10**11
"""Rows squared times encoded columns: a thousand times that of `Component.cost`."""


def neighbor_space(task: TaskProperties, *, n_neighbors: int, weights: str) -> ConfigurationSpace:
    """Return the published hyperparameters with the defaults of a preset."""
    space = ConfigurationSpace()
    space.add(
        bounded_integer("n_neighbors", (1, 100), rows(task), default=n_neighbors, log=True),
        Categorical("weights", ["uniform", "distance"], default=weights),
        Categorical("p", [1, 2], default=2),
    )
    return space


def unsuitable(task: TaskProperties) -> str | None:
    """Refuse tables with too many pairs of rows."""
    if task.n_rows**2 * columns(task).value > LARGEST_DISTANCE_WORK:
        return f"distances between {task.n_rows} rows x {columns(task).value} columns take too long"
    return None


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ContainedClassifier:
    """Return an unfitted classifier by nearest neighbours."""
    from sklearn.neighbors import KNeighborsClassifier

    return ContainedClassifier(
        KNeighborsClassifier(
            n_neighbors=int(hyperparameters["n_neighbors"]),
            weights=str(hyperparameters["weights"]),
            p=int(hyperparameters["p"]),
            n_jobs=1,
        )
    )


COMPONENT = Component(
    name="k_nearest_neighbors",
    stage=Stage.CLASSIFIER,
    build=build,
    space=partial(neighbor_space, n_neighbors=1, weights="uniform"),
    unsuitable=unsuitable,
    takes_weights=False,
    handles_sparse=True,
    cost=0.1,
    modules=("sklearn.neighbors",),
)

# One neighbour gives probabilities of 0 and 1 only.
DEFAULT_COMPONENT = replace(
    COMPONENT, space=partial(neighbor_space, n_neighbors=15, weights="distance")
)
