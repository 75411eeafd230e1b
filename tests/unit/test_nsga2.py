"""Tests of the evolution towards a front."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from automl.acquisition.nsga2 import crowded_order, crowding_distance, nsga2
from automl.acquisition.pareto_front import nondominated, nondominated_ranks
from search_space.arrays import FloatArray

grids = arrays(
    np.float64,
    st.tuples(st.integers(1, 20), st.integers(1, 3)),
    elements=st.sampled_from([-np.inf, 0.0, 1.0, 2.0, 5.0]),
)
Point = tuple[str, float]


def near_zero_and_two(points: list[Point]) -> FloatArray:
    """Score points by their nearness to 0 and to 2; the branch "far" loses in both."""
    x = np.array([value for _, value in points])
    loss = np.array([10.0 if branch == "far" else 0.0 for branch, _ in points])
    return np.column_stack([-(x**2) - loss, -((x - 2.0) ** 2) - loss])


def moved(parents: list[Point], rng: np.random.Generator) -> list[Point]:
    """Return each parent moved, at times to the other branch."""
    return [
        (str(rng.choice(["near", "far"])) if rng.random() < 0.2 else branch, x + rng.normal())
        for branch, x in parents
    ]


def start(n: int = 40) -> list[Point]:
    return [("far", float(x)) for x in np.random.default_rng(0).uniform(-50.0, 50.0, n)]


def test_a_mixed_population_reaches_a_known_front_and_covers_it() -> None:
    rng = np.random.default_rng(0)
    members, values = nsga2(near_zero_and_two, start(), moved, n_generations=80, rng=rng)
    # Points between 0 and 2 are the whole front.
    x = np.sort([value for _, value in members])
    assert {branch for branch, _ in members} == {"near"}
    assert -0.01 <= x[0] < 0.1
    assert 1.9 < x[-1] <= 2.01
    assert np.diff(x).max() < 0.2
    assert np.array_equal(values, near_zero_and_two(members))
    assert len(set(members)) == len(members) == 40


def test_a_generation_never_loses_the_best_of_an_objective() -> None:
    best = np.full(2, -np.inf)
    for n in range(0, 20, 4):
        _, values = nsga2(
            near_zero_and_two, start(), moved, n_generations=n, rng=np.random.default_rng(3)
        )
        assert np.all(values.max(axis=0) >= best)
        best = values.max(axis=0)


def test_the_same_generator_gives_the_same_population_and_another_another() -> None:
    one, same, other = (
        nsga2(near_zero_and_two, start(), moved, n_generations=5, rng=np.random.default_rng(s))[0]
        for s in (1, 1, 2)
    )
    assert one == same != other


def test_without_generations_the_population_is_sorted() -> None:
    members, values = nsga2(
        near_zero_and_two, start(), moved, n_generations=0, rng=np.random.default_rng(0)
    )
    assert sorted(members) == sorted(start())
    assert np.all(np.diff(nondominated_ranks(values)) >= 0)


def test_no_member_is_scored_twice_while_it_lives_and_equals_count_once() -> None:
    scored: list[int] = []

    def objectives(members: list[int]) -> FloatArray:
        scored.extend(members)
        return np.array([[float(member)] for member in members])

    def next_ones(parents: list[int], rng: np.random.Generator) -> list[int]:
        assert len(parents) == 4
        return [min(parent + int(rng.integers(2)), 6) for parent in parents]

    members, _ = nsga2(
        objectives, [0, 0, 1, 1], next_ones, n_generations=40, rng=np.random.default_rng(0)
    )
    assert members == [6, 5, 4, 3]
    assert sorted(scored) == list(range(7))


def test_parents_that_stand_first_are_preferred() -> None:
    chosen: list[int] = []

    def keep(parents: list[int], _: np.random.Generator) -> list[int]:
        chosen.extend(parents)
        return []

    nsga2(
        lambda members: np.array(members, dtype=float)[:, None],
        range(5),
        keep,
        n_generations=1000,
        rng=np.random.default_rng(0),
    )
    # The better of two draws with replacement out of five: 9, 7, 5, 3 and 1 of 25.
    shares = np.bincount(chosen, minlength=5)[::-1] / len(chosen)
    np.testing.assert_allclose(shares, np.array([9, 7, 5, 3, 1]) / 25, atol=0.03)


@given(grids)
def test_members_are_ordered_by_front_and_then_by_distance(objectives: FloatArray) -> None:
    order = crowded_order(objectives)
    assert sorted(order.tolist()) == list(range(len(objectives)))
    ranks = nondominated_ranks(objectives)[order]
    assert np.all(np.diff(ranks) >= 0)
    for rank in set(ranks.tolist()):
        distances = crowding_distance(objectives[np.sort(order[ranks == rank])])
        by_position = dict(zip(np.sort(order[ranks == rank]).tolist(), distances, strict=True))
        found = [by_position[i] for i in order[ranks == rank].tolist()]
        assert found == sorted(found, reverse=True)


def test_distances_are_shares_of_the_range_and_infinite_at_the_ends() -> None:
    front = np.array([[0.0, 4.0], [1.0, 3.5], [2.0, 3.0], [4.0, 0.0]])
    # (2 - 0) / 4 + (4 - 3) / 4 and (4 - 1) / 4 + (3.5 - 0) / 4.
    assert crowding_distance(front).tolist() == [np.inf, 0.75, 1.625, np.inf]


def test_an_objective_without_range_or_finite_values_has_no_ends() -> None:
    front = np.array([[0.0, 7.0, -np.inf], [1.0, 7.0, -np.inf], [4.0, 7.0, -np.inf]])
    assert crowding_distance(front).tolist() == [np.inf, 1.0, np.inf]


@given(grids)
def test_distances_are_never_missing(objectives: FloatArray) -> None:
    front = objectives[nondominated(objectives)]
    assert np.all(crowding_distance(front) >= 0.0)


def test_evolutions_that_are_none_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="population"):
        nsga2(near_zero_and_two, [], moved, n_generations=1, rng=rng)
    with pytest.raises(ValueError, match="generations"):
        nsga2(near_zero_and_two, start(), moved, n_generations=-1, rng=rng)
    with pytest.raises(ValueError, match="NaN"):
        nsga2(near_zero_and_two, [("near", np.nan)], moved, n_generations=1, rng=rng)
