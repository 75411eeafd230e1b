"""From configurations to the arrays that a surrogate works on.

=============  ==================================================================================
hyperparameter encoded as
=============  ==================================================================================
numeric        one column: 0 if inactive, else from 1/8 to 1 in the order of its (log) scale
ordinal        one column: 0 if inactive, else from 1/8 to 1 in the order of its ranks
categorical    one column per choice: 1 for the choice taken, else 0; all 0 if inactive
constant       no column
=============  ==================================================================================

The gap between 0 and 1/8 lets a tree tell inactive values by a single split. Hyperparameters of
different learners are never active together, so most of the array is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace, Constant
from ConfigSpace.hyperparameters import (
    CategoricalHyperparameter,
    Hyperparameter,
    OrdinalHyperparameter,
)

from search_space.arrays import FloatArray
from search_space.configuration_batch import ConfigurationBatch
from search_space.space import SearchSpace

_SMALLEST_ACTIVE = 0.125


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLayout:
    """Which columns hold numbers, and which together hold one category.

    Attributes
    ----------
    numeric : tuple of int
        Columns of numeric and ordinal hyperparameters.
    categorical : tuple of tuples of int
        For each categorical hyperparameter the columns of its choices.
    """

    numeric: tuple[int, ...]
    categorical: tuple[tuple[int, ...], ...]

    @property
    def n_columns(self) -> int:
        """Return how many columns the layout describes."""
        return len(self.numeric) + sum(len(group) for group in self.categorical)

    @property
    def is_continuous(self) -> bool:
        """Return whether there is no categorical hyperparameter."""
        return not self.categorical


class ConfigurationEncoder:
    """Encodes configurations of one search space.

    Configurations that differ have different rows. Equal ones have equal rows if they are
    :func:`~search_space.values.canonical`, and else up to the rounding explained there.

    Parameters
    ----------
    space : SearchSpace or ConfigSpace.ConfigurationSpace
        The space that configurations come from.

    Attributes
    ----------
    columns : tuple of str
        Hyperparameter of each column; a choice follows after ``=``.
    layout : ColumnLayout
        What kind of hyperparameter each column belongs to.
    """

    def __init__(self, space: SearchSpace | ConfigurationSpace) -> None:
        scaled: list[tuple[str, int, float]] = []
        chosen: list[tuple[str, int, float]] = []
        n_choices: list[int] = []
        configuration_space = space.configuration_space if isinstance(space, SearchSpace) else space
        for name, hyperparameter in configuration_space.items():
            position = configuration_space.index_of[name]
            if isinstance(hyperparameter, CategoricalHyperparameter):
                for rank, choice in enumerate(hyperparameter.choices):
                    chosen.append((f"{name}={choice}", position, rank))
                n_choices.append(len(hyperparameter.choices))
            elif not isinstance(hyperparameter, Constant):
                scaled.append((name, position, _largest(hyperparameter)))
        self.columns = tuple(name for name, _, _ in (*scaled, *chosen))
        ends = np.cumsum([len(scaled), *n_choices]).tolist()
        self.layout = ColumnLayout(
            numeric=tuple(range(len(scaled))),
            categorical=tuple(tuple(range(start, end)) for start, end in pairwise(ends)),
        )
        self._positions = np.array([p for _, p, _ in (*scaled, *chosen)], dtype=np.int64)
        self._slopes = (1.0 - _SMALLEST_ACTIVE) / np.array([largest for _, _, largest in scaled])
        self._ranks = np.array([rank for _, _, rank in chosen], dtype=np.float64)

    def encode(self, configurations: Sequence[Configuration]) -> FloatArray:
        """Return the encoded configurations.

        Parameters
        ----------
        configurations : sequence of Configuration
            Configurations of the space; may be empty. The vectors of a batch are used as they are.

        Returns
        -------
        (n, d) array, in [0, 1]
            Columns that are scaled come first, then those of choices.
        """
        if not configurations:
            return np.zeros((0, len(self.columns)))
        vectors = (
            configurations.vectors
            if isinstance(configurations, ConfigurationBatch)
            else np.array([configuration.get_array() for configuration in configurations])
        )
        # Whatever follows happens in place: fresh memory would cost more than the arithmetic.
        encoded = np.take(vectors, self._positions, axis=1)
        scaled, chosen = np.split(encoded, [len(self._slopes)], axis=1)
        scaled *= self._slopes
        scaled += _SMALLEST_ACTIVE
        np.copyto(scaled, 0.0, where=np.isnan(scaled))
        np.equal(chosen, self._ranks, out=chosen)
        return encoded


def _largest(hyperparameter: Hyperparameter[Any, Any]) -> float:
    """Return the largest value in ConfigSpace's vectors: the last rank, or 1 for numbers."""
    if isinstance(hyperparameter, OrdinalHyperparameter):
        return float(max(1, len(hyperparameter.sequence) - 1))
    return 1.0
