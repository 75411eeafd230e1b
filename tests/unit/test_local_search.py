"""Local search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from ConfigSpace import (
    Categorical,
    Configuration,
    ConfigurationSpace,
    Float,
    ForbiddenEqualsClause,
    Integer,
)
from ConfigSpace.util import get_one_exchange_neighbourhood
from fakes.histories import mixed_space

from automl.optimizers.domain import Domain
from automl.optimizers.local_search import local_search
from automl.optimizers.vectors import sample_configurations
from search_space.arrays import FloatArray
from search_space.configuration_batch import ConfigurationBatch

ALL = 10_000  # neighbours: the whole neighbourhood


def bowl() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Float("x", (0.0, 1.0)), Float("y", (0.0, 1.0)), Categorical("kind", ["good", "bad"]))
    return space


def height(configurations: Sequence[Configuration]) -> FloatArray:
    """Return a concave function with its maximum 0 at (0.3, 0.8, good)."""
    return np.array(
        [
            -((c["x"] - 0.3) ** 2) - (c["y"] - 0.8) ** 2 - (c["kind"] == "bad")
            for c in configurations
        ]
    )


def draw(space: ConfigurationSpace, n: int, seed: int) -> ConfigurationBatch:
    return sample_configurations(space, n, np.random.default_rng(seed))


def alone(start: Configuration) -> ConfigurationBatch:
    return ConfigurationBatch.of([start], start.config_space)


@pytest.mark.parametrize("seed", range(5))
def test_local_search_climbs_and_never_ends_below_its_start(seed: int) -> None:
    space = bowl()
    starts = draw(space, 8, seed)
    ends = local_search(height, starts, np.random.default_rng(seed), max_steps=4, n_neighbours=ALL)
    before, after = height(starts), height(ends)
    assert len(ends) == len(starts)
    assert np.all(after >= before)
    assert np.all(after > -1.0)  # changing the kind alone is one step
    assert after.mean() > before.mean() + 0.3


def test_enough_steps_reach_the_top() -> None:
    start = Configuration(bowl(), values={"x": 0.95, "y": 0.05, "kind": "bad"})
    starts = alone(start).take(np.zeros(25, dtype=np.int64))
    ends = local_search(height, starts, np.random.default_rng(0), max_steps=60, n_neighbours=ALL)
    # A search ends early where none of eight draws is better, which happens to one in twelve.
    assert np.quantile(height(ends), 0.3) > -1e-2


def test_no_step_and_no_start_leave_everything_as_it_is() -> None:
    starts = draw(bowl(), 3, seed=0)
    assert (
        local_search(height, starts, np.random.default_rng(0), max_steps=0, n_neighbours=ALL)
        == starts
    )
    none = starts[:0]
    assert not local_search(height, none, np.random.default_rng(0), max_steps=4, n_neighbours=ALL)


def test_the_starts_are_not_changed_and_equal_generators_give_equal_ends() -> None:
    starts = draw(bowl(), 4, seed=0)
    kept = starts.vectors.copy()
    one, other = (
        local_search(height, starts, np.random.default_rng(6), max_steps=4, n_neighbours=ALL)
        for _ in range(2)
    )
    assert one == other
    assert np.array_equal(starts.vectors, kept, equal_nan=True)


def test_one_call_scores_the_neighbourhoods_of_all_searches() -> None:
    sizes: list[int] = []

    def counting(configurations: Sequence[Configuration]) -> FloatArray:
        sizes.append(len(configurations))
        return height(configurations)

    starts = draw(bowl(), 6, seed=2)
    local_search(counting, starts, np.random.default_rng(0), max_steps=3, n_neighbours=ALL)
    # The starts, then at most 4 + 4 + 1 neighbours of each search that still climbs.
    assert sizes[0] == 6
    assert 2 <= len(sizes) <= 4
    assert all(size <= 6 * 9 for size in sizes[1:])


def test_a_search_ends_where_no_neighbour_is_better() -> None:
    flat_calls = []

    def flat(configurations: Sequence[Configuration]) -> FloatArray:
        flat_calls.append(len(configurations))
        return np.zeros(len(configurations))

    starts = draw(bowl(), 3, seed=0)
    assert (
        local_search(flat, starts, np.random.default_rng(0), max_steps=10, n_neighbours=ALL)
        == starts
    )
    assert len(flat_calls) == 2  # the starts and one neighbourhood of each


def test_each_step_goes_to_a_neighbour_of_the_start() -> None:
    space = mixed_space().configuration_space
    start = draw(space, 1, seed=4)[0]

    def prefers_any_change(configurations: Sequence[Configuration]) -> FloatArray:
        return np.array([float(c != start) for c in configurations])

    (end,) = local_search(
        prefers_any_change, alone(start), np.random.default_rng(0), max_steps=1, n_neighbours=ALL
    )
    changed = [name for name in space if start.get(name) != end.get(name)]
    roots = [name for name in changed if name == "classifier" or (name in end and name in start)]
    assert len(roots) == 1  # one exchange; what depends on it may appear or vanish


def test_a_configuration_without_neighbours_stays() -> None:
    space = ConfigurationSpace()
    kind = Categorical("kind", ["only", "forbidden"])
    space.add(kind)
    space.add(ForbiddenEqualsClause(kind, "forbidden"))
    start = Configuration(space, values={"kind": "only"})
    assert list(get_one_exchange_neighbourhood(start, seed=0)) == []
    ends = local_search(
        lambda cs: np.zeros(len(cs)),
        alone(start),
        np.random.default_rng(0),
        max_steps=4,
        n_neighbours=ALL,
    )
    assert ends[0] is start


def test_integers_of_few_values_at_their_bounds_have_neighbours() -> None:
    space = ConfigurationSpace()
    space.add(Integer("n", (2, 10)), Integer("m", (1, 4)))
    start = Configuration(space, values={"n": 10, "m": 4})

    def away(configurations: Sequence[Configuration]) -> FloatArray:
        return np.array([-float(c["n"] + c["m"]) for c in configurations])

    for seed in range(200):
        rng = np.random.default_rng(seed)
        (end,) = local_search(away, alone(start), rng, max_steps=2, n_neighbours=12)
        assert away([end])[0] >= away([start])[0]


@pytest.mark.parametrize("seed", range(4))
def test_each_search_takes_the_best_of_its_own_neighbours_if_that_is_better(seed: int) -> None:
    space = mixed_space().configuration_space
    given = ConfigurationBatch.of(list(draw(space, 12, seed)), space)

    def wild(configurations: Sequence[Configuration]) -> FloatArray:
        return np.array([np.nansum(np.sin(99.0 * c.get_array())) for c in configurations])

    ends = local_search(wild, given, np.random.default_rng(seed), max_steps=1, n_neighbours=2)
    around = Domain(space).neighbours(given, np.random.default_rng(seed), 2)
    n_moved = 0
    for i, start in enumerate(given):
        mine = around.configurations.take(around.owners == i)
        best = max(mine, key=lambda c: wild([c])[0])
        if wild([best])[0] > wild([start])[0]:
            assert ends[i] == best
            n_moved += 1
        else:
            assert ends[i] is start
    assert 0 < n_moved < 12
