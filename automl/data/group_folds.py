"""Folds in which the rows of one group stay on one side."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold

from automl.data.folds import Fold
from automl.data.given_folds import checked_folds
from automl.data.raw_column import object_array, unmasked
from automl.errors import InputError
from search_space.arrays import IntArray


def encode_groups(groups: Any, n_rows: int) -> IntArray:
    """Return a number from 0 for the group of each row; names of any type are fine.

    Raises
    ------
    InputError
        If there are not as many as rows, some are missing, or all rows are of one group.
    """
    names = group_names(groups)
    if names.shape != (n_rows,):
        raise InputError(
            f"groups must have one entry for each of {n_rows:,} rows, got {names.shape}"
        )
    codes, found = pd.factorize(names)
    if (codes < 0).any():
        raise InputError(f"groups has {int((codes < 0).sum()):,} missing entries")
    if len(found) < 2:
        raise InputError(f"groups has one group ({found[0]!s}); it takes two to validate")
    encoded: IntArray = codes.astype(np.int64)
    return encoded


def group_names(groups: Any) -> npt.NDArray[Any]:
    """Return groups as an array in which no name was changed and masked ones are missing."""
    if isinstance(groups, np.ma.MaskedArray):
        return unmasked(groups)
    # NumPy would write the names of a list in one type, 1 as "1" and NaN as "nan".
    return object_array(list(groups)) if isinstance(groups, (list, tuple)) else np.asarray(groups)


def is_kept_together(folds: Sequence[Fold], groups: IntArray) -> bool:
    """Return whether no group has rows on both sides of a fold."""
    return not any(np.isin(groups[fold.validation], groups[fold.train]).any() for fold in folds)


def group_folds(
    codes: IntArray, groups: IntArray, n_folds: int, rng: np.random.Generator
) -> tuple[Fold, ...]:
    """Return folds that keep groups together and classes as even as the groups allow.

    Raises
    ------
    InputError
        If the groups cannot be shared out so that every training part has two classes.
    """
    splitter = StratifiedGroupKFold(
        n_folds, shuffle=True, random_state=int(rng.integers(2**31 - 1))
    )
    try:
        with warnings.catch_warnings():
            # A class with fewer rows than folds is shared out as far as it goes.
            warnings.filterwarnings("ignore", message="The least populated class")
            pairs = list(splitter.split(np.zeros((len(codes), 1)), codes, groups))
    except ValueError as error:
        raise InputError(f"{n_folds} folds cannot keep the groups together: {error}") from error
    return checked_folds(pairs, codes)


def group_holdout(
    codes: IntArray, groups: IntArray, fraction: float, rng: np.random.Generator
) -> tuple[Fold, ...]:
    """Return one fold that validates about `fraction` of the rows; else as group_folds."""
    n_parts = min(max(2, round(1.0 / fraction)), int(groups.max()) + 1)
    return group_folds(codes, groups, n_parts, rng)[:1]
