"""Many vectors of a space at once: which values are active, and which vectors are allowed.

ConfigSpace goes through conditions and clauses for one configuration, or for a few, at a time.
Here one pass over them serves thousands, which takes a small part of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from ConfigSpace import Configuration, ConfigurationSpace

from search_space.arrays import FloatArray

BoolArray = npt.NDArray[np.bool_]

NOTHING_FIXED: Mapping[str, object] = MappingProxyType({})

_MAX_SEED = 2**31 - 1
_MAX_FACTOR = 64  # by which more vectors are drawn than are missing, where clauses forbid most


class VectorRules:
    """The conditions and forbidden clauses of a space, applied to columns of vectors.

    Parameters
    ----------
    space : ConfigurationSpace
        Hyperparameters with conditions and forbidden clauses.
    """

    def __init__(self, space: ConfigurationSpace) -> None:
        position_of = dict(space.index_of)
        conditions_on = space.parent_conditions_of
        # ConfigSpace iterates over parents before their children.
        self._children = [
            _Child(
                position=position_of[name],
                default=float(hyperparameter.to_vector(hyperparameter.default_value)),
                conditions=tuple(conditions_on[name]),
            )
            for name, hyperparameter in space.items()
            if conditions_on[name]
        ]
        self._clauses = list(space.forbidden_clauses)

    def settle(self, vectors: FloatArray) -> None:
        """Give defaults to what has become active in (d, n) vectors, take values of the others."""
        for child in self._children:
            row = vectors[child.position]
            active = np.ones(len(row), dtype=np.bool_)
            for condition in child.conditions:
                active &= condition.satisfied_by_vector_array(vectors)
            row[~active] = np.nan
            row[active & np.isnan(row)] = child.default

    def allowed(self, vectors: FloatArray) -> BoolArray:
        """Return which of (d, n) settled vectors no clause forbids."""
        allowed = np.ones(vectors.shape[1], dtype=np.bool_)
        for clause in self._clauses:
            allowed &= ~clause.is_forbidden_vector_array(vectors)
        return allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Child:
    """A hyperparameter that is active if all its conditions hold."""

    position: int
    default: float
    conditions: tuple[Any, ...]


def sample_configurations(
    space: ConfigurationSpace,
    n: int,
    rng: np.random.Generator,
    *,
    fixed: Mapping[str, object] = NOTHING_FIXED,
) -> list[Configuration]:
    """Draw configurations independently: each hyperparameter by its own distribution.

    The distribution is that of ``space.sample_configuration``: what conditions make inactive is
    left out, and what clauses forbid is drawn again. The space's own generator draws, and is seeded
    anew, so that the result is a function of `rng` alone.

    Parameters
    ----------
    space : ConfigurationSpace
        Where configurations come from; some must be allowed, or this does not end.
    n : int
        How many, 0 or more.
    rng : numpy Generator
        Source of every draw.
    fixed : mapping of str to object
        Values that hyperparameters have in all draws, where they are active.

    Returns
    -------
    list of n Configurations
        Equal ones are possible.
    """
    space.seed(int(rng.integers(_MAX_SEED)))
    rules = VectorRules(space)
    hyperparameters = list(space.values())
    rows = {space.index_of[name]: space[name].to_vector(value) for name, value in fixed.items()}
    drawn: list[Configuration] = []
    factor = 1
    while len(drawn) < n:
        vectors = np.array(
            [
                h.sample_vector(factor * (n - len(drawn)), seed=space.random)
                for h in hyperparameters
            ],
            dtype=np.float64,
        ).reshape(len(hyperparameters), factor * (n - len(drawn)))
        for position, value in rows.items():
            vectors[position] = value
        rules.settle(vectors)
        allowed = np.ascontiguousarray(vectors[:, rules.allowed(vectors)].T)
        drawn += [Configuration(space, vector=vector) for vector in allowed[: n - len(drawn)]]
        factor = min(2 * factor, _MAX_FACTOR)
    return drawn
