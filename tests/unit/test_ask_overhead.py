"""What one ask costs can be measured, here and in another interpreter; figures are not asserted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ConfigSpace import (
    CategoricalHyperparameter,
    OrdinalHyperparameter,
    UniformFloatHyperparameter,
    UniformIntegerHyperparameter,
)

from automl.benchmark import ask_others
from automl.benchmark.ask_others import PACKAGES, is_active, loss_of, median_ask
from automl.benchmark.ask_overhead import (
    RECIPES,
    AskFigure,
    ask_seconds,
    conditional_space,
    measure_asks,
    measure_others,
)
from automl.errors import InputError
from automl.optimizers.named import SURROGATES


def test_the_space_has_forty_hyperparameters_of_every_kind() -> None:
    space = conditional_space()
    kinds = {type(hyperparameter) for hyperparameter in space.values()}
    assert len(space) == 40
    assert kinds == {
        CategoricalHyperparameter,
        OrdinalHyperparameter,
        UniformFloatHyperparameter,
        UniformIntegerHyperparameter,
    }
    assert len(space.conditional_hyperparameters) == 28
    assert len(space.forbidden_clauses) == 1
    for configuration in space.sample_configuration(50):
        configuration.check_valid_configuration()


def test_the_loss_lies_between_the_ends_and_activity_follows_the_conditions() -> None:
    space = conditional_space()
    written = json.loads(json.dumps(space.to_serialized_dict()))
    for configuration in space.sample_configuration(50):
        values = dict(configuration)
        assert 0.0 <= loss_of(written, values) <= 0.49
        for name in space:
            assert is_active(written, name, values) == (name in values)


def test_the_loss_is_the_mean_squared_distance_from_the_valley() -> None:
    number = {"type": "uniform_float", "name": "x", "lower": 1e-4, "upper": 1.0, "log": True}
    choice = {"type": "categorical", "name": "c", "choices": ["a", "b", "c"]}
    written = {"hyperparameters": [number, choice], "conditions": []}
    # Places 0.5 and 1, the valley at 0.3.
    assert loss_of(written, {"x": 1e-2, "c": "c"}) == pytest.approx((0.2**2 + 0.7**2) / 2)
    assert loss_of(written, {"x": 1e-2}) == pytest.approx(0.2**2)


def test_calls_before_are_told_but_do_not_count() -> None:
    told: list[int] = []

    def ask() -> Callable[[], None]:
        number = len(told)
        return lambda: told.append(number)

    assert median_ask(ask, 2, n_before=3) >= 0.0
    assert told == [0, 1, 2, 3, 4]


def test_every_recipe_and_surrogate_has_a_row_and_four_have_targets() -> None:
    figures = list(measure_asks(counts=(10,), n_repeats=1))
    assert len(figures) == len(RECIPES) + len(SURROGATES)
    for name, figure in zip((*RECIPES, *SURROGATES), figures, strict=True):
        assert repr(name) in figure.what
        assert figure.seconds is not None
        assert figure.seconds > 0.0
        assert figure.row().count("|") == 5


def test_targets_are_compared() -> None:
    assert AskFigure(what="w", seconds=0.2, target=0.3).row() == "| w | 0.2 s | 0.3 s | ok |"
    assert AskFigure(what="w", seconds=0.4, target=0.3).row() == "| w | 0.4 s | 0.3 s | ABOVE |"
    assert AskFigure(what="w", seconds=0.4).row() == "| w | 0.4 s |  |  |"
    assert AskFigure(what="w", seconds=None, remark="why").row() == "| w | - |  | why |"


def interpreter(folder: Path, script: str) -> str:
    """Return a program that runs a script instead of the one that it is given."""
    program = folder / "python"
    program.write_text(f"#!{sys.executable}\n{script}")
    program.chmod(0o755)
    return str(program)


def test_another_interpreter_reads_space_and_observations_and_its_figures_are_rows(
    tmp_path: Path,
) -> None:
    script = """
import json, sys
task = json.load(sys.stdin)
assert len(task["space"]["hyperparameters"]) == 40 and task["n_repeats"] == 2
print("noise before")
print(json.dumps({"version": "1.2", "seconds": len(task["observations"]) + task["n_asked"]}))
"""
    figures = list(measure_others(interpreter(tmp_path, script), counts=(10, 20), n_repeats=2))
    assert [figure.seconds for figure in figures] == [10, 20] * len(PACKAGES)
    assert figures[0].what == "one ask, optuna, after 10 observations"
    assert figures[0].remark == "version 1.2"


def test_a_failure_there_is_one_line_of_its_row(tmp_path: Path) -> None:
    script = "import sys\nsys.exit('first\\nRuntimeError: last')"
    for figure in measure_others(interpreter(tmp_path, script), counts=(10,)):
        assert figure.seconds is None
        assert figure.remark == "failed: RuntimeError: last"


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ask_others, "PACKAGES", {"no_such_package": lambda _: 0.0})
    (figure,) = measure_others(sys.executable, counts=(10,))
    assert figure.row() == (
        "| one ask, no_such_package, after 10 observations | - |  | "
        "no_such_package is not installed there |"
    )


def test_an_interpreter_that_is_none_is_named() -> None:
    with pytest.raises(InputError, match="'/no/such/python' cannot be run"):
        list(measure_others("/no/such/python", counts=(10,)))


@pytest.mark.parametrize("surrogate", [None, "random_forest"])
def test_an_ask_takes_time(surrogate: str | None) -> None:
    assert ask_seconds(surrogate, None, 10, 1, optimizer="bo") > 0.0
