"""The user's classes, and the codes 0 .. k-1 that stand for them everywhere inside.

Labels are taken as they are: the text "1" stays text, -1 and 1 stay numbers, and only classes that
occur are classes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.exceptions import DataConversionWarning

from automl.data.label_types import Labels, usable_labels
from automl.data.raw_column import object_array, unmasked
from automl.errors import InputError, InputTypeError
from search_space.arrays import IntArray


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
        The distinct labels in ascending order, k >= 2, in the type of `y`: numbers, truth values,
        or text (objects, or NumPy's text of fixed width).

    Raises
    ------
    InputError
        If labels are missing, of one class, continuous, of a type that cannot be classes, of
        several outputs, or of another length.
    """
    if y is None:
        raise InputError(f"{estimator_name} requires y to be passed, but the target y is None")
    labels = _to_labels(y)
    if len(labels) != n_rows:
        raise InputError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{n_rows}, {len(labels)}]; X and y must have the same number of rows"
        )
    codes, classes = _factorize(usable_labels(labels))
    if len(classes) < 2:
        raise InputError(
            f"y has one class ({classes[0]!s}); {estimator_name} needs at least two classes"
        )
    return codes, classes


def comparable_labels(y: Any) -> Labels:
    """Return labels in the type that the classes of such labels have, to compare predictions with.

    Parameters, errors: as for `encode_labels`, but any number of classes will do.
    """
    return usable_labels(_to_labels(y))


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
    if isinstance(y.dtype, pd.SparseDtype):
        y = pd.Series(y.to_numpy())
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
    if array.dtype.kind not in "USf":
        return array
    # NumPy writes numbers and None beside text as text, 1 as "1" and NaN as "nan", and some whole
    # numbers in double precision, which cannot tell the largest ones apart. It shortens text that
    # ends in null characters, and that of a class of its own.
    as_given = np.array(y, dtype=object)
    types = set(map(type, as_given.flat))
    is_the_same = types <= {str, np.str_, float, np.float64, np.float32} and len(types) == 1
    if array.dtype.kind == "U":
        is_the_same = is_the_same and array.tolist() == as_given.tolist()
    return array if is_the_same else as_given


def _factorize(labels: Labels) -> tuple[IntArray, Labels]:
    if labels.dtype.kind != "O":
        classes, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.int64), classes
    codes, found = pd.factorize(labels)
    order = sorted(range(len(found)), key=found.__getitem__)
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
