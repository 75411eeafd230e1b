"""Lists of values as one array."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from automl.optimizers.value_grids import ValueGrids

WHOLE = st.lists(st.integers(-50, 50), min_size=2, max_size=12, unique=True).map(sorted)


@given(
    grids=st.lists(WHOLE, min_size=1, max_size=5),
    looked_up=st.lists(
        st.tuples(st.integers(0, 4), st.integers(-210, 210)), min_size=1, max_size=20
    ),
)
def test_what_is_found_is_the_nearest_value_of_the_list(
    grids: list[list[int]], looked_up: list[tuple[int, int]]
) -> None:
    made = ValueGrids([np.array(grid, dtype=np.float64) for grid in grids])
    lists = np.array([number % len(grids) for number, _ in looked_up])
    # Steps of 0.26 and so on do not lie half way between whole numbers or at their thirds.
    values = np.array([0.26 * value + 0.013 for _, value in looked_up])
    found = made.nearest(lists, values)
    assert np.array_equal(made.list_of[found], lists)
    for number, value, position in zip(lists, values, found, strict=True):
        assert abs(made.values[position] - value) == min(abs(v - value) for v in grids[number])


def test_lists_follow_one_another_and_there_may_be_none() -> None:
    made = ValueGrids([np.array([0.0, 1.0]), np.array([0.0, 0.5, 1.0])])
    assert made.values.tolist() == [0.0, 1.0, 0.0, 0.5, 1.0]
    assert made.list_of.tolist() == [0, 0, 1, 1, 1]
    assert made.nearest(np.array([[0, 1]]), np.array([[1.0, 0.0], [0.2, 1.0]])).tolist() == [
        [1, 2],
        [0, 4],
    ]
    none = np.zeros(0, dtype=np.int64)
    assert ValueGrids([]).nearest(none, np.zeros(0)).shape == (0,)
