"""Exported columns read a user's table as the schema does."""

from __future__ import annotations

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from automl.data.schema import learn_schema
from automl.errors import InputError
from automl.export.pieces import lookup
from automl.export.tables import plain_columns

N = 60


def all_kinds() -> pd.DataFrame:
    """Return a table with columns of every kind but free text, most of them with gaps."""
    rng = np.random.default_rng(0)
    gap = rng.random(N) < 0.1
    days = rng.integers(0, 900, N)
    start = pd.Timestamp("2020-01-01")
    frame = pd.DataFrame(
        {
            "float": np.where(gap, np.nan, rng.normal(size=N)),
            "int": rng.integers(0, 9, N),
            "bool": rng.random(N) < 0.5,
            "Int64": pd.array(np.where(gap, None, rng.integers(0, 5, N)), dtype="Int64"),
            "boolean": pd.array(np.where(gap, None, rng.random(N) < 0.5), dtype="boolean"),
            "numbers as text": [str(x) if x > 1.0 else "?" for x in rng.normal(size=N) + 3.5],
            "text": rng.choice(np.array(["x", "y", "zz", None], dtype=object), N),
            "category": pd.Categorical(rng.choice(["u", "v", "w"], N)),
            "numbers as category": pd.Categorical(rng.choice([3, 1, 20], N)),
            "int and text": rng.choice(np.array([1, "two", 3, None], dtype=object), N),
            "date": (start + pd.to_timedelta(days * 86_401, unit="s")),
            "date as text": [str(start + pd.Timedelta(days=int(d))) for d in days[::-1]],
            "Berlin": (start.tz_localize("Europe/Berlin") + pd.to_timedelta(days, unit="D")),
            "month": pd.period_range("2001-01", periods=N, freq="M"),
            "duration": pd.to_timedelta(rng.integers(0, 10**6, N), unit="s"),
            "constant": 1,
        }
    )
    frame.loc[3, "date"] = pd.NaT
    frame.loc[4, "duration"] = pd.NaT
    frame.loc[5, "category"] = np.nan
    return frame


def changed_later(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with levels and types that the fit did not see."""
    later = frame.astype({"category": object, "numbers as category": float})
    later.loc[0, "text"] = "new"
    later.loc[1, "category"] = "new"
    later.loc[2, "int and text"] = "7"
    later.loc[3, "numbers as category"] = 4.0
    later["date as text"] = None
    return later[::-1].reset_index(drop=True)


def assert_same_columns(fitted_to: object, X: object) -> None:
    schema = learn_schema(fitted_to)
    dumped = pickle.dumps(plain_columns(schema))
    assert b"automl" not in dumped
    np.testing.assert_allclose(pickle.loads(dumped).transform(X), schema.transform(X), rtol=1e-12)


def test_columns_of_every_kind_are_read_alike() -> None:
    assert_same_columns(all_kinds(), all_kinds())


def test_levels_and_types_that_are_new_are_read_alike() -> None:
    assert_same_columns(all_kinds(), changed_later(all_kinds()))


def test_one_row_is_read_alike() -> None:
    assert_same_columns(all_kinds(), all_kinds().iloc[[5]])


def test_an_array_of_objects_is_read_alike() -> None:
    table = all_kinds().to_numpy(dtype=object)
    assert_same_columns(table, table)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dok", "bsr"])
def test_sparse_tables_of_every_format_are_read(kind: str) -> None:
    X = scipy.sparse.random_array((30, 5), density=0.3, rng=np.random.default_rng(0))
    schema = learn_schema(X)
    read = plain_columns(schema).transform(X.asformat(kind))
    assert np.array_equal(read.toarray(), schema.transform(X).toarray())


def test_the_kept_columns_of_a_sparse_table_stay_sparse() -> None:
    X = scipy.sparse.random_array((30, 5), density=0.3, rng=np.random.default_rng(0), format="csr")
    X = scipy.sparse.csr_array(X.toarray() * [1.0, 1.0, 0.0, 1.0, 1.0])
    schema = learn_schema(X)
    read = plain_columns(schema).transform(X)
    assert read.shape == (30, 4)
    assert np.array_equal(read.toarray(), schema.transform(X).toarray())


def test_free_text_is_refused_by_name() -> None:
    words = [f"row {i} says this and that {i * 7}" for i in range(N)]
    schema = learn_schema(pd.DataFrame({"remarks": words, "x": range(N)}))
    with pytest.raises(InputError, match="column 'remarks' holds free text"):
        plain_columns(schema)


def test_a_table_of_values_without_any_gives_the_other_value() -> None:
    found = lookup({}, otherwise=5.0).transform(np.array([[0.0], [np.nan]]))
    np.testing.assert_array_equal(found, [[5.0], [np.nan]])


def test_close_numbers_are_told_apart() -> None:
    table = {1.0: 0.0, 1.0 + 1e-9: 1.0, 1e6: 2.0}
    found = lookup(table, otherwise=9.0).transform(np.array([[*table, 1.0 + 5e-10, -1.0, 2e6]]))
    np.testing.assert_array_equal(found, [[0.0, 1.0, 2.0, 9.0, 9.0, 9.0]])


@pytest.mark.parametrize("number", [1, 1.0, "1", Decimal(1)])
@pytest.mark.parametrize(
    "day",
    [
        datetime.date(2020, 1, 2),
        pd.Timestamp("2020-01-02"),
        pd.Timestamp("2020-01-01 05:00"),
        pd.Period("2020-01-02", "D"),
        pd.Period("2020-03", "M"),
        pd.Period("2020", "Y"),
        pd.Timestamp("2020-01-02 03:04:05.5", tz="UTC"),
        datetime.timedelta(days=1, seconds=3),
        pd.Timedelta(days=1),
    ],
)
def test_objects_of_several_types_in_one_column_are_read_alike(number: object, day: object) -> None:
    values = [number, number, number, day, 2.5, 1e20, None]
    assert_same_columns(*[pd.DataFrame({"a": pd.Series(values, dtype=object)})] * 2)
