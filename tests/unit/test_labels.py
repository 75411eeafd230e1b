"""The user's labels and the codes that stand for them."""

from __future__ import annotations

import datetime
import enum
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import accuracy_score

from automl.data.labels import comparable_labels, encode_labels
from automl.data.raw_column import object_array
from automl.errors import InputError, InputTypeError

CODES = np.array([1, 0, 2, 1, 0, 0])


@pytest.mark.parametrize(
    "classes",
    [
        np.array(["high", "low", "mid"]),
        np.array(["1", "10", "2"]),  # digits that are text stay text, and are sorted as text
        np.array([-1, 0, 1]),
        np.array([5, 7, 900], dtype="int16"),
        np.array([0.0, 1.0, 2.0]),
        np.array([2**53, 2**53 + 1, 2**53 + 2]),
        object_array(["a", "b", "c"]),
    ],
)
def test_codes_give_the_users_labels_back_in_their_type(classes: Any) -> None:
    y = classes[CODES]
    codes, found = encode_labels(y, len(y))
    assert (codes.dtype, codes.tolist()) == (np.int64, CODES.tolist())
    assert (found.dtype, found.tolist()) == (classes.dtype, classes.tolist())


def test_truth_values_stay_truth_values() -> None:
    for y in (np.array([True, False, True]), pd.array([True, False, True], dtype="boolean")):
        codes, classes = encode_labels(y, 3)
        assert (classes.dtype, classes.tolist()) == (np.bool_, [False, True])
        assert codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("y", "dtype"),
    [
        (pd.Series([2, 1, 2], dtype="Int64"), "int64"),
        (pd.Series([2, 1, 2], dtype="int8"), "int8"),
        (pd.Series([2.0, 1.0, 2.0], dtype="Float32"), "float32"),
        (pd.Series([2, 1, 2], dtype=pd.ArrowDtype(pa.int32())), "int32"),
        (pd.Series(pd.Categorical([2, 1, 2], categories=[1, 2, 3])), "int64"),
        (pd.Index([2, 1, 2]), "int64"),
        (pd.array([2, 1, 2], dtype="Int64"), "int64"),
        ([2, 1, 2], "int64"),
        ((2, 1, 2), "int64"),
        (range(2), "int64"),
        (pa.array([2, 1, 2]), "int64"),
        (np.ma.array([2, 1, 2]), "int64"),
    ],
)
def test_numbers_of_any_container_are_classes_of_their_numpy_type(y: Any, dtype: str) -> None:
    codes, classes = encode_labels(y, len(y))
    assert (classes[codes].astype(int).tolist()) == [int(label) for label in y]
    assert classes.dtype == dtype


@pytest.mark.parametrize("dtype", ["str", "string", object, "category", pd.ArrowDtype(pa.string())])
def test_text_of_any_storage_is_classes_of_text(dtype: Any) -> None:
    codes, classes = encode_labels(pd.Series(["b", "a", "b"], dtype=dtype), 3)
    assert (codes.tolist(), classes.tolist()) == ([1, 0, 1], ["a", "b"])
    assert all(type(label) is str for label in classes)


def test_text_in_a_list_is_a_text_array() -> None:
    _, classes = encode_labels(["b", "aa"], 2)
    assert classes.dtype == "<U2"


def test_categories_that_do_not_occur_are_no_classes() -> None:
    y = pd.Series(pd.Categorical(["b", "a"] * 2, categories=["a", "b", "never"]))
    _, classes = encode_labels(y, 4)
    assert classes.tolist() == ["a", "b"]


@given(y=st.lists(st.integers(-3, 3), min_size=2).filter(lambda y: len(set(y)) > 1))
def test_encoding_and_decoding_is_the_identity(y: list[int]) -> None:
    for labels in (y, [f"c{label}" for label in y], object_array(list(y))):
        codes, classes = encode_labels(labels, len(y))
        assert classes[codes].tolist() == list(labels)
        assert sorted(classes.tolist()) == classes.tolist()
        assert set(codes.tolist()) == set(range(len(classes)))


def test_labels_are_not_written_to_and_the_index_plays_no_part() -> None:
    y = pd.Series(["b", "a", "c"], index=[7, 7, 1])
    before = y.copy(deep=True)
    codes, _ = encode_labels(y, 3)
    assert codes.tolist() == [1, 0, 2]
    pd.testing.assert_series_equal(y, before)


# --- shapes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y", [np.array([[1], [0], [1]]), [[1], [0], [1]], pd.DataFrame({"t": [1, 0, 1]})]
)
def test_a_column_is_taken_with_scikit_learns_warning(y: Any) -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array"):
        codes, _ = encode_labels(y, 3)
    assert codes.tolist() == [1, 0, 1]


