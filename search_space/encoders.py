"""How level codes become numbers that a learner can use.

A missing category counts as a level of its own. Levels that were not among the training rows are
taken at prediction time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from search_space.arrays import FloatArray, IntArray
from search_space.bounds import levels_kept
from search_space.columns import ByKind
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties
from search_space.variance_filter import VarianceFilter

NATIVE_ENCODER = "native"
"""Name of the encoder that leaves level codes to the classifier."""

_MISSING_CODE = -1.0


class OrdinalCodes(TransformerMixin, BaseEstimator):
    """Level codes as numbers; a missing category is -1."""

    def fit(self, X: FloatArray, y: IntArray | None = None) -> Self:
        """Learn nothing."""
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return the codes without gaps."""
        return np.where(np.isnan(X), _MISSING_CODE, X)


class NativeCodes(TransformerMixin, BaseEstimator):
    """Level codes for a classifier that knows what they are.

    Levels that were not among the training rows become missing, which every such classifier
    takes.
    """

    def fit(self, X: FloatArray, y: IntArray | None = None) -> Self:
        """Remember the levels of the training rows."""
        self.levels_ = [np.unique(column[~np.isnan(column)]) for column in X.T]
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return known codes, and NaN in place of others."""
        known = np.column_stack(
            [np.isin(column, levels) for column, levels in zip(X.T, self.levels_, strict=True)]
        )
        return np.where(known, X, np.nan)


def _one_hot(hyperparameters: Mapping[str, Any], context: BuildContext) -> ByKind:
    encoder = OneHotEncoder(
        max_categories=levels_kept(context.task),
        # Where rare levels are pooled, unknown ones join them; else they are all zeros.
        handle_unknown="infrequent_if_exist",
        sparse_output=False,
    )
    # A column with one level in the training rows becomes a constant.
    varying = Pipeline([("one_hot", encoder), ("varying", VarianceFilter(1e-7))])
    return ByKind(len(context.task.categorical), categorical=varying)


def _codes(
    hyperparameters: Mapping[str, Any],
    context: BuildContext,
    *,
    encoder: type[OrdinalCodes] | type[NativeCodes],
) -> ByKind:
    return ByKind(len(context.task.categorical), categorical=encoder())


def _nothing_to_encode(task: TaskProperties) -> str | None:
    return None if task.categorical else "there are no categorical columns"


ONE_HOT = Component(
    name="one_hot", stage=Stage.ENCODER, build=_one_hot, unsuitable=_nothing_to_encode
)
ORDINAL = Component(
    name="ordinal",
    stage=Stage.ENCODER,
    build=partial(_codes, encoder=OrdinalCodes),
    unsuitable=_nothing_to_encode,
)
NATIVE = Component(
    name=NATIVE_ENCODER,
    stage=Stage.ENCODER,
    build=partial(_codes, encoder=NativeCodes),
    unsuitable=_nothing_to_encode,
)

ENCODERS = (ONE_HOT, ORDINAL, NATIVE)
"""What is searched; the first one is the default."""
