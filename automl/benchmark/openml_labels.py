"""Labels of a table and the names that OpenML has for the same classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from automl.errors import InputError
from search_space.arrays import IntArray


def class_positions(labels: Any, names: Sequence[str]) -> IntArray:
    """Return the position of each label among OpenML's names of classes.

    Parameters
    ----------
    labels : (n,) array
        Labels in the type that the table has them in: text, numbers or truth values.
    names : sequence of str
        What OpenML calls the classes; truth values are ``true`` or ``TRUE`` there.

    Raises
    ------
    InputError
        If a label is none of the classes.

    Examples
    --------
    >>> class_positions([True, False], ["false", "true"])
    array([1, 0])
    """
    positions = {name: j for j, name in enumerate(names)}
    in_lower_case = {name.lower(): j for j, name in enumerate(names)}
    distinct, inverse = np.unique(np.asarray(labels, dtype=object), return_inverse=True)
    found = []
    for label in distinct.tolist():
        place = positions.get(str(label), in_lower_case.get(str(label).lower()))
        if place is None:
            raise InputError(
                f"{label!r} is no class of the task; its classes are {', '.join(names)}"
            )
        found.append(place)
    codes: IntArray = np.array(found, dtype=np.int64)[inverse]
    return codes
