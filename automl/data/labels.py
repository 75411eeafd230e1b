"""The user's classes, and the codes 0 .. k-1 that stand for them everywhere inside.

Labels are taken as they are: the text "1" stays text, -1 and 1 stay numbers, and only classes that
occur are classes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.sparse
from sklearn.exceptions import DataConversionWarning

from automl.data.raw_column import object_array, unmasked
from automl.errors import InputError, InputTypeError
from search_space.arrays import IntArray

Labels = npt.NDArray[Any]
"""Labels in the type in which the user thinks of them."""

_NUMBERS = frozenset({"integer", "boolean", "floating"})
_FRACTIONS = frozenset({"floating", "mixed-integer-float", "decimal"})
_TIMES = frozenset({"datetime", "datetime64", "date", "timedelta", "timedelta64", "period"})


def encode_labels(
    y: Any, n_rows: int, *, estimator_name: str = "AutoClassifier"
) -> tuple[IntArray, Labels]:
    """Return the code of each row and the classes that the codes stand for.

    Parameters
    ----------
    y : array, series, one-column frame or list
        The labels; they are not changed.
    n_rows : int
        Rows of the table that they belong to.
    estimator_name : str
        Who speaks in error messages.

    Returns
    -------
    codes : (n_rows,) array in [0, k)
        ``classes[codes]`` equals `y`.
    classes : (k,) array
        The distinct labels in ascending order, k >= 2, in the type of `y`.

    Raises
    ------
    InputError
        If labels are missing, of one class, continuous, of several outputs, or of another length.
    """
    if y is None:
        raise InputError(f"{estimator_name} requires y to be passed, but the target y is None")
    labels = _to_labels(y)
    if len(labels) != n_rows:
        raise InputError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{n_rows}, {len(labels)}]; X and y must have the same number of rows"
        )
    _refuse_unusable(labels)
    codes, classes = _factorize(_unboxed(labels))
    if len(classes) < 2:
        raise InputError(
            f"y has one class ({classes[0]!s}); {estimator_name} needs at least two classes"
        )
    return codes, classes


def _to_labels(y: Any) -> Labels:
    """Return a one-dimensional array in the user's type."""
    if scipy.sparse.issparse(y):
        raise InputTypeError("y must be dense, got a sparse matrix; use y.toarray().ravel()")
    is_array = hasattr(y, "__len__") or hasattr(y, "__array__")
    if isinstance(y, (str, bytes, dict, set)) or not is_array:
        raise InputTypeError(f"y must be an array, a series or a list, got {type(y).__name__}")
    if not isinstance(y, (pd.DataFrame, pd.Series)) and hasattr(y, "to_pandas"):
        y = y.to_pandas()
    if isinstance(y, pd.DataFrame):
        return _series_labels(_only_column(y))
    if isinstance(y, (pd.Series, pd.Index)):
        return _series_labels(pd.Series(y))
    if isinstance(y, pd.api.extensions.ExtensionArray):
        return _series_labels(pd.Series(y))
    return _array_labels(y)


def _only_column(y: pd.DataFrame) -> pd.Series[Any]:
    if y.shape[1] != 1:
        raise _several_outputs(y.shape)
    _warn_of_column_vector()
    return y.iloc[:, 0]


def _series_labels(y: pd.Series[Any]) -> Labels:
    """Return the labels of a series, with the NumPy type of its values."""
    dtype: Any = y.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    if getattr(dtype, "kind", "O") not in "biuf" or bool(y.isna().any()):
        dtype = object
    labels: Labels = y.to_numpy(dtype=getattr(dtype, "numpy_dtype", dtype))
    return labels


def _array_labels(y: Any) -> Labels:
    try:
        array = y if isinstance(y, np.ndarray) else _list_labels(y)
    except ValueError as error:
        raise InputError("y should be a 1d array, got rows of different lengths") from error
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        array = unmasked(array)
    array = np.asarray(array)
    if array.ndim == 2 and array.shape[1] == 1:
        _warn_of_column_vector()
        array = array[:, 0]
    if array.ndim != 1:
        raise _several_outputs(array.shape)
    return array


def _list_labels(y: Any) -> Labels:
    array = np.asarray(y)
    if array.dtype.kind not in "US":
        return array
    # NumPy writes numbers and None beside text as text: 1 as "1", NaN as "nan".
    as_given = np.array(y, dtype=object)
    return array if all(type(v) is type(as_given.flat[0]) for v in as_given.flat) else as_given


def _refuse_unusable(labels: Labels) -> None:
    if labels.dtype.kind == "c":
        raise InputError("Complex data not supported: y holds complex numbers")
    n_missing = int(np.count_nonzero(pd.isna(labels)))
    if n_missing:
        raise InputError(
            f"Input y contains NaN: {n_missing:,} of {len(labels):,} labels are missing. Leave "
            "these rows out, or give them a class of their own"
        )
    if labels.dtype.kind in "Mm" or _holds(labels, _TIMES):
        raise InputError("Unknown label type: y holds dates or times; give classes instead")
    numbers = _as_floats(labels)
    if numbers is None:
        return
    if np.isinf(numbers).any():
        raise InputError("Input y contains infinity; labels must be finite")
    if not np.array_equal(numbers, np.floor(numbers)):
        example = labels[numbers != np.floor(numbers)][0]
        raise InputError(
            f"Unknown label type: continuous. y holds fractions such as {example!s}, which looks "
            "like a regression target; use a regressor, or put y into classes, e.g. by pandas.cut"
        )


def _as_floats(labels: Labels) -> npt.NDArray[np.float64] | None:
    """Return the labels as numbers if fractions are among their possible values."""
    if labels.dtype.kind == "f":
        return labels.astype(np.float64)
    return labels.astype(np.float64) if _holds(labels, _FRACTIONS) else None


def _unboxed(labels: Labels) -> Labels:
    """Return labels that are Python's numbers as an array of numbers, others as they are.

    scikit-learn knows no kind of target for numbers in an array of objects.
    """
    return np.array(labels.tolist()) if _holds(labels, _NUMBERS) else labels


def _holds(labels: Labels, kinds: frozenset[str]) -> bool:
    """Return whether the labels are objects all of which are of one of the kinds."""
    return labels.dtype.kind == "O" and pd.api.types.infer_dtype(labels) in kinds


def _factorize(labels: Labels) -> tuple[IntArray, Labels]:
    if labels.dtype.kind != "O":
        classes, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.int64), classes
    try:
        codes, found = pd.factorize(labels)
        order = sorted(range(len(found)), key=found.__getitem__)
    except TypeError as error:
        types = sorted({type(label).__name__ for label in labels})
        raise InputError(
            f"Unknown label type: y mixes labels that cannot be sorted ({', '.join(types)}); "
            "give all of them one type"
        ) from error
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks[codes], object_array([found[j] for j in order])


def _several_outputs(shape: tuple[int, ...]) -> InputError:
    return InputError(
        f"y should be a 1d array, got an array of shape {shape} instead; one label per row is "
        "needed, several outputs are not supported"
    )


def _warn_of_column_vector() -> None:
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y "
        "to (n_samples, ), for example using ravel().",
        DataConversionWarning,
        stacklevel=5,
    )
