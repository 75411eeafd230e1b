"""Every configuration of a finite space, one after another, without keeping any of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace, Constant
from ConfigSpace.hyperparameters import (
    CategoricalHyperparameter,
    Hyperparameter,
    IntegerHyperparameter,
    OrdinalHyperparameter,
)
from ConfigSpace.types import NotSet

from automl.optimizers.vectors import NOTHING_FIXED
from search_space.arrays import FloatArray

_DRAWS_OF_A_FLOAT = 100

Values = dict[str, Any]
"""Values of the active hyperparameters, in the order of the space."""


def every_configuration(
    space: ConfigurationSpace,
    rng: np.random.Generator,
    *,
    fixed: Mapping[str, object] = NOTHING_FIXED,
) -> Iterator[Values]:
    """Yield the values of each legal configuration once, in no particular order.

    Choices of probability 0 are left out, as they are never drawn. Of a number that is not whole
    there are infinitely many values; it takes a hundred random ones each time its turn comes, so
    that the search for something new goes on elsewhere where clauses forbid all of them.

    Parameters
    ----------
    space : ConfigurationSpace
        Hyperparameters with conditions and forbidden clauses.
    rng : numpy Generator
        Where the enumeration begins in each range.
    fixed : mapping of str to object
        Values that hyperparameters have wherever they are active.
    """
    # ConfigSpace iterates over parents before their children.
    ranges = _Ranges(rng, fixed)
    yield from _completed(space, list(space), {}, np.full(len(space), np.nan), ranges)


def _completed(
    space: ConfigurationSpace,
    names: list[str],
    values: Values,
    vector: FloatArray,
    ranges: _Ranges,
) -> Iterator[Values]:
    """Yield all ways to give values to the hyperparameters from position ``len(values)`` on."""
    if len(values) == len(names):
        yield {name: value for name, value in values.items() if value is not NotSet}
        return
    name = names[len(values)]
    hyperparameter, position = space[name], space.index_of[name]
    conditions = space.parent_conditions_of[name]
    is_active = all(condition.satisfied_by_value(values) for condition in conditions)
    for value in ranges.of(hyperparameter) if is_active else (NotSet,):
        vector[position] = np.nan if value is NotSet else hyperparameter.to_vector(value)
        # What is not decided yet is NaN, which no clause forbids: a whole branch is cut off early.
        if not any(clause.is_forbidden_vector(vector) for clause in space.forbidden_clauses):
            yield from _completed(space, names, {**values, name: value}, vector, ranges)
    vector[position] = np.nan


@dataclass(frozen=True, slots=True)
class _Ranges:
    """The values that each hyperparameter is given."""

    rng: np.random.Generator
    fixed: Mapping[str, object]

    def of(self, hyperparameter: Hyperparameter[Any, Any]) -> Iterator[object]:
        """Yield the fixed value, or all that there are."""
        if hyperparameter.name in self.fixed:
            return iter((self.fixed[hyperparameter.name],))
        return _values_of(hyperparameter, self.rng)


def _values_of(
    hyperparameter: Hyperparameter[Any, Any], rng: np.random.Generator
) -> Iterator[object]:
    """Yield the values that a hyperparameter can be drawn with, from a random one on."""
    if isinstance(hyperparameter, Constant):
        yield hyperparameter.value
    elif isinstance(hyperparameter, CategoricalHyperparameter):
        possible = np.flatnonzero(np.asarray(hyperparameter.probabilities) > 0.0)
        yield from (hyperparameter.choices[i] for i in rng.permutation(possible))
    elif isinstance(hyperparameter, OrdinalHyperparameter):
        yield from (hyperparameter.sequence[i] for i in rng.permutation(hyperparameter.size))
    elif isinstance(hyperparameter, IntegerHyperparameter):
        lowest, n_values = int(hyperparameter.lower), int(hyperparameter.size)
        start = int(rng.integers(n_values))
        yield from (lowest + (start + i) % n_values for i in range(n_values))
    else:
        low, high = hyperparameter.lower_vectorized, hyperparameter.upper_vectorized
        for draw in rng.uniform(low, high, _DRAWS_OF_A_FLOAT):
            yield float(hyperparameter.to_value(draw))
