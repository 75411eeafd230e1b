"""Operators that bring columns to a common scale."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse
from ConfigSpace import Categorical, ConfigurationSpace, Float
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.preprocessing import (
    MinMaxScaler,
    Normalizer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from search_space.arrays import Features, IntArray
from search_space.bounds import bounded_integer, rows
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.transformers.empty import identity
from search_space.transformers.sized_operator import LARGEST_OUTPUT, quiet_arrays


class Rescaler(TransformerMixin, BaseEstimator):
    """A scaler of scikit-learn that keeps quiet and within what single precision can hold.

    Missing values stay missing where the scaler takes them.

    Parameters
    ----------
    scaler : transformer
        Scaler of scikit-learn; quantiles are cut to the number of training rows.
    """

    def __init__(self, scaler: Any) -> None:
        self.scaler = scaler

    def fit(self, X: Features, y: IntArray | None = None) -> Self:
        """Learn the scale of training rows."""
        self.scaler_ = clone(self.scaler)
        if isinstance(self.scaler_, QuantileTransformer):
            n_quantiles = min(self.scaler_.n_quantiles, X.shape[0])
            self.scaler_.set_params(n_quantiles=n_quantiles)
        with quiet_arrays():
            self.scaler_.fit(X)
        return self

    def transform(self, X: Features) -> Features:
        """Return rescaled rows."""
        with quiet_arrays():
            scaled = self.scaler_.transform(X)
        if scipy.sparse.issparse(scaled):
            rescaled = scipy.sparse.csr_array(scaled)
            rescaled.data = np.clip(rescaled.data, -LARGEST_OUTPUT, LARGEST_OUTPUT)
            return rescaled
        return np.clip(np.asarray(scaled, dtype=np.float64), -LARGEST_OUTPUT, LARGEST_OUTPUT)


def _minmax(hyperparameters: Mapping[str, Any], context: BuildContext) -> Rescaler:
    return Rescaler(MinMaxScaler())


def _normalizer(hyperparameters: Mapping[str, Any], context: BuildContext) -> Rescaler:
    return Rescaler(Normalizer(norm="l2"))


def _standard(hyperparameters: Mapping[str, Any], context: BuildContext) -> Rescaler:
    # Centring would make every value of a sparse table non-zero.
    return Rescaler(StandardScaler(with_mean=not context.task.is_sparse))


def _robust_space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Float("q_min", (0.001, 0.3), default=0.25),
        Float("q_max", (0.7, 0.999), default=0.75),
    )
    return space


def _robust(hyperparameters: Mapping[str, Any], context: BuildContext) -> Rescaler:
    percent = (100.0 * hyperparameters["q_min"], 100.0 * hyperparameters["q_max"])
    scaler = RobustScaler(quantile_range=percent, with_centering=not context.task.is_sparse)
    return Rescaler(scaler)


def _quantile_space(task: TaskProperties) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        bounded_integer("n_quantiles", (10, 2000), rows(task), default=1000),
        Categorical("output_distribution", ("uniform", "normal"), default="uniform"),
    )
    return space


def _quantile(hyperparameters: Mapping[str, Any], context: BuildContext) -> Rescaler:
    return Rescaler(QuantileTransformer(**hyperparameters, random_state=context.seed))


_rescaler = partial(Component, stage=Stage.RESCALER)

EMPTY = _rescaler(name="empty", build=identity, handles_sparse=True)
MINMAX = _rescaler(name="minmax", build=_minmax)
NORMALIZER = _rescaler(name="normalizer", build=_normalizer, handles_sparse=True)
QUANTILE = _rescaler(name="quantile_transformer", build=_quantile, space=_quantile_space)
ROBUST = _rescaler(name="robust", build=_robust, space=_robust_space, handles_sparse=True)
STANDARD = _rescaler(name="standard", build=_standard, handles_sparse=True)

RESCALERS = (EMPTY, MINMAX, NORMALIZER, QUANTILE, ROBUST, STANDARD)
