"""The simplest method that a benchmark of hyperparameter optimisation can have."""

from __future__ import annotations

from ConfigSpace import Configuration, ConfigurationSpace


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
