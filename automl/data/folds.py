"""Which rows train and which rows validate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from automl.changes import Change
from search_space.arrays import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One pair of a training and a validation part: positions of rows, never labels."""

    train: IntArray
    validation: IntArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Splits:
    """All folds of a search; every configuration is judged on the same ones.

    Attributes
    ----------
    folds : tuple of Fold
        At least one.
    n_rows : int
        Rows of the table.
    description : str
        What kind of folds these are, in words.
    changes : tuple of Change
        What had to be done otherwise than asked.
    covered : (m,) array
        The rows that are validated at least once, in ascending order. Out-of-fold predictions live
        on them; a row that is validated several times has the mean of its predictions.
    """

    folds: tuple[Fold, ...]
    n_rows: int
    description: str
    changes: tuple[Change, ...] = ()
    covered: IntArray = field(init=False)

    def __post_init__(self) -> None:
        validated = np.concatenate([fold.validation for fold in self.folds])
        object.__setattr__(self, "covered", np.unique(validated))

    def __iter__(self) -> Iterator[Fold]:
        return iter(self.folds)

    def __len__(self) -> int:
        return len(self.folds)

    @property
    def n_train_min(self) -> int:
        """Rows of the smallest training part."""
        return min(len(fold.train) for fold in self.folds)
