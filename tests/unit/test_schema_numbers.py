"""Numbers of any type, in any container."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from fakes.single_column import changes_of, prepare

from automl.data.raw_column import object_array
from automl.data.schema import learn_schema
from automl.errors import InputError


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        lambda X: X[::-1][::-1],
        lambda X: X.astype("float16"),
        lambda X: X.astype(">f8"),
        lambda X: X.astype("float128"),
        lambda X: X.astype(object),
        lambda X: X.tolist(),
        lambda X: pd.DataFrame(X),
        lambda X: pd.DataFrame(X).astype("Float64"),
        lambda X: pd.DataFrame(X).astype(pd.ArrowDtype(pa.float64())),
        lambda X: pd.DataFrame(X).astype("Sparse"),
        lambda X: np.ma.masked_invalid(X),
        lambda X: pa.table({f"c{j}": X[:, j] for j in range(X.shape[1])}),
    ],
)
def test_numbers_in_any_container_are_the_same_table(convert: Any) -> None:
    X = np.random.default_rng(0).integers(-5, 5, size=(8, 3)) / 4.0  # exact in half precision
    given_table = convert(X)
    schema = learn_schema(given_table)
    prepared = schema.transform(given_table)
    np.testing.assert_array_equal(prepared, X)
    assert prepared.dtype == np.float64
    assert prepared.flags.c_contiguous
    assert (schema.numeric, schema.categorical, schema.changes) == ((0, 1, 2), (), ())


def test_whole_numbers_of_any_width_are_numbers() -> None:
    for dtype in ("int8", "uint8", "int16", "uint32", "int64", "uint64"):
        X = np.array([[1, 2], [3, 4]], dtype=dtype)
        np.testing.assert_array_equal(learn_schema(X).transform(X), [[1.0, 2.0], [3.0, 4.0]])


def test_the_prepared_table_is_the_callers_own() -> None:
    for X in (np.arange(6.0).reshape(3, 2), scipy.sparse.csr_array(np.arange(6.0).reshape(3, 2))):
        before = X.copy()
        prepared = learn_schema(X).transform(X)
        prepared *= 7.0
        assert abs(X - before).max() == 0.0


def test_masked_cells_are_missing() -> None:
    X = np.ma.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], mask=[[0, 1], [0, 0], [0, 0]])
    schema = learn_schema(X)
    assert schema.has_missing
    assert np.isnan(schema.transform(X)[0, 1])


@pytest.mark.parametrize(
    "values",
    [
        np.array([True, False, True]),
        object_array([True, False, True]),
        pd.array([True, False, True], dtype="boolean"),
        pd.array([True, False, True], dtype=pd.ArrowDtype(pa.bool_())),
    ],
)
def test_truth_values_of_any_storage_become_zero_and_one(values: Any) -> None:
    np.testing.assert_array_equal(prepare(values)[:, 0], [1.0, 0.0, 1.0])
    assert len(changes_of(values)) == 0


def test_nullable_columns_have_nan_where_they_have_gaps() -> None:
    for dtype in ("Int64", "Float64", "boolean", pd.ArrowDtype(pa.int32())):
        prepared = prepare(pd.array([1, 0, None], dtype=dtype))
        np.testing.assert_array_equal(prepared[:, 0], [1.0, 0.0, np.nan])


def test_numbers_of_different_types_are_numbers_without_a_word() -> None:
    values = object_array([1, decimal.Decimal("2.5"), np.float32(0.5)])
    np.testing.assert_array_equal(prepare(values)[:, 0], [1.0, 2.5, 0.5])
    assert changes_of(values) == []


def test_truth_values_beside_numbers_are_numbers() -> None:
    values = object_array([True, 0, 3])
    np.testing.assert_array_equal(prepare(values)[:, 0], [1.0, 0.0, 3.0])
    assert changes_of(values) == ["column 'c' read as numbers: its values say numbers"]


def test_truth_values_stored_as_text_are_zero_and_one() -> None:
    np.testing.assert_array_equal(prepare(["True", "False", "true"])[:, 0], [1.0, 0.0, 1.0])


def test_text_arrays_of_bytes_are_read_like_text() -> None:
    X = np.array([[b"1.5", b"a"], [b"2.5", b"b"], [b"3.5", b"a"]])
    np.testing.assert_array_equal(
        learn_schema(X).transform(X), [[1.5, 0.0], [2.5, 1.0], [3.5, 0.0]]
    )


def test_decimals_are_numbers() -> None:
    prepared = prepare([decimal.Decimal("1.5"), decimal.Decimal("2.5"), None])
    np.testing.assert_array_equal(prepared[:, 0], [1.5, 2.5, np.nan])


def test_infinite_and_huge_values_are_refused_with_column_and_rows() -> None:
    X = np.arange(12.0).reshape(4, 3)
    X[:2, 0], X[3, 2] = np.inf, -1e300
    for table in (X, scipy.sparse.csr_array(X), pd.DataFrame(X).assign(text=["a", "b"] * 2)):
        if isinstance(table, pd.DataFrame):
            table.columns = ["x0", "x1", "x2", "text"]
        with pytest.raises(InputError, match=r"infinity.*'x0' in 2 rows") as caught:
            learn_schema(table)
        assert isinstance(table, pd.DataFrame) or "'x2' in 1 row" in str(caught.value)


def test_many_columns_of_infinite_values_are_counted() -> None:
    X = np.full((3, 12), np.inf)
    X[0] = 0.0
    with pytest.raises(InputError, match=r"'x9' in 2 rows and 2 more columns\."):
        learn_schema(X)


def test_infinite_values_are_refused_at_prediction_too() -> None:
    X = np.arange(6.0).reshape(3, 2)
    schema = learn_schema(X)
    X[1, 1] = np.inf
    with pytest.raises(InputError, match="'x1' in 1 row"):
        schema.transform(X)


def test_the_largest_single_precision_number_is_allowed() -> None:
    X = np.array([[float(np.finfo(np.float32).max)], [0.0]])
    np.testing.assert_array_equal(learn_schema(X).transform(X), X)


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="column 'x1' holds complex numbers"):
        learn_schema(np.array([[1.0, 2j], [2.0, 1j]], dtype=object))
    for table in (np.ones((3, 2)) * 1j, scipy.sparse.csr_array(np.eye(3) * 1j)):
        with pytest.raises(InputError, match="Complex data not supported"):
            learn_schema(table)
    with pytest.raises(InputError, match="Complex data not supported: column 'c'"):
        prepare([1j, 2j, 3.0])