def test_the_column_warning_points_at_the_caller() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        encode_labels(np.array([[1], [0]]), 2)
        encode_labels(pd.DataFrame({"t": [1, 0]}), 2)
    assert [warning.filename for warning in caught] == [__file__, __file__]


@pytest.mark.parametrize(
    "y",
    [np.eye(3), pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]}), np.zeros((3, 1, 1)), [[1, 0]] * 3],
)
def test_several_outputs_are_refused(y: Any) -> None:
    with pytest.raises(InputError, match="y should be a 1d array, got an array of shape"):
        encode_labels(y, 3)


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="rows of different lengths"):
        encode_labels([[1], [1, 2]], 2)


def test_another_number_of_labels_than_rows_is_refused() -> None:
    with pytest.raises(InputError, match=r"inconsistent numbers of samples: \[300, 5\]"):
        encode_labels([0, 1, 0, 1, 0], 300)


@pytest.mark.parametrize("y", ["target", {"a": 1}, 3, (label for label in [1, 2]), {1, 2}])
def test_what_holds_no_labels_is_refused(y: Any) -> None:
    with pytest.raises(InputTypeError, match="y must be an array"):
        encode_labels(y, 2)


def test_sparse_labels_are_refused() -> None:
    with pytest.raises(InputTypeError, match="y must be dense"):
        encode_labels(scipy.sparse.csr_array([[1, 0]]), 2)


def test_no_labels_are_refused_in_scikit_learns_words() -> None:
    with pytest.raises(InputError, match="Me requires y to be passed, but the target y is None"):
        encode_labels(None, 2, estimator_name="Me")


# --- labels that cannot be used --------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        np.array([1.0, np.nan, 0.0, np.nan]),
        object_array(["a", None, "b", None]),
        ["a", np.nan, "b", None],
        [1, None, 0, None],
        pd.Series(["a", pd.NA, "b", pd.NA], dtype="string"),
        pd.Series([1, None, 0, None], dtype="Int64"),
        pd.Series(pd.Categorical(["a", None, "b", None])),
        pd.Series(pd.to_datetime(["2020", None, "2021", None])).astype(object),
        np.ma.array([1, 9, 0, 9], mask=[0, 1, 0, 1]),
    ],
)
def test_missing_labels_are_counted_and_refused(y: Any) -> None:
    with pytest.raises(InputError, match="y contains NaN: 2 of 4 labels are missing"):
        encode_labels(y, 4)


def test_one_class_is_refused_by_name() -> None:
    with pytest.raises(
        InputError, match=r"y has one class \(0\); AutoClassifier needs at least two"
    ):
        encode_labels(np.zeros(5, dtype=int), 5)


@pytest.mark.parametrize(
    "y",
    [[0.5, 1.5, 2.0], np.array([0.5, 1.5], dtype="float32"), object_array([0.5, 1]), [1e-9, 1.0]],
)
def test_fractions_are_refused_as_continuous(y: Any) -> None:
    with pytest.raises(InputError, match="Unknown label type: continuous"):
        encode_labels(y, len(y))


