"""Search spaces as ConfigSpace wrote them to JSON before version 1.0.

ConfigSpace itself does not read that format any more. Only what the surrogate benchmarks use is
known here; anything else is refused rather than left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ConfigSpace import (
    CategoricalHyperparameter,
    ConfigurationSpace,
    EqualsCondition,
    InCondition,
    UniformFloatHyperparameter,
    UniformIntegerHyperparameter,
)
from ConfigSpace.conditions import Condition
from ConfigSpace.hyperparameters import Hyperparameter

from automl.errors import InputError

Entry = Mapping[str, Any]
"""One object of the JSON text."""


def read_space(stored: Entry, without: Collection[str]) -> ConfigurationSpace:
    """Return the space that JSON describes.

    Parameters
    ----------
    stored : mapping
        The parsed text.
    without : collection of str
        Hyperparameters to leave out; nothing may depend on them.

    Raises
    ------
    InputError
        If the text holds what is not understood.
    """
    if stored.get("forbiddens"):
        raise InputError("The space has forbidden clauses, which are not understood.")
    space = ConfigurationSpace()
    space.add(*(_hyperparameter(e) for e in stored["hyperparameters"] if e["name"] not in without))
    children = [entry["child"] for entry in stored["conditions"]]
    if len(set(children)) < len(children):
        raise InputError("A hyperparameter of the space has several conditions: not understood.")
    space.add(*(_condition(space, entry) for entry in stored["conditions"]))
    return space


def _hyperparameter(entry: Entry) -> Hyperparameter[Any, Any]:
    kind, name, default = entry["type"], entry["name"], entry["default"]
    if kind == "categorical":
        return CategoricalHyperparameter(name, entry["choices"], default_value=default)
    classes: dict[str, Any] = {
        "uniform_float": UniformFloatHyperparameter,
        "uniform_int": UniformIntegerHyperparameter,
    }
    if kind not in classes:
        raise InputError(f"Hyperparameter {name} has the type {kind!r}, which is not understood.")
    made: Hyperparameter[Any, Any] = classes[kind](
        name, entry["lower"], entry["upper"], default_value=default, log=entry["log"]
    )
    return made


def _condition(space: ConfigurationSpace, entry: Entry) -> Condition:
    kind = entry["type"]
    if kind == "EQ":
        return EqualsCondition(space[entry["child"]], space[entry["parent"]], entry["value"])
    if kind == "IN":
        return InCondition(space[entry["child"]], space[entry["parent"]], entry["values"])
    raise InputError(f"A condition of {entry['child']} has the type {kind!r}: not understood.")
