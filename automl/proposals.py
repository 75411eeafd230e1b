"""What an optimizer may answer: every proposal is checked before it is taken up.

Optimizers may be the user's own. What is wrong with an answer is said here, in one line that names
the optimizer, and not by whatever comes to work with it later.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace

from automl.errors import InputError, InputTypeError
from automl.trial import Origin, Proposal
from search_space.values import plain_values

_LONGEST_SHOWN = 120


def checked_proposal(answer: object, space: ConfigurationSpace, optimizer: object) -> Proposal:
    """Return what an optimizer proposed: a legal configuration of this space, beliefs as floats.

    Parameters
    ----------
    answer : object
        What ``optimizer.propose(history, rng)`` returned.
    space : ConfigurationSpace
        The space that is searched.
    optimizer : Optimizer
        Whose answer it is; named in error messages.

    Raises
    ------
    InputTypeError
        If the answer, its configuration, its origin or a belief has a wrong type.
    InputError
        If the configuration is illegal or of another space.
    """
    who = f"optimizer {type(optimizer).__name__}"
    if not isinstance(answer, Proposal):
        hint = " around it" if isinstance(answer, Configuration) else ""
        raise InputTypeError(
            f"{who} must return a Proposal from propose(history, rng), got {_shown(answer)}; "
            f"write automl.trial.Proposal(configuration=..., origin=Origin.RANDOM){hint}"
        )
    if answer.origin not in tuple(Origin):
        raise InputTypeError(
            f"{who} must give its proposal an origin of {', '.join(map(str, Origin))}, got "
            f"{_shown(answer.origin)}"
        )
    return replace(
        answer,
        configuration=_of_space(answer.configuration, space, who),
        origin=Origin(answer.origin),
        beliefs=_as_floats(answer.beliefs, who),
    )


def _of_space(configuration: object, space: ConfigurationSpace, who: str) -> Configuration:
    """Return a configuration that belongs to the very space, if it is a legal one."""
    if not isinstance(configuration, Configuration):
        raise InputTypeError(
            f"{who} must propose a ConfigSpace Configuration of "
            "history.problem.search_space.configuration_space, got a proposal of "
            f"{_shown(configuration)}"
        )
    try:
        if configuration.config_space is space:
            configuration.check_valid_configuration()
            return configuration
        # A copy, as from a file or another process, has equal configurations.
        return Configuration(space, values=plain_values(configuration))
    except (LookupError, ValueError) as error:  # whatever ConfigSpace finds, of many types
        found = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(
            f"{who} must propose a legal configuration of "
            "history.problem.search_space.configuration_space, got one of which ConfigSpace says "
            f"{found[:_LONGEST_SHOWN]}"
        ) from error


def _as_floats(beliefs: object, who: str) -> dict[str, float]:
    """Return beliefs as the numbers that a journal holds."""
    if not isinstance(beliefs, Mapping):
        raise InputTypeError(
            f"{who} must give its beliefs as a mapping of names to numbers, got {_shown(beliefs)}"
        )
    for name, value in beliefs.items():
        is_number = isinstance(value, numbers.Real | np.bool_)
        if not isinstance(name, str) or not is_number:
            raise InputTypeError(
                f"{who} must give its beliefs as a mapping of names to numbers, got {name!r}: "
                f"{_shown(value)}"
            )
    return {name: float(value) for name, value in beliefs.items()}


def _shown(value: object) -> str:
    """Return a value and its type for a message."""
    text = " ".join(repr(value).split())
    if len(text) > _LONGEST_SHOWN:
        text = f"{text[:_LONGEST_SHOWN]}..."
    return text if value is None else f"{text} of type {type(value).__name__}"
