"""The three parts of a table in DivBO's study: 60 % train, 20 % validate, 20 % test.

A fifth of all rows is split off to test, then a quarter of the others to validate, both stratified
(Y. Shen et al., DivBO, NeurIPS 2022, section 4.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from automl.errors import InputError
from search_space.arrays import IntArray

FEWEST_ROWS = 5
"""Rows of a class of which a fifth is one; all rows of a smaller class train."""

_TEST_SHARE = 0.2
_VALIDATION_SHARE = 0.25  # of what is left, so a fifth of all rows


class ThreeParts(NamedTuple):
    """Positions of the rows of each part, ascending; together they are all rows, once each."""

    train: IntArray
    validation: IntArray
    test: IntArray


def three_way_split(codes: IntArray, seed: int) -> ThreeParts:
    """Return which rows train, which validate and which test.

    Parameters
    ----------
    codes : (n,) array
        The class of each row.
    seed : int
        Decides which row of a class goes where.

    Raises
    ------
    InputError
        If fewer than two classes have rows for all three parts.

    Examples
    --------
    >>> import numpy as np
    >>> parts = three_way_split(np.repeat([0, 1], 50), seed=0)
    >>> [len(rows) for rows in parts]
    [60, 20, 20]
    """
    sizes = np.bincount(codes)
    if np.count_nonzero(sizes >= FEWEST_ROWS) < 2:
        raise InputError(
            f"a split in three parts needs two classes with {FEWEST_ROWS} rows or more, found "
            f"classes of {', '.join(map(str, sizes.tolist()))} rows"
        )
    shared_out = sizes[codes] >= FEWEST_ROWS
    others, test = _split(np.flatnonzero(shared_out), codes, _TEST_SHARE, seed)
    train, validation = _split(others, codes, _VALIDATION_SHARE, seed)
    train = np.concatenate([train, np.flatnonzero(~shared_out)])
    return ThreeParts(np.sort(train), np.sort(validation), np.sort(test))


def stratified_sample(codes: IntArray, n_rows: int, rng: np.random.Generator) -> IntArray:
    """Return positions of rows, ascending, in which every class has its share but for one row.

    Parameters
    ----------
    codes : (n,) array
        The class of each row.
    n_rows : int
        How many to take; all are taken where there are no more.
    rng : Generator
        Decides which rows of a class are taken.
    """
    if n_rows >= len(codes):
        return np.arange(len(codes))
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    evenly_spaced = (np.arange(n_rows) * len(codes)) // n_rows
    sample: IntArray = np.sort(by_class[evenly_spaced])
    return sample


def _split(rows: IntArray, codes: IntArray, share: float, seed: int) -> tuple[IntArray, IntArray]:
    first, second = train_test_split(rows, test_size=share, stratify=codes[rows], random_state=seed)
    return first, second
