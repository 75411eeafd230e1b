"""Columns that behave alike, merged into one each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    ForbiddenInClause,
)
from sklearn.cluster import FeatureAgglomeration
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from search_space.bounds import bounded_integer, columns
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator
from search_space.variance_filter import VarianceFilter

_POOLING = {"mean": np.mean, "median": np.median, "max": np.max}


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    affinity = Categorical("affinity", ("euclidean", "manhattan", "cosine"), default="euclidean")
    linkage = Categorical("linkage", ("ward", "complete", "average"), default="ward")
    space.add(
        bounded_integer("n_clusters", (2, 400), columns(task), default=25),
        affinity,
        linkage,
        Categorical("pooling_func", ("mean", "median", "max"), default="mean"),
        # Ward's criterion is a sum of squares.
        ForbiddenAndConjunction(
            ForbiddenEqualsClause(linkage, "ward"),
            ForbiddenInClause(affinity, ["manhattan", "cosine"]),
        ),
    )
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> Pipeline:
    merge = SizedOperator(partial(_make, **hyperparameters))
    # The cosine of a column of zeros does not exist.
    return Pipeline([("varying", VarianceFilter(0.0)), ("merge", merge)])


def _make(
    n_rows: int,
    n_columns: int,
    *,
    n_clusters: int,
    affinity: str,
    linkage: str,
    pooling_func: str,
) -> FeatureAgglomeration | FunctionTransformer:
    if n_columns < 2:
        return FunctionTransformer()
    return FeatureAgglomeration(
        n_clusters=min(n_clusters, n_columns),
        metric=affinity,
        linkage=linkage,
        pooling_func=_POOLING[pooling_func],
    )


COMPONENT = Component(
    name="feature_agglomeration", stage=Stage.PREPROCESSOR, space=_space, build=_build
)
