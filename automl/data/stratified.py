"""Stratified folds that cope with classes of a few rows.

scikit-learn's stratified splitters refuse a class with one row, or warn of one with fewer rows
than folds. Here a class's only row trains in every fold and validates in none: a fold without it
would train a model that cannot know the class.
"""

from __future__ import annotations

import numpy as np

from automl.data.folds import Fold
from search_space.arrays import IntArray


def stratified_folds(codes: IntArray, n_folds: int, rng: np.random.Generator) -> tuple[Fold, ...]:
    """Return folds whose validation parts are disjoint and share out every class evenly.

    Parameters
    ----------
    codes : (n,) array
        The class of each row.
    n_folds : int
        At least two, and at most the rows of classes that have more than one row.
    rng : Generator
        Decides which row of a class goes where.
    """
    order = _shuffled_by_class(codes, rng)
    members = order[np.bincount(codes)[codes[order]] > 1]
    # Dealing the classes out one after the other keeps the parts equally large as well.
    part = np.full(len(codes), -1, dtype=np.int64)
    part[members] = np.arange(len(members)) % n_folds
    return tuple(
        Fold(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(n_folds)
    )


def stratified_holdout(
    codes: IntArray, fraction: float, rng: np.random.Generator
) -> tuple[Fold, ...]:
    """Return one fold that validates about `fraction` of every class with more than one row.

    Parameters
    ----------
    codes : (n,) array
        The class of each row.
    fraction : float in (0, 1)
        Share of the rows that validate; both parts keep at least one row of such a class.
    rng : Generator
        Decides which rows validate.
    """
    sizes = np.bincount(codes)
    n_validated = _share_out(sizes, fraction)
    order = _shuffled_by_class(codes, rng)
    starts = np.cumsum(sizes) - sizes
    rank_in_class = np.arange(len(order)) - starts[codes[order]]
    validates = np.zeros(len(codes), dtype=bool)
    validates[order] = rank_in_class < n_validated[codes[order]]
    return (Fold(np.flatnonzero(~validates), np.flatnonzero(validates)),)


def _share_out(sizes: IntArray, fraction: float) -> IntArray:
    """Return how many rows of each class validate, by largest remainders."""
    wanted = fraction * np.where(sizes > 1, sizes, 0)
    most = np.maximum(sizes - 1, 0)
    shares: IntArray = np.clip(np.floor(wanted).astype(np.int64), np.minimum(1, most), most)
    n_left = round(float(wanted.sum())) - int(shares.sum())
    by_remainder = np.argsort(shares - wanted, kind="stable")
    eligible = by_remainder[(shares < most)[by_remainder]]
    shares[eligible[: max(n_left, 0)]] += 1
    return shares


def _shuffled_by_class(codes: IntArray, rng: np.random.Generator) -> IntArray:
    """Return all rows, sorted by class and in random order within a class."""
    shuffled = rng.permutation(len(codes))
    order: IntArray = shuffled[np.argsort(codes[shuffled], kind="stable")]
    return order
