"""Tables that are looked up, BBOB functions, and the catalogue of all problems."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ConfigSpace import Configuration
from ConfigSpace.hyperparameters import CategoricalHyperparameter, OrdinalHyperparameter
from fakes.yahpo_folder import write_scenario

from automl.benchmark.hpo.bbob import BBOBProblem, bbob_problems
from automl.benchmark.hpo.catalogue import Catalogue
from automl.benchmark.hpo.problem import TimedProblem
from automl.benchmark.hpo.tables import TableProblem, table_problems
from automl.errors import InputError

WIDTHS, RATES, ACTIVATIONS = [16, 101, 1024], [1e-05, 0.1], ["tanh", "relu"]


def rows(measure: str) -> pd.DataFrame:
    """Return a grid in a random order, two repetitions each."""
    cells = list(itertools.product(WIDTHS, RATES, ACTIVATIONS))
    table = pd.DataFrame(cells, columns=["hp:width", "hp:rate", "hp:activation"])
    table["hp:activation"] = table["hp:activation"].astype("category")
    n = np.arange(len(table))
    for seed, shift in enumerate((-0.01, 0.01)):
        table[f"{measure}_seed{seed}"] = (0.5 + n / 100 + shift).astype(np.float32)
        table[f"train_time_seed{seed}"] = (n + 100 * shift).astype(np.float32)
    return table.sample(frac=1.0, random_state=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows("val_acc").to_parquet(tmp_path / "hpobench__car.parquet")
    rows("val_loss").to_parquet(tmp_path / "hpolib__protein.parquet")
    return tmp_path


@pytest.fixture
def problems(folder: Path) -> list[TableProblem]:
    return table_problems(folder)


def test_numbers_are_ordinal_and_names_are_categories(problems: list[TableProblem]) -> None:
    space = problems[0].space
    assert isinstance(space["width"], OrdinalHyperparameter)
    assert list(space["width"].sequence) == WIDTHS
    assert list(space["rate"].sequence) == RATES
    assert isinstance(space["activation"], CategoricalHyperparameter)


def test_every_configuration_gives_the_mean_of_its_row(problems: list[TableProblem]) -> None:
    accuracy, loss = problems
    for n, cell in enumerate(itertools.product(WIDTHS, RATES, ACTIVATIONS)):
        values = dict(zip(["width", "rate", "activation"], cell, strict=True))
        configuration = Configuration(accuracy.space, values=values)
        assert accuracy.evaluate(configuration) == pytest.approx(0.5 - n / 100, abs=1e-6)
        assert loss.evaluate(configuration) == pytest.approx(0.5 + n / 100, abs=1e-6)
        assert loss.seconds(configuration) == pytest.approx(n, abs=1e-5)


def test_the_optimum_is_the_smallest_loss_of_the_table(problems: list[TableProblem]) -> None:
    assert [p.name for p in problems] == ["hpobench/car", "hpolib/protein"]
    assert [p.optimum for p in problems] == pytest.approx([0.39, 0.5], abs=1e-6)


def test_sampled_configurations_can_be_evaluated_after_travelling(
    problems: list[TableProblem],
) -> None:
    space = problems[0].space
    space.seed(1)
    travelled = pickle.loads(pickle.dumps(problems[0]))
    for configuration in space.sample_configuration(20):
        assert travelled.evaluate(configuration) == problems[0].evaluate(configuration)


@pytest.mark.parametrize("change", ["row missing", "row twice"])
def test_a_table_that_is_no_complete_grid_is_refused(folder: Path, change: str) -> None:
    table = rows("val_acc")
    if change == "row twice":
        table.iloc[3] = table.iloc[4]
    table.iloc[int(change == "row missing") :].to_parquet(folder / "hpobench__car.parquet")
    with pytest.raises(InputError, match=r"car\.parquet does not hold every configuration"):
        _ = table_problems(folder)[0].optimum


def test_a_folder_without_tables_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no table"):
        table_problems(tmp_path)


def test_there_are_twenty_four_functions_of_each_instance() -> None:
    problems = bbob_problems(8, [1, 2, 3])
    assert len({p.name for p in problems}) == 72
    assert problems[0].name == "bbob/f01_d8_i1"
    assert len(problems[0].space) == 8


def test_bbob_functions_are_smallest_at_their_minimisers() -> None:
    pytest.importorskip("ioh")
    for problem in bbob_problems(3, [1]):
        best = problem.evaluate(Configuration(problem.space, values=problem.minimiser))
        assert best == pytest.approx(problem.optimum, abs=1e-6)
        problem.space.seed(0)
        losses = [problem.evaluate(c) for c in problem.space.sample_configuration(50)]
        assert min(losses) > problem.optimum


def test_the_first_function_is_a_sphere_around_its_minimiser() -> None:
    pytest.importorskip("ioh")
    sphere = pickle.loads(pickle.dumps(BBOBProblem(function=1, dimension=4, instance=2)))
    zero = Configuration(sphere.space, values={f"x{i}": 0.0 for i in range(1, 5)})
    distance = sum(x**2 for x in sphere.minimiser.values())
    assert sphere.evaluate(zero) == pytest.approx(sphere.optimum + distance)


def test_the_catalogue_chooses_by_pattern_in_its_own_order(folder: Path) -> None:
    catalogue = Catalogue(tables=folder, bbob_dimension=2, bbob_instances=(1,))
    chosen = catalogue.choose(["hpobench/*", "branin", "bbob/f0[12]*"])
    assert [p.name for p in chosen] == [
        *("branin", "bbob/f01_d2_i1", "bbob/f02_d2_i1"),
        "hpobench/car",
    ]
    assert len({p.name for p in catalogue.problems()}) == 3 + 24 + 2


def test_the_catalogue_refuses_a_name_that_it_does_not_have(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"No problem is called 'lcbench/\*'"):
        Catalogue().choose(["branin", "lcbench/*"])
    write_scenario(tmp_path)
    with pytest.raises(InputError, match="yahpo_data"):
        Catalogue(yahpo_data=tmp_path).problems()


def test_only_what_trains_models_knows_seconds(problems: list[TableProblem]) -> None:
    assert isinstance(problems[0], TimedProblem)
    assert not isinstance(BBOBProblem(function=1, dimension=2, instance=1), TimedProblem)
