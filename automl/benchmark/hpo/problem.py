"""What a problem of the benchmark of hyperparameter optimisation is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ConfigSpace import Configuration, ConfigurationSpace


class HPOProblem(Protocol):
    """A function of configurations that is to be minimised. Can be sent to other processes."""

    @property
    def name(self) -> str:
        """What results call the problem: a family, then a slash, then the instance, if any."""
        ...

    @property
    def space(self) -> ConfigurationSpace:
        """Where configurations come from. Copy it before sampling: it holds a random state."""
        ...

    @property
    def optimum(self) -> float | None:
        """The smallest loss, or None where nobody knows it."""
        ...

    def evaluate(self, configuration: Configuration) -> float:
        """Return the loss of a configuration: always the same one for the same configuration."""
        ...


@runtime_checkable
class TimedProblem(Protocol):
    """A problem that knows how long the real evaluation would have taken."""

    def seconds(self, configuration: Configuration) -> float:
        """Return the seconds that training with a configuration takes."""
        ...
