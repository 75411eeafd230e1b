"""The leaves of random trees as binary columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace, Integer
from sklearn.ensemble import RandomTreesEmbedding

from search_space.bounds import MOST_CELLS, Limit, bounded_integer
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator

_MANY_ROWS = 5000
_DEPTH_WITH_MANY_ROWS = 6


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Integer("n_estimators", (10, 100), default=10),
        bounded_integer("max_depth", (2, 10), _most_depth(task.n_rows), default=5),
        Integer("min_samples_split", (2, 20), default=2),
        Integer("min_samples_leaf", (1, 20), default=1),
        Categorical("bootstrap", (True, False), default=True),
    )
    return space


def _most_depth(n_rows: int) -> Limit:
    if n_rows <= _MANY_ROWS:
        return Limit(10, "")
    return Limit(_DEPTH_WITH_MANY_ROWS, f"the task has {n_rows} training rows")


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    return SizedOperator(partial(_make, options=dict(hyperparameters), seed=context.seed))


def _make(
    n_rows: int,
    n_columns: int,
    *,
    options: Mapping[str, Any],
    seed: int,
) -> RandomTreesEmbedding:
    """Return the forest; `options` are hyperparameters of this operator."""
    max_depth = min(options["max_depth"], _most_depth(n_rows).value)
    most_leaves = max(2, MOST_CELLS // (n_rows * options["n_estimators"]))
    forest = RandomTreesEmbedding(
        n_estimators=options["n_estimators"],
        max_depth=max_depth,
        min_samples_split=options["min_samples_split"],
        min_samples_leaf=options["min_samples_leaf"],
        # A limit that cannot bind would still change the order in which nodes are split.
        max_leaf_nodes=most_leaves if most_leaves < 2**max_depth else None,
        sparse_output=False,
        n_jobs=1,
        random_state=seed,
    )
    # Every forest of scikit-learn can draw its rows; only this one's constructor cannot say so.
    forest.bootstrap = options["bootstrap"]
    return forest


COMPONENT = Component(
    name="random_trees_embedding",
    stage=Stage.PREPROCESSOR,
    space=_space,
    build=_build,
    handles_sparse=True,
)
