"""What a search space needs to know of the table it is built for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskProperties:
    """The size and the kinds of columns of one classification task.

    Columns are positions in the prepared table: categorical columns hold level codes
    ``0 .. n_levels - 1`` as floats, missing values are NaN, a level that was not there at fit time
    is the code ``n_levels``.

    Attributes
    ----------
    n_rows : int
        Rows of the smallest training part that a pipeline is fitted on.
    n_classes : int
        Classes of the target, at least two.
    smallest_class, largest_class : int
        Rows of the rarest and of the most frequent class in the whole table.
    numeric, categorical : tuple of int
        Positions of the columns of each kind; together they are all columns.
    n_levels : tuple of int
        Levels of each categorical column, in the order of `categorical`.
    has_missing : bool
        Whether any value is missing.
    is_sparse : bool
        Whether the table is a sparse matrix; then all columns are numeric.
    has_weights : bool
        Whether rows have weights, which every learner has to take.
    """

    n_rows: int
    n_classes: int
    smallest_class: int
    largest_class: int
    numeric: tuple[int, ...]
    categorical: tuple[int, ...] = ()
    n_levels: tuple[int, ...] = ()
    has_missing: bool = False
    is_sparse: bool = False
    has_weights: bool = False

    def __post_init__(self) -> None:
        if len(self.categorical) != len(self.n_levels):
            raise ValueError(
                f"{len(self.categorical)} categorical columns but {len(self.n_levels)} level counts"
            )
        if self.is_sparse and self.categorical:
            raise ValueError("a sparse table has numeric columns only")

    @property
    def n_columns(self) -> int:
        """Columns of the prepared table."""
        return len(self.numeric) + len(self.categorical)
