"""Folds that a user brings along, by a splitter or as pairs, checked before anything is fitted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from automl.data.folds import Fold
from automl.errors import InputError
from search_space.arrays import IntArray


def folds_of_splitter(splitter: Any, X: Any, codes: IntArray, groups: Any) -> tuple[Fold, ...]:
    """Return the folds of an object with a ``split`` method, asked once.

    Raises
    ------
    InputError
        If it is a class, fails, or gives folds that cannot be used.
    """
    name = splitter.__name__ if isinstance(splitter, type) else type(splitter).__name__
    if isinstance(splitter, type):
        raise InputError(f"cv={name} is a class; pass an instance, such as cv={name}()")
    try:
        pairs = list(splitter.split(X, codes, groups))
    except (ValueError, TypeError) as error:
        raise InputError(f"cv={name}(...) cannot split this table: {error}") from error
    return checked_folds(pairs, codes)


def checked_folds(pairs: Iterable[Any], codes: IntArray) -> tuple[Fold, ...]:
    """Return the folds of (train, validation) pairs; a generator is used up once.

    Parameters
    ----------
    pairs : iterable
        Positions of rows, or masks of n truth values.
    codes : (n,) array
        The class of each row.

    Raises
    ------
    InputError
        If there is no pair, or one has rows that do not exist, that are on both sides or twice in
        the validation part, an empty part, or a training part of one class.
    """
    folds = tuple(_fold(pair, number, codes) for number, pair in enumerate(pairs))
    if not folds:
        raise InputError("cv gives no folds; at least one (train, validation) pair is needed")
    return folds


def _fold(pair: Any, number: int, codes: IntArray) -> Fold:
    try:
        train, validation = pair
    except (TypeError, ValueError) as error:
        raise InputError(
            f"fold {number} of cv is no (train, validation) pair but {type(pair).__name__}"
        ) from error
    fold = Fold(
        _rows(train, f"training part of fold {number} of cv", len(codes)),
        _rows(validation, f"validation part of fold {number} of cv", len(codes)),
    )
    _refuse_overlap(fold, number)
    if len(np.unique(codes[fold.train])) < 2:
        raise InputError(
            f"the training part of fold {number} of cv has one class only; use stratified or "
            "shuffled folds"
        )
    return fold


def _rows(given: Any, subject: str, n_rows: int) -> IntArray:
    rows = np.asarray(given)
    if rows.dtype == bool and rows.shape == (n_rows,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise InputError(
            f"the {subject} must be positions of rows or a mask of {n_rows:,} truth values, got "
            f"{rows.dtype} of shape {rows.shape}"
        )
    if not rows.size:
        raise InputError(f"the {subject} is empty")
    if rows.min() < 0 or rows.max() >= n_rows:
        outside = rows[(rows < 0) | (rows >= n_rows)][0]
        raise InputError(
            f"the {subject} names row {outside}; X has rows 0 to {n_rows - 1:,} (positions, not "
            "index labels)"
        )
    return rows.astype(np.int64)


def _refuse_overlap(fold: Fold, number: int) -> None:
    shared = np.intersect1d(fold.train, fold.validation)
    if len(shared):
        raise InputError(
            f"fold {number} of cv trains and validates on {len(shared):,} rows, such as row "
            f"{shared[0]}; the two parts must not overlap"
        )
    if len(np.unique(fold.validation)) < len(fold.validation):
        raise InputError(f"the validation part of fold {number} of cv has rows twice")
