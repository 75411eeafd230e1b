"""What every learner of every list promises."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import pickle
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone

from search_space.arrays import Features, FloatArray, IntArray
from search_space.classifiers import (
    DEFAULT_CLASSIFIERS,
    FAST_CLASSIFIERS,
    PAPER_CLASSIFIERS,
    adaboost,
)
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

LISTS = {"paper": PAPER_CLASSIFIERS, "default": DEFAULT_CLASSIFIERS, "fast": FAST_CLASSIFIERS}
N_ROWS, N_COLUMNS = 120, 8
SEED = 7

COMPONENTS: dict[str, Component] = {}
for _preset, _learners in LISTS.items():
    for _learner in _learners:
        # A component that several lists share is tried once.
        if _learner not in COMPONENTS.values():
            COMPONENTS[f"{_preset}-{_learner.name}"] = _learner

every_component = pytest.mark.parametrize("name", COMPONENTS)


def components_that(claim: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", [n for n, c in COMPONENTS.items() if getattr(c, claim)])


@dataclass(frozen=True)
class Table:
    """Rows to fit on and rows to predict, none of which may be written to."""

    X: Features
    y: IntArray
    X_new: Features
    y_new: IntArray
    categorical: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        arrays: tuple[Any, ...] = (self.X, self.y, self.X_new, self.y_new)
        for array in arrays:
            is_dense = isinstance(array, np.ndarray)
            parts = [array] if is_dense else [array.data, array.indices, array.indptr]
            for part in parts:
                part.setflags(write=False)

    @property
    def task(self) -> TaskProperties:
        """What the table is like."""
        counts = np.unique(self.y, return_counts=True)[1]
        return TaskProperties(
            n_rows=len(self.y),
            n_classes=len(counts),
            smallest_class=int(counts.min()),
            largest_class=int(counts.max()),
            numeric=tuple(i for i in range(self.X.shape[1]) if i not in self.categorical),
            categorical=self.categorical,
            n_levels=tuple(int(np.nanmax(self.X[:, i])) + 1 for i in self.categorical),
            is_sparse=scipy.sparse.issparse(self.X),
        )


def blobs(labels: tuple[int, ...], counts: tuple[int, ...], distance: float = 2.5) -> Table:
    """Gaussian classes, each moved along two columns of its own."""
    rng = np.random.default_rng(0)

    def draw(rows: tuple[int, ...]) -> tuple[FloatArray, IntArray]:
        codes = np.repeat(np.arange(len(labels)), rows)
        X = rng.normal(size=(len(codes), N_COLUMNS))
        for code in range(len(labels)):
            X[codes == code, 2 * code : 2 * code + 2] += distance
        order = rng.permutation(len(codes))
        return X[order], np.asarray(labels)[codes[order]]

    return Table(*draw(counts), *draw((50,) * len(labels)))


def with_missing(table: Table) -> Table:
    """Remove a tenth of the values, in column 7 only after training."""
    rng = np.random.default_rng(1)
    X, X_new = np.array(table.X), np.array(table.X_new)
    X[:, :-1][rng.random((len(X), N_COLUMNS - 1)) < 0.1] = np.nan
    X_new[rng.random(X_new.shape) < 0.1] = np.nan
    return Table(X, table.y, X_new, table.y_new)


def as_sparse(table: Table) -> Table:
    X, X_new = (np.where(np.abs(a) < 0.7, 0.0, a) for a in (table.X, table.X_new))
    narrow, new = scipy.sparse.csr_array(X), scipy.sparse.csr_array(X_new)
    # Indices of 64 bits come out of many operations of scipy.
    parts = (narrow.data, narrow.indices.astype(np.int64), narrow.indptr.astype(np.int64))
    return Table(scipy.sparse.csr_array(parts, shape=X.shape), table.y, new, table.y_new)


def with_categories() -> Table:
    """Six levels, of which the odd ones mean class 1; some missing; new levels later."""
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=(400, 2)), rng.integers(0, 6, size=(400, 2))])
    y = (X[:, 2].astype(int) % 2) ^ (rng.random(400) < 0.05)
    X[rng.random(400) < 0.05, 3] = np.nan
    X_new, y_new = X[200:].copy(), y[200:]
    X_new[:5, 3] = 6.0
    X_new[5:10, 3] = np.nan
    return Table(X[:200], y[:200].astype(np.int64), X_new, y_new.astype(np.int64), (2, 3))


TABLES = {
    "three classes": blobs((0, 1, 2), (40, 40, 40)),
    "labels 0 and 2": blobs((0, 2), (60, 60)),
    "imbalanced": blobs((0, 1), (96, 24), distance=1.7),
    "missing": with_missing(blobs((0, 1), (60, 60))),
    "sparse": as_sparse(blobs((0, 1, 2), (40, 40, 40))),
    "categories": with_categories(),
}


def unfitted(name: str, table: Table, seed: int = SEED) -> Any:
    component = COMPONENTS[name]
    categorical = table.categorical if component.handles_categories else ()
    context = BuildContext(task=table.task, seed=seed, categorical_positions=categorical)
    return component.build(dict(component.space(table.task).get_default_configuration()), context)


@cache
def fitted(name: str, key: str) -> Any:
    return unfitted(name, TABLES[key]).fit(TABLES[key].X, TABLES[key].y)


def assert_probabilities(probabilities: FloatArray, n_rows: int, n_classes: int) -> None:
    assert probabilities.shape == (n_rows, n_classes)
    assert probabilities.dtype == np.float64
    assert np.isfinite(probabilities).all()
    assert probabilities.min() >= 0.0
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-6)


def brier(probabilities: FloatArray, one_hot: NDArray[np.bool_]) -> float:
    return float(((probabilities - one_hot) ** 2).sum(axis=1).mean())


def assert_better_than_the_prior(model: Any, table: Table) -> None:
    probabilities = model.predict_proba(table.X_new)
    assert_probabilities(probabilities, len(table.y_new), len(np.unique(table.y)))
    one_hot = table.y_new[:, np.newaxis] == model.classes_
    prior = np.unique(table.y, return_counts=True)[1] / len(table.y)
    assert brier(probabilities, one_hot) < 0.8 * brier(prior[np.newaxis, :], one_hot)


@every_component
@pytest.mark.parametrize("key", ["three classes", "labels 0 and 2", "imbalanced"])
def test_default_configuration_beats_the_class_prior(name: str, key: str) -> None:
    assert_better_than_the_prior(fitted(name, key), TABLES[key])


@every_component
@pytest.mark.parametrize("key", ["three classes", "labels 0 and 2"])
def test_predictions_are_the_most_probable_of_the_labels(name: str, key: str) -> None:
    table, model = TABLES[key], fitted(name, key)
    np.testing.assert_array_equal(model.classes_, np.unique(table.y))
    predicted = model.predict(table.X_new)
    best = model.predict_proba(table.X_new).argmax(axis=1)
    np.testing.assert_array_equal(predicted, model.classes_[best])
    assert np.mean(predicted == table.y_new) > 0.8


@components_that("handles_missing")
def test_missing_values_are_taken_where_claimed(name: str) -> None:
    assert_better_than_the_prior(fitted(name, "missing"), TABLES["missing"])


@components_that("handles_sparse")
def test_sparse_tables_are_taken_where_claimed(name: str) -> None:
    assert_better_than_the_prior(fitted(name, "sparse"), TABLES["sparse"])


@components_that("handles_categories")
def test_level_codes_missing_and_new_levels_are_taken_where_claimed(name: str) -> None:
    assert_better_than_the_prior(fitted(name, "categories"), TABLES["categories"])


@components_that("handles_categories")
def test_the_order_of_levels_means_nothing(name: str) -> None:
    table = TABLES["categories"]
    renamed = np.array([3.0, 0.0, 5.0, 1.0, 4.0, 2.0, 6.0])

    def rename(X: FloatArray) -> FloatArray:
        X = X.copy()
        known = ~np.isnan(X[:, 2:])
        X[:, 2:][known] = renamed[X[:, 2:][known].astype(int)]
        return X

    model = unfitted(name, table).fit(rename(table.X), table.y)
    expected = fitted(name, "categories").predict_proba(table.X_new)
    # Ties between equally good splits are broken by the order: single rows may differ.
    differences = np.abs(model.predict_proba(rename(table.X_new)) - expected)
    assert differences.mean() < 0.02


@every_component
def test_clones_and_pickles_predict_the_same(name: str) -> None:
    table, model = TABLES["labels 0 and 2"], fitted(name, "labels 0 and 2")
    expected = model.predict_proba(table.X_new)
    again = clone(model).fit(table.X, table.y)
    np.testing.assert_array_equal(again.predict_proba(table.X_new), expected)
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict_proba(table.X_new), expected)
    pickle.loads(pickle.dumps(COMPONENTS[name]))


@components_that("takes_weights")
def test_weights_matter(name: str) -> None:
    table = TABLES["imbalanced"]
    weights = np.where(np.arange(N_ROWS) % 3 == 0, 5.0, 0.2)
    weighted = unfitted(name, table).fit(table.X, table.y, sample_weight=weights)
    probabilities = weighted.predict_proba(table.X_new)
    assert_probabilities(probabilities, len(table.y_new), 2)
    unweighted = fitted(name, "imbalanced").predict_proba(table.X_new)
    assert np.abs(probabilities - unweighted).max() > 1e-3


@pytest.mark.parametrize("name", [n for n, c in COMPONENTS.items() if not c.takes_weights])
def test_weights_are_refused_where_they_would_be_ignored(name: str) -> None:
    table = TABLES["imbalanced"]
    with pytest.raises(TypeError, match="sample_weight"):
        unfitted(name, table).fit(table.X, table.y, sample_weight=np.ones(N_ROWS))


# Forests have the same space in two presets: it is tried once.
@pytest.mark.parametrize("name", {(c.name, id(c.space)): n for n, c in COMPONENTS.items()}.values())
def test_random_configurations_fit_in_silence(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    component, table = COMPONENTS[name], TABLES["imbalanced"]
    space = component.space(table.task)
    space.seed(3)
    # The published space of QDA holds models without a covariance of full rank.
    refused = [ValueError] if component.name == "qda" else []
    for _ in range(5):
        configuration = dict(space.sample_configuration())
        model = component.build(configuration, BuildContext(task=table.task, seed=SEED))
        with contextlib.suppress(*refused):
            model.fit(table.X, table.y)
            assert_probabilities(model.predict_proba(table.X_new), len(table.y_new), 2)
    assert capfd.readouterr() == ("", "")


@every_component
def test_descriptions_are_complete(name: str) -> None:
    component = COMPONENTS[name]
    assert component.stage is Stage.CLASSIFIER
    assert component.unsuitable(TABLES["imbalanced"].task) is None
    assert component.cost > 0.0
    assert component.modules
    assert all(importlib.util.find_spec(module) for module in component.modules)


def test_names_are_unique_within_a_list() -> None:
    for learners in LISTS.values():
        assert len({c.name for c in learners}) == len(learners)


_COUNT_THREADS = """
import os, pickle
import numpy as np
import xgboost
from search_space.classifiers import DEFAULT_CLASSIFIERS
from search_space.component import BuildContext
from search_space.task import TaskProperties

