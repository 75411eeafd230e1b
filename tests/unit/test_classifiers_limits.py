"""Which tasks a learner refuses, on both sides of each limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from search_space.classifiers import (
    DEFAULT_CLASSIFIERS,
    PAPER_CLASSIFIERS,
    adaboost,
    extra_trees,
    gaussian_nb,
    gradient_boosting,
    hist_gradient_boosting,
    k_nearest_neighbors,
    lda,
    liblinear_svc,
    libsvm_svc,
    logistic_regression,
    mlp,
    qda,
    random_forest,
)
from search_space.task import TaskProperties


def task(n_rows: int, n_columns: int, n_classes: int = 2, **others: Any) -> TaskProperties:
    sizes = {"smallest_class": 10**6, "largest_class": 10**6, **others}
    return TaskProperties(
        n_rows=n_rows, n_classes=n_classes, numeric=tuple(range(n_columns)), **sizes
    )


LIMITS = [
    (adaboost.COMPONENT, task(500_000, 20), task(500_001, 20)),
    (random_forest.COMPONENT, task(100_000, 5, 100), task(100_001, 5, 100)),
    (random_forest.DEFAULT_COMPONENT, task(50_000, 5, 100), task(50_001, 5, 100)),
    (extra_trees.COMPONENT, task(19_531, 5, 100), task(19_532, 5, 100)),
    (gradient_boosting.COMPONENT, task(500_000, 20), task(500_001, 20)),
    (gradient_boosting.COMPONENT, task(50_000, 20, 10), task(50_001, 20, 10)),
    (k_nearest_neighbors.COMPONENT, task(100_000, 50), task(100_001, 50)),
    (lda.COMPONENT, task(100, 2000), task(100, 2001)),
    (qda.COMPONENT, task(100, 1000), task(100, 1001)),
    (qda.COMPONENT, task(90, 9, smallest_class=10), task(90, 9, smallest_class=9)),
    (logistic_regression.COMPONENT, task(1_000_000, 100), task(1_000_001, 100)),
    (logistic_regression.COMPONENT, task(100_000, 100, 10), task(100_001, 100, 10)),
    (liblinear_svc.COMPONENT, task(1_000_000, 100), task(1_000_001, 100)),
    (libsvm_svc.COMPONENT, task(20_000, 5), task(20_001, 5)),
    (mlp.COMPONENT, task(500_000, 100), task(500_001, 100)),
]


@pytest.mark.parametrize(
    ("component", "small", "large"),
    LIMITS,
    ids=[f"{c.name}-{i}" for i, (c, *_) in enumerate(LIMITS)],
)
def test_the_first_task_beyond_a_limit_is_refused(
    component: Any, small: TaskProperties, large: TaskProperties
) -> None:
    assert component.unsuitable(small) is None
    reason = component.unsuitable(large)
    assert reason is not None
    assert "\n" not in reason


@pytest.mark.parametrize(
    "component",
    [lda.COMPONENT, qda.COMPONENT, gaussian_nb.COMPONENT, hist_gradient_boosting.COMPONENT],
    ids=lambda c: c.name,
)
def test_sparse_tables_are_refused_by_those_that_need_dense_ones(component: Any) -> None:
    sparse = task(1000, 5, is_sparse=True)
    assert not component.handles_sparse
    assert component.refusal(sparse) == "it does not take sparse tables"
    assert component.refusal(replace(sparse, is_sparse=False)) is None


@pytest.mark.parametrize("module", [logistic_regression, liblinear_svc, mlp])
def test_cells_of_sparse_tables_are_not_counted(module: Any) -> None:
    assert module.COMPONENT.unsuitable(task(1_000_000, 10_000, is_sparse=True)) is None


def test_columns_are_counted_as_they_are_encoded() -> None:
    levels = replace(task(100, 0), categorical=tuple(range(30)), n_levels=(99,) * 30)
    assert lda.COMPONENT.unsuitable(levels) is not None
    # A column of very many levels is encoded as few columns only.
    many = replace(task(100, 0), categorical=(0,), n_levels=(5000,))
    assert lda.COMPONENT.unsuitable(many) is None


@pytest.mark.parametrize("learners", [PAPER_CLASSIFIERS, DEFAULT_CLASSIFIERS])
def test_some_learner_is_left_on_a_large_table_of_few_classes(learners: Any) -> None:
    large = task(2_000_000, 100)
    left = [c.name for c in learners if c.unsuitable(large) is None]
    assert "lightgbm" in left
