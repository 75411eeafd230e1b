"""Principal components that keep a share of the variance."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace, Float
from sklearn.decomposition import PCA

from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.sized_operator import SizedOperator


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Float("keep_variance", (0.5, 0.9999), default=0.9999),
        Categorical("whiten", (False, True), default=False),
    )
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> SizedOperator:
    make = partial(
        _make,
        keep_variance=hyperparameters["keep_variance"],
        whiten=hyperparameters["whiten"],
        seed=context.seed,
    )
    return SizedOperator(make)


def _make(n_rows: int, n_columns: int, *, keep_variance: float, whiten: bool, seed: int) -> PCA:
    return PCA(n_components=keep_variance, whiten=whiten, random_state=seed)


COMPONENT = Component(name="pca", stage=Stage.PREPROCESSOR, space=_space, build=_build)