rng = np.random.default_rng(0)
X, y = rng.normal(size=(1000, 4)), rng.integers(0, 2, 1000)
task = TaskProperties(
    n_rows=1000, n_classes=2, smallest_class=500, largest_class=500, numeric=(0, 1, 2, 3)
)
xgboost.QuantileDMatrix(X, y, nthread=1)  # starts a thread that stays idle
for c in DEFAULT_CLASSIFIERS:
    if c.name in ("adaboost", "gradient_boosting"):
        continue  # slow, and without a way to use threads
    for module in c.modules:
        __import__(module)
    before = len(os.listdir("/proc/self/task"))
    configuration = dict(c.space(task).get_default_configuration())
    model = c.build(configuration, BuildContext(task=task, seed=0)).fit(X, y)
    pickle.loads(pickle.dumps(model)).predict_proba(X)
    started = len(os.listdir("/proc/self/task")) - before
    assert started == 0, f"{c.name} started {started} threads"
"""


def test_no_learner_starts_a_thread() -> None:
    # OpenBLAS starts its threads when it is loaded; OpenMP keeps those that it has started.
    environment = {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "1", "PATH": "/usr/bin"}
    finished = subprocess.run(
        [sys.executable, "-c", _COUNT_THREADS],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr


def test_boosting_libraries_are_imported_where_they_are_used() -> None:
    for path in Path(adaboost.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not {"lightgbm", "xgboost"}.intersection(names), path
