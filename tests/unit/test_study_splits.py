"""The three parts of a table, and the tasks of the study."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from automl.benchmark.bundled import load_bundled
from automl.benchmark.openml_data import StudyData
from automl.benchmark.study.splits import FEWEST_ROWS, stratified_sample, three_way_split
from automl.benchmark.study.study_task import study_task
from automl.errors import InputError
from search_space.arrays import IntArray

sizes_of_classes = st.lists(st.integers(1, 40), min_size=2, max_size=6).filter(
    lambda sizes: sum(size >= FEWEST_ROWS for size in sizes) >= 2
)


def codes_of(sizes: list[int], seed: int = 0) -> IntArray:
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return np.random.default_rng(seed).permutation(codes)


def credit() -> StudyData:
    X, y = load_bundled("credit-g")
    return StudyData(name="credit-g", data_id=31, X=X, y=y)


@given(sizes_of_classes, st.integers(0, 2**32 - 1))
def test_the_parts_hold_every_row_once(sizes: list[int], seed: int) -> None:
    codes = codes_of(sizes)
    parts = three_way_split(codes, seed)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(len(codes)))
    assert all(np.all(np.diff(rows) > 0) for rows in parts)


@given(sizes_of_classes, st.integers(0, 1000))
def test_every_part_has_its_share_of_every_class_but_for_one_row(
    sizes: list[int], seed: int
) -> None:
    codes = codes_of(sizes)
    n = sum(size for size in sizes if size >= FEWEST_ROWS)
    train, validation, test = three_way_split(codes, seed)
    assert len(test) == int(np.ceil(n / 5))
    assert len(validation) == int(np.ceil((n - len(test)) / 4))
    for code, size in enumerate(sizes):
        found = [int(np.sum(codes[rows] == code)) for rows in (train, validation, test)]
        if size < FEWEST_ROWS:
            assert found == [size, 0, 0]
        else:
            assert abs(found[2] - size * len(test) / n) < 1
            left = size - found[2]
            assert abs(found[1] - left * len(validation) / (n - len(test))) < 1
            assert found[0] > 0


def test_the_parts_are_those_of_two_calls_of_scikit_learn() -> None:
    codes = codes_of([70, 30])
    rest, test = train_test_split(np.arange(100), test_size=0.2, stratify=codes, random_state=7)
    train, validation = train_test_split(rest, test_size=0.25, stratify=codes[rest], random_state=7)
    for found, expected in zip(three_way_split(codes, 7), (train, validation, test), strict=True):
        np.testing.assert_array_equal(found, np.sort(expected))


def test_the_seed_alone_decides() -> None:
    codes = codes_of([70, 30])
    first, again, other = (three_way_split(codes, seed).test for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("sizes", [[4, 4, 4], [100, 4], [100]])
def test_too_few_rows_for_three_parts_are_refused(sizes: list[int]) -> None:
    with pytest.raises(InputError, match=f"classes of {', '.join(map(str, sizes))} rows"):
        three_way_split(codes_of(sizes), 0)


@given(sizes_of_classes, st.integers(1, 300), st.integers(0, 1000))
def test_a_sample_has_its_share_of_every_class_but_for_one_row(
    sizes: list[int], n_rows: int, seed: int
) -> None:
    codes = codes_of(sizes)
    rows = stratified_sample(codes, n_rows, np.random.default_rng(seed))
    assert len(rows) == min(n_rows, len(codes))
    assert np.all(np.diff(rows) > 0)
    found = np.bincount(codes[rows], minlength=len(sizes))
    assert np.all(np.abs(found - np.array(sizes) * len(rows) / len(codes)) < 1)


def test_every_row_of_a_class_can_be_sampled() -> None:
    codes = np.zeros(10, dtype=np.int64)
    rng = np.random.default_rng(0)
    counts = np.bincount(
        np.concatenate([stratified_sample(codes, 3, rng) for _ in range(400)]), minlength=10
    )
    assert np.all((counts > 70) & (counts < 170))  # 120 expected, 5 deviations


def test_a_task_holds_prepared_features_codes_and_parts() -> None:
    task = study_task(credit(), split_seed=3)
    assert task.name == "credit-g"
    assert task.X.shape == (1000, 20)
    assert task.X.dtype == np.float64
    assert np.unique(task.codes).tolist() == [0, 1] == list(range(task.n_classes))
    assert task.codes.tolist() == (credit().y == "good").astype(int).tolist()
    assert [len(rows) for rows in (task.train, task.validation, task.test)] == [600, 200, 200]
    assert task.properties.n_rows == 600
    assert (task.properties.n_columns, len(task.properties.categorical)) == (20, 13)


def test_the_space_is_that_of_the_paper_unless_another_one_is_named() -> None:
    def learners(preset: str) -> set[str]:
        task = study_task(credit(), split_seed=0, preset=preset)
        return set(task.search_space.configuration_space["classifier"].choices)

    assert len(learners("divbo")) == 11
    assert len(learners("fast")) == 3


def test_the_reduced_setting_takes_so_many_rows_by_class() -> None:
    task = study_task(credit(), split_seed=0, max_rows=200)
    assert task.X.shape == (200, 20)
    assert np.bincount(task.codes).tolist() == [60, 140]
    assert [len(rows) for rows in (task.train, task.validation, task.test)] == [120, 40, 40]
    assert study_task(credit(), split_seed=0, max_rows=5000).X.shape == (1000, 20)


def test_reduced_rows_keep_their_labels_and_values() -> None:
    X = pd.DataFrame({"x": np.arange(100.0), "twice": 2 * np.arange(100.0)})
    y = pd.Series(np.where(X["x"] < 50, "low", "high"))
    task = study_task(StudyData(name="t", data_id=None, X=X, y=y), split_seed=1, max_rows=40)
    values = np.asarray(task.X)
    np.testing.assert_array_equal(values[:, 1], 2 * values[:, 0])
    np.testing.assert_array_equal(task.codes, values[:, 0] < 50)  # "high" is 0


@pytest.mark.parametrize(
    ("max_rows", "reason"), [(0, "max_rows must be"), (-3, "max_rows must be"), (6, "three parts")]
)
def test_a_reduced_setting_that_leaves_too_little_is_refused_by_name(
    max_rows: int, reason: str
) -> None:
    with pytest.raises(InputError, match=f"data set 'credit-g': .*{reason}"):
        study_task(credit(), split_seed=0, max_rows=max_rows)
