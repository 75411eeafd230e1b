"""How much each row counts: the one owner of `sample_weight` and `class_weight`.

Weights belong to rows by position, never by an index. What they are multiplied with as a whole says
nothing, so they are rescaled to a mean of one: hyperparameters in units of rows (the least weight
of a leaf, the cost of an error) keep their meaning. Weights that are all alike are no weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from automl.data.folds import Splits
from automl.data.label_types import Labels
from automl.data.raw_column import unmasked
from automl.errors import InputError, InputTypeError
from search_space.arrays import FloatArray, IntArray

_LABELS_LISTED = 10
_RESOLUTION = 2.0**40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowWeights:
    """The weights of all rows of a table.

    Attributes
    ----------
    training : (n,) array or None
        What learners get: the weight of the row times that of its class. None if all are alike.
    metric : (n,) array or None
        What losses are taken with: the weight of the row alone. None if all are alike.
    """

    training: FloatArray | None = None
    metric: FloatArray | None = None

    @property
    def arrays(self) -> dict[str, FloatArray]:
        """The arrays that there are, by a name for each."""
        both = {"training_weight": self.training, "metric_weight": self.metric}
        return {name: array for name, array in both.items() if array is not None}


UNWEIGHTED = RowWeights()
"""Every row counts the same."""


def row_weights(
    sample_weight: Any, class_weight: Any, codes: IntArray, classes: Labels
) -> RowWeights:
    """Return the weights that a user asked for, checked and combined.

    Parameters
    ----------
    sample_weight : (n,) array-like or None
        Weight of each row.
    class_weight : "balanced", mapping or None
        Weight of each label; labels that are not named have weight one. "balanced" gives all
        classes the same sum of weights.
    codes : (n,) array in [0, k)
        The class of each row.
    classes : (k,) array
        The user's labels.

    Raises
    ------
    InputError
        If either cannot be used, or fewer than two classes are left with a weight.
    """
    of_rows = checked_sample_weight(sample_weight, len(codes))
    own = np.ones(len(codes)) if of_rows is None else _shares(of_rows)
    training = own * _weights_of_classes(class_weight, codes, classes, own)[codes]
    if len(np.unique(codes[training > 0.0])) < 2:
        given = {"sample_weight": of_rows, "class_weight": class_weight}
        names = " and ".join(name for name, value in given.items() if value is not None)
        raise InputError(
            f"{names}: rows of fewer than two classes have a weight above zero; at least two "
            "classes are needed"
        )
    return RowWeights(training=_relative(training), metric=_relative(own))


def checked_sample_weight(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return the weight of each row in double precision, in the user's unit.

    Raises
    ------
    InputError
        If there is not one number for each row, or one is missing, infinite or negative, or all
        are zero.
    """
    if sample_weight is None:
        return None
    weights = _numbers(sample_weight)
    if weights.shape != (n_rows,):
        raise InputError(
            f"sample_weight must have one weight for each of {n_rows:,} rows, got an array of "
            f"shape {weights.shape}"
        )
    wrong = {
        "missing": np.isnan(weights),
        "infinite": np.isinf(weights),
        "negative": weights < 0.0,
    }
    for what, rows in wrong.items():
        if rows.any():
            raise InputError(
                f"sample_weight has {int(rows.sum()):,} {what} entries, the first in row "
                f"{int(rows.argmax())}"
            )
    if not weights.any():
        raise InputError(
            "sample_weight has zeros only. Sample weights must contain at least one non-zero number"
        )
    return weights


def check_parts(weights: RowWeights, codes: IntArray, splits: Splits) -> None:
    """Refuse folds whose training rows with a weight are of one class, or that judge by nothing.

    Raises
    ------
    InputError
        If there is such a fold, or no validation row has a weight.
    """
    if weights.training is not None:
        for number, fold in enumerate(splits):
            counting = fold.train[weights.training[fold.train] > 0.0]
            if len(np.unique(codes[counting])) < 2:
                raise InputError(
                    f"sample_weight: the rows of the training part of fold {number} that have a "
                    "weight above zero are not of two classes; use another cv, or leave out the "
                    "rows of weight zero"
                )
    if weights.metric is not None and not weights.metric[splits.covered].any():
        raise InputError("sample_weight: no validation row has a weight above zero; use another cv")


def _numbers(given: Any) -> FloatArray:
    if not isinstance(given, pd.DataFrame | pd.Series | pd.Index) and hasattr(given, "to_pandas"):
        given = given.to_pandas()
    if isinstance(given, np.ma.MaskedArray):
        given = unmasked(given)
    if isinstance(given, pd.Series | pd.Index):
        # Nullable types have a missing value that no array of numbers can hold.
        given = given.astype(object).to_numpy(dtype=object, na_value=np.nan)
    array = np.asarray(given)
    objects = array.flat if array.dtype.kind == "O" else ()
    if array.dtype.kind not in "biufO" or any(isinstance(item, str | bytes) for item in objects):
        raise InputTypeError(f"sample_weight must hold numbers, got text or {array.dtype}")
    try:
        return np.array(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"sample_weight must hold numbers: {error}") from error


def _weights_of_classes(
    class_weight: Any, codes: IntArray, classes: Labels, of_rows: FloatArray
) -> FloatArray:
    """Return the weight of each class, (k,)."""
    weights = np.ones(len(classes))
    if class_weight is None:
        return weights
    if isinstance(class_weight, str) and class_weight == "balanced":
        sums = np.bincount(codes, weights=of_rows, minlength=len(classes))
        # A class whose rows all weigh nothing stays as it is.
        weights[sums > 0.0] = sums.sum() / len(classes) / sums[sums > 0.0]
        return weights
    if not isinstance(class_weight, Mapping):
        raise InputTypeError(
            "class_weight must be None, 'balanced' or a dict of weights by label, found "
            f"{class_weight!r}"
        )
    positions = {label: code for code, label in enumerate(classes.tolist())}
    for label, weight in class_weight.items():
        if label not in positions:
            raise InputError(
                f"class_weight names {label!r}, which is no label of y; its labels are "
                f"{_listed(list(positions))}"
            )
        weights[positions[label]] = _checked_class_weight(label, weight)
    return weights if not weights.any() else _shares(weights)


def _checked_class_weight(label: object, weight: object) -> float:
    if not isinstance(weight, Real) or isinstance(weight, bool | np.bool_):
        raise InputTypeError(f"class_weight of {label!r} must be a number, found {weight!r}")
    value = float(weight)
    if not (math.isfinite(value) and value >= 0.0):
        raise InputError(
            f"class_weight of {label!r} must be finite and not negative, found {weight!r}"
        )
    return value


def _listed(labels: list[object]) -> str:
    first = ", ".join(map(repr, labels[:_LABELS_LISTED]))
    n_more = len(labels) - _LABELS_LISTED
    return f"{first} and {n_more} more" if n_more > 0 else first


def _shares(weights: FloatArray) -> FloatArray:
    """Return weights in units of the largest, so that sums and products of huge ones are finite."""
    shares: FloatArray = weights / weights.max()
    return shares


def _relative(weights: FloatArray) -> FloatArray | None:
    """Return weights with a mean of one, or None if all are alike."""
    if weights.min() == weights.max():
        return None
    shares = _shares(weights)
    # Rounded, so that the same weights in another unit are the same to the last bit.
    mantissa, exponent = np.frexp(shares / shares.mean())
    relative: FloatArray = np.ldexp(np.round(mantissa * _RESOLUTION) / _RESOLUTION, exponent)
    return relative
