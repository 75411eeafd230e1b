"""What every preprocessor and rescaler promises."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from search_space.arrays import Features, FloatArray, IntArray
from search_space.component import BuildContext, Component, Stage
from search_space.rescalers import RESCALERS
from search_space.task import TaskProperties
from search_space.transformers import PREPROCESSORS
from search_space.transformers.sized_operator import LARGEST_OUTPUT
from search_space.values import plain_values

N_ROWS, N_COLUMNS = 120, 8
SEED = 7
COMPONENTS = {f"{c.stage}-{c.name}": c for c in (*PREPROCESSORS, *RESCALERS)}

every_component = pytest.mark.parametrize("name", COMPONENTS)
sparse_components = pytest.mark.parametrize(
    "name", [name for name, c in COMPONENTS.items() if c.handles_sparse]
)


def task_of(n_rows: int = N_ROWS, *, is_sparse: bool = False) -> TaskProperties:
    return TaskProperties(
        n_rows=n_rows,
        n_classes=3,
        smallest_class=n_rows // 3,
        largest_class=n_rows // 3,
        numeric=tuple(range(N_COLUMNS)) if is_sparse else (0, 1, 2, 3),
        categorical=() if is_sparse else (4, 5),
        n_levels=() if is_sparse else (2, 2),
        is_sparse=is_sparse,
    )


@cache
def table() -> tuple[FloatArray, IntArray]:
    """Four numeric columns of different scales and two one-hot pairs; three classes."""
    rng = np.random.default_rng(0)
    y = np.arange(N_ROWS, dtype=np.int64) % 3
    numeric = rng.normal(size=(N_ROWS, 4)) * [1.0, 50.0, 1e-3, 1.0] + y[:, np.newaxis]
    levels = np.stack([rng.integers(0, 2, N_ROWS), (y == 1) ^ (rng.random(N_ROWS) < 0.1)], axis=1)
    one_hot = np.hstack([levels, 1 - levels])
    return np.hstack([numeric, one_hot]), y


def configurations(
    component: Component, task: TaskProperties, number: int = 8
) -> list[dict[str, Any]]:
    """Return the default configuration and random ones."""
    space = component.space(task)
    space.seed(SEED)
    found = [space.get_default_configuration()]
    if len(space) > 0:
        found += space.sample_configuration(number)
    return [plain_values(configuration) for configuration in found]


def built(component: Component, hyperparameters: Mapping[str, Any], task: TaskProperties) -> Any:
    return component.build(hyperparameters, BuildContext(task=task, seed=SEED))


@cache
def fitted(name: str) -> tuple[Any, ...]:
    """Return an operator of each configuration, fitted to the first 90 rows."""
    X, y = table()
    return tuple(
        built(COMPONENTS[name], hyperparameters, task_of(90)).fit(X[:90], y[:90])
        for hyperparameters in configurations(COMPONENTS[name], task_of(90))
    )


def is_usable(output: Features, n_rows: int) -> bool:
    values = output.data if scipy.sparse.issparse(output) else np.asarray(output)
    return (
        output.shape[0] == n_rows
        and output.shape[1] >= 1
        and output.dtype == np.float64
        and bool(np.all(np.abs(values) <= LARGEST_OUTPUT))
    )


@every_component
def test_output_of_rows_never_seen_is_finite_and_has_a_column(name: str) -> None:
    X, _ = table()
    assert all(is_usable(operator.transform(X[90:]), 30) for operator in fitted(name))


@every_component
def test_fitting_a_clone_again_gives_the_same_output(name: str) -> None:
    X, y = table()
    for operator in fitted(name)[:2]:
        again = clone(operator).fit(X[:90], y[:90])
        np.testing.assert_array_equal(again.transform(X), operator.transform(X))


@every_component
def test_pickling_keeps_the_output(name: str) -> None:
    X, _ = table()
    for operator in fitted(name):
        restored = pickle.loads(pickle.dumps(operator))
        np.testing.assert_allclose(restored.transform(X), operator.transform(X))


@every_component
def test_rows_handed_in_are_not_written_to(name: str) -> None:
    X, y = table()
    frozen = X.copy()
    frozen.flags.writeable = False
    for hyperparameters in configurations(COMPONENTS[name], task_of(), 2):
        built(COMPONENTS[name], hyperparameters, task_of()).fit(frozen, y).transform(frozen)


@every_component
def test_nothing_is_printed(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    X, y = table()
    (hyperparameters, *_) = configurations(COMPONENTS[name], task_of(), 2)
    built(COMPONENTS[name], hyperparameters, task_of()).fit(X, y).transform(X)
    assert capfd.readouterr() == ("", "")


@every_component
@pytest.mark.parametrize("kind", ["constant", "single", "repeated", "large", "few rows", "wide"])
def test_odd_tables_are_taken(name: str, kind: str) -> None:
    X, y = table()
    rng = np.random.default_rng(1)
    odd = {
        "constant": np.full_like(X, 3.0),
        "single": X[:, :1],
        "repeated": np.hstack([X, X, np.zeros((N_ROWS, 1))]),
        "large": X * 1e20,
        "few rows": X[:9],
        "wide": rng.normal(size=(30, 50)),
    }[kind]
    classes = y[: len(odd)]
    # Hyperparameters come from the usual table, so that numbers of columns do not fit.
    for hyperparameters in configurations(COMPONENTS[name], task_of(), 2):
        operator = built(COMPONENTS[name], hyperparameters, task_of()).fit(odd, classes)
        assert is_usable(operator.transform(odd), len(odd))


@sparse_components
def test_sparse_tables_are_taken_where_a_component_says_so(name: str) -> None:
    X, y = table()
    task = task_of(is_sparse=True)
    sparse = scipy.sparse.csr_array(np.where(np.abs(X) < 0.5, 0.0, X))
    before = sparse.copy()
    for hyperparameters in configurations(COMPONENTS[name], task, 4):
        output = built(COMPONENTS[name], hyperparameters, task).fit(sparse, y).transform(sparse)
        assert is_usable(output, N_ROWS)
        if COMPONENTS[name].stage is Stage.RESCALER:
            assert scipy.sparse.issparse(output)
    assert (sparse != before).nnz == 0


# The length of a row with a gap is unknown: the space forbids the normalizer there.
@pytest.mark.parametrize("component", [c for c in RESCALERS if c.name != "normalizer"])
def test_rescalers_leave_missing_values_missing(component: Component) -> None:
    X, y = table()
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    gaps[:, 2] = np.nan
    for hyperparameters in configurations(component, task_of(), 2):
        output = built(component, hyperparameters, task_of()).fit(gaps, y).transform(gaps)
        np.testing.assert_array_equal(np.isnan(output), np.isnan(gaps))
