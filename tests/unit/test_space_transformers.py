"""What single operators compute, against second methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA
from sklearn.preprocessing import PolynomialFeatures

from search_space.arrays import FloatArray, IntArray
from search_space.bounds import MOST_CELLS
from search_space.component import BuildContext, Component
from search_space.rescalers import ROBUST, STANDARD
from search_space.task import TaskProperties
from search_space.transformers import (
    cross_feature,
    feature_agglomeration,
    generic_univariate_selector,
    kernel_pca,
    kitchen_sinks,
    nystroem,
    percentile_selector,
    polynomial,
    random_trees_embedding,
    svd,
)
from search_space.transformers.kernel_pca import KernelComponents
from search_space.variance_filter import VarianceFilter


def task_of(n_rows: int, n_columns: int, n_levels: tuple[int, ...] = ()) -> TaskProperties:
    return TaskProperties(
        n_rows=n_rows,
        n_classes=2,
        smallest_class=n_rows // 2,
        largest_class=n_rows // 2,
        numeric=tuple(range(n_columns)),
        categorical=tuple(range(n_columns, n_columns + len(n_levels))),
        n_levels=n_levels,
    )


def table(n_rows: int = 60, n_columns: int = 6) -> tuple[FloatArray, IntArray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + 0.1 * rng.normal(size=n_rows) > 0.0).astype(np.int64)


def fitted(
    component: Component, hyperparameters: Mapping[str, Any], X: FloatArray, y: IntArray
) -> Any:
    context = BuildContext(task=task_of(*X.shape), seed=1)
    return component.build(hyperparameters, context).fit(X, y)


def test_kernel_components_agree_with_scikit_learn_up_to_sign() -> None:
    X, y = table()
    ours = KernelComponents(4, "rbf", {"gamma": 0.3}, seed=0).fit(X[:40], y[:40]).transform(X)
    theirs = KernelPCA(4, kernel="rbf", gamma=0.3, eigen_solver="dense").fit(X[:40]).transform(X)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-9)


def test_kernel_components_of_many_rows_come_from_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_pca, "MOST_ROWS", 50)
    X, y = table()
    operator = KernelComponents(2, "rbf", {"gamma": 1.0}, seed=0).fit(X, y)
    assert len(np.unique(operator.sample_, axis=0)) == 50
    assert operator.transform(X).shape == (60, 2)


def test_kernels_without_positive_eigenvalues_leave_something() -> None:
    X, y = table()
    hyperparameters = {"kernel": "sigmoid", "coef0": -1.0, "n_components": 60}
    output = fitted(kernel_pca.COMPONENT, hyperparameters, 100.0 * X, y).transform(X)
    assert 1 <= output.shape[1] < 60


def test_polynomial_appends_all_products_of_few_columns() -> None:
    X, y = table()
    hyperparameters = {"degree": 3, "interaction_only": False}
    output = fitted(polynomial.COMPONENT, hyperparameters, X, y).transform(X)
    expected = PolynomialFeatures(3, include_bias=False).fit_transform(X)
    np.testing.assert_allclose(output, expected)


def test_polynomial_combines_the_important_ones_of_many_columns() -> None:
    X, y = table(200, 40)
    hyperparameters = {"degree": 3, "interaction_only": True}
    output = fitted(polynomial.COMPONENT, hyperparameters, X, y).transform(X)
    # 10 columns make 45 pairs and 120 triples; the class depends on the first column.
    assert output.shape == (200, 40 + 45 + 120)
    with_first = (X[:, :1] * X[:, 1:])[:, np.newaxis, :]
    matches = np.isclose(output[:, 40:85, np.newaxis], with_first).all(axis=0)
    assert matches.any(axis=1).sum() == 9


def test_cross_features_are_the_varying_products_of_binary_columns() -> None:
    X = np.array([[0.0, 1.0, 0.0, 2.5], [1.0, 1.0, 0.0, 1.5], [1.0, 0.0, 1.0, 0.5]])
    y = np.array([0, 1, 1])
    output = fitted(cross_feature.COMPONENT, {"random_state": 1}, X, y).transform(X)
    # Columns 0-1 and 0-2 meet in one row each, columns 1-2 in none.
    expected = np.column_stack([X, X[:, 0] * X[:, 1], X[:, 0] * X[:, 2]])
    np.testing.assert_array_equal(output, expected)


def test_cross_features_are_fewer_when_rows_are_many() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(100, 60)).astype(np.float64)
    operator = cross_feature.BinaryProducts(most_products=100, random_state=1).fit(X)
    # 14 columns make 91 pairs, 15 make 105.
    assert len(operator.left_) == 91
    assert len(set(operator.left_) | set(operator.right_)) == 14


def test_cross_features_need_categorical_columns() -> None:
    assert cross_feature.COMPONENT.unsuitable(task_of(50, 3)) is not None
    assert cross_feature.COMPONENT.unsuitable(task_of(50, 3, (4,))) is None


def test_robust_quantiles_are_shares_of_the_rows() -> None:
    X = np.arange(101.0)[:, np.newaxis]
    output = fitted(
        ROBUST, {"q_min": 0.1, "q_max": 0.9}, X, np.zeros(101, dtype=np.int64)
    ).transform(X)
    np.testing.assert_allclose(output, (X - 50.0) / 80.0)


def test_values_beyond_single_precision_are_cut() -> None:
    X, y = table()
    output = fitted(STANDARD, {}, X, y).transform(np.full((1, 6), 1e200))
    np.testing.assert_array_equal(output, 1e30)


def test_a_selector_that_keeps_nothing_keeps_the_best_column() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    y = (np.arange(40) % 2).astype(np.int64)
    hyperparameters = {"alpha": 1e-12, "score_func": "f_classif", "mode": "fwe"}
    operator = fitted(generic_univariate_selector.COMPONENT, hyperparameters, X, y)
    difference = np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)) / X.std(axis=0)
    np.testing.assert_array_equal(operator.transform(X), X[:, [np.argmax(difference)]])


def test_chi_squared_selection_keeps_negative_values() -> None:
    X, y = table()
    hyperparameters = {"percentile": 20.0, "score_func": "chi2"}
    output = fitted(percentile_selector.COMPONENT, hyperparameters, X, y).transform(X)
    np.testing.assert_array_equal(output, X[:, :1])


def test_mutual_information_finds_the_column_that_decides() -> None:
    X, y = table()
    X[:, 3] = y
    hyperparameters = {"percentile": 5.0, "score_func": "mutual_info"}
    output = fitted(percentile_selector.COMPONENT, hyperparameters, X, y).transform(X)
    np.testing.assert_array_equal(output, X[:, [3]])


def test_random_trees_draw_rows_only_when_told_to() -> None:
    X, y = table()
    options = {"max_depth": 2, "min_samples_split": 2, "min_samples_leaf": 1, "n_estimators": 10}
    drawn, all_rows = (
        fitted(random_trees_embedding.COMPONENT, {**options, "bootstrap": bootstrap}, X, y)
        for bootstrap in (True, False)
    )
    root_rows = [tree.tree_.weighted_n_node_samples[0] for tree in all_rows.transformer_]
    distinct = [tree.tree_.n_node_samples[0] for tree in drawn.transformer_]
    assert root_rows == [60.0] * 10
    assert max(distinct) < 60


def test_random_trees_of_many_rows_have_few_leaves() -> None:
    make = random_trees_embedding.COMPONENT.build(
        {
            "max_depth": 10,
            "min_samples_split": 2,
            "min_samples_leaf": 1,
            "n_estimators": 100,
            "bootstrap": False,
        },
        BuildContext(task=task_of(100, 3), seed=0),
    ).make
    few = make(5000, 3)
    assert few.max_leaf_nodes * few.n_estimators * 5000 <= MOST_CELLS
    assert make(5001, 3).max_depth == 6
    assert make(100, 3).max_leaf_nodes is None


def test_the_variance_filter_keeps_what_varies_or_else_one_column() -> None:
    X = np.array([[1.0, 0.1, 5.0], [1.0, 0.1, 6.0], [1.0, 0.1, 7.0]])
    assert VarianceFilter(0.0).fit(X).kept_.tolist() == [2]
    assert VarianceFilter(10.0).fit(X).kept_.tolist() == [2]
    assert len(VarianceFilter(0.0).fit(X[:, :2]).kept_) == 1


@pytest.mark.parametrize(
    ("component", "name", "top"),
    [
        (kernel_pca.COMPONENT, "n_components", 90),
        (kitchen_sinks.COMPONENT, "n_components", 90),
        (nystroem.COMPONENT, "n_components", 90),
        (svd.COMPONENT, "target_dim", 49),
        (feature_agglomeration.COMPONENT, "n_clusters", 50),
    ],
)
def test_ranges_end_where_the_task_ends(component: Component, name: str, top: int) -> None:
    hyperparameter: Any = component.space(task_of(90, 50))[name]
    assert hyperparameter.upper == top


@pytest.mark.parametrize(
    ("component", "name"),
    [(svd.COMPONENT, "target_dim"), (nystroem.COMPONENT, "n_components")],
)
def test_a_range_of_one_value_becomes_a_constant(component: Component, name: str) -> None:
    hyperparameter = component.space(task_of(30, 5))[name]
    assert hyperparameter.size == 1


def test_outputs_of_many_rows_are_narrower() -> None:
    n_rows = 25_000
    n_components: Any = nystroem.COMPONENT.space(task_of(n_rows, 5))["n_components"]
    assert n_components.upper == MOST_CELLS // n_rows
