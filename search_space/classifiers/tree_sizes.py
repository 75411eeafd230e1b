"""Sizes of boosted trees that make sense on a number of rows."""

from __future__ import annotations

from search_space.bounds import Limit
from search_space.task import TaskProperties

_USUAL_LEAF_ROWS = 20


def most_leaves(task: TaskProperties) -> Limit:
    """Return how many leaves a tree may have: one for every four rows, four at least."""
    return Limit(
        max(4, task.n_rows // 4), f"{task.n_rows} training rows fill no more leaves of four rows"
    )


def largest_leaf(task: TaskProperties) -> Limit:
    """Return how many rows may be asked of a leaf: a tenth of all, two at least."""
    return Limit(
        max(2, task.n_rows // 10), f"ten leaves of more rows need more than {task.n_rows} rows"
    )


def usual_leaf(task: TaskProperties) -> int:
    """Return how many rows a leaf should have at first: a twentieth of all, up to 20.

    Examples
    --------
    >>> usual_leaf(TaskProperties(
    ...     n_rows=100, n_classes=2, smallest_class=40, largest_class=60, numeric=(0,)
    ... ))
    5
    """
    return min(_USUAL_LEAF_ROWS, max(2, task.n_rows // _USUAL_LEAF_ROWS))
