"""Truncated singular value decomposition."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ConfigSpace import ConfigurationSpace
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import FunctionTransformer

from search_space.bounds import Limit, bounded_integer, columns
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator


def _space(task: TaskProperties) -> ConfigurationSpace:
    limit = columns(task)
    space = ConfigurationSpace()
    # With as many directions as columns nothing would be left out.
    below = Limit(limit.value - 1, limit.reason)
    space.add(bounded_integer("target_dim", (10, 256), below, default=128))
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    return SizedOperator(
        partial(_make, target_dim=hyperparameters["target_dim"], seed=context.seed)
    )


def _make(
    n_rows: int, n_columns: int, *, target_dim: int, seed: int
) -> TruncatedSVD | FunctionTransformer:
    if n_columns < 2:
        return FunctionTransformer()
    n_components = max(1, min(target_dim, n_columns - 1, n_rows))
    return TruncatedSVD(n_components=n_components, random_state=seed)


COMPONENT = Component(
    name="svd", stage=Stage.PREPROCESSOR, space=_space, build=_build, handles_sparse=True
)
