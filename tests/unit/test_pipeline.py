"""From configurations to pipelines that take what prediction may bring."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from functools import cache
from typing import Any, Self

import numpy as np
import pytest
import scipy.sparse
import sklearn
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline

from search_space import Component, SearchSpace, SearchSpaceError, Stage, TaskProperties
from search_space.arrays import Features, FloatArray, IntArray
from search_space.component import BuildContext
from search_space.pipeline import build_pipeline
from search_space.presets import DEFAULT, DIVBO
from search_space.space import build_space

N_TRAINING = 90
NUMERIC, CATEGORICAL, N_LEVELS = (0, 2, 3), (1, 4), (3, 30)
TASK = TaskProperties(
    n_rows=N_TRAINING,
    n_classes=3,
    smallest_class=20,
    largest_class=60,
    numeric=NUMERIC,
    categorical=CATEGORICAL,
    n_levels=N_LEVELS,
    has_missing=True,
)
CHEAP = ("k_nearest_neighbors", "lda", "liblinear_svc", "lightgbm", "decision_tree", "gaussian_nb")


class RecordingClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # base is untyped
    """Remembers what it was fitted with."""

    def __init__(self, label: str = "", seed: int = 0, positions: tuple[int, ...] = ()) -> None:
        self.label = label
        self.seed = seed
        self.positions = positions

    def fit(self, X: Features, y: IntArray, sample_weight: FloatArray | None = None) -> Self:
        """Keep the rows and their weights."""
        self.X_, self.weights_ = X, sample_weight
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Features) -> FloatArray:
        """Return equal probabilities."""
        return np.full((X.shape[0], len(self.classes_)), 1.0 / len(self.classes_))

    def predict(self, X: Features) -> IntArray:
        """Return the first class."""
        return np.zeros(X.shape[0], dtype=np.int64)


def build_recording(
    hyperparameters: Mapping[str, Any], context: BuildContext
) -> RecordingClassifier:
    label = repr(sorted(hyperparameters.items()))
    return RecordingClassifier(label, context.seed, context.categorical_positions)


def recording_space(task: TaskProperties) -> ConfigurationSpace:  # noqa: ARG001
    space = ConfigurationSpace()
    kind = Categorical("kind", ["plain", "soft"], default="plain")
    width = Float("width", (0.0, 1.0), default=0.5)
    space.add(kind, width, EqualsCondition(width, kind, "soft"))
    return space


RECORDING = Component(
    name="recording",
    stage=Stage.CLASSIFIER,
    build=build_recording,
    space=recording_space,
    handles_missing=True,
    handles_categories=True,
)
UNWEIGHTED = Component(
    name="unweighted", stage=Stage.CLASSIFIER, build=build_recording, takes_weights=False
)
COMPONENTS = (RECORDING, UNWEIGHTED, *DEFAULT.components)


@cache
def table() -> tuple[FloatArray, IntArray]:
    """Mixed columns with gaps; the last rows have levels that training rows lack."""
    rng = np.random.default_rng(0)
    n_rows = N_TRAINING + 30
    y = (np.arange(n_rows) % 6 // 2 % 3).astype(np.int64)
    y[::4] = 0
    numeric = rng.normal(size=(n_rows, 3)) * [1.0, 100.0, 1e-2] + y[:, np.newaxis]
    X = np.empty((n_rows, 5))
    X[:, NUMERIC] = numeric
    X[:, CATEGORICAL] = np.column_stack([rng.integers(0, 3, n_rows), rng.integers(0, 30, n_rows)])
    X[rng.random(X.shape) < 0.08] = np.nan
    X[-1, CATEGORICAL] = N_LEVELS
    X[-2] = np.nan
    X[-3, 0] = 1e12
    return X, y


def pipeline_of(
    configuration: Mapping[str, Any], *, seed: int = 0, rescale_first: bool = True
) -> Pipeline:
    recording = {"classifier": "recording", **configuration}
    return build_pipeline(recording, COMPONENTS, TASK, seed, rescale_first)


def fitted(configuration: Mapping[str, Any], *, rescale_first: bool = True) -> RecordingClassifier:
    X, y = table()
    pipeline = pipeline_of(configuration, rescale_first=rescale_first)
    pipeline.fit(X[:N_TRAINING], y[:N_TRAINING])
    classifier = pipeline[-1]
    assert isinstance(classifier, RecordingClassifier)
    return classifier


@cache
def cheap_space(preset: str) -> SearchSpace:
    known = {"divbo": CHEAP[:3], "default": CHEAP, "fast": ("decision_tree", "gaussian_nb")}
    return build_space(TASK, preset=preset, include=known[preset])


@pytest.mark.parametrize("preset", ["default", "divbo", "fast"])
def test_sampled_configurations_are_valid_and_build(preset: str) -> None:
    space = build_space(TASK, preset=preset)
    space.configuration_space.seed(0)
    for configuration in space.configuration_space.sample_configuration(200):
        configuration.check_valid_configuration()
        pipeline = build_pipeline(configuration, space.components, TASK, 0, space.rescale_first)
        assert list(pipeline.named_steps)[-1] == "classifier"


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["default", "divbo", "fast"])
def test_pipelines_predict_gaps_and_levels_never_seen(preset: str) -> None:
    X, y = table()
    space = cheap_space(preset)
    space.configuration_space.seed(1)
    for configuration in space.configuration_space.sample_configuration(30):
        pipeline = build_pipeline(configuration, space.components, TASK, 0, space.rescale_first)
        pipeline.fit(X[:N_TRAINING], y[:N_TRAINING])
        probabilities = pipeline.predict_proba(X[N_TRAINING:])
        assert probabilities.shape == (30, 3)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("preset", ["default", "divbo", "fast"])
def test_gaps_are_taken_though_training_rows_had_none(preset: str) -> None:
    X, y = table()
    complete = TaskProperties(
        n_rows=N_TRAINING,
        n_classes=3,
        smallest_class=20,
        largest_class=60,
        numeric=NUMERIC,
        categorical=CATEGORICAL,
        n_levels=N_LEVELS,
    )
    space = build_space(complete, preset=preset, include=["gaussian_nb", "lda"])
    for configuration in space.defaults:
        pipeline = build_pipeline(configuration, space.components, complete, 0, True)
        pipeline.fit(np.nan_to_num(X[:N_TRAINING]), y[:N_TRAINING])
        assert np.isfinite(pipeline.predict_proba(X[N_TRAINING:])).all()


@pytest.mark.parametrize("preset", ["default", "divbo"])
def test_a_prediction_depends_on_training_rows_and_its_own_row_only(preset: str) -> None:
    X, y = table()
    space = cheap_space(preset)
    space.configuration_space.seed(2)
    for configuration in space.configuration_space.sample_configuration(5):
        first, second = (
            build_pipeline(configuration, space.components, TASK, 0, space.rescale_first).fit(
                rows[:N_TRAINING], y[:N_TRAINING]
            )
            for rows in (X, np.vstack([X[:N_TRAINING], 7.0 * X[N_TRAINING:]]))
        )
        together = first.predict_proba(X[N_TRAINING:])
        alone = [second.predict_proba(row[np.newaxis])[0] for row in X[N_TRAINING : N_TRAINING + 5]]
        np.testing.assert_allclose(together[:5], alone, atol=1e-9)


def test_balanced_weights_multiply_those_given_and_reach_the_classifier() -> None:
    X, y = table()
    X, y = X[:N_TRAINING], y[:N_TRAINING]
    given = np.linspace(0.5, 2.0, N_TRAINING)
    pipeline = pipeline_of({"balancer": "weighting"})
    pipeline.fit(X, y, classifier__sample_weight=given)
    weights = pipeline[-1].classifier_.weights_
    share = N_TRAINING / (3.0 * np.bincount(y))
    np.testing.assert_allclose(weights, given * share[y])


def test_without_a_balancer_weights_are_passed_on_as_they_are() -> None:
    X, y = table()
    given = np.linspace(0.5, 2.0, N_TRAINING)
    pipeline = pipeline_of({})
    pipeline.fit(X[:N_TRAINING], y[:N_TRAINING], classifier__sample_weight=given)
    np.testing.assert_array_equal(pipeline[-1].weights_, given)
    assert fitted({}).weights_ is None


def test_a_classifier_without_weights_cannot_be_balanced() -> None:
    with pytest.raises(SearchSpaceError, match="unweighted takes no weights"):
        pipeline_of({"classifier": "unweighted", "balancer": "weighting"})


def test_rescaling_first_leaves_one_hot_columns_alone() -> None:
    X = fitted({"rescaler": "standard"}).X_
    np.testing.assert_allclose(X[:, :3].mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(X[:, :3].std(axis=0), 1.0)
    assert set(np.unique(X[:, 3:])) == {0.0, 1.0}


def test_rescaling_last_acts_on_all_columns_of_a_preprocessor() -> None:
    configuration = {"rescaler": "standard", "preprocessor": "polynomial"}
    X = fitted(configuration, rescale_first=False).X_
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-9)


def test_rescaling_last_without_a_preprocessor_acts_on_numeric_columns_only() -> None:
    first, last = (
        fitted({"rescaler": "standard"}, rescale_first=rescale_first).X_
        for rescale_first in (True, False)
    )
    np.testing.assert_array_equal(first, last)


def test_native_codes_stand_after_the_numeric_columns() -> None:
    X, _ = table()
    classifier = fitted({"encoder": "native", "imputer": "none", "rescaler": "empty"})
    assert classifier.positions == (3, 4)
    np.testing.assert_array_equal(classifier.X_, X[:N_TRAINING][:, [*NUMERIC, *CATEGORICAL]])


def test_codes_that_are_not_native_are_not_announced() -> None:
    assert fitted({"encoder": "ordinal"}).positions == ()


def test_native_levels_never_seen_become_missing() -> None:
    X, y = table()
    pipeline = pipeline_of({"encoder": "native"}).fit(X[:N_TRAINING], y[:N_TRAINING])
    codes = pipeline[:-1].transform(X)[:, 3:]
    assert np.isnan(codes[-1]).all()
    assert set(codes[~np.isnan(codes[:, 1]), 1]) <= set(X[:N_TRAINING, 4])


def test_stages_that_a_configuration_does_not_name_take_their_defaults() -> None:
    X, y = table()
    default = fitted({}).X_
    explicit = {"imputer": "median", "encoder": "one_hot", "rescaler": "standard"}
    np.testing.assert_array_equal(default, fitted(explicit).X_)
    published = build_pipeline(
        {"classifier": "recording"}, (RECORDING, *DIVBO.components), TASK, 0, False
    ).fit(X[:N_TRAINING], y[:N_TRAINING])
    assert list(published.named_steps) == ["imputer", "encoder", "classifier"]


def test_published_preparation_drops_numeric_columns_that_hardly_vary() -> None:
    X, y = table()
    X = X[:N_TRAINING].copy()
    X[:, 2] = 1.0 + 1e-5 * X[:, 2] / np.nanmax(np.abs(X[:, 2]))
    pipeline = build_pipeline(
        {"classifier": "recording", "rescaler": "standard"},
        (RECORDING, *DIVBO.components),
        TASK,
        0,
        False,
    ).fit(X, y[:N_TRAINING])
    rescaled = pipeline[-1].X_
    is_binary = [set(np.unique(column)) == {0.0, 1.0} for column in rescaled.T]
    assert is_binary[:3] == [False, False, True]


def test_hyperparameters_that_are_not_given_take_their_defaults_if_active() -> None:
    assert pipeline_of({})[-1].label == "[('kind', 'plain')]"
    soft = pipeline_of({"classifier:recording:kind": "soft"})[-1].label
    assert soft == "[('kind', 'soft'), ('width', 0.5)]"


def test_sampled_values_arrive_as_plain_types() -> None:
    configuration = {"classifier:recording:kind": np.str_("soft")}
    assert pipeline_of(configuration)[-1].label == "[('kind', 'soft'), ('width', 0.5)]"


def test_steps_have_seeds_of_their_own() -> None:
    chosen = {"preprocessor": "kitchen_sinks"}
    seeds = set()
    for seed in (0, 1):
        pipeline = pipeline_of(chosen, seed=seed)
        seeds |= {pipeline[-1].seed, pipeline["preprocessor"].make.keywords["seed"]}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_the_seed_of_a_step_does_not_depend_on_other_steps() -> None:
    assert pipeline_of({})[-1].seed == pipeline_of({"preprocessor": "pca"})[-1].seed


@pytest.mark.parametrize("name", ["classifier", "preprocessor", "rescaler", "encoder"])
def test_components_that_are_not_there_are_named(name: str) -> None:
    with pytest.raises(SearchSpaceError, match=f"no known {name}: 'missing'"):
        pipeline_of({name: "missing"})


def test_a_pipeline_is_cloned_and_pickled() -> None:
    X, y = table()
    space = cheap_space("default")
    (configuration, *_) = space.defaults
    pipeline = build_pipeline(configuration, space.components, TASK, 0, True)
    pipeline.fit(X[:N_TRAINING], y[:N_TRAINING])
    expected = pipeline.predict_proba(X)
    restored = pickle.loads(pickle.dumps(pipeline))
    np.testing.assert_array_equal(restored.predict_proba(X), expected)
    again = clone(pipeline).fit(X[:N_TRAINING], y[:N_TRAINING])
    np.testing.assert_array_equal(again.predict_proba(X), expected)


def test_a_pipeline_works_where_scikit_learn_is_told_to_put_out_frames() -> None:
    X, y = table()
    space = cheap_space("divbo")
    selector: Any = space.configuration_space["preprocessor"]
    with sklearn.config_context(transform_output="pandas"):
        for preprocessor in selector.choices:
            pipeline = pipeline_of({"preprocessor": preprocessor, "rescaler": "robust"})
            pipeline.fit(X[:N_TRAINING], y[:N_TRAINING])
            assert isinstance(pipeline[:-1].transform(X), np.ndarray)


def test_sparse_tables_stay_sparse_without_a_preprocessor() -> None:
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((60, 10)) < 0.7, 0.0, rng.normal(size=(60, 10)))
    dense[0, 0] = np.nan
    X = scipy.sparse.csr_array(dense)
    task = TaskProperties(
        n_rows=60,
        n_classes=2,
        smallest_class=30,
        largest_class=30,
        numeric=tuple(range(10)),
        has_missing=True,
        is_sparse=True,
    )
    configuration = {"classifier": "recording", "rescaler": "standard"}
    pipeline = build_pipeline(configuration, COMPONENTS, task, 0, True)
    pipeline.fit(X, np.arange(60) % 2)
    assert scipy.sparse.issparse(pipeline[-1].X_)
    assert np.isfinite(pipeline[-1].X_.data).all()
