"""Prediction tables: a fixed sample of configurations, evaluated once, that searches choose from.

A search on a table fits no learner: its evaluations are read, and its proposals alone take time.
Loop, optimisers and statistics are those of every other run; only what may be proposed is the
sample.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
from ConfigSpace import Configuration

from automl.benchmark.study.evaluation_store import key_of
from automl.optimizers.vectors import sample_configurations
from search_space.space import SearchSpace
from search_space.values import canonical

_BLOCK, _MAX_BLOCKS = 100, 1_000


@dataclass(frozen=True, kw_only=True)  # without slots, as its base
class TableSpace(SearchSpace):
    """A search space of which some configurations alone may be proposed.

    Attributes
    ----------
    table : tuple of Configuration
        Those.
    """

    table: tuple[Configuration, ...]

    @property
    def finite(self) -> tuple[Configuration, ...] | None:
        """Return what may be proposed."""
        return self.table

    @classmethod
    def of(cls, space: SearchSpace, n: int) -> TableSpace:
        """Return the first n configurations of a space's table."""
        known = {field.name: getattr(space, field.name) for field in fields(space)}
        return cls(**known, table=table_configurations(space, n))


def table_configurations(space: SearchSpace, n: int, seed: int = 0) -> tuple[Configuration, ...]:
    """Return different configurations: the default of each learner, then uniform draws.

    Parameters
    ----------
    space : SearchSpace
        Where they come from.
    n : int
        How many; a longer table begins with a shorter one.
    seed : int
        Of the draws.
    """
    found: dict[str, Configuration] = {}
    _add(found, space.defaults)
    for block in range(_MAX_BLOCKS):  # a small space has fewer than are wanted
        if len(found) >= n:
            break
        # Blocks of their own generators: a table must not depend on how long it is.
        rng = np.random.default_rng([seed, block])
        _add(found, sample_configurations(space.configuration_space, _BLOCK, rng))
    return tuple(found.values())[:n]


def _add(found: dict[str, Configuration], configurations: Iterable[Configuration]) -> None:
    for configuration in map(canonical, configurations):
        found.setdefault(key_of(configuration), configuration)
