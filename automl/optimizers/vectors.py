"""Many vectors of a space at once: which values are active, and which vectors are allowed.

ConfigSpace goes through conditions and clauses for one configuration, or for a few, at a time.
Here one pass over them serves thousands, which takes a small part of the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from ConfigSpace import ConfigurationSpace, EqualsCondition

from search_space.arrays import FloatArray, IntArray
from search_space.configuration_batch import ConfigurationBatch

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
        members: dict[tuple[object, ...], list[str]] = {}
        # ConfigSpace iterates over parents before their children. Those with equal conditions are
        # settled with the first of them: its parents are the parents of all.
        for name in space:
            conditions = tuple(_meaning(each, name) for each in space.parent_conditions_of[name])
            if conditions:
                members.setdefault(conditions, []).append(name)
        self._children = [_Children.of(space, names) for names in members.values()]
        self._clauses = list(space.forbidden_clauses)

    def settle(self, vectors: FloatArray) -> None:
        """Give defaults to what has become active in (d, n) vectors, take values of the others."""
        for children in self._children:
            active = np.ones(vectors.shape[1], dtype=np.bool_)
            for condition in children.conditions:
                active &= condition.satisfied_by_vector_array(vectors)
            values = vectors[children.positions]
            values = np.where(np.isnan(values), children.defaults, values)
            vectors[children.positions] = np.where(active, values, np.nan)

    def allowed(self, vectors: FloatArray) -> BoolArray:
        """Return which of (d, n) settled vectors no clause forbids."""
        allowed = np.ones(vectors.shape[1], dtype=np.bool_)
        for clause in self._clauses:
            allowed &= ~clause.is_forbidden_vector_array(vectors)
        return allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Children:
    """Hyperparameters (c,) that are active if all their conditions hold, which are the same."""

    positions: IntArray
    defaults: FloatArray  # (c, 1)
    conditions: tuple[Any, ...]

    @classmethod
    def of(cls, space: ConfigurationSpace, names: Sequence[str]) -> _Children:
        defaults = [float(space[name].to_vector(space[name].default_value)) for name in names]
        return cls(
            positions=np.array([space.index_of[name] for name in names], dtype=np.int64),
            defaults=np.array(defaults)[:, np.newaxis],
            conditions=tuple(space.parent_conditions_of[names[0]]),
        )


def _meaning(condition: Any, child: str) -> object:
    """Return what equal conditions on different children have in common."""
    if isinstance(condition, EqualsCondition):
        return condition.parent_vector_id, float(condition.vector_value)
    return child  # of other kinds none is taken to equal another


def sample_configurations(
    space: ConfigurationSpace,
    n: int,
    rng: np.random.Generator,
    *,
    fixed: Mapping[str, object] = NOTHING_FIXED,
) -> ConfigurationBatch:
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
    ConfigurationBatch
        n configurations; equal ones are possible.
    """
    space.seed(int(rng.integers(_MAX_SEED)))
    rules = VectorRules(space)
    hyperparameters = list(space.values())
    rows = {space.index_of[name]: space[name].to_vector(value) for name, value in fixed.items()}
    found = [np.zeros((0, len(hyperparameters)))]
    n_missing, factor = n, 1
    while n_missing > 0:
        n_drawn = factor * n_missing
        vectors = np.array(
            [h.sample_vector(n_drawn, seed=space.random) for h in hyperparameters],
            dtype=np.float64,
        ).reshape(len(hyperparameters), n_drawn)
        for position, value in rows.items():
            vectors[position] = value
        rules.settle(vectors)
        found.append(vectors[:, rules.allowed(vectors)].T[:n_missing])
        n_missing -= len(found[-1])
        factor = min(2 * factor, _MAX_FACTOR)
    return ConfigurationBatch(space, np.concatenate(found))
