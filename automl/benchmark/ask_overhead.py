"""What it costs to ask for one configuration: CPU seconds, measured, never asserted."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    Integer,
    OrdinalHyperparameter,
)
from ConfigSpace.hyperparameters import Hyperparameter

from automl.ask_tell import AskTell
from automl.benchmark import ask_others
from automl.benchmark.ask_others import loss_of, median_ask
from automl.errors import InputError
from automl.optimizers.named import SURROGATES
from search_space.values import plain_values

RECIPES = ("densbo", "bo", "sawei")

_TARGETS: Mapping[tuple[str, int], float] = {
    ("densbo", 100): 0.6,
    ("densbo", 250): 1.5,
    ("bo", 100): 0.15,
    ("bo", 250): 0.3,
}
_MODELS = ("a", "b", "c", "d")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskFigure:
    """The median CPU seconds of one ask and what they should stay below.

    Attributes
    ----------
    what : str
        What was asked, after how many observations.
    seconds : float or None
        None if it could not be measured.
    target : float or None
        The bound, if there is one.
    remark : str
        Why there is no figure, or the version of what was measured.
    """

    what: str
    seconds: float | None
    target: float | None = None
    remark: str = ""

    def row(self) -> str:
        """Return the figure as a row of a Markdown table."""
        value = "-" if self.seconds is None else f"{self.seconds:.3g} s"
        bound, mark = "", self.remark
        if self.target is not None:
            bound = f"{self.target:g} s"
            mark = "ok" if self.seconds is None or self.seconds <= self.target else "ABOVE"
        return f"| {self.what} | {value} | {bound} | {mark} |"


def conditional_space() -> ConfigurationSpace:
    """Return 40 hyperparameters: numbers, ordinals and choices, conditions, a forbidden clause."""
    space = ConfigurationSpace(seed=0)
    model = Categorical("model", _MODELS)
    scaler = Categorical("scaler", ["none", "unit", "rank"])
    penalty = Categorical("penalty", ["none", "flat", "steep"])
    space.add(model, scaler, penalty)
    space.add(*(Float(f"share_{i}", (0.0, 1.0)) for i in range(4)))
    space.add(Integer("n_parts", (2, 40)), Integer("n_steps", (1, 1_000), log=True))
    space.add(Categorical("shuffle", [True, False]), Categorical("start", ["cold", "warm"]))
    space.add(OrdinalHyperparameter("size", ["s", "m", "l", "xl"]))
    for name in _MODELS:
        _add_model(space, model, name)
    space.add(
        ForbiddenAndConjunction(
            ForbiddenEqualsClause(scaler, "none"), ForbiddenEqualsClause(penalty, "steep")
        )
    )
    return space


def _add_model(space: ConfigurationSpace, model: Hyperparameter[Any, Any], name: str) -> None:
    """Add seven hyperparameters of one model, the last one active with one solver only."""
    solver = Categorical(f"{name}_solver", ["exact", "rough"])
    own = [
        solver,
        Float(f"{name}_rate", (1e-5, 1.0), log=True),
        Float(f"{name}_mix", (-1.0, 1.0)),
        Integer(f"{name}_depth", (1, 12)),
        Integer(f"{name}_width", (4, 512), log=True),
        OrdinalHyperparameter(f"{name}_order", [1, 2, 4, 8]),
    ]
    momentum = Float(f"{name}_momentum", (0.0, 0.99))
    space.add(*own, momentum)
    space.add(*(EqualsCondition(child, model, name) for child in own))
    space.add(EqualsCondition(momentum, solver, "rough"))


def ask_seconds(
    surrogate: str | None,
    acquisition: str | None,
    n_observations: int,
    n_repeats: int = 5,
    *,
    optimizer: str = "densbo",
) -> float:
    """Return the median CPU seconds of one ask for one configuration.

    Most observations are random ones. The last tenth was asked for, as is what is measured, so
    that weights and whatever else depends on past proposals are those of a run.

    Parameters
    ----------
    surrogate, acquisition : str or None
        Names; None for those of the optimizer.
    n_observations : int
        Observations before the first measurement, at least ten.
    n_repeats : int
        Measurements, each after one observation more.
    optimizer : str
        Recipe.
    """
    space = conditional_space()
    serialised = space.to_serialized_dict()
    asked = AskTell(space, optimizer, 0, surrogate=surrogate, acquisition=acquisition)
    n_asked = max(1, n_observations // 10)
    for configuration in space.sample_configuration(n_observations - n_asked):
        asked.tell(configuration, loss_of(serialised, configuration))

    def ask() -> Callable[[], None]:
        (configuration,) = asked.ask()
        return lambda: asked.tell(configuration, loss_of(serialised, configuration))

    return median_ask(ask, n_repeats, n_before=n_asked)


def measure_asks(counts: Sequence[int] = (100, 250), n_repeats: int = 5) -> Iterator[AskFigure]:
    """Measure every recipe and every surrogate, one after the other."""
    for recipe, n in product(RECIPES, counts):
        seconds = ask_seconds(None, None, n, n_repeats, optimizer=recipe)
        what = f"one ask, optimizer {recipe!r}, after {n} observations"
        yield AskFigure(what=what, seconds=seconds, target=_TARGETS.get((recipe, n)))
    for surrogate, n in product(SURROGATES, counts):
        seconds = ask_seconds(surrogate, "ei", n, n_repeats)
        what = f"one ask, surrogate {surrogate!r}, acquisition 'ei', after {n} observations"
        yield AskFigure(what=what, seconds=seconds)


def measure_others(
    python: str, counts: Sequence[int] = (100, 250), n_repeats: int = 5
) -> Iterator[AskFigure]:
    """Measure other packages, those that another interpreter can import, on the same space.

    Parameters
    ----------
    python : str
        The interpreter.
    counts : sequence of int
        Observations before the first measurement.
    n_repeats : int
        Measurements.
    """
    for package, n in product(ask_others.PACKAGES, counts):
        yield _measured_elsewhere(python, package, n, n_repeats)


def _measured_elsewhere(python: str, package: str, n: int, n_repeats: int) -> AskFigure:
    what = f"one ask, {package}, after {n} observations"
    command = [python, str(Path(ask_others.__file__)), package]
    try:
        done = subprocess.run(
            command, input=_task(n, n_repeats), capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise InputError(f"{python!r} cannot be run as an interpreter: {error.strerror}") from error
    if done.returncode == ask_others.MISSING:
        return AskFigure(what=what, seconds=None, remark=f"{package} is not installed there")
    lines = (done.stdout if done.returncode == 0 else done.stderr).splitlines() or ["no message"]
    if done.returncode != 0:
        return AskFigure(what=what, seconds=None, remark=f"failed: {lines[-1]}")
    report = json.loads(lines[-1])
    return AskFigure(what=what, seconds=report["seconds"], remark=f"version {report['version']}")


def _task(n_observations: int, n_repeats: int) -> str:
    """Return what the script reads."""
    space = conditional_space()
    # As lists, of which `sample_configuration` makes one only if more than one is asked for.
    drawn = [space.sample_configuration() for _ in range(n_observations - n_observations // 10)]
    observations = [plain_values(configuration) for configuration in drawn]
    task = {
        "space": space.to_serialized_dict(),
        "observations": observations,
        "n_asked": max(1, n_observations // 10),
        "n_repeats": n_repeats,
    }
    return json.dumps(task, default=_plain)


def _plain(value: object) -> object:
    """Return a value without NumPy's types."""
    return value.item() if isinstance(value, np.generic) else value
