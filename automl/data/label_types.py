"""Which labels can be classes: text, whole numbers and truth values, as scikit-learn's scorers.

Anything else would fail in the middle of a search, in a scorer that says little about it.
"""

from __future__ import annotations

import enum
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from automl.errors import InputError

Labels = npt.NDArray[Any]
"""Labels in the type in which the user thinks of them."""

_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)
_CONVERSIONS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (pd.Interval, "take pandas.cut(..., labels=False), or [str(label) for label in y]"),
    (bytes, "decode them, e.g. [label.decode() for label in y]"),
    (enum.Enum, "take their names, [label.name for label in y]"),
    ((Decimal, Fraction), "convert them, e.g. [float(label) for label in y]"),
)
_LONGEST_EXAMPLE = 60


def usable_labels(labels: Labels) -> Labels:
    """Return labels as an array of numbers, of truth values or of text.

    scikit-learn knows no kind of target for numbers in an array of objects, nor for NumPy's
    strings of any length: the former become an array of numbers, the latter an array of objects.

    Parameters
    ----------
    labels : (n,) array
        Labels of any type.

    Raises
    ------
    InputError
        If labels are missing, fractions or infinite, or of a type that cannot be classes.
    """
    if len(labels) and labels.dtype.kind not in "biufUTO":
        raise _unknown_type(labels[0])
    if labels.dtype.kind == "T":
        labels = labels.astype(object)
    n_missing = int(np.count_nonzero(pd.isna(labels)))
    if n_missing:
        raise InputError(
            f"Input y contains NaN: {n_missing:,} of {len(labels):,} labels are missing. Leave "
            "these rows out, or give them a class of their own"
        )
    if labels.dtype.kind == "O":
        labels = _of_objects(labels)
    if labels.dtype.kind == "f":
        _refuse_fractions(labels)
    return labels


def _of_objects(labels: Labels) -> Labels:
    """Return text as it is, numbers as an array of numbers."""
    types = set(map(type, labels))
    if all(issubclass(found, str) for found in types):
        return labels
    unusable = {found for found in types if not issubclass(found, (str, *_NUMBERS))}
    if unusable:
        raise _unknown_type(next(label for label in labels if type(label) in unusable))
    if any(issubclass(found, str) for found in types):
        raise InputError(
            f"Unknown label type: y mixes labels that cannot be sorted "
            f"({', '.join(sorted(map(_type_name, types)))}); give all of them one type"
        )
    numbers = np.array(labels.tolist())
    if numbers.dtype.kind not in "biuf" or not np.array_equal(numbers.astype(object), labels):
        raise InputError(
            "Unknown label type: y holds whole numbers that no number of 64 bits can tell apart, "
            f"such as {max(labels, key=abs)}; convert them, e.g. [str(label) for label in y]"
        )
    return numbers


def _refuse_fractions(numbers: Labels) -> None:
    if np.isinf(numbers).any():
        raise InputError("Input y contains infinity; labels must be finite")
    fractions = numbers[numbers != np.floor(numbers)]
    if len(fractions):
        raise InputError(
            f"Unknown label type: continuous. y holds fractions such as {fractions[0]!s}, which "
            "looks like a regression target; use a regressor, or put y into classes, e.g. by "
            "pandas.cut(..., labels=False)"
        )


def _unknown_type(label: Any) -> InputError:
    """Return the error for labels of a type that cannot be classes; `label` is one of them."""
    if isinstance(label, complex):  # NumPy's are too
        return InputError("Complex data not supported: y holds complex numbers")
    example = repr(label)
    if len(example) > _LONGEST_EXAMPLE:
        example = f"{example[:_LONGEST_EXAMPLE]}..."
    what_to_do = next(
        (advice for types, advice in _CONVERSIONS if isinstance(label, types)),
        "convert them, e.g. [str(label) for label in y]",
    )
    return InputError(
        f"Unknown label type: y holds labels of type {_type_name(type(label))}, such as {example}. "
        f"Labels must be text, whole numbers or booleans; {what_to_do}"
    )


def _type_name(found: type) -> str:
    """Return the name of a type with the package that it comes from, where that is not Python.

    Examples
    --------
    >>> _type_name(Decimal), _type_name(pd.Interval), _type_name(bytes)
    ('decimal.Decimal', 'pandas.Interval', 'bytes')
    """
    package = found.__module__.partition(".")[0]
    return found.__name__ if package == "builtins" else f"{package}.{found.__name__}"
