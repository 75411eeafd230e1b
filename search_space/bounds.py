"""Integer hyperparameters whose range ends where the task ends."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from ConfigSpace import Constant, Integer
from ConfigSpace.hyperparameters import Hyperparameter

from search_space.task import TaskProperties

CUT = "cut"
"""Key of a hyperparameter's ``meta`` under which a cut range is described."""

MOST_CELLS = 50_000_000
"""Values that an operator may put out for a whole training part: 400 MB in double precision."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest value that makes sense on a task.

    Attributes
    ----------
    value : int
        The largest value; numbers below 1 count as 1.
    reason : str
        What sets it, such as ``"the task has 90 training rows"``.
    """

    value: int
    reason: str


def bounded_integer(
    name: str, bounds: tuple[int, int], limit: Limit, *, default: int, log: bool = False
) -> Hyperparameter[Any, Any]:
    """Return an integer hyperparameter within `bounds` and not above `limit`.

    A range of which one value remains becomes a constant. What was cut is described in the
    hyperparameter's ``meta`` under :data:`CUT`.

    Parameters
    ----------
    name : str
        Name of the hyperparameter.
    bounds : (2,) tuple of int
        Smallest and largest value without the limit, both included.
    limit : Limit
        Largest value on this task.
    default : int
        Value of the default configuration where the limit allows it.
    log : bool
        Whether values are spread evenly on a logarithmic scale.
    """
    low, high = bounds
    most = max(1, limit.value)
    if most >= high:
        return Integer(name, bounds, default=default, log=log)
    if most <= low:
        fixed: Mapping[Hashable, Any] = {CUT: f"[{low}, {high}] is {most} here: {limit.reason}"}
        return Constant(name, most, meta=fixed)
    meta = {CUT: f"[{low}, {high}] ends at {most} here: {limit.reason}"}
    return Integer(name, (low, most), default=min(default, most), log=log, meta=meta)


MOST_LEVELS = 100
"""Columns that one categorical column may become."""

_FEWEST_LEVELS = 10
_MOST_ONE_HOT_CELLS = 20_000_000


def levels_kept(task: TaskProperties) -> int:
    """Return how many columns one categorical column may become; rarer levels share one.

    Fewer than :data:`MOST_LEVELS` where all columns together would need more than 160 MB.
    """
    cells = task.n_rows * max(1, len(task.categorical))
    return min(MOST_LEVELS, max(_FEWEST_LEVELS, _MOST_ONE_HOT_CELLS // max(1, cells)))


def rows(task: TaskProperties) -> Limit:
    """Return the number of training rows as a limit."""
    return Limit(task.n_rows, f"the task has {task.n_rows} training rows")


def columns(task: TaskProperties) -> Limit:
    """Return the number of columns after one-hot encoding as a limit."""
    most = levels_kept(task)
    n_columns = len(task.numeric) + sum(
        min(levels + task.has_missing, most) for levels in task.n_levels
    )
    return Limit(n_columns, f"the task has {n_columns} columns when encoded")


def cells(task: TaskProperties) -> Limit:
    """Return how many columns an operator may put out for all training rows."""
    most = max(1, MOST_CELLS // max(1, task.n_rows))
    return Limit(most, f"{task.n_rows} training rows of {most} columns are {MOST_CELLS} values")


def lowest(*limits: Limit) -> Limit:
    """Return the limit with the smallest value."""
    return min(limits, key=lambda limit: limit.value)
