"""What tells one search from another: versions of packages, and digests of table and space."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version

from automl.storage.journal_records import as_json
from search_space.space import SearchSpace

_PACKAGES = ("divbo", "scikit-learn", "lightgbm", "xgboost", "ConfigSpace", "numpy", "pandas")
_OTHER_NAMES = {"xgboost": "xgboost-cpu"}  # the same module without a CUDA library


def package_versions() -> dict[str, str]:
    """Return the version of Python and of each package that decides what a trial gives."""
    return {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}}


def space_fingerprint(space: SearchSpace) -> str:
    """Return a SHA-256 digest of what may be tried: ranges, conditions, clauses, components."""
    serialized = space.configuration_space.to_serialized_dict()
    content = {
        **{part: serialized[part] for part in ("hyperparameters", "conditions", "forbiddens")},
        "components": [[component.stage, component.name] for component in space.components],
        "rescale_first": space.rescale_first,
    }
    return hashlib.sha256(as_json(content).encode()).hexdigest()


def _version(name: str) -> str:
    for distribution in (name, _OTHER_NAMES.get(name, name)):
        try:
            return version(distribution)
        except PackageNotFoundError:
            continue
    return "unknown"
