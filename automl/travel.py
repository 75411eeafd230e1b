"""What goes to the processes that evaluate has to survive the way."""

from __future__ import annotations

import pickle
from typing import Any

import cloudpickle

from automl.errors import InputError


def check_can_travel(parameter: str, value: Any, sent: Any = None) -> None:
    """Refuse what cannot be sent to another process.

    Parameters
    ----------
    parameter : str
        The estimator's parameter that holds it.
    value : object
        What the user gave.
    sent : object or None
        What is made of it and sent; None if it is sent as it is.

    Raises
    ------
    InputError
        If it cannot be pickled.
    """
    try:
        cloudpickle.dumps(value if sent is None else sent)
    except (TypeError, AttributeError, ValueError, pickle.PicklingError) as error:
        raise InputError(
            f"{parameter}: {value!r} cannot be pickled ({error}), so no other process can use it; "
            "leave out what holds locks, open files or connections"
        ) from error
