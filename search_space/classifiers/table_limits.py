"""Tables that are too much for a kind of learner."""

from __future__ import annotations

from search_space.bounds import columns
from search_space.task import TaskProperties

MOST_BOOSTED_CLASSES = 200
"""Every round of boosting grows a tree per class."""

LARGEST_LINEAR_WORK = 100_000_000
"""Rows times encoded columns times models of a linear learner: minutes for thousands of passes."""


def too_many_classes(task: TaskProperties) -> str | None:
    """Refuse targets of very many classes, for boosting."""
    if task.n_classes > MOST_BOOSTED_CLASSES:
        return f"every round grows a tree for each of {task.n_classes} classes"
    return None


def too_much_linear_work(task: TaskProperties) -> str | None:
    """Refuse dense tables on which thousands of passes, for one model per class, take too long."""
    n_models = 1 if task.n_classes == 2 else task.n_classes
    n_columns = columns(task).value
    if task.n_rows * n_columns * n_models > LARGEST_LINEAR_WORK and not task.is_sparse:
        return f"{task.n_rows} rows x {n_columns} columns x {n_models} models take too long"
    return None