def test_whole_numbers_beyond_double_precision_are_no_fractions() -> None:
    codes, _ = encode_labels(np.array([1e300, 2e300, 1e300]), 3)
    assert codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array([1.0, np.inf]), "y contains infinity"),
        (np.array([1j, 2j]), "Complex data not supported"),
        (object_array([1j, 2]), "Complex data not supported"),
        ([1, "a"], r"mixes labels that cannot be sorted \(int, str\)"),
        (object_array([True, "a"]), r"mixes labels that cannot be sorted \(bool, str\)"),
        ([2**70, 2**71], f"no number of 64 bits can tell apart, such as {2**71}"),
        ([2**63 + 1, -1], f"no number of 64 bits can tell apart, such as {2**63 + 1}"),
    ],
)
def test_values_that_are_no_classes_are_refused(y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode_labels(y, 2)


class Colour(enum.Enum):
    """Classes as a programmer may write them."""

    RED = 1
    GREEN = 2


DATES = [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]
CUT = pd.cut(pd.Series([1.0, 2.0, 3.0, 4.0]), 2)


@pytest.mark.parametrize(
    ("y", "type_name", "advice"),
    [
        (np.array([b"a", b"b"]), "numpy.bytes_", r"\[label\.decode\(\) for label in y\]"),
        (pd.Series([b"a", b"b"], dtype=pd.ArrowDtype(pa.binary())), "bytes", "decode"),
        ([Decimal(1), Decimal("1.5")], "decimal.Decimal", r"\[float\(label\) for label in y\]"),
        ([Fraction(1), 2], "fractions.Fraction", r"\[float\(label\) for label in y\]"),
        (CUT, "pandas.Interval", r"pandas\.cut\(\.\.\., labels=False\)"),
        (list(Colour), r"[\w.]+\.Colour", r"\[label\.name for label in y\]"),
        (object_array([(0, 1), (1, 0)]), "tuple", r"\[str\(label\) for label in y\]"),
        (object_array([{"a": 1}, {"b": 1}]), "dict", "str"),
        (DATES, "datetime.date", "str"),
        (np.array(["2020", "2021"], dtype="datetime64[D]"), "numpy.datetime64", "str"),
        (pd.Series(pd.to_datetime(["2020", "2021"])), "pandas.Timestamp", "str"),
        (pd.Series(pd.to_timedelta([1, 2], unit="D")), "pandas.Timedelta", "str"),
        (pd.period_range("2020", periods=2, freq="D"), "pandas.Period", "str"),
        (np.array([(1,), (2,)], dtype=[("a", int)]), "numpy.void", "str"),
    ],
)
def test_a_type_that_no_scorer_takes_is_named_with_what_to_do(
    y: Any, type_name: str, advice: str
) -> None:
    with pytest.raises(InputError, match=rf"y holds labels of type {type_name}, .*{advice}"):
        encode_labels(y, len(y))


def test_a_long_label_is_shown_in_part() -> None:
    with pytest.raises(InputError) as caught:
        encode_labels(object_array([(0,) * 1000, (1,)]), 2)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("converted", "y"),
    [
        ([label.decode() for label in [b"b", b"a"]], [b"b", b"a"]),
        ([float(label) for label in [Decimal(2), Decimal(1)]], [Decimal(2), Decimal(1)]),
        (pd.cut(pd.Series([1.0, 2.0, 3.0, 4.0]), 2, labels=False), CUT),
        ([label.name for label in Colour], list(Colour)),
        ([str(label) for label in DATES], DATES),
    ],
)
def test_labels_converted_as_advised_are_classes(converted: Any, y: Any) -> None:
    codes, classes = encode_labels(converted, len(y))
    assert classes[codes].tolist() == list(converted)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, 2, 3, 1], [1, 2, 3]),
        ([True, False, True, False], [False, True]),
        ([np.True_, np.False_, True, False], [False, True]),
        ([1, 2.0, np.int8(3), 1], [1.0, 2.0, 3.0]),
        ([2, True, 2, 1], [1, 2]),
    ],
)
def test_numbers_in_an_array_of_objects_become_an_array_of_numbers(
    labels: list[Any], classes: list[Any]
) -> None:
    _, found = encode_labels(object_array(labels), len(labels))
    assert (found.dtype, found.tolist()) == (np.array(classes).dtype, classes)


def test_text_of_any_length_of_numpy_is_classes_of_text() -> None:
    y = np.array(["b", "a\0", "b"], dtype=np.dtypes.StringDType())
    codes, classes = encode_labels(y, 3)
    assert (codes.tolist(), classes.tolist(), classes.dtype) == ([1, 0, 1], ["a\0", "b"], object)


def test_missing_text_of_any_length_is_counted() -> None:
    y = np.array(["b", None, "a"], dtype=np.dtypes.StringDType(na_object=None))
    with pytest.raises(InputError, match="1 of 3 labels are missing"):
        encode_labels(y, 3)


def test_a_sparse_series_is_its_values() -> None:
    codes, classes = encode_labels(pd.Series(pd.arrays.SparseArray([0, 1, 0])), 3)
    assert (codes.tolist(), classes.tolist()) == ([0, 1, 0], [0, 1])


# --- labels that predictions are compared with -----------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        object_array([True, False, True]),
        object_array([3, 1, 3]),
        ["b", "a", "b"],
        pd.Series(["b", "a", "b"], dtype="category"),
        np.array(["b", "a", "b"], dtype=np.dtypes.StringDType()),
        pd.array([True, False, True], dtype="boolean"),
        pd.Series([2.0, 1.0, 2.0]),
    ],
)
def test_labels_are_comparable_with_their_classes(y: Any) -> None:
    codes, classes = encode_labels(y, 3)
    labels = comparable_labels(y)
    assert labels.dtype.kind == classes.dtype.kind
    assert accuracy_score(labels, classes[codes]) == 1.0
    assert accuracy_score(labels, classes[1 - codes]) == 0.0


def test_labels_of_one_class_are_comparable() -> None:
    assert comparable_labels([1, 1]).tolist() == [1, 1]
    assert comparable_labels(np.array([], dtype="datetime64[D]")).shape == (0,)


class Level(str, enum.Enum):  # noqa: UP042 - of Python 3.10, whose text NumPy shortens
    """Text with names."""

    LOW = "low"
    LOWER = "lower"
    HIGH = "very high"


@pytest.mark.parametrize("y", [[*Level, *Level], ["a", "a\0", "b"] * 2])
def test_text_in_a_list_is_never_shortened(y: list[str]) -> None:
    codes, classes = encode_labels(y, 6)
    assert classes[codes].tolist() == y
    assert len(classes) == 3
