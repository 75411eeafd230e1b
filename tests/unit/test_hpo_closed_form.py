"""The functions with formulas: their minima are where they are said to be, and none is lower."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from ConfigSpace import Configuration
from scipy.optimize import minimize

from automl.benchmark.hpo.closed_form import ClosedForm, branin, conditional, hartmann6

PROBLEMS = {problem.name: problem for problem in (branin(), hartmann6(), conditional())}


@pytest.fixture(params=PROBLEMS)
def problem(request: pytest.FixtureRequest) -> ClosedForm:
    return PROBLEMS[request.param]


def random_configurations(problem: ClosedForm, n: int) -> list[Configuration]:
    space = copy.deepcopy(problem.space)
    space.seed(0)
    return space.sample_configuration(n)


def test_the_loss_at_every_minimiser_is_the_optimum(problem: ClosedForm) -> None:
    for values in problem.minimisers:
        loss = problem.evaluate(Configuration(problem.space, values=dict(values)))
        assert loss == pytest.approx(problem.optimum, abs=1e-12)


def test_no_configuration_is_better_than_the_optimum(problem: ClosedForm) -> None:
    losses = [problem.evaluate(c) for c in random_configurations(problem, 2000)]
    assert min(losses) >= problem.optimum - 1e-12
    assert max(losses) > problem.optimum + 0.1


@pytest.mark.parametrize("name", ["branin", "hartmann6"])
def test_descent_from_near_a_minimiser_ends_at_the_optimum(name: str) -> None:
    problem = PROBLEMS[name]
    for values in problem.minimisers:
        start = np.array(list(values.values())) + 0.01
        found = minimize(
            lambda x, names=tuple(values): problem.formula(dict(zip(names, x, strict=True))),
            start,
            tol=1e-10,
        )
        assert found.fun == pytest.approx(problem.optimum, abs=1e-9)


def test_values_that_others_published_come_out() -> None:
    assert PROBLEMS["branin"].formula({"x1": 0.0, "x2": 0.0}) == pytest.approx(55.602, abs=1e-3)
    centre = {f"x{i}": 0.5 for i in range(1, 7)}
    assert PROBLEMS["hartmann6"].formula(centre) == pytest.approx(-0.5053, abs=1e-4)


def test_each_kind_of_learner_reaches_its_own_floor() -> None:
    formula = PROBLEMS["conditional"].formula
    assert formula({"learner": "linear", "penalty": 1.0, "subsample": 0.7}) == 0.3
    tree = {"learner": "tree", "depth": 5, "subsample": 0.7}
    assert formula({**tree, "boosting": "no"}) == 0.2
    assert formula({**tree, "boosting": "yes", "rounds": 10}) == pytest.approx(0.2)


def test_hyperparameters_are_active_only_under_their_conditions() -> None:
    seen = {frozenset(c) for c in random_configurations(PROBLEMS["conditional"], 100)}
    tree = {"learner", "subsample", "depth", "boosting"}
    assert seen == {
        frozenset({"learner", "subsample", "penalty"}),
        frozenset(tree),
        frozenset(tree | {"rounds"}),
    }


def test_a_problem_survives_the_way_to_another_process(problem: ClosedForm) -> None:
    travelled = pickle.loads(pickle.dumps(problem))
    for configuration in random_configurations(problem, 5):
        assert travelled.evaluate(configuration) == problem.evaluate(configuration)
    assert math.isfinite(travelled.optimum)
