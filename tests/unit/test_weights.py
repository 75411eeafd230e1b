"""The owner of weights: what it takes, refuses and makes of rows and classes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.utils.class_weight import compute_sample_weight

from automl.data.folds import Fold, Splits
from automl.data.weights import (
    UNWEIGHTED,
    RowWeights,
    check_parts,
    checked_sample_weight,
    row_weights,
)
from automl.errors import InputError, InputTypeError

CODES = np.array([0, 0, 1, 1, 1, 2])
CLASSES = np.array(["a", "b", "c"])
W = np.array([1.0, 2.0, 3.0, 0.0, 0.5, 5.5])
SHUFFLED = np.array([3, 1, 4, 0, 5, 2])


class OfAnotherLibrary:
    """A column that knows how to become a series, as those of other frames do."""

    def to_pandas(self) -> pd.Series[Any]:
        """Return the weights."""
        return pd.Series(W)


@pytest.mark.parametrize(
    "given_weights",
    [
        W,
        W.tolist(),
        W.astype(np.float32),
        W.astype(object),
        [Decimal(str(weight)) for weight in W],
        pd.Series(W, index=SHUFFLED),
        pd.Series(W, index=[7] * 6),
        pd.Series(W, dtype="Float64"),
        pd.Index(W),
        OfAnotherLibrary(),
    ],
)
def test_weights_are_taken_by_position_from_any_container(given_weights: Any) -> None:
    found = checked_sample_weight(given_weights, 6)
    assert found is not None
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, W)


def test_the_weights_are_a_copy() -> None:
    mine = W.copy()
    found = checked_sample_weight(mine, 6)
    assert found is not None
    found[:] = 9.0
    np.testing.assert_array_equal(mine, W)
    assert checked_sample_weight(None, 6) is None


@pytest.mark.parametrize(
    ("given_weights", "message"),
    [
        (np.ones(5), r"sample_weight .* each of 6 rows, got an array of shape \(5,\)"),
        (np.ones((6, 1)), r"sample_weight .* shape \(6, 1\)"),
        (3.0, r"sample_weight .* shape \(\)"),
        (np.where(np.arange(6) > 3, np.nan, 1.0), "sample_weight has 2 missing .* row 4"),
        (pd.Series([1, 2, None, 1, 1, 1], dtype="Int64"), "sample_weight has 1 missing .* row 2"),
        (np.where(np.arange(6) > 4, np.inf, 1.0), "sample_weight has 1 infinite .* row 5"),
        (np.where(np.arange(6) < 1, -1.0, 1.0), "sample_weight has 1 negative .* row 0"),
        (np.zeros(6), "sample_weight .* at least one non-zero"),
    ],
)
def test_weights_that_are_none_are_refused_by_name(given_weights: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked_sample_weight(given_weights, 6)


@pytest.mark.parametrize(
    "given_weights", [["1"] * 6, np.array(["1"] * 6), [1j] * 6, [object()] * 6]
)
def test_weights_have_to_be_numbers(given_weights: Any) -> None:
    with pytest.raises(InputTypeError, match="sample_weight must hold numbers"):
        checked_sample_weight(given_weights, 6)


POSITIVE = arrays(np.float64, 6, elements=st.floats(1e-3, 1e3))


@given(POSITIVE, st.integers(-60, 900))
def test_only_ratios_of_weights_count(weights: Any, exponent: int) -> None:
    one = row_weights(weights, "balanced", CODES, CLASSES)
    other = row_weights(np.ldexp(weights, exponent), "balanced", CODES, CLASSES)
    for name, array in one.arrays.items():
        np.testing.assert_array_equal(array, other.arrays[name])
        assert array.mean() == pytest.approx(1.0)
    assert one.arrays.keys() == other.arrays.keys()


@pytest.mark.parametrize("class_weight", [None, {}, {"a": 2, "b": 2.0, "c": 2}])
@pytest.mark.parametrize("given_weights", [None, np.full(6, 0.25)])
def test_weights_that_are_all_alike_are_none(given_weights: Any, class_weight: Any) -> None:
    found = row_weights(given_weights, class_weight, CODES, CLASSES)
    assert found.training is None
    assert found.metric is None
    assert found.arrays == UNWEIGHTED.arrays == {}


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 4.0, "c": 0.5}])
def test_weights_of_classes_are_scikit_learns_and_act_on_training_only(class_weight: Any) -> None:
    found = row_weights(None, class_weight, CODES, CLASSES)
    expected = compute_sample_weight(class_weight, CLASSES[CODES])
    np.testing.assert_allclose(found.training, expected / expected.mean())
    assert found.metric is None


def test_weights_of_classes_multiply_those_of_rows() -> None:
    found = row_weights(W, {"a": 4.0, "c": 0.5}, CODES, CLASSES)
    expected = W * np.array([4.0, 1.0, 0.5])[CODES]
    np.testing.assert_allclose(found.training, expected / expected.mean())
    np.testing.assert_allclose(found.metric, W / W.mean())


def test_balanced_classes_weigh_the_same_together() -> None:
    found = row_weights(W, "balanced", CODES, CLASSES)
    np.testing.assert_allclose(np.bincount(CODES, found.training), [2.0, 2.0, 2.0])


def test_a_class_without_any_weight_does_not_hinder_the_balance_of_others() -> None:
    weights = np.where(CODES == 2, 0.0, 1.0)
    found = row_weights(weights, "balanced", CODES, CLASSES)
    np.testing.assert_allclose(np.bincount(CODES, found.training), [3.0, 3.0, 0.0])


@pytest.mark.parametrize(
    "classes", [np.array([1, 5, 9]), np.array([-1.0, 0.0, 2.0]), np.array(["a", 0, 1], object)]
)
def test_labels_of_any_type_may_be_named(classes: Any) -> None:
    for kind in (classes.tolist(), list(classes)):
        found = row_weights(None, {kind[2]: 3.0}, CODES, classes)
        np.testing.assert_allclose(found.training, np.where(CODES == 2, 3.0, 1.0) / (8.0 / 6.0))


@pytest.mark.parametrize(
    ("class_weight", "error", "message"),
    [
        ({"d": 1.0}, InputError, "class_weight names 'd', which is no label .* 'a', 'b', 'c'"),
        (
            {"a": -1.0},
            InputError,
            r"class_weight of 'a' must be finite and not negative, found -1\.0",
        ),
        ({"a": np.nan}, InputError, "class_weight of 'a' must be finite"),
        ({"a": np.inf}, InputError, "class_weight of 'a' must be finite"),
        ({"a": "2"}, InputTypeError, "class_weight of 'a' must be a number, found '2'"),
        ({"a": True}, InputTypeError, "class_weight of 'a' must be a number, found True"),
        ("balance", InputTypeError, "class_weight must be None, 'balanced' or a dict .*'balance'"),
        ([1.0, 2.0, 3.0], InputTypeError, r"class_weight must be .* found \[1"),
        ({"a": 0, "b": 0}, InputError, "class_weight: rows of fewer than two classes"),
        ({"a": 0, "b": 0, "c": 0}, InputError, "class_weight: rows of fewer than two classes"),
    ],
)
def test_weights_of_classes_that_are_none_are_refused_by_name(
    class_weight: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        row_weights(None, class_weight, CODES, CLASSES)


def test_many_labels_are_not_all_listed() -> None:
    with pytest.raises(InputError, match=r"0, 1, .* 9 and 5 more"):
        row_weights(None, {99: 1.0}, np.arange(15), np.arange(15))


def test_weights_that_leave_one_class_are_refused() -> None:
    with pytest.raises(InputError, match=r"^sample_weight: rows of fewer than two"):
        row_weights(np.where(CODES == 1, 1.0, 0.0), None, CODES, CLASSES)
    with pytest.raises(InputError, match=r"^sample_weight and class_weight: rows"):
        row_weights(np.where(CODES < 2, 1.0, 0.0), {"a": 0.0}, CODES, CLASSES)


def splits_of(train: list[int], validation: list[int]) -> Splits:
    fold = Fold(np.array(train), np.array(validation))
    return Splits(folds=(fold,), n_rows=6, description="by hand")


def test_a_part_without_two_weighted_classes_or_a_judging_row_is_refused() -> None:
    training = RowWeights(training=W)
    check_parts(training, CODES, splits_of([0, 2], [3]))
    with pytest.raises(InputError, match=r"sample_weight: .* fold 0 .* not of two classes"):
        check_parts(training, CODES, splits_of([0, 3], [2]))  # row 3 has the weight zero
    metric = RowWeights(metric=W)
    check_parts(metric, CODES, splits_of([0, 2], [3, 4]))
    with pytest.raises(InputError, match="sample_weight: no validation row"):
        check_parts(metric, CODES, splits_of([0, 2], [3]))
    check_parts(UNWEIGHTED, CODES, splits_of([0, 3], [2]))


@pytest.mark.parametrize("unit", [7.0, 1 / 3, 0.1, 1e300, 1e-300])
def test_the_unit_of_weights_changes_no_bit(unit: float) -> None:
    weights = np.random.default_rng(0).random(6) + 0.1
    of_both = [row_weights(w, None, CODES, CLASSES).training for w in (weights, weights * unit)]
    assert of_both[0] is not None
    np.testing.assert_array_equal(*of_both)


def test_masked_weights_are_missing() -> None:
    masked = np.ma.MaskedArray(W, mask=[True, False, False, False, False, False])
    with pytest.raises(InputError, match="1 missing entries, the first in row 0"):
        checked_sample_weight(masked, 6)
