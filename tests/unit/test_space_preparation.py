"""Imputers and encoders, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from search_space.bounds import MOST_LEVELS, levels_kept
from search_space.columns import ByKind
from search_space.component import BuildContext, Component
from search_space.encoders import NATIVE, ONE_HOT, ORDINAL
from search_space.imputers import FIXED_IMPUTER, IMPUTERS, MEAN, MEDIAN, MOST_FREQUENT, NONE
from search_space.task import TaskProperties
from search_space.variance_filter import VarianceFilter

NAN = np.nan


def task_of(n_levels: tuple[int, ...], n_numeric: int = 1, n_rows: int = 100) -> TaskProperties:
    positions = range(n_numeric + len(n_levels))
    return TaskProperties(
        n_rows=n_rows,
        n_classes=2,
        smallest_class=n_rows // 2,
        largest_class=n_rows // 2,
        numeric=tuple(positions[:n_numeric]),
        categorical=tuple(positions[n_numeric:]),
        n_levels=n_levels,
        has_missing=True,
    )


def built(component: Component, task: TaskProperties) -> Any:
    return component.build({}, BuildContext(task=task, seed=0))


@pytest.mark.parametrize(
    ("component", "fill"),
    [(MEAN, 2.0), (MEDIAN, 1.0), (MOST_FREQUENT, 1.0), (NONE, NAN)],
)
def test_gaps_are_filled_with_what_training_rows_tell(component: Component, fill: float) -> None:
    X = np.array([[1.0], [1.0], [4.0], [NAN]])
    imputer = built(component, task_of(())).fit(X)
    np.testing.assert_array_equal(imputer.transform(np.array([[NAN], [9.0]])), [[fill], [9.0]])


@pytest.mark.parametrize("component", [MEAN, MEDIAN, MOST_FREQUENT])
def test_a_column_without_values_is_filled_with_0(component: Component) -> None:
    X = np.array([[NAN, 1.0], [NAN, 2.0]])
    output = built(component, task_of((), 2)).fit(X).transform(X)
    np.testing.assert_array_equal(output, [[0.0, 1.0], [0.0, 2.0]])


def test_numeric_columns_come_first_and_codes_keep_their_gaps() -> None:
    task = TaskProperties(
        n_rows=2,
        n_classes=2,
        smallest_class=1,
        largest_class=1,
        numeric=(1, 3),
        categorical=(0, 2),
        n_levels=(2, 2),
    )
    X = np.array([[0.0, 10.0, NAN, 30.0], [1.0, 11.0, 1.0, 31.0]])
    output = built(MEDIAN, task).fit(X).transform(X)
    np.testing.assert_array_equal(output, [[10.0, 30.0, 0.0, NAN], [11.0, 31.0, 1.0, 1.0]])


def test_a_table_of_categories_only_needs_no_fill_values() -> None:
    X = np.array([[0.0], [NAN]])
    output = built(MEDIAN, task_of((2,), 0)).fit(X).transform(X)
    np.testing.assert_array_equal(output, X)


def test_the_published_imputer_drops_columns_that_hardly_vary() -> None:
    X = np.array([[1.0, 0.0], [1.0, 0.0002], [NAN, 0.0010]])
    imputer = built(FIXED_IMPUTER, task_of((), 2)).fit(X)
    np.testing.assert_array_equal(imputer.transform(X), X[:, [1]])
    # A column of variance 1e-8 is as good as constant.
    assert built(FIXED_IMPUTER, task_of((), 2)).fit(X[:2]).transform(X[:2]).shape == (2, 1)


def test_imputers_are_of_no_use_without_gaps() -> None:
    complete = TaskProperties(
        n_rows=10, n_classes=2, smallest_class=5, largest_class=5, numeric=(0,)
    )
    assert all(imputer.unsuitable(complete) for imputer in IMPUTERS)
    assert not any(imputer.unsuitable(task_of((2,))) for imputer in IMPUTERS)
    assert all(imputer.unsuitable(task_of((2,), 0)) for imputer in IMPUTERS)


def test_one_hot_has_a_column_per_level_and_one_for_gaps() -> None:
    X = np.array([[5.0, 0.0], [5.0, 2.0], [5.0, NAN]])
    encoder = built(ONE_HOT, task_of((3,))).fit(X)
    unseen = np.array([[5.0, 1.0], [5.0, 3.0], [5.0, NAN]])
    np.testing.assert_array_equal(
        encoder.transform(unseen), [[5.0, 0, 0, 0], [5.0, 0, 0, 0], [5.0, 0, 0, 1]]
    )


def test_one_hot_of_a_single_level_keeps_one_column() -> None:
    X = np.array([[1.0, 0.0], [2.0, 0.0]])
    output = built(ONE_HOT, task_of((2,))).fit(X).transform(X)
    np.testing.assert_array_equal(output, [[1.0, 1.0], [2.0, 1.0]])


def test_one_hot_pools_the_rarest_of_many_levels_with_unknown_ones() -> None:
    codes = np.concatenate([np.repeat(np.arange(99.0), 3), np.arange(99.0, 150.0)])
    X = np.column_stack([np.zeros_like(codes), codes])
    encoder = built(ONE_HOT, task_of((150,), n_rows=len(X))).fit(X)
    output = encoder.transform(np.array([[0.0, 98.0], [0.0, 120.0], [0.0, 140.0], [0.0, 150.0]]))
    assert output.shape[1] == 1 + MOST_LEVELS
    np.testing.assert_array_equal(output[:, 1:].sum(axis=1), 1.0)
    np.testing.assert_array_equal(output[1], output[2])
    np.testing.assert_array_equal(output[1], output[3])
    assert not np.array_equal(output[0], output[1])


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "most"), [(1000, 5, 100), (100_000, 4, 50), (10_000_000, 9, 10)]
)
def test_fewer_levels_are_kept_where_memory_asks_for_it(
    n_rows: int, n_columns: int, most: int
) -> None:
    assert levels_kept(task_of((500,) * n_columns, n_rows=n_rows)) == most


def test_ordinal_codes_have_a_number_for_gaps() -> None:
    X = np.array([[5.0, 2.0], [5.0, NAN]])
    output = built(ORDINAL, task_of((3,))).fit(X).transform(np.array([[5.0, NAN], [5.0, 3.0]]))
    np.testing.assert_array_equal(output, [[5.0, -1.0], [5.0, 3.0]])


def test_native_codes_keep_gaps_and_lose_levels_never_seen() -> None:
    X = np.array([[5.0, 2.0, 0.0], [5.0, NAN, 1.0]])
    encoder = built(NATIVE, task_of((3, 2))).fit(X)
    output = encoder.transform(np.array([[5.0, 1.0, 1.0], [5.0, 2.0, NAN]]))
    np.testing.assert_array_equal(output, [[5.0, NAN, 1.0], [5.0, 2.0, NAN]])


@pytest.mark.parametrize("component", [ONE_HOT, ORDINAL, NATIVE])
def test_encoders_need_categorical_columns(component: Component) -> None:
    assert component.unsuitable(task_of(())) is not None
    assert component.unsuitable(task_of((2,))) is None


def test_columns_of_a_kind_go_through_their_own_transformer() -> None:
    X = np.array([[1.0, 7.0, 1.0], [1.0, 8.0, 1.0]])
    transformed = ByKind(1, numeric=VarianceFilter(0.0)).fit(X).transform(X)
    np.testing.assert_array_equal(transformed, X[:, 1:])
    untouched = ByKind(3, numeric=VarianceFilter(0.0)).fit(X).transform(X)
    np.testing.assert_array_equal(untouched, X)
