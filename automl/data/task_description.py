"""What the search space is told about a task."""

from __future__ import annotations

import numpy as np

from automl.data.folds import Splits
from automl.data.schema import Schema
from search_space.arrays import IntArray
from search_space.task import TaskProperties


def describe_task(
    schema: Schema, codes: IntArray, splits: Splits, n_classes: int, *, has_weights: bool = False
) -> TaskProperties:
    """Return the size and the kinds of columns of a task.

    Parameters
    ----------
    schema : Schema
        What was learnt of the columns.
    codes : (n,) array in [0, n_classes)
        The class of each row.
    splits : Splits
        The folds that configurations are judged on.
    n_classes : int
        Number of classes.
    has_weights : bool
        Whether learners are given weights of rows.
    """
    sizes = np.bincount(codes, minlength=n_classes)
    return TaskProperties(
        n_rows=splits.n_train_min,
        n_classes=n_classes,
        smallest_class=int(sizes.min()),
        largest_class=int(sizes.max()),
        numeric=schema.numeric,
        categorical=schema.categorical,
        n_levels=schema.n_levels,
        has_missing=schema.has_missing,
        is_sparse=schema.is_sparse,
        has_weights=has_weights,
    )
