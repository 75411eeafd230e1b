"""The columns whose univariate test is significant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ConfigSpace import Categorical, ConfigurationSpace, Float
from sklearn.feature_selection import GenericUnivariateSelect, chi2, f_classif

from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.column_selector import ColumnSelector

_SCORES = {"chi2": chi2, "f_classif": f_classif}


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Float("alpha", (0.01, 0.5), default=0.1),
        Categorical("score_func", ("chi2", "f_classif"), default="chi2"),
        Categorical("mode", ("fpr", "fdr", "fwe"), default="fpr"),
    )
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ColumnSelector:
    name = hyperparameters["score_func"]
    selector = GenericUnivariateSelect(
        _SCORES[name], mode=hyperparameters["mode"], param=hyperparameters["alpha"]
    )
    return ColumnSelector(selector, clips_negatives=name == "chi2")


COMPONENT = Component(
    name="generic_univariate_selector",
    stage=Stage.PREPROCESSOR,
    space=_space,
    build=_build,
    handles_sparse=True,
)
