"""Values of hyperparameters, freed from the containers that ConfigSpace hands them out in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace
from ConfigSpace.types import NotSet


def plain_values(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a configuration as Python's own types.

    Sampled values are scalars of numpy, some of which cannot be written as JSON and none of which
    is ``True``.

    Examples
    --------
    >>> plain_values({"whiten": np.True_, "degree": np.int64(2)})
    {'whiten': True, 'degree': 2}
    """
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in configuration.items()
    }


def canonical(configuration: Configuration) -> Configuration:
    """Return the configuration that its own values give back, bit for bit.

    ConfigSpace rounds numbers to 13 decimal places when they are read, so that the vector of a
    sampled configuration differs a little from that of a copy restored from a journal. For what
    this function returns the two are the same.
    """
    return Configuration(configuration.config_space, values=plain_values(configuration))


def active_values(space: ConfigurationSpace, preferred: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each hyperparameter that is active, the default where none is preferred.

    Parameters
    ----------
    space : ConfigurationSpace
        Hyperparameters with conditions.
    preferred : mapping of str to value
        Values other than the defaults; those of inactive hyperparameters have no effect.
    """
    values: dict[str, Any] = {}
    # ConfigSpace iterates over parents before their children.
    for name, hyperparameter in space.items():
        conditions = space.parent_conditions_of[name]
        is_active = all(condition.satisfied_by_value(values) for condition in conditions)
        value = preferred.get(name, hyperparameter.default_value)
        values[name] = value if is_active else NotSet
    return {name: value for name, value in values.items() if value is not NotSet}
