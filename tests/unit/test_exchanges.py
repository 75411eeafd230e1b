"""The distribution of exchanges, against a plain one-by-one rendering of the rule."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from ConfigSpace import Categorical, Configuration, ConfigurationSpace, Float, Integer
from scipy.stats import chi2_contingency, chisquare, ks_2samp

from automl.optimizers.neighbourhood import Neighbourhood

N_STARTS = 6_000
DEVIATIONS = (0.2, 0.05, 0.0125)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def blocks(start: Configuration, n: int, seed: int = 0) -> np.ndarray:
    """Return the vectors (N_STARTS, n, h) of n neighbours of equal starts."""
    space = start.config_space
    found = Neighbourhood(space).draw([start] * N_STARTS, rng(seed), n)
    assert np.array_equal(found.owners, np.repeat(np.arange(N_STARTS), n))
    return found.configurations.vectors.reshape(N_STARTS, n, len(space))


def one_by_one(
    grid: np.ndarray, present: float, n: int, generator: np.random.Generator
) -> list[float]:
    """Return up to n different draws around a number, in the order in which they come."""
    found = [present]
    deviations = [d for d in DEVIATIONS if d * len(grid) >= 1.0] or DEVIATIONS[:1]
    for _ in range(100):
        drawn = present + generator.choice(deviations) * generator.normal()
        if 0.0 <= drawn <= 1.0:
            value = float(grid[np.argmin(abs(grid - drawn))])
            if value not in found:
                found.append(value)
    return found[1 : n + 1]


def order_probabilities(left: dict[str, int], n: int) -> dict[tuple[str, ...], float]:
    """Return how likely each order of n exchanges is if those not used up are equally likely."""
    if n == 0:
        return {(): 1.0}
    usable = [name for name in left if left[name]]
    found: dict[tuple[str, ...], float] = {}
    for name in usable:
        rest = order_probabilities({**left, name: left[name] - 1}, n - 1)
        found |= {(name, *after): p / len(usable) for after, p in rest.items()}
    return found


@pytest.mark.parametrize("n", [2, 4])
def test_hyperparameters_are_equally_likely_until_they_are_used_up(n: int) -> None:
    space = ConfigurationSpace()
    space.add(Categorical("pair", [True, False]), Categorical("three", list("abc")))
    space.add(Float("x", (0.0, 1.0)))
    start = space.get_default_configuration()
    changed = blocks(start, n) != start.get_array()
    assert np.array_equal(changed.sum(axis=2), np.ones((N_STARTS, n)))
    names = np.array(list(space))[changed.argmax(axis=2)]
    counts = Counter(map(tuple, names.tolist()))
    expected = order_probabilities({"pair": 1, "three": 2, "x": 4}, n)
    assert set(counts) <= set(expected)
    observed = [counts[order] for order in expected]
    assert chisquare(observed, N_STARTS * np.array(list(expected.values()))).pvalue > 1e-4


def test_choices_come_in_every_order_equally_often() -> None:
    space = ConfigurationSpace()
    space.add(Categorical("kind", list("abcd"), default="b"))
    found = blocks(space.get_default_configuration(), 3)[:, :, 0]
    counts = Counter(map(tuple, found.tolist()))
    assert set(counts) == set(permutations([0.0, 2.0, 3.0]))
    assert chisquare(list(counts.values())).pvalue > 1e-4


@pytest.mark.parametrize(("upper", "present"), [(9, 4), (14, 14), (30, 1)])
def test_whole_numbers_are_different_draws_in_the_order_in_which_they_come(
    upper: int, present: int
) -> None:
    space = ConfigurationSpace()
    space.add(Integer("n", (1, upper)))
    start = Configuration(space, {"n": present})
    ours = blocks(start, 3)[:, :, 0]
    assert all(len({*row, start.get_array()[0]}) == 4 for row in ours)
    grid = np.asarray(space["n"].to_vector(np.arange(1, upper + 1)))
    generator = rng(1)
    own = float(start.get_array()[0])
    theirs = np.array([one_by_one(grid, own, 3, generator) for _ in range(2_000)])
    for place in range(3):
        counts = [[np.sum(v[:, place] == value) for value in grid] for v in (ours, theirs)]
        table = np.array(counts)[:, np.sum(counts, axis=0) > 20]
        assert chi2_contingency(table).pvalue > 1e-4


@pytest.mark.parametrize("x", [0.0, 0.03, 1.0])
def test_steps_near_a_bound_are_drawn_anew_with_their_deviation(x: float) -> None:
    space = ConfigurationSpace()
    space.add(Float("x", (0.0, 1.0)))
    start = Configuration(space, {"x": x})
    ours = blocks(start, 4)[:, :, 0]
    generator = rng(2)
    drawn = x + generator.choice(DEVIATIONS, size=40_000) * generator.normal(size=40_000)
    theirs = drawn[(drawn >= 0.0) & (drawn <= 1.0)]
    assert ours.min() >= 0.0
    assert ours.max() <= 1.0
    for place in range(4):
        assert ks_2samp(ours[:, place], theirs).pvalue > 1e-4


def test_numbers_of_different_kinds_keep_to_their_own_bounds_and_values() -> None:
    space = ConfigurationSpace()
    space.add(Float("x", (-3.0, 5.0)), Float("y", (1e-6, 1.0), log=True))
    space.add(Integer("m", (0, 40)), Integer("n", (3, 700), log=True))
    space.add(Integer("huge", (1, 10**8), log=True), Integer("few", (2, 5)))
    starts = [space.sample_configuration() for _ in range(40)]
    found = Neighbourhood(space).draw(starts, rng(), 10_000)
    assert np.array_equal(np.bincount(found.owners), np.full(40, 5 * 4 + 3))
    for owner, neighbour in zip(found.owners, found.configurations, strict=True):
        changed = [name for name in space if neighbour[name] != starts[owner][name]]
        assert len(changed) == 1
        (name,) = changed
        assert space[name].legal_value(neighbour[name])
        assert Configuration(space, dict(neighbour)) == neighbour


def test_a_number_with_unlikely_values_gives_fewer_and_the_others_give_theirs() -> None:
    space = ConfigurationSpace()
    # Seen from 1, the values from 3 on are at least two and a half standard deviations away.
    space.add(Integer("n", (1, 6), log=True), Categorical("kind", list("abc")))
    start = Configuration(space, {"n": 1, "kind": "a"})
    found = Neighbourhood(space).draw([start] * 2_000, rng(), 10_000)
    columns = found.configurations.vectors.T
    is_number = columns[space.index_of["n"]] != start.get_array()[space.index_of["n"]]
    kinds = columns[space.index_of["kind"]]
    assert sorted(kinds[~is_number].tolist()) == [1.0] * 2_000 + [2.0] * 2_000
    sizes = np.bincount(np.bincount(found.owners[is_number]), minlength=5)
    grid, generator = np.asarray(space["n"].to_vector(np.arange(1, 7))), rng(1)
    expected = np.bincount(
        [len(one_by_one(grid, 0.0, 4, generator)) for _ in range(2_000)], minlength=5
    )
    assert expected[4] == sizes[4] == sizes[0] == 0
    table = np.array([sizes, expected])[:, sizes + expected > 10]
    assert chi2_contingency(table).pvalue > 1e-4
