"""Methods that the benchmark compares, by name.

A method is asked for configurations and told their losses; nothing else is known of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ConfigSpace import Configuration, ConfigurationSpace

from automl import optimizers
from automl.errors import InputError
from automl.optimizers.dynamic_model import DynamicModel


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


def _of(optimizer: str, **others: Any) -> Callable[[ConfigurationSpace, int], AskTell]:
    return lambda space, seed: optimizers.AskTell(space, optimizer, seed, **others)


METHODS: dict[str, Callable[[ConfigurationSpace, int], AskTell]] = {
    "random": _of("random"),
    **{
        f"densbo_{alpha}": _of("densbo", surrogate=DynamicModel(alpha=alpha))
        for alpha in (0.1, 0.5, 0.9, 1.0)
    },
    "equal_weights": _of("densbo", surrogate="equal_weights"),
    **{
        f"{surrogate}_mace": _of("densbo", surrogate=surrogate)
        for surrogate in ("random_forest", "extra_trees", "gradient_boosting", "gaussian_process")
    },
    "forest_ei": _of("bo"),
    **{
        f"gp_{acquisition}": _of("sawei", acquisition=acquisition)
        for acquisition in ("ei", "pi", "lcb", "sawei", "hedge")
    },
}
"""Names with "mace" differ from DensBO in the surrogate alone, those with "gp" in acquisition."""


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
