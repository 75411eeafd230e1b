"""No preprocessing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.preprocessing import FunctionTransformer

from search_space.component import BuildContext, Component, Stage


def identity(hyperparameters: Mapping[str, Any], context: BuildContext) -> FunctionTransformer:
    """Return a transformer that leaves everything as it is."""
    return FunctionTransformer()


COMPONENT = Component(
    name="empty", stage=Stage.PREPROCESSOR, build=identity, handles_sparse=True, cost=0.0
)
