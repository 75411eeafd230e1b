"""Multi-layer perceptron, trained by Adam."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer

from search_space.arrays import Features, IntArray
from search_space.bounds import columns
from search_space.classifiers.contained import ContainedClassifier
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

MAX_EPOCHS = 200
PATIENCE_EPOCHS = 15

VALIDATION_FRACTION = 0.1
FEWEST_VALIDATION_ROWS = 25
"""Fewer say too little; training then ends when the loss on the training rows is flat."""

LARGEST_TABLE = 50_000_000
"""Rows times encoded columns: five hundred times the table of `Component.cost`, ten minutes."""


def space(task: TaskProperties) -> ConfigurationSpace:
    """Return the size of the network and how it is trained, close to auto-sklearn's ranges."""
    configuration_space = ConfigurationSpace()
    configuration_space.add(
        Integer("n_hidden_layers", (1, 3), default=2),
        Integer("n_nodes_per_layer", (16, 256), default=64, log=True),
        Categorical("activation", ["relu", "tanh"], default="relu"),
        Float("alpha", (1e-7, 1e-1), default=1e-4, log=True),
        Float("learning_rate_init", (1e-4, 1e-1), default=1e-3, log=True),
    )
    return configuration_space


def unsuitable(task: TaskProperties) -> str | None:
    """Refuse tables on which an epoch takes too long."""
    if task.n_rows * columns(task).value > LARGEST_TABLE and not task.is_sparse:
        return f"{task.n_rows} rows x {columns(task).value} columns take too long"
    return None


def stopping(X: Features, y: IntArray) -> dict[str, bool]:
    """Return whether rows can be held back: enough of them, and of every class one on each side."""
    counts = np.unique(y, return_counts=True)[1]
    n_validation = int(VALIDATION_FRACTION * counts.sum())
    enough = n_validation >= max(FEWEST_VALIDATION_ROWS, len(counts))
    return {"early_stopping": bool(enough and counts.min() >= 2)}


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ContainedClassifier:
    """Return an unfitted network with hidden layers of equal size."""
    from sklearn.neural_network import MLPClassifier

    n_layers = int(hyperparameters["n_hidden_layers"])
    return ContainedClassifier(
        MLPClassifier(
            hidden_layer_sizes=(int(hyperparameters["n_nodes_per_layer"]),) * n_layers,
            activation=str(hyperparameters["activation"]),
            alpha=float(hyperparameters["alpha"]),
            learning_rate_init=float(hyperparameters["learning_rate_init"]),
            max_iter=MAX_EPOCHS,
            n_iter_no_change=PATIENCE_EPOCHS,
            validation_fraction=VALIDATION_FRACTION,
            random_state=context.seed,
        ),
        data_parameters=stopping,
    )


COMPONENT = Component(
    name="mlp",
    stage=Stage.CLASSIFIER,
    build=build,
    space=space,
    unsuitable=unsuitable,
    handles_sparse=True,
    cost=1.5,
    modules=("sklearn.neural_network",),
)
