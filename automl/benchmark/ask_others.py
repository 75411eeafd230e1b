"""Seconds that other optimisers take to be asked once: a script for another interpreter.

It needs nothing of this library. Its argument is the name of a package. Standard input is one
JSON document: a space in ConfigSpace's serialised form, observed configurations and how often to
measure. Standard output is one line: JSON with the version and the seconds, or, with exit code 3,
that the package is not installed.
"""

from __future__ import annotations

import copy
import importlib.metadata
import importlib.util
import json
import math
import random
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Values = Mapping[str, Any]
"""Values of active hyperparameters by name."""

Task = Mapping[str, Any]
"""The document that is read: space, observations, n_asked, n_repeats."""

MISSING = 3
"""Exit code where a package is not installed."""

NUMBERS = ("uniform_float", "uniform_int")


def loss_of(space: Mapping[str, Any], values: Values) -> float:
    """Return a loss with a valley in every hyperparameter that is active.

    Parameters
    ----------
    space : mapping
        A serialised space.
    values : mapping
        Values of the active hyperparameters.
    """
    active = [entry for entry in space["hyperparameters"] if entry["name"] in values]
    return sum((_place(entry, values[entry["name"]]) - 0.3) ** 2 for entry in active) / len(active)


def _place(entry: Mapping[str, Any], value: Any) -> float:
    """Return where a value stands between the ends of its range, 0 to 1."""
    if entry["type"] in NUMBERS:
        lower, upper = entry["lower"], entry["upper"]
        if entry["log"]:
            lower, upper, value = math.log(lower), math.log(upper), math.log(value)
        return float((value - lower) / (upper - lower))
    options = _options(entry)
    return options.index(value) / max(1, len(options) - 1)


def _options(entry: Mapping[str, Any]) -> list[Any]:
    """Return the choices of a category, or the values of an ordinal one."""
    return list(entry["choices"] if entry["type"] == "categorical" else entry["sequence"])


def is_active(space: Mapping[str, Any], name: str, values: Values) -> bool:
    """Return whether all conditions on a hyperparameter hold; its parents come before it."""
    return all(
        values.get(condition["parent"]) == condition["value"]
        for condition in space["conditions"]
        if condition["child"] == name
    )


def median_ask(ask: Callable[[], Callable[[], None]], n_repeats: int, *, n_before: int) -> float:
    """Return the median CPU seconds of calls that return how their loss is told.

    Parameters
    ----------
    ask : callable
        Asks for one configuration.
    n_repeats : int
        Calls that count.
    n_before : int
        Calls before them, at least one: the first pays for imports and caches.
    """
    seconds = []
    for _ in range(n_before + n_repeats):
        started = time.process_time()
        tell = ask()
        seconds.append(time.process_time() - started)
        tell()
    return statistics.median(seconds[n_before:])


