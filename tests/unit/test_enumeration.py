"""Going through all configurations of a finite space."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest
from ConfigSpace import (
    Categorical,
    Configuration,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    ForbiddenGreaterThanRelation,
    InCondition,
    Integer,
    OrdinalHyperparameter,
)
from ConfigSpace.hyperparameters import (
    BetaFloatHyperparameter,
    Hyperparameter,
    NormalFloatHyperparameter,
)
from ConfigSpace.util import generate_grid
from fakes.histories import Job, finite_space, space_of

from automl.errors import SpaceExhaustedError
from automl.optimizers.enumeration import every_configuration
from automl.optimizers.random_search import propose_at_random
from automl.trial import Origin, Proposal


def choices() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Categorical("a", ["x", "y", "z"]),
        Categorical("b", [True, False]),
        OrdinalHyperparameter("c", ["low", "middle", "high"]),
        Constant("d", 5),
    )
    return space


def conditions() -> ConfigurationSpace:
    space = choices()
    child = Categorical("child", [1, 2, 3])
    grandchild = Integer("grandchild", (2, 5))
    other = Integer("other", (1, 4), log=True)
    space.add(child, grandchild, other)
    space.add(
        InCondition(child, space["a"], ["x", "z"]),
        EqualsCondition(grandchild, child, 2),
        EqualsCondition(other, space["c"], "high"),
    )
    return space


def clauses() -> ConfigurationSpace:
    space = conditions()
    space.add(
        ForbiddenAndConjunction(
            ForbiddenEqualsClause(space["a"], "x"), ForbiddenEqualsClause(space["child"], 3)
        ),
        ForbiddenGreaterThanRelation(space["grandchild"], space["other"]),
    )
    return space


SPACES = [choices, conditions, clauses]


def listed(space: ConfigurationSpace, seed: int = 0) -> list[Configuration]:
    found = every_configuration(space, np.random.default_rng(seed))
    return [Configuration(space, values) for values in found]  # raises where one is illegal


@pytest.mark.parametrize("make", SPACES)
def test_it_is_the_grid_of_config_space(make: Callable[[], ConfigurationSpace]) -> None:
    space = make()
    steps = {"grandchild": 4, "other": 4}
    # The second method: ConfigSpace's own grid; its steps of a logarithm are not all whole numbers.
    if "other" in space:
        by_hand = {tuple(c.items()) for c in space.sample_configuration(20_000)}
    else:
        by_hand = {tuple(c.items()) for c in generate_grid(space, steps)}
    found = [tuple(configuration.items()) for configuration in listed(space)]
    assert len(set(found)) == len(found)
    assert set(found) == by_hand


def test_their_number_is_the_product_of_the_sizes() -> None:
    assert len(listed(choices())) == 3 * 2 * 3 * 1
    # a=y has no child; a=x and a=z have one of three, the second of which has one of four more;
    # a third of these have one of four others.
    assert len(listed(conditions())) == (1 + 2 * (2 + 4)) * 2 * (2 + 4)


def test_the_generator_decides_the_order() -> None:
    first, again, other = (listed(clauses(), seed) for seed in (0, 0, 1))
    assert first == again != other
    assert {tuple(c.items()) for c in first} == {tuple(c.items()) for c in other}


def test_choices_that_are_never_drawn_are_left_out() -> None:
    space = ConfigurationSpace()
    space.add(Categorical("a", ["never", "often", "rarely"], weights=[0.0, 0.9, 0.1]))
    assert {configuration["a"] for configuration in listed(space)} == {"often", "rarely"}


def test_a_branch_that_is_forbidden_is_not_walked_through() -> None:
    space = ConfigurationSpace()
    space.add(Categorical("a", ["bad", "good"], default="good"))
    space.add(*(Categorical(f"h{i}", [0, 1, 2, 3]) for i in range(30)))
    space.add(ForbiddenEqualsClause(space["a"], "bad"))
    # The 4 ** 30 configurations of the bad branch would never end.
    found = list(islice(every_configuration(space, np.random.default_rng(0)), 100))
    assert {values["a"] for values in found} == {"good"}


@pytest.mark.parametrize(
    "rate",
    [
        Float("rate", (1e-3, 1.0), log=True),
        Float("rate", (-5.0, 7.0)),
        NormalFloatHyperparameter("rate", mu=0.5, sigma=2.0, lower=0.1, upper=0.9),
        BetaFloatHyperparameter("rate", alpha=2, beta=3, lower=0.0, upper=4.0),
    ],
    ids=["log", "uniform", "normal", "beta"],
)
def test_a_number_that_is_not_whole_has_new_values_each_time(
    rate: Hyperparameter[Any, Any],
) -> None:
    space = ConfigurationSpace()
    space.add(rate, Categorical("a", ["x", "y"]))
    found = listed(space)
    assert len({configuration["rate"] for configuration in found}) >= 100


@pytest.mark.parametrize("n_configurations", [700, 3_000])
def test_the_last_of_many_configurations_is_found_and_then_none(n_configurations: int) -> None:
    job = Job(finite_space(n_configurations))
    history = job.history()
    space = job.space.configuration_space
    for value in range(n_configurations):
        if value != 123:
            values = {"classifier": "cheap", "classifier:cheap:value": value}
            proposal = Proposal(configuration=Configuration(space, values), origin=Origin.RANDOM)
            history.open_trial(proposal)
    proposal = propose_at_random(history, np.random.default_rng(2))
    assert proposal.configuration["classifier:cheap:value"] == 123
    history.open_trial(proposal)
    with pytest.raises(SpaceExhaustedError, match=f"all {n_configurations} configurations"):
        propose_at_random(history, np.random.default_rng(2))


def test_what_is_hardly_ever_drawn_is_found() -> None:
    space = ConfigurationSpace()
    learner = Categorical("classifier", ["a", "b"], weights=[1.0, 1e-9])
    rate = Float("classifier:b:rate", (0.0, 1.0))
    space.add(learner, rate)
    space.add(EqualsCondition(rate, learner, "b"))
    history = Job(space_of(space, ["a", "b"])).history()
    history.open_trial(
        Proposal(configuration=Configuration(space, {"classifier": "a"}), origin=Origin.DEFAULT)
    )
    for seed in range(3):  # there are infinitely many of the second learner
        proposal = propose_at_random(history, np.random.default_rng(seed))
        assert proposal.configuration["classifier"] == "b"
        assert not history.was_proposed(proposal.configuration)
        history.open_trial(proposal)
