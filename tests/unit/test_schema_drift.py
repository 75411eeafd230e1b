"""Later tables against the table of the fit: names, shapes, and types that drifted."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

from automl.data.schema import Schema, learn_schema
from automl.errors import InputError, InputTypeError

TABLE = pd.DataFrame(
    {
        "age": [1.5, 2.0, 3.0, 4.0],
        "code": [1, 2, 3, 4],
        "flag": [True, False, True, False],
        "city": ["rome", "oslo", "rome", "oslo"],
        "t": pd.date_range("2020-01-01", periods=4, freq="D"),
        "dt": pd.to_timedelta([1, 2, 3, 4], unit="h"),
    }
)
NUMBERS = np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [5.0, 7.0, 1.0]])


@pytest.fixture
def schema() -> Schema:
    return learn_schema(TABLE, estimator_name="Searcher")


# --- names -----------------------------------------------------------------------------------


def test_names_are_kept_where_all_of_them_are_text(schema: Schema) -> None:
    names = schema.feature_names_in
    assert names is not None
    assert names.dtype == object
    assert names.tolist() == list(TABLE)
    assert learn_schema(pd.DataFrame(NUMBERS)).feature_names_in is None
    assert learn_schema(NUMBERS).feature_names_in is None


def test_all_missing_columns_are_listed_at_once(schema: Schema) -> None:
    with pytest.raises(InputError) as caught:
        schema.transform(TABLE[["code"]])
    assert str(caught.value) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names seen at fit time, yet now missing:\n- age\n- city\n- dt\n- flag\n- t\n"
    )


def test_extra_columns_are_refused_by_name(schema: Schema) -> None:
    with pytest.raises(InputError, match=r"unseen at fit time:\n- extra\n$"):
        schema.transform(TABLE.assign(extra=1))


def test_reordered_columns_are_refused(schema: Schema) -> None:
    with pytest.raises(InputError, match="must be in the same order as they were in fit"):
        schema.transform(TABLE[TABLE.columns[::-1]])


def test_another_number_of_columns_is_refused() -> None:
    schema = learn_schema(NUMBERS, estimator_name="Searcher")
    with pytest.raises(
        InputError, match="X has 1 features, but Searcher is expecting 3 features as input"
    ):
        schema.transform(NUMBERS[:, [1]])


def test_several_columns_of_one_name_are_refused() -> None:
    table = pd.DataFrame(NUMBERS, columns=["a", "a", "b"])
    with pytest.raises(InputError, match="same name: 'a';"):
        learn_schema(table)


def test_names_of_which_some_are_text_are_refused() -> None:
    table = pd.DataFrame(NUMBERS, columns=["a", 1, 2.0])
    with pytest.raises(InputTypeError, match="only supported if all input features have string"):
        learn_schema(table)


def test_an_array_for_a_frame_is_taken_with_a_warning() -> None:
    frame = pd.DataFrame(NUMBERS, columns=list("abc"))
    schema = learn_schema(frame, estimator_name="Searcher")
    with pytest.warns(UserWarning, match="not have valid feature names, but Searcher was fitted"):
        prepared = schema.transform(NUMBERS)
    np.testing.assert_array_equal(prepared, NUMBERS)


def test_a_frame_for_an_array_is_taken_with_a_warning() -> None:
    schema = learn_schema(NUMBERS, estimator_name="Searcher")
    frame = pd.DataFrame(NUMBERS, columns=list("abc"))
    with pytest.warns(UserWarning, match="has feature names, but Searcher was fitted without"):
        prepared = schema.transform(frame)
    np.testing.assert_array_equal(prepared, NUMBERS)


def test_matching_tables_give_no_warning(schema: Schema) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema.transform(TABLE)


# --- shapes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (NUMBERS[:, 0], "Expected 2D array, got 1D array instead(.|\n)*Reshape your data"),
        (np.float64(3.0), "Expected 2D array, got scalar array"),
        (pd.Series([1.0, 2.0]), "Reshape your data"),
        (np.zeros((2, 2, 2)), "Found array with dim 3, while dim <= 2 is required"),
        (NUMBERS[:0], r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 2 is required"),
        (NUMBERS[:1], r"1 sample\(s\)"),
        (NUMBERS[:, :0], r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame(index=range(3)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        (scipy.sparse.csr_array((0, 3)), r"0 sample\(s\)"),
        (scipy.sparse.coo_array(np.ones(3)), "Expected 2D sparse array"),
        ([[1.0, 2.0], [3.0]], "rows of different lengths"),
        (np.zeros(3, dtype="i4,f8").reshape(3, 1), "which is not supported"),
        (np.array([[10**400], [1]], dtype=object), "'x0' holds a whole number too large"),
    ],
)
def test_what_is_no_table_is_refused(table: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        learn_schema(table)


@pytest.mark.parametrize("table", [None, "table.csv", b"", {"a": [1, 2]}, {1, 2}])
def test_what_is_no_container_of_a_table_is_refused_by_type(table: Any) -> None:
    with pytest.raises(InputTypeError, match=f"got {type(table).__name__}"):
        learn_schema(table)


def test_a_single_row_is_enough_later_and_none_is_not(schema: Schema) -> None:
    assert schema.transform(TABLE[:1]).shape == (1, len(schema.names))
    with pytest.raises(InputError, match="0 sample"):
        schema.transform(TABLE[:0])


# --- sparse tables ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "convert",
    [
        scipy.sparse.csr_matrix,
        scipy.sparse.csc_matrix,
        scipy.sparse.coo_matrix,
        scipy.sparse.csr_array,
        scipy.sparse.csc_array,
        scipy.sparse.lil_array,
        scipy.sparse.dok_array,
        lambda X: pd.DataFrame(X).astype(pd.SparseDtype("float64", 0)),
        lambda X: scipy.sparse.csr_array(X.astype("int8")),
        lambda X: scipy.sparse.csr_array(X > 0) * X,
    ],
)
def test_sparse_tables_stay_sparse(convert: Any) -> None:
    schema = learn_schema(convert(NUMBERS))
    prepared = schema.transform(convert(NUMBERS))
    assert schema.is_sparse
    assert isinstance(prepared, scipy.sparse.csr_array)
    assert (prepared.dtype, prepared.indices.dtype) == (np.float64, np.int32)
    np.testing.assert_array_equal(prepared.toarray(), NUMBERS)


def test_long_indices_become_short_ones() -> None:
    X = scipy.sparse.csr_array(NUMBERS)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    prepared = learn_schema(X).transform(X)
    assert isinstance(prepared, scipy.sparse.csr_array)
    assert (prepared.indices.dtype, prepared.indptr.dtype) == (np.int32, np.int32)
    assert X.indices.dtype == np.int64


def test_repeated_entries_of_a_sparse_table_are_summed() -> None:
    X = scipy.sparse.coo_array(([1.0, 2.0, 5.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    prepared = learn_schema(X).transform(X)
    np.testing.assert_array_equal(
        scipy.sparse.csr_array(prepared).toarray(), [[3.0, 0.0], [0.0, 5.0]]
    )


def test_sparse_and_dense_tables_stand_for_each_other_later() -> None:
    sparse = scipy.sparse.csr_array(NUMBERS)
    from_dense = learn_schema(sparse).transform(NUMBERS)
    assert isinstance(from_dense, scipy.sparse.csr_array)
    np.testing.assert_array_equal(from_dense.toarray(), NUMBERS)
    np.testing.assert_array_equal(learn_schema(NUMBERS).transform(sparse), NUMBERS)
    text = pd.DataFrame(NUMBERS.astype(str))
    from_text = learn_schema(sparse).transform(text)
    np.testing.assert_array_equal(scipy.sparse.csr_array(from_text).toarray(), NUMBERS)
    np.testing.assert_array_equal(
        learn_schema(NUMBERS, kinds={2: "category"}).transform(sparse), NUMBERS
    )


# --- types that drifted ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "later"),
    [
        ("age", ["1.5", "2", "3.0", " 4 "]),
        ("age", [1.5, 2, "3", None]),
        ("code", [1.0, 2.0, 3.0, 4.0]),
        ("code", ["1", "2", "3", "4"]),
        ("code", pd.array([1, 2, 3, 4], dtype="Int64")),
        ("code", pd.Categorical([1, 2, 3, 4])),
        ("flag", ["True", "false", "TRUE", "False"]),
        ("flag", [1, 0, 1, 0]),
        ("flag", [True, False, None, False]),
        ("city", pd.Categorical(["rome", "oslo", "rome", "oslo"])),
        ("city", [b"rome", b"oslo", b"rome", b"oslo"]),
        ("t", ["2020-01-01", "2020-01-02 00:00", "2020-01-03T00:00Z", None]),
        ("t", pd.date_range("2020-01-01", periods=4, freq="D", tz="UTC")),
    ],
)
def test_values_of_another_type_are_read_by_value(schema: Schema, name: str, later: Any) -> None:
    drifted = pd.DataFrame({**TABLE, name: later})
    expected = TABLE.astype({name: object})
    expected.loc[pd.isna(drifted[name]), name] = None
    np.testing.assert_array_equal(schema.transform(drifted), schema.transform(expected))


@pytest.mark.parametrize("name", list(TABLE))
@pytest.mark.parametrize("dtype", [object, "float64", "string", "datetime64[ns]", "category"])
def test_a_column_that_became_empty_is_missing(schema: Schema, name: str, dtype: Any) -> None:
    empty = TABLE.drop(columns=name)
    empty.insert(list(TABLE).index(name), name, pd.Series([None] * 4).astype(dtype))
    prepared = schema.transform(empty)
    source = list(TABLE).index(name)
    for position, from_column in enumerate(schema.sources):
        assert np.isnan(prepared[:, position]).all() == (from_column == source)


@pytest.mark.parametrize(
    ("name", "later", "message"),
    [
        ("age", ["1", "lots", "3", "4"], "'age' held numbers when fitting and now has 'lots'"),
        ("flag", ["True", "no", "True", "True"], "'flag' held numbers .* 'no'"),
        ("age", TABLE["t"], "'age' held numbers when fitting and now has dates"),
        ("age", TABLE["dt"], "'age' held numbers when fitting and now has lengths of time"),
        ("t", ["2020-01-01", "soon", None, None], "'t' held dates when fitting and now has 'soon'"),
        ("t", [1, 2, 3, 4], "'t' held dates when fitting and now has numbers"),
        ("t", TABLE["dt"], "'t' held dates when fitting and now has lengths of time"),
        ("dt", [1, 2, 3, 4], "'dt' held lengths of time when fitting and now has numbers"),
        ("dt", ["1h", "x", "y", "z"], "'dt' held lengths of time when fitting and now has text"),
    ],
)
def test_values_that_cannot_be_read_are_refused_by_column_and_example(
    schema: Schema, name: str, later: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        schema.transform(pd.DataFrame({**TABLE, name: later}))


def test_missing_values_may_appear_later_only(schema: Schema) -> None:
    assert not schema.has_missing
    later = TABLE.astype(object)
    later.iloc[1:] = None
    prepared = schema.transform(later)
    assert np.isnan(prepared[1:]).all()
    np.testing.assert_array_equal(prepared[0], schema.transform(TABLE)[0])


def test_arrow_tables_are_read_like_frames(schema: Schema) -> None:
    np.testing.assert_array_equal(
        schema.transform(pa.Table.from_pandas(TABLE)), schema.transform(TABLE)
    )
