"""What the conversions are built of: selection of columns, tables of values, NumPy functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import FunctionTransformer

from automl.errors import InputError
from search_space.arrays import Features


def of_a_library(part: Any) -> Any:
    """Return a fitted part of a pipeline as it is.

    Raises
    ------
    InputError
        If its class is ours: what has no conversion of its own has no counterpart.
    """
    if type(part).__module__.partition(".")[0] in ("automl", "search_space"):
        raise InputError(
            f"{type(part).__name__} has no counterpart in scikit-learn; use save and load"
        )
    return part


def select(positions: Sequence[int], like: Features) -> ColumnTransformer:
    """Return what keeps some columns of tables such as `like`, in the given order."""
    return by_columns([("kept", "passthrough", positions)], like)


def by_columns(parts: Sequence[tuple[str, Any, Sequence[Any]]], like: Any) -> ColumnTransformer:
    """Return what treats columns apart, by fitted transformers, and puts the results in a row.

    Parameters
    ----------
    parts : sequence of (name, transformer, columns)
        "passthrough" leaves columns as they are.
    like : table
        Some rows of such a table as will be transformed.
    """
    frozen = [
        (name, part if isinstance(part, str) else FrozenEstimator(part), list(columns))
        for name, part, columns in parts
        if len(columns)
    ]
    return ColumnTransformer(frozen).fit(like)


def function(call: Callable[..., Any], **arguments: Any) -> FunctionTransformer:
    """Return a step that calls a function of a library with a table and fixed arguments."""
    return FunctionTransformer(call, kw_args=arguments).fit(np.zeros((1, 1)))


def lookup(table: Mapping[float, float], *, otherwise: float) -> FunctionTransformer:
    """Return a step that replaces numbers by others; NaN stays.

    It is linear interpolation between points that surround each number closely.

    Parameters
    ----------
    table : mapping of float to float
        What replaces which number.
    otherwise : float
        What replaces all other numbers.

    Examples
    --------
    >>> lookup({0.0: 7.0, 2.0: np.nan}, otherwise=-1.0).transform(np.array([[0.0, 1.0, 2.0]]))
    array([[ 7., -1., nan]])
    """
    numbers = np.array(sorted(table), dtype=np.float64)
    if not len(numbers):
        numbers, table = np.zeros(1), {0.0: otherwise}
    gap = np.diff(numbers).min(initial=np.inf)
    step = min(gap / 8.0, 1e-6 * max(1.0, float(np.abs(numbers).max())))
    points = (numbers[:, None] + step * np.array([-2.0, -1.0, 1.0, 2.0])).ravel()
    values = np.array([[otherwise, table[x], table[x], otherwise] for x in numbers.tolist()])
    return function(np.interp, xp=points, fp=values.ravel(), left=otherwise, right=otherwise)
