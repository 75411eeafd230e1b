"""Packages that only some parts of the benchmark need."""

from __future__ import annotations

import importlib
from typing import Any

from automl.errors import InputError


def optional_package(name: str, purpose: str, *, extra: str) -> Any:
    """Return an imported package, or say in one line how to get it.

    Parameters
    ----------
    name : str
        What is imported.
    purpose : str
        What needs it, as the beginning of a sentence in the plural.
    extra : str
        The optional dependencies of this project that the package is one of.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        raise InputError(
            f"{purpose} need the package {name}, which is not installed: "
            f"pip install 'divbo[{extra}]'."
        ) from None
