"""Parameters that a search has in its files already, when it is extended."""

from __future__ import annotations

import re
from collections.abc import Mapping

from automl.errors import InputError

_IN_THE_FILES = ("class_weight", "cv", "random_state")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def asked_parameters(estimator: object) -> dict[str, str]:
    """Return what an estimator asks for, in words that are the same in another process."""
    return {name: _ADDRESS.sub("", repr(getattr(estimator, name))) for name in _IN_THE_FILES}


def check_unchanged(estimator: object, asked: Mapping[str, str]) -> None:
    """Refuse parameters that were set after the search began and would have no effect.

    Raises
    ------
    InputError
        If there are some.
    """
    now = asked_parameters(estimator)
    changed = [name for name, was in asked.items() if was != now[name]]
    if changed:
        raise InputError(
            f"{', '.join(changed)} was set after fit, but fit_more goes on with the folds, "
            "weights and seed of fit; call fit again"
        )
