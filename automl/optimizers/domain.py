"""Where candidates come from: draws and neighbours within what may be proposed.

A space may be finite, as a table of known results is: then nothing else may be proposed. Of any
space a part may be searched in which some hyperparameters keep their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace

from automl.optimizers.enumeration import every_configuration
from automl.optimizers.neighbourhood import Neighbourhood, Neighbours
from automl.optimizers.vectors import BoolArray, sample_configurations
from automl.trial_history import Space
from search_space.configuration_batch import ConfigurationBatch

_ALL = 10_000  # more neighbours than a configuration has
_EQUAL = 1e-9  # vectors of the same value may differ by rounding


@dataclass(frozen=True)  # without slots, which leave no place for `finite`
class Subspace:
    """The part of a space in which some hyperparameters have given values; a `Space` itself.

    Attributes
    ----------
    whole : Space
        What it is a part of.
    fixed : mapping of str to object
        Values by name of hyperparameter.
    """

    whole: Space
    fixed: Mapping[str, object]

    @property
    def configuration_space(self) -> ConfigurationSpace:
        """The space of the whole, to which its configurations belong."""
        return self.whole.configuration_space

    @cached_property
    def defaults(self) -> tuple[Configuration, ...]:
        """Those of the whole that are in this part."""
        return tuple(c for c in self.whole.defaults if has_values(c, self.fixed))

    @cached_property
    def finite(self) -> tuple[Configuration, ...] | None:
        """Those of the whole that are in this part, None if the whole is not finite."""
        if self.whole.finite is None:
            return None
        return tuple(c for c in self.whole.finite if has_values(c, self.fixed))


@dataclass(frozen=True)  # without slots, which leave no place for what is made once
class Domain:
    """What may be proposed.

    Attributes
    ----------
    space : ConfigurationSpace
        Hyperparameters with conditions and forbidden clauses.
    fixed : mapping of str to object
        Values that all draws have and no neighbour exchanges.
    finite : tuple of Configuration or None
        The only configurations that may be proposed; all of them have the fixed values.
    """

    space: ConfigurationSpace
    fixed: Mapping[str, object] = field(default_factory=dict)
    finite: tuple[Configuration, ...] | None = None

    @classmethod
    def of(cls, space: Space) -> Domain:
        """Return what may be proposed in a space, or in a part of one."""
        fixed = space.fixed if isinstance(space, Subspace) else {}
        return cls(space.configuration_space, fixed, space.finite)

    def draw(self, n: int, rng: np.random.Generator) -> ConfigurationBatch:
        """Return uniform draws: n independent ones, or n different ones of a finite space.

        A finite space of fewer than n configurations gives all of them, in random order, and they
        are the objects that it lists.
        """
        if self.finite is None:
            return sample_configurations(self.space, n, rng, fixed=self.fixed)
        return self._listed.take(rng.permutation(len(self.finite))[:n])

    def every(self, rng: np.random.Generator) -> Iterator[Configuration]:
        """Yield every configuration once, in no particular order; see `every_configuration`."""
        if self.finite is not None:
            yield from self.draw(len(self.finite), rng)
            return
        for values in every_configuration(self.space, rng, fixed=self.fixed):
            yield Configuration(self.space, values)

    def neighbours(
        self, configurations: Sequence[Configuration], rng: np.random.Generator, n_neighbours: int
    ) -> Neighbours:
        """Return up to n neighbours of each configuration; a finite space has none."""
        if self.finite is not None:
            return Neighbours(ConfigurationBatch.of((), self.space), np.zeros(0, dtype=np.int64))
        return self._neighbourhood.draw(configurations, rng, n_neighbours)

    def mutations(
        self, configuration: Configuration, rng: np.random.Generator
    ) -> Iterator[Configuration]:
        """Yield neighbours in random order, or a finite space from the most similar ones on."""
        if self.finite is None:
            yield from self.neighbours([configuration], rng, _ALL).configurations
            return
        n_different = (~self._equal_values(configuration)).sum(axis=1)
        order = np.lexsort((rng.permutation(len(n_different)), n_different))
        yield from (self.finite[i] for i in order if n_different[i])

    def contains(self, configuration: Configuration) -> bool:
        """Return whether a legal configuration of the space may be proposed."""
        if self.finite is None:
            return has_values(configuration, self.fixed)
        return bool(self._equal_values(configuration).all(axis=1).any())

    @cached_property
    def _neighbourhood(self) -> Neighbourhood:
        return Neighbourhood(self.space, fixed=self.fixed)

    @cached_property
    def _listed(self) -> ConfigurationBatch:
        return ConfigurationBatch.of(self.finite or (), self.space)

    def _equal_values(self, configuration: Configuration) -> BoolArray:
        """Return in which hyperparameters (n, d) the configurations of a finite space agree."""
        return np.isclose(
            self._listed.vectors, configuration.get_array(), rtol=0.0, atol=_EQUAL, equal_nan=True
        )


def has_values(configuration: Mapping[str, object], fixed: Mapping[str, object]) -> bool:
    """Return whether a configuration has all of some values."""
    return all(name in configuration and configuration[name] == fixed[name] for name in fixed)
