"""Methods that the benchmark compares, by name.

A method is asked for configurations and told their losses; nothing else is known of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ConfigSpace import Configuration, ConfigurationSpace

from automl import optimizers
from automl.acquisition.acquisition import ImprovementProbability
from automl.acquisition.sawei import SaweiSettings
from automl.acquisition.schedules import HAND_MADE
from automl.errors import InputError
from automl.optimizers.acquisition_policy import (
    AcquisitionPolicy,
    Always,
    Scheduled,
    SelfAdjusting,
    Switched,
)
from automl.optimizers.dynamic_model import DynamicModel
from automl.optimizers.portfolio_policy import Portfolio, nine_functions


class AskTell(Protocol):
    """Proposes configurations and learns their losses, in one run on one problem."""

    def ask(self, n: int) -> list[Configuration]:
        """Return the next `n` configurations; those asked for earlier may still be untold."""
        ...

    def tell(self, configuration: Configuration, loss: float) -> None:
        """Take note of the loss of a configuration that was asked for."""
        ...


MakeMethod = Callable[[str, ConfigurationSpace, int, int], AskTell]
"""From the name of a method, a space of its own, a seed and the number of configurations that will
be asked for after the initial design, to a method that knows nothing yet."""

_Make = Callable[[ConfigurationSpace, int, int], AskTell]


def _of(optimizer: str, **others: Any) -> _Make:
    return lambda space, seed, _n_proposals: optimizers.AskTell(space, optimizer, seed, **others)


def _gp(acquisition: str | AcquisitionPolicy) -> _Make:
    return _of("sawei", acquisition=acquisition)


def _gp_over(policy: Callable[[int], AcquisitionPolicy]) -> _Make:
    def make(space: ConfigurationSpace, seed: int, n_proposals: int) -> AskTell:
        return optimizers.AskTell(space, "sawei", seed, acquisition=policy(n_proposals))

    return make


def _scheduled(name: str) -> _Make:
    return _gp_over(lambda n_proposals: Scheduled(HAND_MADE[name], n_proposals))


def _switched(share: float) -> _Make:
    probability = Always(ImprovementProbability())
    return _gp_over(lambda n: Switched(before=Always(), after=probability, at=round(share * n)))


METHODS: dict[str, _Make] = {
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
    "forest_ei": _of("bo", surrogate="random_forest"),
    "trees_ei": _of("bo"),
    **{f"gp_{acquisition}": _gp(acquisition) for acquisition in ("ei", "pi", "lcb", "sawei")},
    "gp_sawei_deviations": _gp(SelfAdjusting(SaweiSettings(units="deviations"))),
    **{
        f"gp_{name}": _scheduled(name)
        for name in ("explore", "modulated_pi", "steps_ei_to_pi", "steps_pi_to_ei", "pulse")
    },
    **{f"gp_switch_at_{percent}": _switched(percent / 100.0) for percent in (25, 50, 75)},
    "gp_hedge": _gp(Portfolio(functions=nine_functions())),
    "gp_hedge_of_three": _gp("hedge"),
}
"""Names with "mace" differ from DensBO in the surrogate alone, those with "gp" in acquisition: they
are those of SAWEI's Table 1, SAWEI with an attitude that does not depend on the unit of the loss,
and a smaller portfolio."""


def traced_beliefs(method: str) -> str:
    """Return how the names of those beliefs begin that change in the course of a run.

    Parameters
    ----------
    method : str
        A name in :data:`METHODS`.

    Raises
    ------
    InputError
        If it has none: then it is neither an ensemble of surrogates nor has it a changing weight.
    """
    traced = {
        "densbo_weight_": ["equal_weights", *(m for m in METHODS if m.startswith("densbo_"))],
        "wei_": [
            *("gp_sawei", "gp_sawei_deviations"),
            *("gp_steps_ei_to_pi", "gp_steps_pi_to_ei", "gp_pulse"),
        ],
    }
    for prefix, methods in traced.items():
        if method in methods:
            return prefix
    listed = ", ".join(name for methods in traced.values() for name in methods)
    raise InputError(f"--method {method} has no beliefs that change in a run; these have: {listed}")


def make_method(method: str, space: ConfigurationSpace, seed: int, n_proposals: int) -> AskTell:
    """Return a method of :data:`METHODS`.

    Parameters
    ----------
    method : str
        Its name.
    space : ConfigurationSpace
        Where it searches; belongs to it from now on.
    seed : int
        Of everything random in it.
    n_proposals : int
        How many configurations will be asked for after the initial design; what schedules need.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if method not in METHODS:
        raise InputError(f"No method is called {method!r}; there are {', '.join(METHODS)}.")
    return METHODS[method](space, seed, n_proposals)
