"""The published hyperparameters, one by one, and how ranges are cut to the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from ConfigSpace import Configuration, Constant, EqualsCondition, InCondition
from ConfigSpace.exceptions import ForbiddenValueError
from ConfigSpace.hyperparameters import (
    CategoricalHyperparameter,
    Hyperparameter,
    OrdinalHyperparameter,
)

from search_space.classifiers import (
    DEFAULT_CLASSIFIERS,
    FAST_CLASSIFIERS,
    PAPER_CLASSIFIERS,
    hist_gradient_boosting,
    k_nearest_neighbors,
    lda,
    liblinear_svc,
    libsvm_svc,
    lightgbm,
)
from search_space.classifiers.substitutions import CLASSIFIER_SUBSTITUTIONS
from search_space.task import TaskProperties

WIDE = TaskProperties(
    n_rows=5000, n_classes=300, smallest_class=1, largest_class=90, numeric=tuple(range(300))
)
SMALL = TaskProperties(
    n_rows=40, n_classes=3, smallest_class=10, largest_class=20, numeric=tuple(range(10))
)

# MindWare, models for classification; ranges as (lowest, highest, default, is logarithmic),
# choices as (set, default), steps as (list, default).
PUBLISHED: dict[str, Mapping[str, Any]] = {
    "adaboost": {
        "n_estimators": (50, 500, 50, False),
        "learning_rate": (0.01, 2.0, 0.1, True),
        "algorithm": "SAMME",
        "max_depth": (2, 8, 3, False),
    },
    "random_forest": {
        "criterion": ({"gini", "entropy"}, "gini"),
        "max_features": (0.0, 1.0, 0.5, False),
        "min_samples_split": (2, 20, 2, False),
        "min_samples_leaf": (1, 20, 1, False),
        "bootstrap": ({True, False}, True),
    },
    "extra_trees": {
        "criterion": ({"gini", "entropy"}, "gini"),
        "max_features": (0.0, 1.0, 0.5, False),
        "min_samples_split": (2, 20, 2, False),
        "min_samples_leaf": (1, 20, 1, False),
        "bootstrap": ({True, False}, False),
    },
    "gradient_boosting": {
        "learning_rate": (0.01, 1.0, 0.1, True),
        "max_depth": (1, 8, 3, False),
        "criterion": "squared_error",
        "min_samples_split": (2, 20, 2, False),
        "min_samples_leaf": (1, 20, 1, False),
        "subsample": (0.01, 1.0, 1.0, False),
        "max_features": (0.1, 1.0, 1.0, False),
    },
    "k_nearest_neighbors": {
        "n_neighbors": (1, 100, 1, True),
        "weights": ({"uniform", "distance"}, "uniform"),
        "p": ({1, 2}, 2),
    },
    "lda": {
        "shrinkage": ({"none", "auto", "manual"}, "none"),
        "shrinkage_factor": (0.0, 1.0, 0.5, False),
        "n_components": (1, 250, 1, False),
        "tol": (1e-5, 1e-1, 1e-4, True),
    },
    "qda": {"reg_param": (0.0, 1.0, 0.0, False)},
    "logistic_regression": {
        "C": (0.03125, 10.0, 1.0, True),
        "tol": (1e-6, 1e-2, 1e-4, True),
        "penalty": ({"l1", "l2"}, "l2"),
        "solver": ({"liblinear", "saga"}, "liblinear"),
    },
    "liblinear_svc": {
        "penalty": ({"l1", "l2"}, "l2"),
        "loss": ({"hinge", "squared_hinge"}, "squared_hinge"),
        "dual": ({True, False}, True),
        "tol": (1e-5, 1e-1, 1e-4, True),
        "C": (0.03125, 32768.0, 1.0, True),
    },
    "libsvm_svc": {
        "C": (0.03125, 32768.0, 1.0, True),
        "kernel": ({"rbf", "poly", "sigmoid"}, "rbf"),
        "degree": (2, 5, 3, False),
        "gamma": (3.05175781e-05, 8.0, 0.1, True),  # 2**-15, to the digits that ConfigSpace keeps
        "coef0": (-1.0, 1.0, 0.0, False),
        "shrinking": ({True, False}, True),
        "tol": (1e-5, 1e-1, 1e-3, True),
    },
    "lightgbm": {
        "n_estimators": (list(range(100, 1001, 50)), 500),
        "num_leaves": (31, 2047, 128, False),
        "learning_rate": (1e-3, 0.3, 0.1, True),
        "min_child_samples": (5, 30, 20, False),
        "subsample": ([0.7, 0.8, 0.9, 1.0], 1.0),
        "colsample_bytree": ([0.7, 0.8, 0.9, 1.0], 1.0),
    },
}


def described(hyperparameter: Hyperparameter[Any, Any]) -> Any:
    """Return a hyperparameter in the form of `PUBLISHED`."""
    if isinstance(hyperparameter, Constant):
        return hyperparameter.value
    if isinstance(hyperparameter, CategoricalHyperparameter):
        return set(hyperparameter.choices), hyperparameter.default_value
    if isinstance(hyperparameter, OrdinalHyperparameter):
        return list(hyperparameter.sequence), hyperparameter.default_value
    bounds: Any = hyperparameter
    return bounds.lower, bounds.upper, bounds.default_value, bounds.log


@pytest.mark.parametrize("component", PAPER_CLASSIFIERS, ids=lambda c: c.name)
def test_published_ranges_and_defaults_are_kept(component: Any) -> None:
    space = component.space(WIDE)
    assert {name: described(h) for name, h in space.items()} == PUBLISHED[component.name]


def test_there_are_eleven_learners_with_51_hyperparameters() -> None:
    assert [c.name for c in PAPER_CLASSIFIERS] == list(PUBLISHED)
    assert len(PUBLISHED) == 11
    assert sum(len(c.space(WIDE)) for c in PAPER_CLASSIFIERS) == 51


def test_only_four_hyperparameters_are_conditional() -> None:
    conditional = {}
    for component in PAPER_CLASSIFIERS:
        for condition in component.space(WIDE).conditions:
            assert isinstance(condition, EqualsCondition | InCondition)
            values = condition.values if isinstance(condition, InCondition) else [condition.value]
            conditional[condition.child.name] = (condition.parent.name, list(values))
    assert conditional == {
        "shrinkage_factor": ("shrinkage", ["manual"]),
        "degree": ("kernel", ["poly"]),
        "coef0": ("kernel", ["poly", "sigmoid"]),
    }


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("dual", [True, False])
def test_liblinear_knows_four_combinations(penalty: str, loss: str, dual: bool) -> None:
    space = liblinear_svc.COMPONENT.space(WIDE)
    values = {**space.get_default_configuration(), "penalty": penalty, "loss": loss, "dual": dual}
    legal = {
        ("l1", "squared_hinge", False),
        ("l2", "hinge", True),
        ("l2", "squared_hinge", True),
        ("l2", "squared_hinge", False),
    }
    if (penalty, loss, dual) in legal:
        Configuration(space, values=values)
    else:
        with pytest.raises(ForbiddenValueError):
            Configuration(space, values=values)


def test_neighbours_end_at_the_rows() -> None:
    assert described(k_nearest_neighbors.COMPONENT.space(SMALL)["n_neighbors"])[:3] == (1, 40, 1)
    few = replace(SMALL, n_rows=12)
    assert described(k_nearest_neighbors.DEFAULT_COMPONENT.space(few)["n_neighbors"])[:3] == (
        1,
        12,
        12,
    )


def test_components_end_at_columns_and_classes() -> None:
    assert described(lda.COMPONENT.space(SMALL)["n_components"])[:2] == (1, 2)
    assert described(lda.COMPONENT.space(replace(SMALL, n_classes=2))["n_components"]) == 1
    one_column = replace(SMALL, numeric=(0,))
    assert described(lda.COMPONENT.space(one_column)["n_components"]) == 1
    assert "n_components" not in lda.DEFAULT_COMPONENT.space(SMALL)


@pytest.mark.parametrize("n_rows", [3, 20, 40, 100_000])
def test_trees_are_cut_to_the_rows_and_stay_legal(n_rows: int) -> None:
    task = replace(SMALL, n_rows=n_rows)
    for component in (lightgbm.EARLY_STOPPED, hist_gradient_boosting.COMPONENT):
        space = component.space(task)
        default = dict(space.get_default_configuration())
        leaves = "num_leaves" if component.name == "lightgbm" else "max_leaf_nodes"
        leaf_rows = "min_child_samples" if component.name == "lightgbm" else "min_samples_leaf"
        assert 2 <= default[leaves] <= max(4, n_rows // 4)
        assert 1 <= default[leaf_rows] <= max(2, n_rows // 10)
    assert default["max_leaf_nodes"] == {3: 4, 20: 5, 40: 10, 100_000: 31}[n_rows]
    assert default["min_samples_leaf"] == {3: 2, 20: 2, 40: 2, 100_000: 20}[n_rows]


def test_gamma_starts_at_one_over_the_columns() -> None:
    gamma = libsvm_svc.DEFAULT_COMPONENT.space(SMALL)["gamma"]
    assert gamma.default_value == pytest.approx(0.1)
    encoded = replace(SMALL, numeric=(0,), categorical=(1, 2), n_levels=(20, 19))
    gamma = libsvm_svc.DEFAULT_COMPONENT.space(encoded)["gamma"]
    assert gamma.default_value == pytest.approx(1 / 40)


def test_substitutions_name_published_hyperparameters() -> None:
    known = {f"classifier:{c}:{h}" for c, space in PUBLISHED.items() for h in space}
    known |= {f"classifier:{c}" for c in PUBLISHED}
    for substitution in CLASSIFIER_SUBSTITUTIONS:
        assert substitution.hyperparameter in known
        assert substitution.paper_value != substitution.used_value
        assert substitution.reason


def test_every_constant_of_the_published_space_is_explained() -> None:
    explained = {s.hyperparameter: s.used_value for s in CLASSIFIER_SUBSTITUTIONS}
    for component in PAPER_CLASSIFIERS:
        for name, hyperparameter in component.space(WIDE).items():
            if isinstance(hyperparameter, Constant):
                assert explained[f"classifier:{component.name}:{name}"] == hyperparameter.value


def test_presets_hold_the_learners_they_promise() -> None:
    newer = {"xgboost", "hist_gradient_boosting", "mlp", "gaussian_nb"}
    assert {c.name for c in DEFAULT_CLASSIFIERS} >= {*PUBLISHED, *newer}
    assert [c.name for c in FAST_CLASSIFIERS] == [
        "gaussian_nb",
        "logistic_regression",
        "decision_tree",
    ]
    assert "n_estimators" not in lightgbm.EARLY_STOPPED.space(WIDE)


def test_default_spaces_have_no_constants() -> None:
    for component in (*DEFAULT_CLASSIFIERS, *FAST_CLASSIFIERS):
        kinds = {type(h) for h in component.space(WIDE).values()}
        assert Constant not in kinds, component.name
