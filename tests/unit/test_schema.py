"""What is kept of a table, and what always holds of a schema."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from fakes.single_column import prepare
from hypothesis import given, settings
from strategies.tables import frames

from automl.data.schema import learn_schema
from automl.errors import InputError

N_ROWS = 12
CITIES = ["rome", "oslo", "lima"] * 4
LEVELS = [2.0, 1.0, 0.0] * 4  # in alphabetical order: lima, oslo, rome


def mixed_frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": np.where(np.arange(N_ROWS) % 5 == 0, np.nan, rng.normal(size=N_ROWS)),
            "city": CITIES,
            "flag": rng.random(N_ROWS) > 0.5,
            "t": pd.date_range("2020-01-31", periods=N_ROWS, freq="37h"),
        }
    )


def test_constant_and_empty_columns_are_dropped_by_name() -> None:
    table = pd.DataFrame(
        {
            "kept": [1.0, 2.0, 3.0],
            "same": [7, 7, 7],
            "word": ["x", "x", "x"],
            "none": [None, None, None],
            "nothing": pd.Categorical([None, None, None]),
            "sevens": ["7", "7.0", 7],
        }
    )
    schema = learn_schema(table)
    assert schema.names == ("kept",)
    assert {change.subject: change.reason for change in schema.changes} == {
        "column 'same'": "it has the same value in every row",
        "column 'word'": "it has the same value in every row",
        "column 'none'": "it has no values",
        "column 'nothing'": "it has no values",
        "column 'sevens'": "it has the same value in every row",
    }
    assert schema.transform(table).shape == (3, 1)


def test_constant_and_empty_columns_of_arrays_are_dropped() -> None:
    X = np.array([[1.0, 7.0, np.nan, 0.0], [2.0, 7.0, np.nan, np.nan], [3.0, 7.0, np.nan, 0.0]])
    for table in (X, scipy.sparse.csr_array(X)):
        schema = learn_schema(table)
        assert schema.names == ("x0", "x3")  # a gap is a value of its own
        assert schema.has_missing
        assert [c.subject for c in schema.changes] == ["column 'x1'", "column 'x2'"]
        prepared = schema.transform(table)
        dense = prepared if isinstance(prepared, np.ndarray) else prepared.toarray()
        np.testing.assert_array_equal(dense, X[:, [0, 3]])


def test_a_thousand_constant_columns_are_one_entry() -> None:
    X = np.zeros((5, 1001))
    X[:, 4] = np.arange(5)
    (change,) = learn_schema(X).changes
    assert change.subject == "column 'x0', column 'x1', column 'x2' and 997 more"


def test_a_table_with_nothing_to_learn_from_is_refused() -> None:
    with pytest.raises(InputError, match="no column to learn from: column 'c' dropped"):
        prepare([1, 1, 1])


def test_a_column_dropped_at_the_fit_is_not_looked_at_later() -> None:
    schema = learn_schema(pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical([None, None])}))
    later = pd.DataFrame({"a": [1.0], "b": pd.Categorical(["x"])})
    np.testing.assert_array_equal(schema.transform(later), [[1.0]])


def test_a_user_may_say_what_a_column_is() -> None:
    table = pd.DataFrame(
        {
            "code": [3, 1, 2] * 4,
            "id": [f"user{j}" for j in range(N_ROWS)],
            "number": ["1", "x", "3"] * 4,
            "text": ["Rome", "lima", "x1"] * 4,
            "gone": np.arange(N_ROWS),
        }
    )
    kinds: dict[str | int, str] = {
        "code": "category",
        "id": "category",
        "number": "number",
        "text": "text",
        4: "drop",
    }
    schema = learn_schema(table, kinds=kinds)
    assert schema.categorical == (0, 1)
    assert schema.n_levels == (3, N_ROWS)
    assert schema.names[3:] == tuple(
        f"text: {part}" for part in ("characters", "words", "share of digits", "share of capitals")
    )
    assert "column 'gone' dropped: as asked for" in map(str, schema.changes)
    np.testing.assert_array_equal(schema.transform(table)[:3, 2], [1.0, np.nan, 3.0])


def test_a_position_can_be_a_category_in_an_array() -> None:
    X = np.array([[1.0, 5.0], [2.0, 4.0], [1.0, 3.0]])
    schema = learn_schema(X, kinds={0: "category"})
    np.testing.assert_array_equal(schema.transform(X), [[0.0, 5.0], [1.0, 4.0], [0.0, 3.0]])


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"citty": "category"}, "'citty'.*did you mean 'city'"),
        ({99: "category"}, "99"),
        ({"city": "categorical"}, "'categorical'; it can be 'number', 'category'"),
        ({"a": "date"}, "'a' cannot be read as a date"),
        ({"t": "number"}, "'t' cannot be read as a number"),
        ({"city": "number"}, "'city' holds no number"),
        ({"city": "date"}, "'city' holds no date"),
    ],
)
def test_a_word_that_does_not_fit_is_refused(kinds: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        learn_schema(mixed_frame(), kinds=kinds)


def test_a_sparse_table_has_no_categories() -> None:
    with pytest.raises(InputError, match="'x1' cannot be a category: X is sparse"):
        learn_schema(scipy.sparse.eye_array(4), kinds={1: "category"})


@settings(max_examples=30, deadline=None)
@given(table=frames())
def test_one_row_at_a_time_equals_the_batch(table: pd.DataFrame) -> None:
    schema = learn_schema(table)
    batch = schema.transform(table)
    rows = [schema.transform(table.iloc[[row]]) for row in range(len(table))]
    np.testing.assert_array_equal(batch, np.vstack(rows))


@settings(max_examples=30, deadline=None)
@given(table=frames())
def test_the_users_table_is_not_written_to(table: pd.DataFrame) -> None:
    before = table.copy(deep=True)
    learn_schema(table).transform(table)
    pd.testing.assert_frame_equal(table, before)


@settings(max_examples=30, deadline=None)
@given(table=frames())
def test_the_order_of_rows_does_not_matter_to_what_is_learnt(table: pd.DataFrame) -> None:
    schema, reversed_schema = learn_schema(table), learn_schema(table[::-1])
    assert schema.columns == reversed_schema.columns
    assert schema.has_missing == reversed_schema.has_missing


@settings(max_examples=30, deadline=None)
@given(table=frames())
def test_a_schema_describes_what_it_prepares(table: pd.DataFrame) -> None:
    schema = learn_schema(table)
    prepared = schema.transform(table)
    assert prepared.shape == (len(table), len(schema.names))
    assert len(schema.sources) == len(schema.names)
    assert sorted(schema.numeric + schema.categorical) == list(range(len(schema.names)))
    assert bool(np.isnan(prepared).any()) == schema.has_missing
    for position, n_levels in zip(schema.categorical, schema.n_levels, strict=True):
        codes = prepared[:, position]
        assert set(codes[~np.isnan(codes)]) == set(range(n_levels))


@settings(max_examples=30, deadline=None)
@given(table=frames())
def test_a_schema_survives_pickling_and_types_that_became_objects(table: pd.DataFrame) -> None:
    schema = learn_schema(table)
    assert pickle.loads(pickle.dumps(schema)) == schema
    np.testing.assert_array_equal(schema.transform(table.astype(object)), schema.transform(table))


def test_the_index_of_a_frame_plays_no_part() -> None:
    table = mixed_frame()
    shuffled = table.set_axis([0, 0, *range(5, N_ROWS + 3)][:N_ROWS], axis=0)
    np.testing.assert_array_equal(
        learn_schema(shuffled).transform(shuffled), learn_schema(table).transform(table)
    )


def test_names_that_collide_after_cleaning_are_different_columns() -> None:
    names = ["a b", "a_b", "a:b", "a", "A", "á", "index", "target", "sample_weight", "fold"]
    X = np.random.default_rng(0).normal(size=(6, len(names)))
    table = pd.DataFrame(X, columns=names)
    schema = learn_schema(table)
    assert schema.names == tuple(names)
    np.testing.assert_array_equal(schema.transform(table), X)
