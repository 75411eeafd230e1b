"""The published space and ours."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from ConfigSpace import ConfigurationSpace, Constant
from ConfigSpace.hyperparameters import CategoricalHyperparameter

from search_space import PAPER_SUBSTITUTIONS, build_space
from search_space.component import Stage
from search_space.presets import DEFAULT, DIVBO, PRESETS, Preset
from search_space.task import TaskProperties

# So large that no range is cut, with a class for each of the 251 published components.
LARGE = TaskProperties(
    n_rows=5000,
    n_classes=251,
    smallest_class=20,
    largest_class=20,
    numeric=tuple(range(5000)),
    categorical=(5000,),
    n_levels=(5,),
)

# Hyperparameters per component: Tables 6 and 7 of the DivBO paper, as its code had them.
PUBLISHED = {
    "classifier": {
        "adaboost": 4,
        "random_forest": 5,
        "extra_trees": 5,
        "gradient_boosting": 7,
        "k_nearest_neighbors": 3,
        "lda": 4,
        "qda": 1,
        "logistic_regression": 4,
        "liblinear_svc": 5,
        "libsvm_svc": 7,
        "lightgbm": 6,
    },
    "preprocessor": {
        "cross_feature": 1,
        "fast_ica": 4,
        "feature_agglomeration": 4,
        "kernel_pca": 5,
        "kitchen_sinks": 2,
        "lda_decomposer": 1,
        "nystroem": 5,
        "pca": 2,
        "polynomial": 2,
        "random_trees_embedding": 5,
        "svd": 1,
        "extra_trees_based_selector": 5,
        "generic_univariate_selector": 3,
        "liblinear_based_selector": 3,
        "percentile_selector": 2,
    },
    "rescaler": {"quantile_transformer": 2, "robust": 2},
}


@cache
def published_space() -> ConfigurationSpace:
    """Return the joint space of all published components, whatever they refuse on a task."""
    space = ConfigurationSpace()
    for component in DIVBO.components:
        space.add_configuration_space(f"{component.stage}:{component.name}", component.space(LARGE))
    return space


def test_the_published_space_has_one_hundred_hyperparameters() -> None:
    counts = Counter(name.rpartition(":")[0] for name in published_space())
    expected = {
        f"{stage}:{name}": number
        for stage, components in PUBLISHED.items()
        for name, number in components.items()
    }
    assert dict(counts) == expected
    assert sum(counts.values()) == 100


def test_what_is_constant_in_the_published_space_is_explained() -> None:
    constants = {name for name, hp in published_space().items() if isinstance(hp, Constant)}
    explained = {substitution.hyperparameter for substitution in PAPER_SUBSTITUTIONS}
    assert constants <= explained
    assert "preprocessor:liblinear_based_selector:loss" in constants


def test_every_substitution_is_of_something_in_the_space() -> None:
    names = set(published_space())
    components = {f"{c.stage}:{c.name}" for c in DIVBO.components}
    for substitution in PAPER_SUBSTITUTIONS:
        # A class may have lost the hyperparameter altogether, but not the component.
        owner = ":".join(substitution.hyperparameter.split(":")[:2])
        assert owner in components
        assert substitution.hyperparameter in names | components, substitution
        assert substitution.paper_value != substitution.used_value
        assert substitution.reason


def test_four_selectors_come_on_top() -> None:
    task = TaskProperties(
        n_rows=5000,
        n_classes=2,
        smallest_class=2000,
        largest_class=3000,
        numeric=tuple(range(30)),
        categorical=(30,),
        n_levels=(3,),
        has_missing=True,
    )
    space = build_space(task, preset="divbo").configuration_space
    selectors = [name for name in space if ":" not in name]
    assert sorted(selectors) == ["balancer", "classifier", "preprocessor", "rescaler"]
    assert len(space) == 104


@pytest.mark.parametrize(
    ("name", "default", "others"),
    [
        ("balancer", "empty", {"weighting"}),
        (
            "rescaler",
            "empty",
            {"minmax", "normalizer", "quantile_transformer", "robust", "standard"},
        ),
        ("preprocessor", "empty", set(PUBLISHED["preprocessor"])),
    ],
)
def test_published_selectors_do_nothing_by_default(
    name: str, default: str, others: set[str]
) -> None:
    first, *rest = (c.name for c in DIVBO.of(Stage(name)))
    assert first == default
    assert set(rest) == others


@pytest.mark.parametrize(
    ("name", "low", "high", "default", "log"),
    [
        ("preprocessor:fast_ica:n_components", 10, 2000, 100, False),
        ("preprocessor:feature_agglomeration:n_clusters", 2, 400, 25, False),
        ("preprocessor:kernel_pca:n_components", 10, 2000, 100, False),
        ("preprocessor:kernel_pca:gamma", 2.0**-15, 8.0, 1.0, True),
        ("preprocessor:kernel_pca:degree", 2, 5, 3, False),
        ("preprocessor:kernel_pca:coef0", -1.0, 1.0, 0.0, False),
        ("preprocessor:kitchen_sinks:gamma", 2.0**-15, 8.0, 1.0, True),
        ("preprocessor:kitchen_sinks:n_components", 50, 5000, 100, True),
        ("preprocessor:nystroem:n_components", 50, 5000, 100, True),
        ("preprocessor:nystroem:gamma", 2.0**-15, 8.0, 0.1, True),
        ("preprocessor:nystroem:degree", 2, 5, 3, False),
        ("preprocessor:nystroem:coef0", -1.0, 1.0, 0.0, False),
        ("preprocessor:cross_feature:random_state", 1, 100_000, 1, False),
        ("preprocessor:pca:keep_variance", 0.5, 0.9999, 0.9999, False),
        ("preprocessor:polynomial:degree", 2, 3, 2, False),
        ("preprocessor:random_trees_embedding:n_estimators", 10, 100, 10, False),
        ("preprocessor:random_trees_embedding:max_depth", 2, 10, 5, False),
        ("preprocessor:random_trees_embedding:min_samples_split", 2, 20, 2, False),
        ("preprocessor:random_trees_embedding:min_samples_leaf", 1, 20, 1, False),
        ("preprocessor:svd:target_dim", 10, 256, 128, False),
        ("preprocessor:extra_trees_based_selector:min_samples_split", 2, 20, 2, False),
        ("preprocessor:extra_trees_based_selector:min_samples_leaf", 1, 20, 1, False),
        ("preprocessor:generic_univariate_selector:alpha", 0.01, 0.5, 0.1, False),
        ("preprocessor:liblinear_based_selector:tol", 1e-5, 1e-1, 1e-4, True),
        ("preprocessor:liblinear_based_selector:C", 0.03125, 32768.0, 1.0, True),
        ("preprocessor:percentile_selector:percentile", 5.0, 99.0, 50.0, False),
        ("rescaler:quantile_transformer:n_quantiles", 10, 2000, 1000, False),
        ("rescaler:robust:q_min", 0.001, 0.3, 0.25, False),
        ("rescaler:robust:q_max", 0.7, 0.999, 0.75, False),
    ],
)
def test_published_ranges_of_operators(
    name: str, low: float, high: float, default: float, log: bool
) -> None:
    hyperparameter: Any = published_space()[name]
    found = (hyperparameter.lower, hyperparameter.upper, hyperparameter.default_value)
    assert found == pytest.approx((low, high, default))
    assert hyperparameter.log is log


@pytest.mark.parametrize(
    ("name", "choices", "default"),
    [
        ("fast_ica:algorithm", {"parallel", "deflation"}, "parallel"),
        ("fast_ica:whiten", {False, True}, False),
        ("fast_ica:fun", {"logcosh", "exp", "cube"}, "logcosh"),
        ("feature_agglomeration:affinity", {"euclidean", "manhattan", "cosine"}, "euclidean"),
        ("feature_agglomeration:linkage", {"ward", "complete", "average"}, "ward"),
        ("feature_agglomeration:pooling_func", {"mean", "median", "max"}, "mean"),
        ("kernel_pca:kernel", {"poly", "rbf", "sigmoid", "cosine"}, "rbf"),
        ("lda_decomposer:shrinkage", {"none", "auto"}, "none"),
        ("nystroem:kernel", {"poly", "rbf", "sigmoid", "cosine", "chi2"}, "rbf"),
        ("pca:whiten", {False, True}, False),
        ("polynomial:interaction_only", {False, True}, False),
        ("random_trees_embedding:bootstrap", {False, True}, True),
        ("extra_trees_based_selector:criterion", {"gini", "entropy"}, "gini"),
        ("extra_trees_based_selector:bootstrap", {False, True}, False),
        ("generic_univariate_selector:score_func", {"chi2", "f_classif"}, "chi2"),
        ("generic_univariate_selector:mode", {"fpr", "fdr", "fwe"}, "fpr"),
        ("percentile_selector:score_func", {"chi2", "f_classif", "mutual_info"}, "chi2"),
    ],
)
def test_published_choices_of_operators(name: str, choices: set[object], default: object) -> None:
    hyperparameter = published_space()[f"preprocessor:{name}"]
    assert isinstance(hyperparameter, CategoricalHyperparameter)
    assert set(hyperparameter.choices) == choices
    assert hyperparameter.default_value == default


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_names_within_a_stage_are_unique(preset: Preset) -> None:
    for stage in Stage:
        names = [c.name for c in preset.of(stage)]
        assert len(names) == len(set(names))


def test_only_the_published_preset_rescales_last() -> None:
    assert {preset.name: preset.rescale_first for preset in PRESETS} == {
        "default": True,
        "divbo": False,
        "fast": True,
    }


def test_names_of_forbidden_pairs_exist() -> None:
    operators = {c.name for c in DEFAULT.of(Stage.PREPROCESSOR)}
    learners = {c.name for preset in PRESETS for c in preset.of(Stage.CLASSIFIER)}
    assert set(DEFAULT.wide_operators) <= operators
    assert set(DEFAULT.slow_learners) <= learners
