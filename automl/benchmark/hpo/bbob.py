"""The 24 noiseless functions of BBOB, from the package `ioh`.

References
----------
.. [1] N. Hansen, S. Finck, R. Ros, A. Auger (2009). Real-parameter black-box optimization
   benchmarking 2009: noiseless functions definitions. INRIA RR-6829.
.. [2] J. de Nobel et al. (2024). IOHexperimenter: benchmarking platform for iterative
   optimization heuristics. Evolutionary Computation 32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ConfigSpace import Configuration, ConfigurationSpace

from automl.benchmark.optional_packages import optional_package

N_FUNCTIONS = 24
_BOUND = 5.0


@dataclass(frozen=True, kw_only=True, eq=False)
class BBOBProblem:
    """An instance of a function: shifted, rotated and scaled in its own way.

    Attributes
    ----------
    function : int
        From 1 (sphere) to 24 (Lunacek).
    dimension : int
        Number of variables, at least 2.
    instance : int
        Counted from 1.
    """

    function: int
    dimension: int
    instance: int

    def __getstate__(self) -> dict[str, Any]:
        # The function of ioh cannot travel.
        return {name: vars(self)[name] for name in self.__dataclass_fields__}

    @property
    def name(self) -> str:
        """Function, dimension and instance."""
        return f"bbob/f{self.function:02d}_d{self.dimension}_i{self.instance}"

    @cached_property
    def space(self) -> ConfigurationSpace:
        """The cube from -5 to 5."""
        return ConfigurationSpace(space={name: (-_BOUND, _BOUND) for name in self._variables})

    @property
    def optimum(self) -> float:
        """The value at the minimum, another one for each instance."""
        return float(self._ioh.optimum.y)

    @property
    def minimiser(self) -> dict[str, float]:
        """Where the minimum is."""
        return dict(zip(self._variables, self._ioh.optimum.x, strict=True))

    def evaluate(self, configuration: Configuration) -> float:
        """Return the value of the function."""
        return float(self._ioh([float(configuration[name]) for name in self._variables]))

    @property
    def _variables(self) -> list[str]:
        return [f"x{i}" for i in range(1, self.dimension + 1)]

    @cached_property
    def _ioh(self) -> Any:
        ioh = optional_package("ioh", "BBOB functions", extra="hpo")
        return ioh.get_problem(self.function, self.instance, self.dimension, ioh.ProblemClass.BBOB)


def bbob_problems(dimension: int, instances: Sequence[int]) -> list[BBOBProblem]:
    """Return all functions in one dimension.

    Parameters
    ----------
    dimension : int
        Number of variables.
    instances : sequence of int
        Which instances of each function.
    """
    return [
        BBOBProblem(function=function, dimension=dimension, instance=instance)
        for function in range(1, N_FUNCTIONS + 1)
        for instance in instances
    ]
