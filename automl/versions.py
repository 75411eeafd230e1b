"""Versions of Python and of the packages that models and predictions depend on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("divbo", "scikit-learn", "lightgbm", "xgboost", "ConfigSpace", "numpy", "pandas")
_OTHER_NAMES = {"xgboost": "xgboost-cpu"}  # the same module without a CUDA library


def package_versions() -> dict[str, str]:
    """Return the version of Python and of each package that decides what a trial gives."""
    return {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}}


def _version(name: str) -> str:
    for distribution in (name, _OTHER_NAMES.get(name, name)):
        try:
            return version(distribution)
        except PackageNotFoundError:
            continue
    return "unknown"
