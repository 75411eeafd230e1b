"""Functions with a formula and a known minimum: for tests and for a first look at a method.

References
----------
.. [1] L. C. W. Dixon, G. P. Szegö (1978). The global optimization problem: an introduction.
   Towards Global Optimization 2, 1-15: Branin and Hartmann.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ConfigSpace import (
    Categorical,
    Configuration,
    ConfigurationSpace,
    EqualsCondition,
    Float,
    Integer,
)

Values = Mapping[str, Any]
"""Value of each active hyperparameter."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClosedForm:
    """A problem that is a formula.

    Attributes
    ----------
    name : str
        What results call it.
    space : ConfigurationSpace
        Its domain.
    formula : callable
        From the values of a configuration to the loss. Importable by name, so that it can travel.
    optimum : float
        The smallest loss.
    minimisers : tuple of mappings
        Where the loss is smallest.
    """

    name: str
    space: ConfigurationSpace
    formula: Callable[[Values], float] = field(repr=False)
    optimum: float
    minimisers: tuple[Values, ...]

    def evaluate(self, configuration: Configuration) -> float:
        """Return the loss of a configuration."""
        return self.formula(dict(configuration))


def branin() -> ClosedForm:
    """Return Branin's function of two variables, with three minima [1]_."""
    pi = math.pi
    return ClosedForm(
        name="branin",
        space=ConfigurationSpace(space={"x1": (-5.0, 10.0), "x2": (0.0, 15.0)}),
        formula=_branin,
        optimum=10.0 / (8.0 * pi),
        minimisers=(
            {"x1": -pi, "x2": 12.275},
            {"x1": pi, "x2": 2.275},
            {"x1": 3.0 * pi, "x2": 2.475},
        ),
    )


def _branin(values: Values) -> float:
    x1, x2 = values["x1"], values["x2"]
    valley = x2 - 5.1 / (4.0 * math.pi**2) * x1**2 + 5.0 / math.pi * x1 - 6.0
    return float(valley**2 + 10.0 * (1.0 - 1.0 / (8.0 * math.pi)) * math.cos(x1) + 10.0)


_HARTMANN_HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_HARTMANN_WIDTHS = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
_HARTMANN_CENTRES = np.array(
    [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ]
)


def hartmann6() -> ClosedForm:
    """Return Hartmann's function of six variables, with six local minima [1]_."""
    best = (0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054)
    return ClosedForm(
        name="hartmann6",
        space=ConfigurationSpace(space={f"x{i}": (0.0, 1.0) for i in range(1, 7)}),
        formula=_hartmann6,
        optimum=-3.322368011415512,
        minimisers=({f"x{i}": x for i, x in enumerate(best, start=1)},),
    )


def _hartmann6(values: Values) -> float:
    x = np.array([values[f"x{i}"] for i in range(1, 7)])
    distances = (_HARTMANN_WIDTHS * (x - _HARTMANN_CENTRES) ** 2).sum(axis=1)
    return float(-_HARTMANN_HEIGHTS @ np.exp(-distances))


def conditional() -> ClosedForm:
    """Return a made-up tuning problem of mixed types with conditions two levels deep.

    A linear model has a penalty. A tree has a depth and may be boosted; only boosting has a
    number of rounds. Boosted trees reach 0.1, single trees 0.2 and linear models 0.3.
    """
    learner = Categorical("learner", ["linear", "tree"], default="linear")
    penalty = Float("penalty", (1e-4, 1e2), log=True)
    depth = Integer("depth", (1, 12))
    boosting = Categorical("boosting", ["no", "yes"], default="no")
    rounds = Integer("rounds", (1, 1000), log=True)
    space = ConfigurationSpace()
    space.add(learner, penalty, depth, boosting, rounds, Float("subsample", (0.1, 1.0)))
    space.add(
        EqualsCondition(penalty, learner, "linear"),
        EqualsCondition(depth, learner, "tree"),
        EqualsCondition(boosting, learner, "tree"),
        EqualsCondition(rounds, boosting, "yes"),
    )
    best = {"learner": "tree", "depth": 5, "boosting": "yes", "rounds": 100, "subsample": 0.7}
    return ClosedForm(
        name="conditional",
        space=space,
        formula=_conditional,
        optimum=0.1,
        minimisers=(best,),
    )


def _conditional(values: Values) -> float:
    loss = (values["subsample"] - 0.7) ** 2
    if values["learner"] == "linear":
        return float(0.3 + loss + 0.02 * math.log10(values["penalty"]) ** 2)
    loss += 0.01 * (values["depth"] - 5) ** 2
    if values["boosting"] == "no":
        return float(0.2 + loss)
    return float(0.1 + loss + 0.1 * math.log10(values["rounds"] / 100.0) ** 2)
