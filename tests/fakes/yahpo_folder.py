"""A folder like yahpo_data with two tiny scenarios, whose surrogates return their inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fakes.onnx_file import write_echo_model

from automl.benchmark.hpo.scenarios import Scenario

XGBOOST_LIKE = Scenario(
    name="boosters",
    fidelities=("trainsize", "repl"),
    categories=("task_id", "booster"),
    numbers=("nrounds", "eta", "trainsize", "repl"),
    targets=("code", "acc", "nrounds", "eta", "timetrain", "repl"),
    target="acc",
    perfect=1.0,
)
"""Its "accuracy" is the code of the booster, its "seconds" are the training size."""


def write_scenario(folder: Path, *, n_categories: int = 2) -> None:
    """Write the three files of the scenario `XGBOOST_LIKE`."""
    home = folder / XGBOOST_LIKE.name
    home.mkdir(parents=True)
    space: dict[str, Any] = {
        "hyperparameters": [
            _category("booster", ["gblinear", "dart"]),
            _number("eta", 0.001, 1.0, 0.03, log=True),
            _number("nrounds", 7, 2981, 144, log=True, kind="uniform_int"),
            _number("repl", 1, 10, 6, kind="uniform_int"),
            _category("task_id", ["40", "7"]),
            _number("trainsize", 0.03, 1.0, 0.5),
        ],
        "conditions": [{"child": "eta", "parent": "booster", "type": "EQ", "value": "dart"}],
        "forbiddens": [],
    }
    encoding = {
        "booster": {"#na#": 0, "dart": 1, "gblinear": 2},
        "task_id": {"#na#": 0, "40": 1, "7": 2},
    }
    (home / "config_space.json").write_text(json.dumps(space))
    (home / "encoding.json").write_text(json.dumps(encoding))
    write_echo_model(home / "model.onnx", n_categories, 4)


def _category(name: str, choices: list[str]) -> dict[str, Any]:
    return {"name": name, "type": "categorical", "choices": choices, "default": choices[0]}


def _number(
    name: str,
    lower: float,
    upper: float,
    default: float,
    *,
    log: bool = False,
    kind: str = "uniform_float",
) -> dict[str, Any]:
    numbers = {"lower": lower, "upper": upper, "default": default}
    return {"name": name, "type": kind, "log": log, **numbers}
