"""The columns that extremely randomised trees find important."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace, Integer
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectFromModel

from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator

_TREES = 100
_EXPONENTS = tuple(np.round(np.linspace(0.0, 1.0, 21), 2).tolist())


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Categorical("criterion", ("gini", "entropy"), default="gini"),
        # An exponent: n_columns ** max_features columns are candidates for a split.
        Categorical("max_features", _EXPONENTS, default=0.5, ordered=True),
        Integer("min_samples_split", (2, 20), default=2),
        Integer("min_samples_leaf", (1, 20), default=1),
        Categorical("bootstrap", (True, False), default=False),
    )
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    return SizedOperator(partial(_make, options=dict(hyperparameters), seed=context.seed))


def _make(
    n_rows: int,
    n_columns: int,
    *,
    options: Mapping[str, Any],
    seed: int,
) -> SelectFromModel:
    """Return the selector; `options` are hyperparameters of this operator."""
    max_features = max(1, int(n_columns ** options["max_features"]))
    forest = ExtraTreesClassifier(
        n_estimators=_TREES,
        **{**options, "max_features": max_features},
        n_jobs=1,
        random_state=seed,
    )
    # At least one importance reaches their mean, so at least one column is kept.
    return SelectFromModel(forest, threshold="mean")


COMPONENT = Component(
    name="extra_trees_based_selector",
    stage=Stage.PREPROCESSOR,
    space=_space,
    build=_build,
    handles_sparse=True,
)
