"""A user's own learners and spaces."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, Constant, EqualsCondition, Float
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from search_space import (
    BuildContext,
    Component,
    ConfigurationEncoder,
    SearchSpaceError,
    Stage,
    TaskProperties,
    adopt_space,
    as_component,
    build_pipeline,
    build_space,
)

TASK = TaskProperties(
    n_rows=60, n_classes=3, smallest_class=20, largest_class=20, numeric=(0, 1, 2)
)


class Nearest(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # base is untyped
    """Only predicts labels."""

    def fit(self, X: Any, y: Any) -> Nearest:
        """Keep the rows."""
        self.labels_ = np.asarray(y)
        self.X_ = np.asarray(X)
        return self

    def predict(self, X: Any) -> Any:
        """Return the label of the nearest row."""
        distances = ((np.asarray(X)[:, np.newaxis] - self.X_) ** 2).sum(axis=2)
        return self.labels_[distances.argmin(axis=1)]


def built(learner: object, seed: int = 5) -> Any:
    component = as_component(learner, ())
    return component.build({}, BuildContext(task=TASK, seed=seed))


def rows() -> tuple[Any, Any]:
    y = np.arange(60) % 3
    return np.random.default_rng(0).normal(size=(60, 3)) + y[:, np.newaxis], y


def test_a_component_passes_as_it_is() -> None:
    component = Component(name="mine", stage=Stage.CLASSIFIER, build=lambda _h, _c: None)
    assert as_component(component, ("yours",)) is component
    with pytest.raises(SearchSpaceError, match="'mine' is taken"):
        as_component(component, ("mine",))


def test_a_classifier_is_named_after_its_class() -> None:
    taken: list[str] = []
    for expected in ("LogisticRegression", "LogisticRegression_2", "LogisticRegression_3"):
        taken.append(as_component(LogisticRegression(), taken).name)
        assert taken[-1] == expected


@pytest.mark.parametrize(
    ("learner", "weights", "missing", "sparse"),
    [
        (LogisticRegression(), True, False, True),
        (KNeighborsClassifier(), False, False, True),
        (HistGradientBoostingClassifier(), True, True, False),
    ],
)
def test_what_a_classifier_can_do_is_read_off(
    learner: object, weights: bool, missing: bool, sparse: bool
) -> None:
    component = as_component(learner, ())
    found = (component.takes_weights, component.handles_missing, component.handles_sparse)
    assert found == (weights, missing, sparse)
    assert not component.space(TASK)


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (LogisticRegression, "LogisticRegression is a class, not an instance"),
        (LinearRegression(), "LinearRegression is not a classifier"),
        ("lightgbm", "str has no fit, predict, get_params, set_params"),
        (None, "NoneType has no fit"),
    ],
)
def test_anything_else_is_refused_with_what_to_pass(learner: object, message: str) -> None:
    with pytest.raises(SearchSpaceError, match=f"{message}.*pass an unfitted scikit-learn"):
        as_component(learner, ())


def test_the_users_object_is_not_fitted_or_changed() -> None:
    learner = RandomForestClassifier(n_estimators=3)
    X, y = rows()
    built(learner).fit(X, y)
    assert not hasattr(learner, "classes_")
    assert learner.random_state is None


def test_open_seeds_and_threads_are_closed_and_others_kept() -> None:
    seeded = built(RandomForestClassifier(n_estimators=3))
    assert (seeded.random_state, seeded.n_jobs) == (5, 1)
    kept = built(RandomForestClassifier(n_estimators=3, random_state=9, n_jobs=2))
    assert (kept.random_state, kept.n_jobs) == (9, 2)


def test_seeds_and_threads_of_what_a_classifier_is_made_of_are_closed_too() -> None:
    X, y = rows()
    learner = make_pipeline(PCA(random_state=3), RandomForestClassifier(n_estimators=3))
    parameters = built(learner).get_params()
    assert parameters["pca__random_state"] == 3
    assert parameters["randomforestclassifier__random_state"] == 5
    assert parameters["randomforestclassifier__n_jobs"] == 1
    first, second = (built(learner).fit(X, y).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert learner[-1].random_state is None


def test_evaluation_processes_may_import_what_a_classifier_is_made_of() -> None:
    learner = make_pipeline(PCA(), RandomForestClassifier())
    modules = as_component(learner, ()).modules
    assert modules == ("sklearn.decomposition._pca", "sklearn.ensemble._forest", "sklearn.pipeline")


def test_what_the_script_itself_defines_is_not_imported_elsewhere() -> None:
    of_the_script = type("Mine", (Nearest,), {"__module__": "__main__"})
    assert as_component(of_the_script(), ()).modules == ()


def test_decision_values_become_probabilities() -> None:
    X, y = rows()
    classifier = built(RidgeClassifier()).fit(X, y)
    probabilities = classifier.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    expected = RidgeClassifier().fit(X, y).predict(X)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), expected)


def test_labels_alone_become_certain_probabilities() -> None:
    X, y = rows()
    probabilities = built(Nearest()).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(probabilities, np.eye(3)[y])
    assert not as_component(Nearest(), ()).takes_weights


def test_an_own_learner_is_searched_like_any_other() -> None:
    X, y = rows()
    component = as_component(Nearest(), ())
    space = build_space(TASK, include=["lda", component.name], extra=[component])
    (configuration,) = (c for c in space.defaults if space.classifier_of(c) == "Nearest")
    pipeline = build_pipeline(configuration, space.components, TASK, 0, space.rescale_first)
    np.testing.assert_array_equal(pipeline.fit(X, y).predict(X), y)


def own_space() -> ConfigurationSpace:
    space = ConfigurationSpace()
    classifier = Categorical("classifier", ["lda", "qda"])
    shrinkage = Float("classifier:qda:reg_param", (0.1, 0.2), default=0.15)
    space.add(classifier, shrinkage, EqualsCondition(shrinkage, classifier, "qda"))
    return space


def test_a_users_space_is_used_as_it_is() -> None:
    X, y = rows()
    configuration_space = own_space()
    space = adopt_space(configuration_space, TASK)
    assert space.configuration_space is configuration_space
    assert [learner.name for learner in space.learners] == ["lda", "qda"]
    assert len(space.defaults) == 2
    assert ConfigurationEncoder(space).encode(space.defaults).shape == (2, 3)
    for configuration in space.defaults:
        pipeline = build_pipeline(configuration, space.components, TASK, 0, space.rescale_first)
        # What the user's space does not mention is filled as the default preset does.
        assert list(pipeline.named_steps) == ["imputer", "rescaler", "classifier"]
        assert pipeline.fit(X, y).predict_proba(X).shape == (60, 3)


def test_a_learner_that_takes_no_weights_must_not_be_named_where_rows_have_weights() -> None:
    with pytest.raises(SearchSpaceError, match="names lda, qda, and rows have weights"):
        adopt_space(own_space(), replace(TASK, has_weights=True))
    space = ConfigurationSpace()
    space.add(Categorical("classifier", ["gaussian_nb", "random_forest"]))
    assert len(adopt_space(space, replace(TASK, has_weights=True)).learners) == 2


@pytest.mark.parametrize("preset", ["default", "divbo", "fast"])
def test_our_own_spaces_can_be_adopted(preset: str) -> None:
    built_space = build_space(TASK, preset=preset)
    adopted = adopt_space(built_space.configuration_space, TASK)
    assert {c.name for c in adopted.learners} == {c.name for c in built_space.learners}
    assert adopted.rescale_first == built_space.rescale_first
    assert adopted.defaults == built_space.defaults
    assert set(adopted.learners) == set(built_space.learners)


def test_a_space_read_from_a_file_gets_the_learners_whose_hyperparameters_it_has() -> None:
    published = build_space(TASK, preset="divbo")
    written = json.dumps(published.configuration_space.to_serialized_dict())
    restored = ConfigurationSpace.from_serialized_dict(json.loads(written))
    # The file has lost the name of the preset.
    assert restored.meta is None
    adopted = {learner.name: learner for learner in adopt_space(restored, TASK).learners}
    for learner in published.learners:
        assert set(adopted[learner.name].space(TASK)) >= set(learner.space(TASK))
    assert adopted["lightgbm"] in published.learners


def test_extra_components_may_be_named() -> None:
    component = as_component(Nearest(), ())
    space = ConfigurationSpace()
    space.add(Constant("classifier", "Nearest"))
    assert adopt_space(space, TASK, [component]).learners == (component,)
    with pytest.raises(SearchSpaceError, match="classifier: unknown name 'Nearest'"):
        adopt_space(space, TASK)


def test_a_space_without_a_classifier_is_refused() -> None:
    with pytest.raises(SearchSpaceError, match="no hyperparameter 'classifier'"):
        adopt_space(ConfigurationSpace({"x": (0.0, 1.0)}), TASK)


def test_a_classifier_that_is_a_number_is_refused() -> None:
    with pytest.raises(SearchSpaceError, match="classifier: expected a Categorical"):
        adopt_space(ConfigurationSpace({"classifier": (0.0, 1.0)}), TASK)


def test_unknown_names_are_listed_in_one_error() -> None:
    space = own_space()
    space.add(
        Float("classifier:qda:reg_para", (0.0, 1.0)),
        Float("n_estimators", (0.0, 1.0)),
        Float("classifier:nothing:x", (0.0, 1.0)),
    )
    with pytest.raises(SearchSpaceError) as caught:
        adopt_space(space, TASK)
    message = str(caught.value)
    assert "'classifier:qda:reg_para' (close: 'classifier:qda:reg_param'" in message
    assert "'n_estimators'" in message
    assert "'classifier:nothing:x'" in message


def test_learners_that_do_not_suit_are_noted() -> None:
    component = Component(
        name="picky",
        stage=Stage.CLASSIFIER,
        build=lambda _h, _c: None,
        unsuitable=lambda _task: "it never works",
    )
    space = ConfigurationSpace()
    space.add(Categorical("classifier", ["picky", "lda"]))
    assert adopt_space(space, TASK, [component]).notes == (
        "classifier picky is kept, since the configuration space names it: it never works",
    )


def test_own_components_that_the_space_does_not_name_are_reported() -> None:
    learner = as_component(Nearest(), ())
    operator = Component(name="own", stage=Stage.RESCALER, build=lambda _h, _c: None)
    space = adopt_space(own_space(), TASK, [learner, operator])
    assert space.left_out == {"Nearest": "the configuration space does not name it"}
    assert space.notes == ("rescaler own is left out: the configuration space does not name it",)
