"""Digests that tell one search space from another."""

from __future__ import annotations

import hashlib

from automl.storage.journal_records import as_json
from search_space.space import SearchSpace


def space_fingerprint(space: SearchSpace) -> str:
    """Return a SHA-256 digest of what may be tried: ranges, conditions, clauses, components."""
    serialized = space.configuration_space.to_serialized_dict()
    content = {
        **{part: serialized[part] for part in ("hyperparameters", "conditions", "forbiddens")},
        "components": [[component.stage, component.name] for component in space.components],
        "rescale_first": space.rescale_first,
    }
    return hashlib.sha256(as_json(content).encode()).hexdigest()
