"""From the argument ``cv`` to the folds of a search."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from automl.changes import Change
from automl.data.folds import Fold, Splits
from automl.data.given_folds import checked_folds, folds_of_splitter
from automl.data.group_folds import (
    encode_groups,
    group_folds,
    group_holdout,
    group_names,
    is_kept_together,
)
from automl.data.stratified import stratified_folds, stratified_holdout
from automl.errors import InputError, InputTypeError
from automl.seeding import Purpose, derived_rng
from search_space.arrays import IntArray

__all__ = ["Fold", "Splits", "make_splits"]

CROSS_VALIDATION_BELOW = 10_000
"""Rows from which on one validation part is large enough to judge by."""

N_FOLDS, FEWEST_FOLDS = 5, 3
"""Folds, and how few there may be for the sake of a class with fewer rows than folds."""

HOLDOUT_FRACTION, LARGEST_HOLDOUT = 0.25, 25_000
"""Share of rows that validate in a hold-out, and the rows that are enough."""

HOLDOUT_TOLERANCE = 0.05
"""Difference to the fraction asked for from which on it is reported."""

_GROUPS_IGNORED = Change("groups", "ignored", "cv itself says which rows are in which fold")
_GROUPS_APART = Change(
    "groups", "not kept together", "cv puts rows of one group on both sides of a fold"
)

_CHOICES = "give 'auto', 'holdout', a fraction between 0 and 1, or a number of folds from 2"
_CHOICES_IN_PYTHON = "(or a scikit-learn splitter, or (train, validation) pairs)"


def make_splits(
    cv: Any, codes: IntArray, *, seed: int, groups: Any = None, X: Any = None
) -> Splits:
    """Return the folds that every configuration is judged on.

    Parameters
    ----------
    cv : "auto", "holdout", fraction, number of folds, splitter or pairs
        How to resample; "auto" takes stratified folds for small tables and a stratified hold-out
        for others.
    codes : (n,) array
        The class of each row; handed to a splitter as its y.
    seed : int
        Decides all of our own folds.
    groups : (n,) array-like or None
        Rows of one group stay on one side.
    X : table or None
        Handed to a user's splitter.

    Raises
    ------
    InputError
        If `cv` cannot be used with these rows.
    """
    group_codes = None if groups is None else encode_groups(groups, len(codes))
    if hasattr(cv, "split") and not isinstance(cv, (str, bytes)):
        table = np.zeros((len(codes), 1)) if X is None else X
        names = None if groups is None else group_names(groups)
        folds = folds_of_splitter(cv, table, codes, names)
        is_kept = group_codes is None or is_kept_together(folds, group_codes)
        return Splits(
            folds=folds,
            n_rows=len(codes),
            description=f"{len(folds)} folds of {cv}",
            changes=() if is_kept else (_GROUPS_APART,),
        )
    if isinstance(cv, Iterable) and not isinstance(cv, (str, bytes, dict)):
        folds = checked_folds(cv, codes)
        return Splits(
            folds=folds,
            n_rows=len(codes),
            description=f"{len(folds)} given folds",
            changes=() if groups is None else (_GROUPS_IGNORED,),
        )
    rng = derived_rng(seed, Purpose.SPLITS)
    if group_codes is not None:
        return _group_splits(_plan(cv, codes, int(group_codes.max()) + 1), codes, group_codes, rng)
    return _stratified_splits(_plan(cv, codes, len(codes)), codes, rng)


def _plan(cv: Any, codes: IntArray, n_units: int) -> int | float:
    """Return a number of folds, or the fraction of a hold-out.

    Parameters
    ----------
    n_units : int
        Rows, or groups, that can be dealt out.
    """
    if cv is None or (isinstance(cv, str) and cv == "auto"):
        if len(codes) < CROSS_VALIDATION_BELOW:
            return _n_folds(codes, n_units)
        cv = "holdout"
    if isinstance(cv, str) and cv == "holdout":
        return min(HOLDOUT_FRACTION, LARGEST_HOLDOUT / len(codes))
    if isinstance(cv, (bool, np.bool_)) or not isinstance(cv, Real):
        raise InputTypeError(f"cv={cv!r} cannot be used; {_CHOICES}", _CHOICES_IN_PYTHON)
    if isinstance(cv, Integral):
        if not 2 <= int(cv) <= n_units:
            what = "rows" if n_units == len(codes) else "groups"
            raise InputError(
                f"cv={cv} folds cannot be made of {n_units:,} {what}; {_CHOICES}",
                _CHOICES_IN_PYTHON,
            )
        return int(cv)
    if not 0.0 < float(cv) < 1.0:
        raise InputError(
            f"cv={cv!r} is no fraction between 0 and 1; {_CHOICES}", _CHOICES_IN_PYTHON
        )
    return float(cv)


def _n_folds(codes: IntArray, n_units: int) -> int:
    sizes = np.bincount(codes)
    shared = sizes[sizes > 1]  # a class's only row always trains
    smallest = int(shared.min()) if len(shared) else N_FOLDS
    wanted = max(FEWEST_FOLDS, min(N_FOLDS, smallest))
    return max(2, min(wanted, int(shared.sum()), n_units))


def _stratified_splits(plan: int | float, codes: IntArray, rng: np.random.Generator) -> Splits:
    sizes = np.bincount(codes)
    n_shared = int(sizes[sizes > 1].sum())
    if n_shared < (plan if isinstance(plan, int) else 2):
        raise InputError(
            f"cv={plan} cannot be made of {len(codes):,} rows: all but {n_shared:,} are the only "
            "row of their class, and such a row can only train; y has too many classes"
        )
    if isinstance(plan, int):
        folds = stratified_folds(codes, plan, rng)
        description = f"stratified {plan}-fold cross-validation"
    else:
        folds = stratified_holdout(codes, plan, rng)
        description = f"stratified hold-out of {plan:.3g} of the rows"
    return Splits(
        folds=folds, n_rows=len(codes), description=description, changes=_lone_rows(sizes)
    )


def _lone_rows(sizes: IntArray) -> tuple[Change, ...]:
    n_lone = int(np.count_nonzero(sizes == 1))
    if not n_lone:
        return ()
    subject = f"the only row of {'a class' if n_lone == 1 else f'each of {n_lone:,} classes'}"
    reason = "a training part without it could not know the class"
    return (Change(subject, "left out of validation", reason),)


def _group_splits(
    plan: int | float, codes: IntArray, groups: IntArray, rng: np.random.Generator
) -> Splits:
    changes: tuple[Change, ...] = ()
    if isinstance(plan, int):
        folds = group_folds(codes, groups, plan, rng)
        description = f"stratified {plan}-fold cross-validation that keeps groups together"
    else:
        folds = group_holdout(codes, groups, plan, rng)
        share = len(folds[0].validation) / len(codes)
        description = f"hold-out of {share:.3g} of the rows that keeps groups together"
        if abs(share - plan) > HOLDOUT_TOLERANCE:
            reason = "whole groups validate, and there are few or large ones"
            changes = (Change(f"a hold-out of {plan:.3g}", f"became {share:.3g}", reason),)
    return Splits(folds=folds, n_rows=len(codes), description=description, changes=changes)
