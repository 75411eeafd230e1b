"""Levels and their codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from fakes.single_column import prepare

from automl.data.raw_column import object_array
from automl.data.schema import learn_schema

N_ROWS = 12
CITIES = ["rome", "oslo", "lima"] * 4
LEVELS = [2.0, 1.0, 0.0] * 4  # in alphabetical order: lima, oslo, rome
GAPS = [None, "a", "b"] * 4


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(CITIES),
        pd.Series(CITIES, dtype="string"),
        pd.Series(CITIES, dtype=object),
        pd.Series(CITIES, dtype=pd.ArrowDtype(pa.string())),
        pd.Categorical(CITIES),
        pd.Categorical(CITIES, categories=["rome", "never", "oslo", "lima"]),
        [city.encode() for city in CITIES],
        pd.Series(pa.array(CITIES).dictionary_encode().to_pandas()),
    ],
)
def test_text_of_any_storage_becomes_codes_in_alphabetical_order(values: Any) -> None:
    table = pd.DataFrame({"c": values})
    schema = learn_schema(table)
    assert (schema.categorical, schema.n_levels, schema.changes) == ((0,), (3,), ())
    np.testing.assert_array_equal(schema.transform(table)[:, 0], LEVELS)


def test_text_arrays_are_read_column_by_column() -> None:
    X = np.array([["a", 1.5], ["b", None], ["a", 2.5]], dtype=object)
    np.testing.assert_array_equal(
        learn_schema(X).transform(X), [[0.0, 1.5], [1.0, np.nan], [0.0, 2.5]]
    )


def test_numbers_beside_text_in_a_list_stay_numbers() -> None:
    X = [["a", 1.5], ["b", 3], ["a", 2.5]]
    schema = learn_schema(X)
    assert (schema.numeric, schema.changes) == ((1,), ())


def test_ordered_categories_keep_their_order() -> None:
    values = pd.Categorical(CITIES, categories=["rome", "oslo", "lima"], ordered=True)
    np.testing.assert_array_equal(prepare(values)[:, 0], [0.0, 1.0, 2.0] * 4)


def test_number_categories_are_sorted_as_numbers() -> None:
    prepared = prepare(pd.Categorical([10, 9, 100] * 4))
    np.testing.assert_array_equal(prepared[:, 0], [1.0, 0.0, 2.0] * 4)


def test_missing_categories_are_nan_however_they_are_written() -> None:
    for gap in (None, np.nan, pd.NA, pd.NaT):
        values = pd.Series(object_array([gap, "a", "b"] * 4))
        np.testing.assert_array_equal(prepare(values)[:, 0], [np.nan, 0.0, 1.0] * 4)


def test_text_that_looks_like_a_missing_marker_is_a_level() -> None:
    table = pd.DataFrame({"country": ["NA", "FR", "-", "?", "nan", ""] * 3})
    schema = learn_schema(table)
    assert schema.n_levels == (6,)
    assert not schema.has_missing


def test_a_level_unseen_at_the_fit_has_the_code_after_the_last() -> None:
    table = pd.DataFrame({"c": CITIES})
    schema = learn_schema(table)
    prepared = schema.transform(pd.DataFrame({"c": ["atlantis", "oslo", None]}))
    np.testing.assert_array_equal(prepared[:, 0], [3.0, 1.0, np.nan])


def test_levels_are_matched_by_value_not_by_the_code_of_the_container() -> None:
    schema = learn_schema(pd.DataFrame({"c": pd.Categorical(CITIES)}))
    later = pd.DataFrame({"c": pd.Categorical(["oslo"] * 3, categories=["oslo"])})
    np.testing.assert_array_equal(schema.transform(later)[:, 0], [1.0] * 3)


@pytest.mark.parametrize("later", [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"], ["1.0", "02", "3"]])
def test_number_categories_are_found_again_as_text_or_floats(later: Any) -> None:
    schema = learn_schema(pd.DataFrame({"c": pd.Categorical([1, 2, 3] * 4)}))
    np.testing.assert_array_equal(
        schema.transform(pd.DataFrame({"c": later}))[:, 0], [0.0, 1.0, 2.0]
    )


@pytest.mark.parametrize("as_type", [int, str])
def test_identifiers_beyond_double_precision_stay_apart(as_type: Any) -> None:
    identifiers = [2**53 + 1, 2**53, 10**19]
    schema = learn_schema(pd.DataFrame({"c": pd.Categorical(identifiers * 4)}))
    assert (schema.n_levels, schema.changes) == ((3,), ())
    later = pd.Categorical([as_type(number) for number in [*identifiers, 10**19 + 1, 2**60]])
    codes = schema.transform(pd.DataFrame({"c": later}))[:, 0]
    np.testing.assert_array_equal(codes, [1.0, 0.0, 2.0, 3.0, 3.0])


def test_text_categories_are_found_again_as_numbers() -> None:
    schema = learn_schema(pd.DataFrame({"c": pd.Categorical(["1.0", "02", "x"] * 4)}))
    later = pd.DataFrame({"c": [1, 2, 9]})
    np.testing.assert_array_equal(schema.transform(later)[:, 0], [1.0, 0.0, 3.0])


def test_text_categories_are_not_confused_by_leading_zeros() -> None:
    schema = learn_schema(pd.DataFrame({"c": ["01", "1", "02"] * 4}))
    assert schema.n_levels == (3,)
    np.testing.assert_array_equal(
        schema.transform(pd.DataFrame({"c": ["1", "01", "2"]}))[:, 0], [2.0, 0.0, 3.0]
    )


def test_values_that_differ_in_type_only_are_pooled_and_reported() -> None:
    values = object_array([1, "1", "x", "y"] * 3)
    table = pd.DataFrame({"c": values})
    schema = learn_schema(table)
    assert schema.n_levels == (3,)
    assert [str(c) for c in schema.changes] == [
        "column 'c' had values pooled: 1 differ from another value in their type only"
    ]


def test_values_that_cannot_be_hashed_are_told_apart_by_their_text() -> None:
    values = pd.Series(object_array([[1], [2], None] * 4))
    np.testing.assert_array_equal(prepare(values)[:, 0], [0.0, 1.0, np.nan] * 4)


def test_categories_of_arrow_are_declared_even_if_they_look_like_numbers() -> None:
    arrow = pa.array(["1", "2", "1", None] * 3).dictionary_encode()
    values = pd.Series(arrow, dtype=pd.ArrowDtype(arrow.type))
    np.testing.assert_array_equal(prepare(values)[:, 0], [0.0, 1.0, 0.0, np.nan] * 3)
    assert learn_schema(pd.DataFrame({"c": values})).n_levels == (2,)


def test_truth_values_and_dates_can_be_found_among_levels() -> None:
    table = pd.DataFrame({"c": pd.Categorical([True, False] * 6)})
    schema = learn_schema(table)
    later = pd.DataFrame({"c": [True, True, False]})
    np.testing.assert_array_equal(schema.transform(later)[:, 0], [1.0, 1.0, 0.0])
    days = pd.DataFrame({"c": pd.date_range("2020-01-01", periods=3).repeat(3)})
    schema = learn_schema(days, kinds={"c": "category"})
    np.testing.assert_array_equal(schema.transform(days[::3])[:, 0], [0.0, 1.0, 2.0])


@pytest.mark.parametrize("later", [[True, 1, "x"], [1, True, "x"], ["True", "1", "x"]])
def test_true_is_another_level_than_one_whichever_comes_first(later: Any) -> None:
    table = pd.DataFrame({"c": object_array([1, True, "x", "y"] * 3)})
    schema = learn_schema(table)
    assert schema.n_levels == (4,)
    codes = schema.transform(pd.DataFrame({"c": object_array(later)}))[:, 0]
    expected = {"1": 0.0, "True": 1.0, "x": 2.0}
    np.testing.assert_array_equal(codes, [expected[str(value)] for value in later])


DAYS = [pd.Timestamp("2020-01-01 13:00"), pd.Timestamp("2020-01-02")] * 6
SPANS = [pd.Timedelta("1h"), pd.Timedelta("2h")] * 6


@pytest.mark.parametrize(
    ("levels", "later"),
    [
        (DAYS, pd.Series(DAYS)),
        (DAYS, pd.Series(DAYS, dtype=object)),
        (DAYS, pd.Series(DAYS).dt.tz_localize("UTC")),
        (DAYS, pd.Categorical(pd.Series(DAYS).dt.tz_localize("UTC"))),
        (SPANS, pd.Series(SPANS)),
        (SPANS, pd.Series(SPANS, dtype=object)),
        (pd.PeriodIndex(DAYS, freq="D"), pd.Categorical(pd.PeriodIndex(DAYS, freq="D"))),
        (pd.PeriodIndex(DAYS, freq="D"), pd.PeriodIndex(DAYS, freq="D")),
    ],
)
def test_levels_that_are_times_are_found_again_in_any_storage(levels: Any, later: Any) -> None:
    schema = learn_schema(pd.DataFrame({"c": pd.Categorical(levels)}))
    codes = schema.transform(pd.DataFrame({"c": later}))[:, 0]
    np.testing.assert_array_equal(codes, [0.0, 1.0] * 6)


def test_intervals_are_categories() -> None:
    table = pd.DataFrame({"c": pd.cut(np.arange(12.0), 3)})
    assert learn_schema(table).n_levels == (3,)
