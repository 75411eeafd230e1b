"""How models are validated if the user leaves it open: folds where the time allows them."""

from __future__ import annotations

from typing import Any

# FLAML cross-validates while rows x columns stay below 1e7 for each hour of its budget
# (C. Wang et al. 2021, FLAML, MLSys; the rule is in its code); that is 2,800 a second.
# Twice as many pay off here, because out-of-fold predictions of all rows feed the ensemble.
_CELLS_PER_SECOND = 5_600.0


def affordable_cv(
    asked: Any, *, n_rows: int, n_columns: int, n_classes: int, seconds: float
) -> Any:
    """Return the resampling to use: what was asked for, or a hold-out where time is short.

    Parameters
    ----------
    asked : object
        The parameter ``cv`` of the estimator.
    n_rows, n_columns, n_classes : int
        Size of the table, one-hot columns counted.
    seconds : float
        Time limit of ``fit``; infinity for none.

    Returns
    -------
    object
        "holdout" if "auto" was asked for and folds would leave time for too few evaluations,
        otherwise `asked`. Boosting fits one tree a class, so more classes count as more columns.

    Examples
    --------
    >>> affordable_cv("auto", n_rows=5_000, n_columns=20, n_classes=2, seconds=60.0)
    'auto'
    >>> affordable_cv("auto", n_rows=5_000, n_columns=20, n_classes=10, seconds=60.0)
    'holdout'
    """
    if not isinstance(asked, str) or asked != "auto":
        return asked
    n_cells = n_rows * n_columns * (n_classes if n_classes > 2 else 1)
    return "auto" if n_cells <= _CELLS_PER_SECOND * seconds else "holdout"
