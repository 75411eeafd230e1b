"""Surrogates of YAHPO Gym: what a configuration becomes before a surrogate sees it."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from ConfigSpace import Configuration
from fakes.onnx_file import write_echo_model
from fakes.yahpo_folder import XGBOOST_LIKE, write_scenario

from automl.benchmark.hpo.scenarios import SCENARIOS
from automl.benchmark.hpo.stored_space import read_space
from automl.benchmark.hpo.yahpo import Inputs, Surrogate, YahpoProblem, yahpo_problems
from automl.benchmark.optional_packages import optional_package
from automl.errors import InputError


class EchoModel:
    """Returns codes and numbers side by side, as the fake ONNX file does."""

    def __init__(self, _: Path) -> None:
        pass

    def get_inputs(self) -> list[Any]:
        """Return what the fake ONNX file declares."""
        return [
            SimpleNamespace(name="x_cat", shape=["rows", 2]),
            SimpleNamespace(name="x_cont", shape=["rows", 4]),
        ]

    def run(self, output_names: None, input_feed: Inputs) -> list[npt.NDArray[np.float32]]:
        """Return the inputs, after a look at their types."""
        assert output_names is None
        assert input_feed["x_cat"].dtype == np.int32
        assert input_feed["x_cont"].dtype == np.float32
        return [np.concatenate([input_feed["x_cat"], input_feed["x_cont"]], axis=1, dtype="f4")]


@pytest.fixture
def surrogate(tmp_path: Path) -> Surrogate:
    write_scenario(tmp_path)
    return Surrogate(folder=tmp_path, scenario=XGBOOST_LIKE, open_model=EchoModel)


def test_data_sets_and_fidelities_are_no_part_of_the_space(surrogate: Surrogate) -> None:
    assert surrogate.instances == ["40", "7"]
    space = surrogate.space()
    assert set(space) == {"booster", "eta", "nrounds"}
    assert (space["nrounds"].lower, space["nrounds"].upper) == (7, 2981)
    assert space["nrounds"].log
    assert [c.child.name for c in space.conditions] == ["eta"]


def test_numbers_keep_their_scale_and_fidelities_are_full(surrogate: Surrogate) -> None:
    values = {"booster": "dart", "eta": 0.25, "nrounds": 100}
    assert surrogate.predict("7", values).tolist() == [2.0, 1.0, 100.0, 0.25, 1.0, 10.0]


def test_inactive_numbers_are_zero_and_inactive_categories_have_their_code(
    surrogate: Surrogate,
) -> None:
    assert surrogate.predict("40", {"booster": "gblinear", "nrounds": 7}).tolist() == [
        *(1.0, 2.0),
        *(7.0, 0.0, 1.0, 10.0),
    ]
    assert surrogate.predict("40", {"nrounds": 7})[1] == 0.0


def test_a_problem_is_an_error_rate_of_one_data_set(surrogate: Surrogate) -> None:
    problem = YahpoProblem(surrogate=surrogate, instance="7")
    configuration = Configuration(problem.space, values={"booster": "gblinear", "nrounds": 20})
    assert problem.name == "boosters/7"
    assert problem.optimum is None
    assert problem.evaluate(configuration) == 1.0 - 2.0
    assert problem.seconds(configuration) == 1.0


def test_an_error_rate_is_the_loss_and_an_accuracy_is_what_it_lacks() -> None:
    assert SCENARIOS["iaml_glmnet"].loss(0.25) == 0.25
    assert SCENARIOS["rbv2_rpart"].loss(0.75) == 0.25
    assert SCENARIOS["lcbench"].loss(75.0) == 0.25


def test_every_scenario_names_its_target_and_its_inputs_consistently() -> None:
    for scenario in SCENARIOS.values():
        assert {scenario.target, scenario.training_time} <= set(scenario.targets)
        assert scenario.instance in scenario.categories
        assert set(scenario.fidelities) <= set(scenario.numbers)
        inputs = scenario.categories + scenario.numbers
        assert len(set(inputs)) == len(inputs)


def test_the_surrogate_runs_under_onnxruntime_and_travels(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    write_scenario(tmp_path)
    surrogate = Surrogate(folder=tmp_path, scenario=XGBOOST_LIKE)
    problem = YahpoProblem(surrogate=surrogate, instance="40")
    values = {"booster": "dart", "eta": 0.5, "nrounds": 30}
    expected = [1.0, 1.0, 30.0, 0.5, 1.0, 10.0]
    assert surrogate.predict("40", values).tolist() == expected
    travelled = pickle.loads(pickle.dumps(problem))
    assert travelled.surrogate.predict("40", values).tolist() == expected


def test_a_surrogate_of_another_version_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    write_scenario(tmp_path)
    write_echo_model(tmp_path / "boosters" / "model.onnx", 3, 3)
    surrogate = Surrogate(folder=tmp_path, scenario=XGBOOST_LIKE)
    with pytest.raises(InputError, match=r"takes \{'x_cat': 3, 'x_cont': 3\}"):
        surrogate.predict("40", {"booster": "gblinear", "nrounds": 7})


def test_a_folder_without_the_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config_space\.json: give the folder of yahpo_data"):
        yahpo_problems(tmp_path)


def test_a_missing_package_is_named_with_the_way_to_get_it() -> None:
    with pytest.raises(InputError, match=r"need the package no_such_thing.*divbo\[hpo\]"):
        optional_package("no_such_thing", "Tests", extra="hpo")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"forbiddens": [{}]}, "forbidden clauses"),
        ({"hyperparameters": [{"name": "a", "type": "normal_float", "default": 0}]}, "normal_flo"),
        ({"conditions": [{"child": "eta", "parent": "booster", "type": "LT"}]}, "'LT'"),
        ({"conditions": [{"child": "eta", "type": "EQ"}] * 2}, "several conditions"),
    ],
)
def test_what_is_not_understood_of_a_space_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    write_scenario(tmp_path)
    stored = json.loads((tmp_path / "boosters" / "config_space.json").read_text())
    with pytest.raises(InputError, match=message):
        read_space({**stored, **change}, without=())


def test_a_condition_may_name_several_values(tmp_path: Path) -> None:
    write_scenario(tmp_path)
    stored = json.loads((tmp_path / "boosters" / "config_space.json").read_text())
    condition = {"child": "eta", "parent": "booster", "type": "IN", "values": ["dart"]}
    space = read_space({**stored, "conditions": [condition]}, without=("task_id",))
    space.seed(0)
    for configuration in space.sample_configuration(20):
        assert ("eta" in configuration) == (configuration["booster"] == "dart")
