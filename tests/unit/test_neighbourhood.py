"""Neighbours of configurations, made together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from ConfigSpace import (
    AndConjunction,
    Categorical,
    Configuration,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    ForbiddenInClause,
    ForbiddenLessThanRelation,
    GreaterThanCondition,
    InCondition,
    Integer,
    LessThanCondition,
    NotEqualsCondition,
    OrConjunction,
    OrdinalHyperparameter,
)
from ConfigSpace.hyperparameters import (
    BetaFloatHyperparameter,
    BetaIntegerHyperparameter,
    CategoricalHyperparameter,
    NormalFloatHyperparameter,
    NormalIntegerHyperparameter,
)
from ConfigSpace.util import get_one_exchange_neighbourhood
from fakes.histories import mixed_space
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from automl.benchmark.ask_overhead import conditional_space
from automl.optimizers.neighbourhood import Neighbourhood

ALL = 10_000


def every_kind() -> ConfigurationSpace:
    """Return a space with every kind of hyperparameter, condition and clause."""
    space = ConfigurationSpace()
    kind = Categorical("kind", ["a", "b", "c"])
    level = OrdinalHyperparameter("level", ["low", "middle", "high", "top"])
    count, few = Integer("count", (1, 50)), Integer("few", (1, 3), log=True, default=1)
    low, high = Float("low", (0.0, 1.0)), Float("high", (0.0, 1.0))
    space.add(kind, level, count, few, low, high, Constant("fixed", 7))
    space.add(Integer("huge", (1, 10**7), log=True), Integer("pair", (0, 1)))
    space.add(
        NormalFloatHyperparameter("bell", 0.0, 1.0, lower=-2.0, upper=2.0),
        BetaFloatHyperparameter("hill", 2, 3, 0.0, 1.0),
    )
    space.add(
        NormalIntegerHyperparameter("steps", 5, 2.0, lower=0, upper=10),
        BetaIntegerHyperparameter("n_hills", 2, 3, 0, 9),
    )
    inner = Categorical("inner", ["x", "y"])
    names = ("in", "less", "more", "both", "either", "unlike", "deep")
    numbers = {name: Float(f"of_{name}", (1e-3, 1.0), log=True) for name in names}
    space.add(inner, *numbers.values())
    space.add(
        EqualsCondition(inner, kind, "a"),
        EqualsCondition(numbers["deep"], inner, "y"),
        InCondition(numbers["in"], kind, ["a", "b"]),
        LessThanCondition(numbers["less"], count, 20),
        GreaterThanCondition(numbers["more"], level, "low"),
        NotEqualsCondition(numbers["unlike"], kind, "c"),
        AndConjunction(
            EqualsCondition(numbers["both"], kind, "b"),
            LessThanCondition(numbers["both"], level, "top"),
        ),
        OrConjunction(
            EqualsCondition(numbers["either"], inner, "x"),
            GreaterThanCondition(numbers["either"], count, 40),
        ),
    )
    space.add(
        ForbiddenAndConjunction(
            ForbiddenEqualsClause(kind, "c"), ForbiddenInClause(level, ["high", "top"])
        ),
        ForbiddenLessThanRelation(high, low),
        ForbiddenEqualsClause(few, 2),
    )
    return space


SPACES = {
    "every kind": every_kind(),
    "mixed": mixed_space().configuration_space,
    "forty": conditional_space(),
}


def draw(space: ConfigurationSpace, n: int, seed: int) -> list[Configuration]:
    space.seed(seed)
    return [space.sample_configuration() for _ in range(n)]


def neighbours_of(
    space: ConfigurationSpace, starts: list[Configuration], seed: int, n_neighbours: int
) -> list[list[Configuration]]:
    """Return the neighbours of each start."""
    rng = np.random.default_rng(seed)
    found = Neighbourhood(space).draw(starts, rng, n_neighbours)
    assert np.all(np.diff(found.owners) >= 0)
    blocks: list[list[Configuration]] = [[] for _ in starts]
    for owner, neighbour in zip(found.owners, found.configurations, strict=True):
        blocks[owner].append(neighbour)
    return blocks


def exchanged(start: Configuration, neighbour: Configuration) -> list[str]:
    """Return which hyperparameters are active in both and have different values."""
    return [name for name in start if name in neighbour and start[name] != neighbour[name]]


@pytest.mark.parametrize("name", SPACES)
@given(seed=st.integers(0, 2**31 - 1), n_neighbours=st.sampled_from([1, 3, 8, ALL]))
@settings(max_examples=30, deadline=None)
def test_neighbours_are_legal_differ_in_one_exchange_and_are_different(
    name: str, seed: int, n_neighbours: int
) -> None:
    space = SPACES[name]
    starts = draw(space, 4, seed)
    found = neighbours_of(space, starts, seed, n_neighbours)
    assert len(found) == len(starts)
    for start, neighbours in zip(starts, found, strict=True):
        assert 0 < len(neighbours) <= n_neighbours
        assert len({n.get_array().tobytes() for n in neighbours}) == len(neighbours)
        for neighbour in neighbours:
            neighbour.check_valid_configuration()
            # What is read back is the same: values of whole numbers and choices are exact.
            assert Configuration(space, values=dict(neighbour)) == neighbour
            assert len(exchanged(start, neighbour)) == 1


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("seed", range(3))
def test_what_becomes_active_has_its_default_and_the_rest_stays(name: str, seed: int) -> None:
    space = SPACES[name]
    for start in draw(space, 3, seed):
        (neighbours,) = neighbours_of(space, [start], seed, ALL)
        for neighbour in neighbours:
            for new in set(neighbour) - set(start):
                assert neighbour[new] == space[new].default_value


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("seed", range(5))
def test_exchanges_of_choices_and_ranks_are_all_those_that_configspace_knows(
    name: str, seed: int
) -> None:
    space = SPACES[name]
    finite = {
        name
        for name, hyperparameter in space.items()
        if name in ("few", "pair")
        or isinstance(hyperparameter, OrdinalHyperparameter | CategoricalHyperparameter)
    }

    def of_finite(start: Configuration, neighbours: list[Configuration]) -> set[bytes]:
        return {n.get_array().tobytes() for n in neighbours if exchanged(start, n)[0] in finite}

    start = draw(space, 1, seed)[0]
    start = Configuration(space, values=dict(start))  # exact, so that vectors can be compared
    (found,) = neighbours_of(space, [start], seed, ALL)
    known = list(get_one_exchange_neighbourhood(start, seed=seed))
    assert of_finite(start, found) == of_finite(start, known)
    assert of_finite(start, found)
    # Four of each number, where clauses do not forbid some of them.
    counts = Counter(exchanged(start, n)[0] for n in found)
    for hyperparameter in set(start) - finite - {"fixed", "low", "high"}:
        assert counts[hyperparameter] == 4


def test_draws_of_numbers_follow_three_normal_distributions_cut_off_at_the_bounds() -> None:
    space = ConfigurationSpace({"x": (0.0, 10.0), "n": (0, 1_000)})
    start = Configuration(space, values={"x": 5.0, "n": 500})
    neighbours = [n for block in neighbours_of(space, [start] * 2_000, 0, 8) for n in block]
    # The standard normal between -2.5 and 2.5 has standard deviation 0.9546.
    expected = (((0.2 * 0.9546) ** 2 + 0.05**2 + 0.0125**2) / 3) ** 0.5
    for name, width in (("x", 10.0), ("n", 1_000.0)):
        moves = np.array([n[name] for n in neighbours if n[name] != start[name]]) / width - 0.5
        assert len(moves) == 8_000
        assert abs(moves.mean()) < 5 * expected / 8_000**0.5
        assert moves.std() == pytest.approx(expected, rel=0.05)
        # Within three of the smallest deviations: all of its draws, and some of the others.
        shares = [0.997, 2 * norm.cdf(0.75) - 1, (2 * norm.cdf(0.1875) - 1) / 0.9876]
        assert np.mean(abs(moves) < 0.0375) == pytest.approx(np.mean(shares), abs=0.025)


def test_whole_numbers_take_no_steps_shorter_than_one() -> None:
    space = ConfigurationSpace({"n": (1, 12)})
    start = Configuration(space, values={"n": 6})
    drawn = [n["n"] for (n,) in neighbours_of(space, [start] * 4_000, 0, 1)]
    # A normal distribution with 0.2 of the range has a third of what is not rounded to 6 there;
    # with shorter steps too it would be nearly all.
    assert np.mean([abs(n - 6) == 1 for n in drawn]) < 0.5
    assert {3, 4, 5, 7, 8, 9} < set(drawn)


def test_a_number_at_its_bound_has_neighbours_inside() -> None:
    space = ConfigurationSpace({"x": (1.0, 2.0), "n": (1, 9)})
    start = Configuration(space, values={"x": 2.0, "n": 1})
    (found,) = neighbours_of(space, [start], 0, ALL)
    assert len(found) == 8
    for neighbour in found:
        assert 1.0 <= neighbour["x"] <= 2.0
        assert 1 <= neighbour["n"] <= 9


def test_hyperparameters_are_exchanged_equally_often() -> None:
    space = SPACES["forty"]
    # Nothing is forbidden next to this one.
    start = Configuration(space, values={**space.get_default_configuration(), "scaler": "unit"})
    drawn = neighbours_of(space, [start] * 4_000, 3, 1)
    counts = Counter(exchanged(start, n)[0] for (n,) in drawn)
    assert set(counts) == set(start)
    expected = 4_000 / len(set(start))
    # Five standard deviations of a Poisson count.
    assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())


def test_forbidden_exchanges_are_replaced_by_others() -> None:
    space = ConfigurationSpace()
    kind, other = Categorical("kind", list("abcdefgh")), Categorical("other", ["x", "y"])
    space.add(kind, other)
    space.add(ForbiddenInClause(kind, list("bcdefg")))
    start = Configuration(space, values={"kind": "a", "other": "x"})
    for seed in range(20):
        (found,) = neighbours_of(space, [start], seed, 2)
        assert {tuple(n.values()) for n in found} == {("h", "x"), ("a", "y")}


def test_there_are_no_neighbours_where_there_is_one_value_or_none_is_wanted() -> None:
    space = ConfigurationSpace()
    space.add(Constant("c", 1), Categorical("kind", ["only"]))
    start = space.get_default_configuration()
    assert neighbours_of(space, [start, start], 0, 5) == [[], []]
    assert neighbours_of(space, [], 0, 5) == []
    mixed = SPACES["mixed"].get_default_configuration()
    assert neighbours_of(SPACES["mixed"], [mixed], 0, 0) == [[]]


def test_neighbours_depend_on_the_generator_alone_and_starts_stay_as_they_are() -> None:
    space = SPACES["every kind"]
    starts = draw(space, 5, seed=1)
    before = [start.get_array().tobytes() for start in starts]
    first, again = (neighbours_of(space, starts, 2, 6) for _ in "ab")
    assert first == again
    assert neighbours_of(space, starts, 3, 6) != first
    assert [start.get_array().tobytes() for start in starts] == before
