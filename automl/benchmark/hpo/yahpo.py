"""Problems of YAHPO Gym: neural surrogates of learning algorithms, as ONNX files.

The folder is a checkout of https://github.com/slds-lmu/yahpo_data, version 1.0. Of each scenario
these files are read: `config_space.json`, `encoding.json` (codes of categories) and `model.onnx`.

A surrogate takes codes of categories, (rows, k) int32, and numbers on their natural scale, (rows,
m) float32: it scales them itself. An inactive category has the code of ``#na#`` and an inactive
number is 0, as in `yahpo_gym`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from ConfigSpace import Configuration, ConfigurationSpace

from automl.benchmark.hpo.scenarios import SCENARIOS, Scenario
from automl.benchmark.hpo.stored_space import read_space
from automl.benchmark.optional_packages import optional_package
from automl.errors import InputError

_INACTIVE = "#na#"

Inputs = dict[str, npt.NDArray[Any]]


class Model(Protocol):
    """What is asked of an inference session of onnxruntime."""

    def get_inputs(self) -> list[Any]:
        """Return the inputs, with names and shapes."""
        ...

    def run(self, output_names: None, input_feed: Inputs) -> list[npt.NDArray[np.float32]]:
        """Return the outputs for the inputs."""
        ...


def open_model(path: Path) -> Model:
    """Return a model that computes in the calling thread alone."""
    onnxruntime = optional_package("onnxruntime", "Problems of YAHPO Gym", extra="hpo")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    model: Model = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return model


@dataclass(frozen=True, kw_only=True, eq=False)
class Surrogate:
    """The surrogate of a scenario, read when it is first used.

    Attributes
    ----------
    folder : Path
        Where the folders of the scenarios are.
    scenario : Scenario
        What is read.
    open_model : callable
        From the path of an ONNX file to its model.
    """

    folder: Path
    scenario: Scenario
    open_model: Callable[[Path], Model] = open_model

    def __getstate__(self) -> dict[str, Any]:
        # A session of onnxruntime cannot travel; what else is cached is read again as quickly.
        return {name: vars(self)[name] for name in self.__dataclass_fields__}

    @property
    def instances(self) -> list[str]:
        """Names of the data sets, in the order of the file."""
        (entry,) = (
            e for e in self._stored_space["hyperparameters"] if e["name"] == self.scenario.instance
        )
        return list(entry["choices"])

    def space(self) -> ConfigurationSpace:
        """Return a new space, without data set and fidelities."""
        fixed = {self.scenario.instance, *self.scenario.fidelities}
        return read_space(self._stored_space, without=fixed)

    def predict(self, instance: str, values: Mapping[str, Any]) -> npt.NDArray[np.float32]:
        """Return the predicted targets of one configuration at full fidelity.

        Parameters
        ----------
        instance : str
            The data set.
        values : mapping
            Values of the active hyperparameters.

        Returns
        -------
        (targets,) array, in the order of the scenario
        """
        scenario = self.scenario
        known = {scenario.instance: instance, **self._full_fidelity, **values}
        codes = [
            self._encoding[name][str(known.get(name, _INACTIVE))] for name in scenario.categories
        ]
        numbers = [known.get(name, 0) for name in scenario.numbers]
        inputs: Inputs = {
            "x_cat": np.array([codes], dtype=np.int32),
            "x_cont": np.array([numbers], dtype=np.float32),
        }
        predicted: npt.NDArray[np.float32] = self._model.run(None, inputs)[0][0]
        return predicted

    @cached_property
    def _stored_space(self) -> dict[str, Any]:
        return self._read("config_space.json")

    @cached_property
    def _encoding(self) -> dict[str, dict[str, int]]:
        return self._read("encoding.json")

    @cached_property
    def _full_fidelity(self) -> dict[str, float]:
        entries = self._stored_space["hyperparameters"]
        return {e["name"]: e["upper"] for e in entries if e["name"] in self.scenario.fidelities}

    @cached_property
    def _model(self) -> Model:
        model = self.open_model(self._path("model.onnx"))
        widths = {entry.name: entry.shape[1] for entry in model.get_inputs()}
        wanted = {"x_cat": len(self.scenario.categories), "x_cont": len(self.scenario.numbers)}
        if widths != wanted:
            raise InputError(
                f"{self._path('model.onnx')} takes {widths}, not {wanted}: it is not that of "
                "yahpo_data version 1.0."
            )
        return model

    def _read(self, name: str) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self._path(name).read_text(encoding="utf-8"))
        return parsed

    def _path(self, name: str) -> Path:
        path = self.folder / self.scenario.name / name
        if not path.is_file():
            raise InputError(f"There is no {path}: give the folder of yahpo_data (version 1.0).")
        return path


@dataclass(frozen=True, kw_only=True, eq=False)
class YahpoProblem:
    """The error rate that a surrogate predicts for one data set.

    Attributes
    ----------
    surrogate : Surrogate
        Shared by the problems of a scenario.
    instance : str
        The data set.
    """

    surrogate: Surrogate
    instance: str

    @property
    def name(self) -> str:
        """Scenario and data set."""
        return f"{self.surrogate.scenario.name}/{self.instance}"

    @cached_property
    def space(self) -> ConfigurationSpace:
        """The hyperparameters of the learning algorithm."""
        return self.surrogate.space()

    @property
    def optimum(self) -> None:
        """Nobody knows the minimum of a surrogate."""
        return

    def evaluate(self, configuration: Configuration) -> float:
        """Return the predicted error rate; a surrogate may leave [0, 1] by a little."""
        scenario = self.surrogate.scenario
        return scenario.loss(self._prediction(configuration, scenario.target))

    def seconds(self, configuration: Configuration) -> float:
        """Return the predicted seconds of training, 0 where the prediction is negative."""
        return max(0.0, self._prediction(configuration, self.surrogate.scenario.training_time))

    def _prediction(self, configuration: Configuration, target: str) -> float:
        predicted = self.surrogate.predict(self.instance, dict(configuration))
        return float(predicted[self.surrogate.scenario.targets.index(target)])


def yahpo_problems(folder: Path) -> list[YahpoProblem]:
    """Return the problems of all scenarios, one for each data set.

    Parameters
    ----------
    folder : Path
        A checkout of yahpo_data.

    Raises
    ------
    InputError
        If the folder is not one.
    """
    surrogates = [Surrogate(folder=folder, scenario=scenario) for scenario in SCENARIOS.values()]
    return [
        YahpoProblem(surrogate=surrogate, instance=instance)
        for surrogate in surrogates
        for instance in surrogate.instances
    ]
