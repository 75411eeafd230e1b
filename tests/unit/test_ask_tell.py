"""Asking and telling: what is proposed, what is refused, and what two optimisers share."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
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
    Integer,
)
from fakes.surrogates import KnownLoss

from automl.acquisition.acquisition import ConfidenceBound
from automl.ask_tell import AskTell
from automl.errors import InputError, SpaceExhaustedError
from automl.optimizers import recipes
from automl.optimizers.acquisition_policy import Always
from automl.optimizers.scored_candidates import CandidateSettings
from automl.surrogates.random_forest import RandomForest
from automl.trial import Origin, Status

FEW = CandidateSettings(n_random=60, n_local=4, max_steps=2, n_generations=2)
OPTIMIZERS = ("densbo", "bo", "sawei", "random")


@pytest.fixture(autouse=True)
def _few_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: replace(recipe, candidates=FEW) for name, recipe in recipes.RECIPES.items()}
    monkeypatch.setattr(recipes, "RECIPES", few)


def plane() -> ConfigurationSpace:
    return ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0)})


def mixed() -> ConfigurationSpace:
    """Return a space with conditions two levels deep and a forbidden clause."""
    learner = Categorical("learner", ["linear", "tree"])
    penalty = Float("penalty", (1e-3, 1e3), log=True)
    depth = Integer("depth", (1, 9))
    boosting = Categorical("boosting", ["no", "yes"])
    rounds = Integer("rounds", (1, 500), log=True)
    subset = Categorical("subset", ["all", "half"])
    space = ConfigurationSpace()
    space.add(learner, penalty, depth, boosting, rounds, subset)
    space.add(
        EqualsCondition(penalty, learner, "linear"),
        EqualsCondition(depth, learner, "tree"),
        EqualsCondition(boosting, learner, "tree"),
        EqualsCondition(rounds, boosting, "yes"),
    )
    space.add(
        ForbiddenAndConjunction(
            ForbiddenEqualsClause(learner, "tree"), ForbiddenEqualsClause(subset, "half")
        )
    )
    return space


def letters(n: int = 6) -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Categorical("letter", list("abcdefgh"[:n])))
    return space


def bowl(configuration: Mapping[str, Any]) -> float:
    return float((configuration["x"] - 0.3) ** 2 + (configuration["y"] - 0.6) ** 2)


def mixed_loss(configuration: Mapping[str, Any]) -> float:
    if configuration["learner"] == "linear":
        return 0.5 + 0.1 * abs(math.log10(configuration["penalty"]))
    return 0.3 + 0.05 * abs(configuration["depth"] - 4)


def run(optimizer: AskTell, n: int, objective: Any = bowl) -> list[Configuration]:
    """Ask for one configuration and tell its loss, n times."""
    asked = []
    for _ in range(n):
        (configuration,) = optimizer.ask()
        optimizer.tell(configuration, objective(configuration))
        asked.append(configuration)
    return asked


def content(optimizer: AskTell) -> tuple[Any, ...]:
    history = optimizer.history
    return history.trials, history.outcomes


# Asking


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_default_is_asked_first_and_nothing_twice(optimizer: str) -> None:
    space = plane()
    asked = run(AskTell(space, optimizer, n_initial=3), 8)
    assert asked[0] == space.get_default_configuration()
    assert len({tuple(configuration.items()) for configuration in asked}) == 8


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_configurations_asked_for_together_all_differ(optimizer: str) -> None:
    asked = AskTell(plane(), optimizer, n_initial=2)
    for configuration in asked.ask(3):
        asked.tell(configuration, bowl(configuration))
    batch = asked.ask(5)
    assert len({tuple(configuration.items()) for configuration in batch}) == 5
    assert len(asked.history.pending) == 5


def test_a_batch_of_a_front_comes_from_one_fit() -> None:
    surrogate = KnownLoss()
    optimizer = AskTell(plane(), surrogate=surrogate, acquisition="mace", n_initial=2)
    run(optimizer, 2)
    optimizer.ask(4)
    assert [len(X) for X, _ in surrogate.fitted_on] == [2]


def test_one_acquisition_function_reckons_with_what_is_pending_by_the_median() -> None:
    surrogate = KnownLoss()
    optimizer = AskTell(plane(), surrogate=surrogate, acquisition="ei", n_initial=3)
    run(optimizer, 3)
    optimizer.ask(3)
    losses = optimizer.history.success_losses()
    assert [len(X) for X, _ in surrogate.fitted_on] == [3, 4, 5]
    X, y = surrogate.fitted_on[-1]
    encode = optimizer.history.problem.encoder.encode
    assert np.array_equal(X, encode([t.configuration for t in optimizer.history.trials[:5]]))
    assert np.array_equal(y[:3], losses)
    assert np.array_equal(y[3:], [np.median(losses)] * 2)


def test_what_is_worth_asking_for_is_what_the_model_says() -> None:
    optimizer = AskTell(
        plane(), surrogate=KnownLoss(), acquisition=Always(ConfidenceBound(0.0)), n_initial=1
    )
    run(optimizer, 4)
    optimizer.ask()
    encode = optimizer.history.problem.encoder.encode
    means = [KnownLoss().predict(encode([t.configuration]))[0][0] for t in optimizer.history.trials]
    assert max(means[1:]) < means[0]  # the default lies in the middle of a slope


@pytest.mark.parametrize("n", [0, -1, True, 1.0, "2", None])
def test_a_number_that_is_none_is_refused(n: Any) -> None:
    with pytest.raises(InputError, match="n must be a whole number of at least 1"):
        AskTell(plane(), "random").ask(n)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_an_exhausted_space_gives_what_is_left_and_then_says_so(optimizer: str) -> None:
    asking = AskTell(letters(6), optimizer, n_initial=2)
    first = asking.ask(4)
    for configuration in first[:3]:
        asking.tell(configuration, float(ord(configuration["letter"])))
    rest = asking.ask(5)
    assert sorted(c["letter"] for c in first + rest) == list("abcdef")
    with pytest.raises(SpaceExhaustedError, match="all 6 configurations"):
        asking.ask()
    for configuration in rest:  # telling goes on
        asking.tell(configuration, 1.0)
    assert asking.best.loss == 1.0


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_space_of_constants_has_one_configuration(optimizer: str) -> None:
    space = ConfigurationSpace()
    space.add(Constant("k", 3))
    asking = AskTell(space, optimizer, n_initial=1)
    run(asking, 1, lambda _: 1.0)
    with pytest.raises(SpaceExhaustedError):
        asking.ask()


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_conditions_and_clauses_hold_for_every_configuration(optimizer: str) -> None:
    space = mixed()
    asking = AskTell(space, optimizer, seed=3, n_initial=4)
    for number in range(60 if optimizer in ("bo", "random") else 20):
        (configuration,) = asking.ask()
        configuration.check_valid_configuration()
        legal = Configuration(space, values=dict(configuration))  # in the user's own space
        assert (legal["learner"], legal["subset"]) != ("tree", "half")
        assert ("rounds" in legal) == (legal.get("boosting") == "yes")
        if number % 7 == 3:
            asking.tell(configuration, failure="no luck")
        elif number % 7 != 5:
            asking.tell(configuration, mixed_loss(configuration))


# Telling


def test_what_was_asked_for_can_be_told_as_a_configuration_or_as_values() -> None:
    optimizer = AskTell(mixed(), "random", seed=1)
    first, second, third = optimizer.ask(3)
    optimizer.tell(first, 1.0)
    optimizer.tell(dict(second), np.float32(2.0))
    foreign = Configuration(mixed(), values=dict(third))  # of an equal space
    optimizer.tell(foreign, Fraction(7, 2))
    assert [outcome.loss for outcome in optimizer.history.outcomes] == [1.0, 2.0, 3.5]
    assert [outcome.number for outcome in optimizer.history.outcomes] == [0, 1, 2]
    assert all(type(outcome.loss) is float for outcome in optimizer.history.outcomes)
    assert optimizer.history.pending == ()


def test_what_was_asked_for_can_be_told_in_any_order() -> None:
    optimizer = AskTell(plane(), "random")
    asked = optimizer.ask(4)
    for number in (2, 0, 3, 1):
        optimizer.tell(asked[number], float(number))
    assert [outcome.number for outcome in optimizer.history.outcomes] == [2, 0, 3, 1]
    assert all(outcome.loss == outcome.number for outcome in optimizer.history.outcomes)


def test_what_was_never_asked_for_is_a_trial_of_its_own() -> None:
    optimizer = AskTell(plane(), "random")
    optimizer.tell({"x": 0.3, "y": 0.6}, 0.0)
    (trial,) = optimizer.history.trials
    assert trial.proposal.origin is Origin.GIVEN
    assert optimizer.best.configuration == Configuration(plane(), values={"x": 0.3, "y": 0.6})
    assert optimizer.history.pending == ()


def test_what_was_told_is_not_asked_for_again() -> None:
    optimizer = AskTell(letters(3), "bo", n_initial=1)
    optimizer.tell({"letter": "b"}, 0.0)
    assert sorted(c["letter"] for c in optimizer.ask(3)) == ["a", "c"]


def test_a_second_loss_of_a_configuration_is_another_observation() -> None:
    optimizer = AskTell(plane(), "random")
    (configuration,) = optimizer.ask()
    optimizer.tell(configuration, 2.0)
    optimizer.tell(configuration, 1.0)
    assert [outcome.loss for outcome in optimizer.history.outcomes] == [2.0, 1.0]
    assert [t.proposal.origin for t in optimizer.history.trials] == [Origin.DEFAULT, Origin.GIVEN]
    assert optimizer.best.loss == 1.0


@pytest.mark.parametrize(
    ("loss", "failure", "said"),
    [
        (math.nan, None, "loss must be finite, found nan"),
        (math.inf, None, "loss must be finite, found inf"),
        (-math.inf, None, "loss must be finite, found -inf"),
        pytest.param(10**400, None, "loss must be finite, found inf", id="a huge whole number"),
        (np.float64("nan"), None, "loss must be finite"),
        (None, None, "either a loss or a failure"),
        (1.0, "it crashed", "either a loss or a failure"),
        ("0.3", None, "loss must be a number, found '0.3'"),
        (True, None, "loss must be a number, found True"),
        (np.array([0.3]), None, "loss must be a number"),
        (1j, None, "loss must be a number"),
    ],
)
@pytest.mark.parametrize("asked", [True, False])
def test_a_loss_that_is_none_is_refused_and_nothing_recorded(
    loss: Any, failure: str | None, said: str, asked: bool
) -> None:
    optimizer = AskTell(plane(), "random")
    (pending,) = optimizer.ask()
    configuration = pending if asked else {"x": 0.1, "y": 0.2}
    before = content(optimizer)
    with pytest.raises(InputError, match=said):
        optimizer.tell(configuration, loss, failure=failure)
    assert content(optimizer) == before
    optimizer.tell(pending, 0.5)  # it is still waited for
    assert optimizer.history.n_started == optimizer.history.n_finished == 1


@pytest.mark.parametrize(
    "configuration",
    [
        {"x": 2.0, "y": 0.5},
        {"x": 0.5},
        {"x": 0.5, "y": 0.5, "z": 0.5},
        {"x": "0.5", "y": 0.5},
        {"x": math.nan, "y": 0.5},
        {"x": [0.5], "y": 0.5},
        {1: 2},
        {},
        "abc",
        None,
        3,
        letters().get_default_configuration(),
    ],
)
def test_what_is_none_of_the_space_is_refused_and_nothing_recorded(configuration: Any) -> None:
    optimizer = AskTell(plane(), "random")
    with pytest.raises(InputError, match="is none of this space"):
        optimizer.tell(configuration, 0.5)
    assert content(optimizer) == ((), ())


@pytest.mark.parametrize(
    "values",
    [
        {"learner": "tree", "subset": "half", "depth": 3, "boosting": "no"},  # forbidden
        {"learner": "linear", "subset": "all", "penalty": 1.0, "depth": 3},  # inactive
    ],
)
def test_conditions_and_clauses_hold_for_what_is_told(values: Mapping[str, Any]) -> None:
    with pytest.raises(InputError, match="is none of this space"):
        AskTell(mixed(), "random").tell(values, 0.5)


# Failures and odd losses


def test_a_failure_is_recorded_with_its_reason() -> None:
    optimizer = AskTell(plane(), "random")
    (configuration,) = optimizer.ask()
    optimizer.tell(configuration, failure="the disk was full")
    (outcome,) = optimizer.history.outcomes
    assert (outcome.status, outcome.loss) == (Status.CRASHED, math.inf)
    assert outcome.reason == "the disk was full"


@pytest.mark.parametrize("optimizer", ["densbo", "bo", "sawei"])
def test_the_neighbourhood_of_failures_is_avoided(optimizer: str) -> None:
    asking = AskTell(ConfigurationSpace({"x": (0.0, 1.0)}), optimizer, n_initial=1)
    for x in np.linspace(0.02, 0.98, 13):
        failed = x > 0.5
        asking.tell({"x": x}, None if failed else 1.0 - x, failure="too far" if failed else None)
    asked = [asking.ask()[0]["x"] for _ in range(4)]  # the default comes first
    assert np.mean(np.array(asked[1:]) > 0.65) == 0.0


@pytest.mark.parametrize(
    "losses", [[0.0] * 6, [3.0], [], [1e-310, 0.0, -1e-310, 1e100, -1e100], [-5.0, -4.0, 0.0]]
)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_odd_losses_do_not_stop_it(optimizer: str, losses: list[float]) -> None:
    asking = AskTell(mixed(), optimizer, n_initial=1)
    for loss in losses:
        (configuration,) = asking.ask()
        asking.tell(configuration, loss)
    for _ in range(3):
        (configuration,) = asking.ask()
        asking.tell(configuration, failure="no")
    asking.ask(2)
    assert asking.history.n_started == len(losses) + 5


# The best


def test_the_best_is_the_earliest_of_the_lowest_losses() -> None:
    optimizer = AskTell(plane(), "random")
    asked = optimizer.ask(4)
    for number, loss in ((3, 1.0), (1, 1.0), (0, 2.0)):
        optimizer.tell(asked[number], loss)
    optimizer.tell(asked[2], failure="no")
    configuration, loss = optimizer.best
    assert (configuration, loss) == (asked[1], 1.0)


def test_without_a_loss_there_is_no_best() -> None:
    optimizer = AskTell(plane(), "random")
    with pytest.raises(InputError, match="no loss was told yet"):
        _ = optimizer.best
    optimizer.tell(optimizer.ask()[0], failure="no")
    with pytest.raises(InputError, match="no loss was told yet"):
        _ = optimizer.best


# Independence


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_space_of_the_user_is_neither_seeded_nor_changed(optimizer: str) -> None:
    space, twin = mixed(), mixed()
    space.seed(11)
    twin.seed(11)
    before = space.to_serialized_dict()
    asking = AskTell(space, optimizer, n_initial=2)
    run(asking, 4, mixed_loss)
    assert space.to_serialized_dict() == before
    assert space.sample_configuration(3) == twin.sample_configuration(3)
    assert asking.space is not space


def test_later_changes_of_the_users_space_do_not_matter() -> None:
    space = plane()
    optimizer = AskTell(space, "random")
    space.add(Float("z", (0.0, 1.0)))
    assert set(optimizer.ask()[0]) == {"x", "y"}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_two_optimisers_share_nothing(optimizer: str) -> None:
    space = plane()
    alone = [run(AskTell(space, optimizer, seed, n_initial=2), 6) for seed in (1, 2)]
    pair = [AskTell(space, optimizer, seed, n_initial=2) for seed in (1, 2)]
    together: list[list[Configuration]] = [[], []]
    for _ in range(6):
        for asking, asked in zip(pair, together, strict=True):
            asked += run(asking, 1)
    assert together == alone
    assert alone[0][1:] != alone[1][1:]


@pytest.mark.parametrize("optimizer", ["densbo", "sawei"])
def test_a_copy_goes_on_alike_and_on_its_own(optimizer: str) -> None:
    first = AskTell(plane(), optimizer, n_initial=2)
    run(first, 4)
    second = copy.deepcopy(first)
    assert run(first, 2) == run(second, 2)
    run(first, 1)
    assert second.history.n_started == 6


# Surrogates and acquisition functions


@pytest.mark.parametrize("surrogate", [None, "extra_trees", RandomForest(n_trees=3)])
@pytest.mark.parametrize("acquisition", [None, "pi", "lcb", Always()])
def test_every_surrogate_goes_with_every_acquisition_function(
    surrogate: Any, acquisition: Any
) -> None:
    asking = AskTell(mixed(), "bo", n_initial=2, surrogate=surrogate, acquisition=acquisition)
    run(asking, 4, mixed_loss)
    assert "acquisition" in asking.history.trials[-1].proposal.beliefs
