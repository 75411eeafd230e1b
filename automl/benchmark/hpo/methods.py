"""Methods that the benchmark compares, by name.

A method is asked for configurations and told their losses; nothing else is known of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ConfigSpace import Configuration, ConfigurationSpace

from automl.errors import InputError


class AskTell(Protocol):
    """Proposes configurations and learns their losses, in one run on one problem."""

    def ask(self, n: int) -> list[Configuration]:
        """Return the next `n` configurations; those asked for earlier may still be untold."""
        ...

    def tell(self, configuration: Configuration, loss: float) -> None:
        """Take note of the loss of a configuration that was asked for."""
        ...


MakeMethod = Callable[[str, ConfigurationSpace, int], AskTell]
"""From the name of a method, a space of its own and a seed to a method that knows nothing yet."""


class RandomSearch:
    """Samples the space as ConfigSpace does, each configuration independently of the others.

    Parameters
    ----------
    space : ConfigurationSpace
        Belongs to this object from now on.
    seed : int
        Seed of the samples.
    """

    def __init__(self, space: ConfigurationSpace, seed: int) -> None:
        self._space = space
        self._space.seed(seed)

    def ask(self, n: int) -> list[Configuration]:
        """Return `n` samples."""
        return [self._space.sample_configuration() for _ in range(n)]

    def tell(self, configuration: Configuration, loss: float) -> None:
        """Learn nothing."""


METHODS: dict[str, Callable[[ConfigurationSpace, int], AskTell]] = {"random": RandomSearch}


def make_method(method: str, space: ConfigurationSpace, seed: int) -> AskTell:
    """Return a method of :data:`METHODS`.

    Parameters
    ----------
    method : str
        Its name.
    space : ConfigurationSpace
        Where it searches; belongs to it from now on.
    seed : int
        Of everything random in it.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if method not in METHODS:
        raise InputError(f"No method is called {method!r}; there are {', '.join(METHODS)}.")
    return METHODS[method](space, seed)
