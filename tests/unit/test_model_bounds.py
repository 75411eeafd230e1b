"""Trees that would lead out of their arrays are found before they predict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.fitted_search import fitted_search
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from automl import AutoClassifier
from automl.errors import InputError
from automl.model_bounds import check_trees

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=(80, 2)), RNG.integers(0, 4, 80)])
Y = (X[:, 0] > 0.2 * X[:, 1]).astype(int) + (X[:, 2] == 3)
REFUSED = pytest.raises(InputError, match="nodes do not fit together")


def tree_with(**changes: Any) -> DecisionTreeClassifier:
    """Return a fitted tree whose root has been given other numbers."""
    model = DecisionTreeClassifier(random_state=0).fit(X, Y)
    state = model.tree_.__getstate__()
    for field, value in changes.items():
        state["nodes"][field][0] = value
    model.tree_.__setstate__(state)
    return model


@pytest.mark.parametrize(
    "changes",
    [
        {"left_child": 10_000},
        {"right_child": 10_000},
        {"left_child": 0},
        {"right_child": -5},
        {"feature": 3},
        {"feature": -1},
    ],
)
def test_a_node_that_leads_out_of_its_tree_is_refused(changes: dict[str, int]) -> None:
    with REFUSED:
        check_trees([make_pipeline(tree_with(**changes))])


@pytest.mark.parametrize(
    ("field", "value"),
    [("left", 10_000), ("right", 0), ("feature_idx", 3), ("bitset_idx", 10_000)],
)
def test_a_node_of_histogram_boosting_that_leads_out_is_refused(field: str, value: int) -> None:
    model = HistGradientBoostingClassifier(categorical_features=[2], max_iter=3).fit(X, Y)
    check_trees(model)
    trees = [tree for of_round in model._predictors for tree in of_round]
    inner = "is_categorical" if field == "bitset_idx" else "feature_idx"
    tree = next(t for t in trees if (t.nodes[inner] > 0).any() and len(t.nodes) > 1)
    node = np.flatnonzero(tree.nodes["is_categorical"])[0] if field == "bitset_idx" else 0
    tree.nodes[field][node] = value
    with REFUSED:
        check_trees(model)


def without_columns(forest: Any) -> None:
    del forest.n_features_in_


def with_fewer_columns(forest: Any) -> None:
    forest.n_features_in_ = 1


@pytest.mark.parametrize("doctor", [without_columns, with_fewer_columns])
def test_a_forest_that_takes_fewer_columns_than_its_trees_read_is_refused(
    doctor: Callable[[Any], None],
) -> None:
    forest = RandomForestClassifier(5, random_state=0).fit(X, Y)
    check_trees({"forest": [forest]})
    doctor(forest)
    with REFUSED:
        check_trees({"forest": [forest]})


def test_a_doctored_file_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    search = fitted_search()
    (member,) = search.ensemble_.members
    doctored = replace(member, models=(make_pipeline(tree_with(left_child=10_000)),))
    search.ensemble_ = replace(search.ensemble_, members=(doctored,))
    search.save(tmp_path / "a.model")
    with REFUSED:
        AutoClassifier.load(tmp_path / "a.model")
