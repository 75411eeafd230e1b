"""Folds: our own, those of splitters, and those given as pairs."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from strategies.tables import class_codes

from automl.data.folds import Splits
from automl.data.resampling import (
    CROSS_VALIDATION_BELOW,
    FEWEST_FOLDS,
    LARGEST_HOLDOUT,
    N_FOLDS,
    make_splits,
)
from automl.errors import InputError, InputTypeError
from search_space.arrays import IntArray

BALANCED = np.arange(60) % 3


def shares(codes: IntArray, rows: IntArray) -> list[float]:
    """Return which part of each class is among some rows."""
    return (np.bincount(codes[rows], minlength=codes.max() + 1) / np.bincount(codes)).tolist()


def rows_of(splits: Splits) -> list[tuple[list[int], list[int]]]:
    return [(fold.train.tolist(), fold.validation.tolist()) for fold in splits]


# --- our own folds ---------------------------------------------------------------------------


@given(codes=class_codes(), seed=st.integers(0, 9), cv=st.sampled_from(["auto", 2, 0.4, "holdout"]))
def test_folds_of_any_classes_are_sound(codes: IntArray, seed: int, cv: Any) -> None:
    splits = make_splits(cv, codes, seed=seed)
    lone = np.flatnonzero(np.bincount(codes)[codes] == 1)
    for fold in splits:
        assert sorted([*fold.train, *fold.validation]) == list(range(len(codes)))
        assert len(fold.validation) > 0
        assert set(codes[fold.train]) == set(codes)  # no model misses a class
        assert set(lone) <= set(fold.train)
    assert bool(splits.changes) == (len(lone) > 0)
    assert splits.n_train_min == min(len(fold.train) for fold in splits)
    assert splits.n_rows == len(codes)


@given(codes=class_codes(), n_folds=st.integers(2, 5))
def test_every_row_that_can_is_validated_once(codes: IntArray, n_folds: int) -> None:
    shared = np.flatnonzero(np.bincount(codes)[codes] > 1)
    if len(shared) < n_folds:
        with pytest.raises(InputError, match="cannot be made of"):
            make_splits(n_folds, codes, seed=0)
        return
    splits = make_splits(n_folds, codes, seed=0)
    assert np.concatenate([fold.validation for fold in splits]).size == shared.size
    np.testing.assert_array_equal(splits.covered, shared)
    sizes = [len(fold.validation) for fold in splits]
    assert max(sizes) - min(sizes) <= 1
    for code in range(codes.max() + 1):
        counts = [np.count_nonzero(codes[fold.validation] == code) for fold in splits]
        assert max(counts) - min(counts) <= 1


@given(codes=class_codes(), fraction=st.floats(0.05, 0.95))
def test_a_holdout_has_its_share_of_every_class(codes: IntArray, fraction: float) -> None:
    (fold,) = make_splits(fraction, codes, seed=0)
    sizes = np.bincount(codes)
    validated = np.bincount(codes[fold.validation], minlength=len(sizes))
    wanted = fraction * sizes
    assert np.all(validated[sizes > 1] >= 1)
    assert np.all(validated <= sizes - 1)
    assert np.all((np.abs(validated - wanted) < 1.0) | (validated == 1) | (validated == sizes - 1))


def test_a_holdout_of_a_fraction_is_that_large() -> None:
    codes = np.repeat(np.arange(8), 15)  # 3.75 rows of each class: four in most, three in some
    (fold,) = make_splits(0.25, codes, seed=0)
    assert len(fold.validation) == 30
    assert sorted(np.bincount(codes[fold.validation]))[:3] == [3, 3, 4]


def test_small_tables_are_cross_validated_and_large_ones_held_out() -> None:
    small = np.arange(CROSS_VALIDATION_BELOW - 1) % 2
    large = np.arange(CROSS_VALIDATION_BELOW) % 2
    splits = make_splits("auto", small, seed=0)
    assert (len(splits), splits.description) == (N_FOLDS, "stratified 5-fold cross-validation")
    (fold,) = make_splits("auto", large, seed=0)
    assert len(fold.validation) == len(large) // 4
    assert make_splits(None, small, seed=0).description == splits.description


def test_the_holdout_of_a_very_large_table_is_no_larger_than_needed() -> None:
    codes = np.arange(8 * LARGEST_HOLDOUT) % 2
    (fold,) = make_splits("holdout", codes, seed=0)
    assert len(fold.validation) == LARGEST_HOLDOUT


@pytest.mark.parametrize(
    ("sizes", "n_folds"), [((30, 30), N_FOLDS), ((30, 4), 4), ((30, 2), FEWEST_FOLDS), ((2, 1), 2)]
)
def test_a_small_class_costs_folds_down_to_a_floor(sizes: Any, n_folds: int) -> None:
    codes = np.repeat(np.arange(len(sizes)), sizes)
    assert len(make_splits("auto", codes, seed=0)) == n_folds


def test_the_only_row_of_a_class_costs_no_folds_and_is_reported() -> None:
    codes = np.array([0, 1] * 20 + [2])
    splits = make_splits("auto", codes, seed=0)
    assert len(splits) == N_FOLDS
    assert 40 not in splits.covered
    (change,) = splits.changes
    assert "the only row of a class left out of validation" in str(change)
    (several,) = make_splits("auto", np.append(codes, 3), seed=0).changes
    assert several.subject == "the only row of each of 2 classes"


def test_classes_are_shared_out_evenly() -> None:
    codes = np.repeat([0, 1, 2], [100, 50, 10])
    for fold in make_splits(5, codes, seed=3):
        assert shares(codes, fold.validation) == [0.2, 0.2, 0.2]


def test_the_seed_alone_decides_the_folds() -> None:
    for cv in (5, 0.3):
        first, again, other = (make_splits(cv, BALANCED, seed=seed) for seed in (0, 0, 1))
        assert rows_of(first) == rows_of(again)
        assert rows_of(first) != rows_of(other)


def test_folds_survive_pickling() -> None:
    splits = make_splits(3, BALANCED, seed=0)
    again = pickle.loads(pickle.dumps(splits))
    assert rows_of(again) == rows_of(splits)
    np.testing.assert_array_equal(again.covered, splits.covered)


def test_rows_of_a_class_are_shuffled() -> None:
    fold = make_splits(2, np.repeat([0, 1], 50), seed=0).folds[0]
    assert 0 < np.count_nonzero(fold.validation < 25) < 25


# --- folds of the user -----------------------------------------------------------------------


def test_folds_of_the_user_are_taken_in_any_form() -> None:
    splitter = StratifiedKFold(3)
    pairs = list(splitter.split(BALANCED, BALANCED))
    masks = [tuple(np.isin(np.arange(60), part) for part in pair) for pair in pairs]
    expected = [(train.tolist(), validation.tolist()) for train, validation in pairs]
    fold_of = np.full(60, -1)
    for number, (_, validation) in enumerate(pairs):
        fold_of[validation] = number
    forms: tuple[Any, ...] = (
        splitter,
        pairs,
        tuple(pairs),
        (pair for pair in pairs),
        [(train.tolist(), validation.tolist()) for train, validation in pairs],
        masks,
        PredefinedSplit(fold_of),
    )
    for cv in forms:
        assert rows_of(make_splits(cv, BALANCED, seed=0)) == expected


def test_a_splitter_is_asked_once_with_table_classes_and_groups() -> None:
    class Splitter:
        calls: tuple[Any, ...] = ()

        def split(self, X: Any, y: Any, groups: Any) -> Any:
            self.calls += ((X, y, groups),)
            return iter([(np.arange(30), np.arange(30, 60))])

    splitter, X, groups = Splitter(), pd.DataFrame({"a": BALANCED}), ["g", "h"] * 30
    make_splits(splitter, BALANCED, seed=0, groups=groups, X=X)
    ((table, codes, given_groups),) = splitter.calls
    assert table is X
    assert given_groups.tolist() == groups
    np.testing.assert_array_equal(codes, BALANCED)


def test_a_row_may_be_validated_several_times_or_never() -> None:
    repeated = make_splits(RepeatedStratifiedKFold(n_splits=3, n_repeats=2), BALANCED, seed=0)
    assert len(repeated) == 6
    np.testing.assert_array_equal(repeated.covered, np.arange(60))
    in_time = make_splits(TimeSeriesSplit(3), BALANCED, seed=0)
    np.testing.assert_array_equal(in_time.covered, np.arange(15, 60))
    assert in_time.n_train_min == 15


def test_a_training_row_may_occur_twice() -> None:
    bootstrap = np.repeat(np.arange(30), 2)
    (fold,) = make_splits([(bootstrap, np.arange(30, 60))], BALANCED, seed=0)
    np.testing.assert_array_equal(fold.train, bootstrap)


TRAIN, VALIDATION = list(range(30)), list(range(30, 60))


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (0.0, r"cv=0.0 is no fraction between 0 and 1; give 'auto', 'holdout', a fraction"),
        (1.0, "cv=1.0 is no fraction"),
        (-0.2, "cv=-0.2 is no fraction"),
        (float("nan"), "cv=nan is no fraction"),
        (5.0, "cv=5.0 is no fraction"),
        (1, "cv=1 folds cannot be made of 60 rows"),
        (0, "cv=0 folds"),
        (-3, "cv=-3 folds"),
        (61, "cv=61 folds cannot be made of 60 rows"),
        (StratifiedKFold, "cv=StratifiedKFold is a class; pass an instance"),
        (KFold(100), r"cv=KFold\(...\) cannot split this table: .*100"),
        (GroupKFold(3), "cannot split this table: The 'groups' parameter"),
        ([], "cv gives no folds"),
        ([1, 2], "fold 0 of cv is no .* pair but int"),
        ([(TRAIN, VALIDATION), (TRAIN,)], "fold 1 of cv is no .* pair but tuple"),
        ([(TRAIN, [])], "validation part of fold 0 of cv is empty"),
        ([([], VALIDATION)], "training part of fold 0 of cv is empty"),
        ([(TRAIN, [60])], r"validation part of fold 0 of cv names row 60; X has rows 0 to 59"),
        ([(TRAIN, [-1])], "names row -1"),
        ([(TRAIN, [0.5])], "must be positions of rows or a mask of 60 truth values, got float64"),
        ([(TRAIN, [True, False])], r"got bool of shape \(2,\)"),
        ([(TRAIN, [VALIDATION])], r"shape \(1, 30\)"),
        ([(TRAIN, [3, 40])], "trains and validates on 1 rows, such as row 3"),
        ([(TRAIN, [40, 40])], "has rows twice"),
        ([([0, 3, 6], VALIDATION)], "the training part of fold 0 of cv has one class only"),
    ],
)
def test_folds_that_cannot_be_used_are_refused(cv: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_splits(cv, BALANCED, seed=0)


@pytest.mark.parametrize("cv", ["5", "kfold", True, np.True_, b"auto", {"cv": 5}, object(), 5j])
def test_other_kinds_of_cv_are_refused_by_type(cv: Any) -> None:
    with pytest.raises(InputTypeError, match="cannot be used; give 'auto', 'holdout'"):
        make_splits(cv, BALANCED, seed=0)


@pytest.mark.parametrize("cv", [np.int64(3), np.float32(0.25)])
def test_numpy_numbers_are_numbers(cv: Any) -> None:
    assert len(make_splits(cv, BALANCED, seed=0)) == (3 if cv > 1 else 1)


@pytest.mark.parametrize("cv", ["auto", "holdout", 0.5])
def test_a_class_per_row_is_refused(cv: Any) -> None:
    with pytest.raises(InputError, match="y has too many classes"):
        make_splits(cv, np.arange(20), seed=0)


# --- groups ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cv", ["auto", 3, "holdout", 0.4])
@pytest.mark.parametrize("names", [np.arange(20), np.array([f"g{j}" for j in range(20)])])
def test_groups_stay_on_one_side(cv: Any, names: Any) -> None:
    groups = np.repeat(names, 3)
    codes = np.repeat(np.arange(20) % 2, 3)
    splits = make_splits(cv, codes, seed=0, groups=groups)
    for fold in splits:
        assert not set(groups[fold.train]) & set(groups[fold.validation])
    assert "keeps groups together" in splits.description
    assert rows_of(splits) == rows_of(make_splits(cv, codes, seed=0, groups=groups))
    assert len(splits) == {"auto": 5, 3: 3}.get(cv, 1)


def test_few_groups_mean_few_folds() -> None:
    groups = np.repeat(["a", "b", "c"], 20)
    assert len(make_splits("auto", BALANCED, seed=0, groups=groups)) == 3
    with pytest.raises(InputError, match="cv=4 folds cannot be made of 3 groups"):
        make_splits(4, BALANCED, seed=0, groups=groups)


def test_a_holdout_that_groups_make_larger_is_reported() -> None:
    groups = np.repeat(["a", "b"], 30)
    (change,) = make_splits(0.2, BALANCED, seed=0, groups=groups).changes
    assert str(change).startswith("a hold-out of 0.2 became 0.5")
    assert make_splits(0.5, BALANCED, seed=0, groups=groups).changes == ()


def test_groups_that_are_fewer_than_folds_of_any_class_are_refused() -> None:
    with pytest.raises(InputError, match="5 folds cannot keep the groups together"):
        make_splits(5, np.arange(6) // 3, seed=0, groups=np.arange(6))


def test_groups_reach_a_splitter_that_needs_them() -> None:
    groups = np.arange(60) % 4
    assert len(make_splits(LeaveOneGroupOut(), BALANCED, seed=0, groups=groups)) == 4


def test_groups_beside_given_pairs_are_reported_as_ignored() -> None:
    splits = make_splits([(TRAIN, VALIDATION)], BALANCED, seed=0, groups=np.arange(60))
    assert [change.subject for change in splits.changes] == ["groups"]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.arange(5), r"one entry for each of 60 rows, got \(5,\)"),
        (np.zeros((60, 2)), r"got \(60, 2\)"),
        ([None] * 3 + ["a"] * 57, "3 missing entries"),
        ([np.nan] * 3 + ["a"] * 57, "3 missing entries"),
        (np.ma.MaskedArray(np.arange(60) // 5, mask=np.arange(60) < 3), "3 missing entries"),
        (["a"] * 60, "one group"),
        (BALANCED + (BALANCED > 0), "one class only"),
    ],
)
def test_groups_that_cannot_be_used_are_refused(groups: Any, message: str) -> None:
    codes = (BALANCED > 0).astype(np.int64)
    with pytest.raises(InputError, match=message):
        make_splits(2, codes, seed=0, groups=groups)


def test_names_in_a_list_of_several_types_are_different_groups() -> None:
    splits = make_splits(2, BALANCED, seed=0, groups=[1] * 30 + ["1"] * 30)
    assert {fold.validation.min() // 30 for fold in splits} == {0, 1}


@pytest.mark.parametrize(("cv", "is_told"), [(LeaveOneGroupOut(), False), (KFold(3), True)])
def test_a_splitter_that_does_not_keep_groups_together_is_reported(
    cv: Any, *, is_told: bool
) -> None:
    groups = np.arange(60) % 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn's own
        splits = make_splits(cv, BALANCED, seed=0, groups=groups)
    assert [str(change) for change in splits.changes] == is_told * [
        "groups not kept together: cv puts rows of one group on both sides of a fold"
    ]
