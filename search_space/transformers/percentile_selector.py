"""The best columns by a univariate score, a percentage of all."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
from ConfigSpace import Categorical, ConfigurationSpace, Float
from sklearn.feature_selection import SelectPercentile, chi2, f_classif, mutual_info_classif

from search_space.arrays import Features, IntArray
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.column_selector import ColumnSelector


def _space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Float("percentile", (5.0, 99.0), default=50.0),
        Categorical("score_func", ("chi2", "f_classif", "mutual_info"), default="chi2"),
    )
    return space


def _build(hyperparameters: Mapping[str, Any], context: BuildContext) -> ColumnSelector:
    name = hyperparameters["score_func"]
    scores = {
        "chi2": chi2,
        "f_classif": f_classif,
        "mutual_info": partial(mutual_information, seed=context.seed),
    }
    selector = SelectPercentile(scores[name], percentile=hyperparameters["percentile"])
    return ColumnSelector(selector, clips_negatives=name == "chi2")


def mutual_information(X: Features, y: IntArray, *, seed: int) -> npt.NDArray[np.float64]:
    """Return the mutual information of each column and the classes, in nats.

    Columns that hold only 0 and 1 are counted, the others go through nearest neighbours.
    """
    if scipy.sparse.issparse(X):
        discrete = np.ones(X.shape[1], dtype=bool)
    else:
        discrete = ((X == 0.0) | (X == 1.0)).all(axis=0)
    information: npt.NDArray[np.float64] = mutual_info_classif(
        X, y, discrete_features=discrete, random_state=seed, n_jobs=1
    )
    return information


COMPONENT = Component(
    name="percentile_selector",
    stage=Stage.PREPROCESSOR,
    space=_space,
    build=_build,
    handles_sparse=True,
)
