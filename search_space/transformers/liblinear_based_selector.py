"""The columns to which an l1-penalised linear support vector machine gives weight."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ConfigSpace import ConfigurationSpace, Constant, Float
from sklearn.feature_selection import SelectFromModel
from sklearn.svm import LinearSVC

from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Constant("loss", "squared_hinge"),
        Float("tol", (1e-5, 1e-1), default=1e-4, log=True),
        Float("C", (0.03125, 32768.0), default=1.0, log=True),
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
    machine = LinearSVC(penalty="l1", dual=False, **options, random_state=seed)
    # At least one weight reaches their mean, so at least one column is kept.
    return SelectFromModel(machine, threshold="mean")


COMPONENT = Component(
    name="liblinear_based_selector",
    stage=Stage.PREPROCESSOR,
    space=_space,
    build=_build,
    handles_sparse=True,
)
