"""Digests that tell one search space from another."""

from __future__ import annotations

import hashlib
from typing import Any

from ConfigSpace import ConfigurationSpace

from automl.storage.journal_records import as_json
from search_space.space import SearchSpace


def space_fingerprint(space: SearchSpace) -> str:
    """Return a SHA-256 digest of what may be tried: ranges, conditions, clauses, components."""
    return _digest(
        {
            **_serialized(space.configuration_space),
            "components": [[component.stage, component.name] for component in space.components],
            "rescale_first": space.rescale_first,
        }
    )


def configuration_space_fingerprint(space: ConfigurationSpace) -> str:
    """Return a SHA-256 digest of ranges, conditions and clauses."""
    return _digest(_serialized(space))


def _serialized(space: ConfigurationSpace) -> dict[str, Any]:
    serialized = space.to_serialized_dict()
    return {part: serialized[part] for part in ("hyperparameters", "conditions", "forbiddens")}


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(as_json(content).encode()).hexdigest()
