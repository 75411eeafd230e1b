"""Names of columns: when they count, and whether they are those of the fit.

Rules and wording are scikit-learn's, because its users and its estimator checks know them; all
names concerned are listed.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

from automl.errors import InputError, InputTypeError


def valid_names(labels: Sequence[Any]) -> tuple[str, ...] | None:
    """Return the names of a frame's columns, or None if none of them is text.

    Raises
    ------
    InputError
        If two columns have the same name.
    InputTypeError
        If some names are text and others are not.
    """
    repeated = [label for label, count in Counter(labels).items() if count > 1]
    if repeated:
        raise InputError(
            f"X has several columns of the same name: {', '.join(map(repr, repeated))}; "
            "give every column a name of its own"
        )
    types = sorted({type(label).__qualname__ for label in labels})
    if any(isinstance(label, str) for label in labels) and not all(
        isinstance(label, str) for label in labels
    ):
        raise InputTypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {types} as feature name / column name types. Convert them, for example by "
            "X.columns = X.columns.astype(str)"
        )
    return tuple(labels) if labels and isinstance(labels[0], str) else None


def check_names(
    fitted: tuple[str, ...] | None, given: tuple[str, ...] | None, estimator_name: str
) -> None:
    """Raise InputError unless the names are those of the fit, in the same order.

    Where only one side has names there is nothing to compare; scikit-learn's warning is given.
    """
    if fitted == given:
        return
    if fitted is None:
        warnings.warn(
            f"X has feature names, but {estimator_name} was fitted without feature names",
            UserWarning,
            stacklevel=2,
        )
    elif given is None:
        warnings.warn(
            "X does not have valid feature names, but "
            f"{estimator_name} was fitted with feature names",
            UserWarning,
            stacklevel=2,
        )
    else:
        raise InputError(_difference(fitted, given))


def check_count(fitted: int, given: int, estimator_name: str) -> None:
    """Raise InputError unless there are as many columns as at the fit."""
    if given != fitted:
        raise InputError(
            f"X has {given} features, but {estimator_name} is expecting {fitted} features as input."
        )


def _difference(fitted: tuple[str, ...], given: tuple[str, ...]) -> str:
    unseen = sorted(set(given) - set(fitted))
    missing = sorted(set(fitted) - set(given))
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += "Feature names unseen at fit time:\n" + _listed(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _listed(names: list[str]) -> str:
    return "".join(f"- {name}\n" for name in names)