def optuna_seconds(task: Task) -> float:
    """Return the seconds of an ask of Optuna's tree-structured Parzen estimator."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = task["space"]
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    ranges = {entry["name"]: _distribution(entry) for entry in space["hyperparameters"]}
    for values in task["observations"]:
        study.add_trial(
            optuna.trial.create_trial(
                params=values,
                distributions={name: ranges[name] for name in values},
                value=loss_of(space, values),
            )
        )

    def ask() -> Callable[[], None]:
        trial = study.ask()
        values: dict[str, Any] = {}
        for name, distribution in ranges.items():
            if is_active(space, name, values):
                values[name] = trial._suggest(name, distribution)
        return lambda: study.tell(trial, loss_of(space, values))

    return median_ask(ask, task["n_repeats"], n_before=task["n_asked"])


def _distribution(entry: Mapping[str, Any]) -> Any:
    """Return Optuna's form of a hyperparameter."""
    from optuna.distributions import (
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    if entry["type"] not in NUMBERS:
        return CategoricalDistribution(_options(entry))
    kind = FloatDistribution if entry["type"] == "uniform_float" else IntDistribution
    return kind(entry["lower"], entry["upper"], log=entry["log"])


def smac_seconds(task: Task) -> float:
    """Return the seconds of an ask of SMAC's facade for hyperparameter optimisation.

    Its model is fitted to all observations before each ask, not before every eighth one only.
    """
    from ConfigSpace import Configuration, ConfigurationSpace
    from smac import HyperparameterOptimizationFacade as Facade
    from smac import Scenario
    from smac.runhistory import TrialInfo, TrialValue

    # ConfigSpace takes the dictionaries that it reads apart.
    space = ConfigurationSpace.from_serialized_dict(copy.deepcopy(task["space"]))
    n_trials = len(task["observations"]) + task["n_asked"] + task["n_repeats"] + 10
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(
            space, n_trials=n_trials, output_directory=Path(folder), deterministic=True, seed=0
        )
        facade = Facade(
            scenario,
            lambda _configuration, seed=0: float(seed),
            initial_design=Facade.get_initial_design(scenario, n_configs=1),
            config_selector=Facade.get_config_selector(scenario, retrain_after=1),
            logging_level=False,
            overwrite=True,
        )

        def told(info: TrialInfo, values: Values) -> None:
            facade.tell(info, TrialValue(cost=loss_of(task["space"], values)), save=False)

        for values in task["observations"]:
            told(TrialInfo(Configuration(space, values=values), seed=0), values)

        def ask() -> Callable[[], None]:
            info = facade.ask()
            return lambda: told(info, dict(info.config))

        return median_ask(ask, task["n_repeats"], n_before=task["n_asked"])


def hebo_seconds(task: Task) -> float:
    """Return the seconds of an ask of HEBO, which knows no conditions: all are active for it."""
    import numpy as np
    import pandas as pd
    from hebo.design_space.design_space import DesignSpace
    from hebo.optimizers.hebo import HEBO

    space = task["space"]
    optimizer = HEBO(DesignSpace().parse([_parameter(e) for e in space["hyperparameters"]]))
    draws = random.Random(0)
    rows = [_completed(space, values, draws) for values in task["observations"]]
    losses = np.array([[loss_of(space, values)] for values in task["observations"]])
    optimizer.observe(pd.DataFrame(rows), losses)

    def ask() -> Callable[[], None]:
        found = optimizer.suggest(n_suggestions=1)
        loss = loss_of(space, found.iloc[0].to_dict())
        return lambda: optimizer.observe(found, np.array([[loss]]))

    return median_ask(ask, task["n_repeats"], n_before=task["n_asked"])


def _parameter(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return HEBO's form of a hyperparameter."""
    if entry["type"] not in NUMBERS:
        return {"name": entry["name"], "type": "cat", "categories": _options(entry)}
    kind = {"uniform_float": "num", "uniform_int": "int"}[entry["type"]]
    if entry["log"]:
        kind = {"num": "pow", "int": "pow_int"}[kind]
    ends = {"lb": entry["lower"], "ub": entry["upper"]}
    return {"name": entry["name"], "type": kind, **ends, "base": 10}


def _completed(space: Mapping[str, Any], values: Values, draws: random.Random) -> dict[str, Any]:
    """Return values of all hyperparameters, the default ones for those that are not active."""
    return {
        entry["name"]: values.get(entry["name"], _default(entry, draws))
        for entry in space["hyperparameters"]
    }


def _default(entry: Mapping[str, Any], draws: random.Random) -> Any:
    return entry["default_value"] if entry["type"] in NUMBERS else draws.choice(_options(entry))


PACKAGES: Mapping[str, Callable[[Task], float]] = {
    "optuna": optuna_seconds,
    "smac": smac_seconds,
    "hebo": hebo_seconds,
}
"""What can be measured, by the name under which it is imported."""


def main(arguments: Sequence[str]) -> int:
    """Measure one package; return the exit code, 3 if it is not there."""
    package = arguments[0]
    if importlib.util.find_spec(package) is None:
        sys.stdout.write(f"{package} is not installed\n")
        return MISSING
    task = json.load(sys.stdin)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds = PACKAGES[package](task)
    report = {"version": importlib.metadata.version(package), "seconds": seconds}
    sys.stdout.write(json.dumps(report) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
