"""Tests of the front of several acquisition functions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from automl.acquisition.confidence_bound import confidence_score
from automl.acquisition.expected_improvement import log_expected_improvement
from automl.acquisition.improvement_probability import log_improvement_probability
from automl.acquisition.pareto_front import (
    mace_batch,
    mace_objectives,
    nondominated,
    nondominated_ranks,
)
from search_space.arrays import FloatArray

# Few values, so that equal rows and ties in single objectives are frequent.
grids = arrays(
    np.float64,
    st.tuples(st.integers(0, 25), st.integers(1, 4)),
    elements=st.sampled_from([-np.inf, 0.0, 1.0, 2.0, 3.0, np.inf]),
)


def dominates(one: FloatArray, other: FloatArray) -> bool:
    return bool(np.all(one >= other) and np.any(one > other))


def peeled(objectives: FloatArray) -> list[int]:
    """Return the ranks by their definition, one comparison at a time."""
    ranks = [-1] * len(objectives)
    rank = 0
    while -1 in ranks:
        left = [i for i, known in enumerate(ranks) if known == -1]
        for i in left:
            if not any(dominates(objectives[j], objectives[i]) for j in left):
                ranks[i] = rank
        rank += 1
    return ranks


@given(grids)
def test_front_and_ranks_are_those_of_comparing_all_pairs(objectives: FloatArray) -> None:
    expected = peeled(objectives)
    assert nondominated_ranks(objectives).tolist() == expected
    assert nondominated(objectives).tolist() == [rank == 0 for rank in expected]


def test_the_front_of_a_large_cloud_is_that_of_comparing_all_pairs() -> None:
    objectives = np.random.default_rng(0).normal(size=(600, 3))
    at_least = (objectives[:, None] >= objectives[None]).all(axis=2)
    better = (objectives[:, None] > objectives[None]).any(axis=2)
    expected = ~(at_least & better).any(axis=0)
    assert np.array_equal(nondominated(objectives), expected)
    assert 10 < expected.sum() < 200


@pytest.mark.parametrize("n", [400, 1_200])
def test_each_front_of_many_is_the_front_of_what_is_left(n: int) -> None:
    objectives = np.random.default_rng(1).normal(size=(n, 3)).round(1)
    ranks = nondominated_ranks(objectives)
    assert ranks.max() > 5
    for rank in range(int(ranks.max()) + 1):
        left = ranks >= rank
        assert np.array_equal(nondominated(objectives[left]), ranks[left] == rank)


def test_equal_candidates_do_not_dominate_each_other() -> None:
    assert nondominated(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 1.0]])).tolist() == [
        True,
        True,
        False,
    ]


@given(grids)
def test_rescaling_an_objective_leaves_the_front(objectives: FloatArray) -> None:
    assert np.array_equal(nondominated(objectives), nondominated(2.0 * objectives + 1.0))


def test_objectives_that_are_none_are_refused() -> None:
    for function in (nondominated, nondominated_ranks):
        with pytest.raises(ValueError, match="NaN"):
            function(np.array([[0.0, np.nan]]))
        for wrong in (np.zeros(3), np.zeros((3, 0))):
            with pytest.raises(ValueError, match="m >= 1"):
                function(wrong)


MEAN, STD = np.array([0.2, 0.3, 0.5, 0.6]), np.array([0.01, 0.2, 0.1, 0.1])


def test_the_objectives_are_the_three_scores() -> None:
    objectives = mace_objectives(MEAN, STD, 0.3, kappa=2.0)
    assert np.array_equal(objectives[:, 0], log_expected_improvement(MEAN, STD, 0.3))
    assert np.array_equal(objectives[:, 1], log_improvement_probability(MEAN, STD, 0.3))
    assert np.array_equal(objectives[:, 2], confidence_score(MEAN, STD, kappa=2.0))


def test_what_is_no_better_and_no_less_certain_is_not_on_the_front() -> None:
    # The first is likely to improve, the second may improve much, the others do neither.
    front = nondominated(mace_objectives(MEAN, STD, 0.3, kappa=2.0))
    assert front.tolist() == [True, True, False, False]


# On the front: 0 to 5. The most uncertain of all is 6, the lowest mean of all is 7.
FRONT = np.array([[float(i), 5.0 - i] for i in range(6)] + [[0.0, 0.0], [-1.0, 0.0]])
BATCH_MEAN = np.array([0.5, 0.4, 0.3, 0.6, 0.5, 0.5, 0.9, 0.0])
BATCH_STD = np.array([0.1, 0.1, 0.1, 0.1, 0.8, 0.1, 0.9, 0.1])


@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_a_batch_holds_different_candidates_of_the_front(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch = mace_batch(FRONT, BATCH_MEAN, BATCH_STD, n, rng)
    assert len(batch) == len(set(batch.tolist())) == min(n, 6)
    assert set(batch.tolist()) <= set(range(6))


@pytest.mark.parametrize("seed", range(5))
def test_more_than_two_begin_with_the_most_uncertain_and_the_best_of_the_front(seed: int) -> None:
    batch = mace_batch(FRONT, BATCH_MEAN, BATCH_STD, 3, np.random.default_rng(seed))
    assert batch[:2].tolist() == [4, 2]


def test_the_best_that_is_also_the_most_uncertain_is_taken_once() -> None:
    std = np.where(np.arange(8) == 2, 1.0, 0.1)
    batch = mace_batch(FRONT, BATCH_MEAN, std, 4, np.random.default_rng(0))
    assert batch[0] == 2
    assert len(set(batch.tolist())) == 4


def test_up_to_two_are_drawn_uniformly() -> None:
    rng = np.random.default_rng(0)
    draws = np.concatenate([mace_batch(FRONT, BATCH_MEAN, BATCH_STD, 2, rng) for _ in range(3000)])
    # 1000 are expected of each; the standard deviation is about 26.
    assert np.all(np.abs(np.bincount(draws, minlength=6) - 1000) < 130)


def test_the_rest_of_a_larger_batch_is_drawn_uniformly() -> None:
    rng = np.random.default_rng(0)
    draws = [int(mace_batch(FRONT, BATCH_MEAN, BATCH_STD, 3, rng)[2]) for _ in range(2000)]
    counts = np.bincount(draws, minlength=6)
    assert counts[[2, 4]].tolist() == [0, 0]
    assert np.all(np.abs(counts[[0, 1, 3, 5]] - 500) < 100)


def test_no_candidates_give_no_batch() -> None:
    batch = mace_batch(np.zeros((0, 3)), np.zeros(0), np.zeros(0), 4, np.random.default_rng(0))
    assert batch.tolist() == []


def test_batches_that_are_none_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="n=0"):
        mace_batch(FRONT, BATCH_MEAN, BATCH_STD, 0, rng)
    with pytest.raises(ValueError, match="as many"):
        mace_batch(FRONT, BATCH_MEAN[1:], BATCH_STD, 2, rng)
