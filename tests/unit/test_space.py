"""Spaces cut to tasks and to what a user asks for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from ConfigSpace import Configuration, Constant
from ConfigSpace.exceptions import ForbiddenValueError
from ConfigSpace.util import get_one_exchange_neighbourhood

from search_space import Component, SearchSpace, SearchSpaceError, Stage, TaskProperties
from search_space.classifiers import DEFAULT_CLASSIFIERS, PAPER_CLASSIFIERS
from search_space.pipeline import build_pipeline
from search_space.space import build_space
from search_space.values import active_values, plain_values

TASK = TaskProperties(
    n_rows=300,
    n_classes=2,
    smallest_class=100,
    largest_class=200,
    numeric=tuple(range(8)),
    categorical=(8, 9),
    n_levels=(3, 250),
    has_missing=True,
)
NUMERIC = TaskProperties(
    n_rows=300, n_classes=2, smallest_class=100, largest_class=200, numeric=tuple(range(8))
)
SPARSE = replace(NUMERIC, is_sparse=True, has_missing=True)
MINE = Component(name="mine", stage=Stage.CLASSIFIER, build=lambda _h, _c: None, cost=1e-6)
PICKY = replace(MINE, name="picky", unsuitable=lambda _task: "it never works")


def selectors(space: SearchSpace) -> set[str]:
    return {name for name in space.configuration_space if ":" not in name}


def names(space: SearchSpace, stage: Stage) -> set[str]:
    selector: Any = space.configuration_space[stage]
    return set(map(str, selector.choices))


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("default", {"classifier", "balancer", "preprocessor", "rescaler", "imputer", "encoder"}),
        ("divbo", {"classifier", "balancer", "preprocessor", "rescaler"}),
        ("fast", {"classifier", "balancer", "rescaler", "imputer", "encoder"}),
    ],
)
def test_presets_choose_in_their_stages(preset: str, expected: set[str]) -> None:
    space = build_space(TASK, preset=preset)
    assert selectors(space) == expected
    assert space.configuration_space.meta == {
        "preset": preset,
        "rescale_first": preset != "divbo",
    }


def test_imputer_and_encoder_are_searched_only_if_there_is_something_to_do() -> None:
    assert selectors(build_space(NUMERIC)).isdisjoint({"imputer", "encoder"})
    assert "imputer" in selectors(build_space(replace(NUMERIC, has_missing=True)))


def test_rescalers_are_not_searched_where_nothing_is_numeric() -> None:
    categories = replace(TASK, numeric=(), categorical=(0, 1))
    assert "rescaler" not in selectors(build_space(categories))
    # After a preprocessor even one-hot columns are rescaled.
    assert "rescaler" in selectors(build_space(categories, preset="divbo"))


def test_sparse_tables_get_components_that_take_them() -> None:
    space = build_space(SPARSE)
    assert {"imputer", "encoder"}.isdisjoint(selectors(space))
    searched = {
        component
        for component in space.components
        if component.stage.value in space.configuration_space
        and component.name in names(space, component.stage)
    }
    assert searched
    assert all(component.handles_sparse for component in searched)
    assert space.left_out["hist_gradient_boosting"]
    assert any(note.startswith("preprocessor pca is left out") for note in space.notes)


def test_include_searches_what_it_names_of_any_preset() -> None:
    space = build_space(TASK, preset="fast", include=["adaboost", "decision_tree"])
    assert names(space, Stage.CLASSIFIER) == {"adaboost", "decision_tree"}


def test_a_preset_has_its_own_version_of_a_learner() -> None:
    published = build_space(TASK, preset="divbo", include=["lightgbm"])
    ours = build_space(TASK, preset="default", include=["lightgbm"])
    assert published.learners[0] in PAPER_CLASSIFIERS
    assert ours.learners[0] in DEFAULT_CLASSIFIERS
    assert published.learners[0] is not ours.learners[0]


def test_exclude_takes_learners_away() -> None:
    everything = names(build_space(TASK), Stage.CLASSIFIER)
    space = build_space(TASK, exclude=["mlp", "xgboost"])
    assert names(space, Stage.CLASSIFIER) == everything - {"mlp", "xgboost"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"include": ["lightgb"]}, r"include: unknown name 'lightgb' \(close: 'lightgbm'\)"),
        ({"exclude": ["zzz"]}, "exclude: unknown name 'zzz'; legal names are 'adaboost'"),
        ({"preset": "fats"}, r"preset: unknown name 'fats' \(close: 'fast'\)"),
        ({"include": "lda"}, r"include: give a list of names, such as \['lda'\]"),
        ({"include": ["lda", "qda"], "exclude": ["qda"]}, "qda: both in include and in exclude"),
        ({"include": [], "extra": []}, "no learner is left .include is empty."),
        ({"include": ["picky"]}, "no learner is left .picky: it never works."),
        ({"extra": [replace(MINE, name="lda")]}, "the name 'lda' is taken by another classifier"),
        ({"extra": [MINE, MINE]}, "the name 'mine' is taken"),
        (
            {"extra": [Component(name="pca", stage=Stage.PREPROCESSOR, build=MINE.build)]},
            "the name 'pca' is taken by another preprocessor",
        ),
    ],
)
def test_impossible_requests_say_what_is_wrong(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(SearchSpaceError, match=message):
        build_space(TASK, **{"extra": [PICKY], **arguments})  # type: ignore[arg-type]


def test_learners_that_do_not_suit_are_left_out_with_a_reason() -> None:
    space = build_space(TASK, include=["picky", "lda"], extra=[PICKY])
    assert space.left_out == {"picky": "it never works"}
    assert [learner.name for learner in space.learners] == ["lda"]


def test_extra_learners_are_searched_unless_include_says_otherwise() -> None:
    assert "mine" in names(build_space(TASK, extra=[MINE]), Stage.CLASSIFIER)
    space = build_space(TASK, include=["lda"], extra=[MINE])
    assert names(space, Stage.CLASSIFIER) == {"lda"}
    assert space.left_out == {"mine": "it is not named in include"}


def test_extra_operators_join_their_stage() -> None:
    own = Component(name="own", stage=Stage.PREPROCESSOR, build=MINE.build)
    assert "own" in names(build_space(TASK, extra=[own]), Stage.PREPROCESSOR)


@pytest.mark.parametrize("preset", ["default", "divbo", "fast"])
def test_every_learner_has_a_default_the_cheapest_first(preset: str) -> None:
    space = build_space(TASK, preset=preset, extra=[MINE])
    learners = [space.classifier_of(configuration) for configuration in space.defaults]
    costs = {learner.name: learner.cost for learner in space.learners}
    assert learners[0] == "mine"
    assert sorted(learners) == sorted(costs)
    assert [costs[name] for name in learners] == sorted(costs.values())
    for configuration in space.defaults:
        configuration.check_valid_configuration()


def test_defaults_leave_gaps_and_codes_to_learners_that_can_use_them() -> None:
    space = build_space(TASK)
    by_name = {learner.name: learner for learner in space.learners}
    for configuration in space.defaults:
        learner = by_name[space.classifier_of(configuration)]
        assert (configuration["imputer"] == "none") == learner.handles_missing
        assert (configuration["encoder"] == "native") == learner.handles_categories
        assert configuration["rescaler"] == "standard"
        assert configuration["preprocessor"] == "empty"


def test_published_defaults_do_nothing_in_optional_stages() -> None:
    for configuration in build_space(TASK, preset="divbo").defaults:
        assert configuration["rescaler"] == "empty"
        assert configuration["preprocessor"] == "empty"


def test_learners_without_weights_are_left_out_where_rows_have_weights() -> None:
    task = replace(TASK, has_weights=True)
    space, without = build_space(task), build_space(TASK)
    unable = {learner.name for learner in without.learners if not learner.takes_weights}
    assert unable
    assert {learner.name for learner in space.learners} == {
        learner.name for learner in without.learners
    } - unable
    assert {name: space.left_out[name] for name in unable} == dict.fromkeys(
        unable, "it does not take weights of rows"
    )
    with pytest.raises(SearchSpaceError, match=r"no learner is left \(lda: it does not take"):
        build_space(task, include=["lda"])


def test_learners_without_weights_have_no_balancer() -> None:
    space = build_space(TASK)
    weighted = {learner.name for learner in space.learners if learner.takes_weights}
    assert weighted < {learner.name for learner in space.learners}
    for configuration in space.defaults:
        assert ("balancer" in configuration) == (space.classifier_of(configuration) in weighted)
    assert "balancer" not in selectors(build_space(TASK, include=["lda", "k_nearest_neighbors"]))


@pytest.mark.parametrize(
    ("learner", "choices"),
    [
        ("lightgbm", {"preprocessor": "nystroem"}),
        ("lda", {"imputer": "none"}),
        ("lda", {"encoder": "native"}),
        ("lightgbm", {"imputer": "none", "preprocessor": "pca"}),
        ("lightgbm", {"encoder": "native", "preprocessor": "pca"}),
        ("lightgbm", {"imputer": "none", "rescaler": "normalizer"}),
    ],
)
def test_hopeless_pairs_are_forbidden(learner: str, choices: dict[str, str]) -> None:
    space = build_space(TASK).configuration_space
    with pytest.raises(ForbiddenValueError):
        Configuration(space, active_values(space, {"classifier": learner, **choices}))


def test_conditions_and_clauses_of_components_are_kept() -> None:
    space = build_space(TASK, preset="divbo").configuration_space
    chosen = {
        "preprocessor": "feature_agglomeration",
        "preprocessor:feature_agglomeration:linkage": "ward",
    }
    affinity = "preprocessor:feature_agglomeration:affinity"
    Configuration(space, active_values(space, {**chosen, affinity: "euclidean"}))
    with pytest.raises(ForbiddenValueError):
        Configuration(space, active_values(space, {**chosen, affinity: "cosine"}))
    name = "preprocessor:kernel_pca:degree"
    assert name not in active_values(space, {"preprocessor": "kernel_pca"})
    kernel = {"preprocessor": "kernel_pca", "preprocessor:kernel_pca:kernel": "poly"}
    assert active_values(space, kernel)[name] == 3


def test_notes_tell_what_the_task_cut() -> None:
    notes = build_space(TASK, preset="divbo").notes
    assert "one-hot encoding pools the rarest levels of columns 9: 100 are kept" in notes
    expected = (
        "preprocessor:nystroem:n_components: [50, 5000] ends at 300 here: "
        "the task has 300 training rows"
    )
    assert expected in notes
    assert "preprocessor cross_feature is left out: there are no categorical columns" in " ".join(
        build_space(NUMERIC).notes
    )


def test_half_of_random_default_configurations_have_no_preprocessor() -> None:
    space = build_space(NUMERIC, include=["lda", "qda"]).configuration_space
    space.seed(0)
    counts = Counter(c["preprocessor"] for c in space.sample_configuration(2000))
    # Binomial: the standard deviation of the share is 0.011, forbidden pairs move it up a little.
    assert counts["empty"] / 2000 == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("preset", ["default", "divbo", "fast"])
def test_neighbours_are_valid(preset: str) -> None:
    space = build_space(TASK, preset=preset)
    for configuration in space.defaults[:3]:
        neighbours = list(get_one_exchange_neighbourhood(configuration, seed=0))
        assert neighbours
        for neighbour in neighbours:
            neighbour.check_valid_configuration()
            build_pipeline(neighbour, space.components, TASK, 0, space.rescale_first)


def test_plain_values_are_pythons_own_types() -> None:
    space = build_space(TASK, preset="divbo")
    space.configuration_space.seed(0)
    for configuration in space.configuration_space.sample_configuration(50):
        values = plain_values(configuration).values()
        assert {type(value) for value in values} <= {bool, int, float, str}


def test_learners_that_were_excluded_are_not_listed_as_left_out() -> None:
    space = build_space(TASK, include=["lda"], exclude=["mine", "picky"], extra=[MINE, PICKY])
    assert space.left_out == {}


def test_own_operators_that_are_not_searched_are_noted() -> None:
    unsuited = Component(
        name="own", stage=Stage.IMPUTER, build=MINE.build, unsuitable=lambda _task: "it never works"
    )
    useless = Component(name="own", stage=Stage.BALANCER, build=MINE.build)
    notes = build_space(TASK, include=["lda"], extra=[unsuited, useless]).notes
    assert "imputer own is left out: it never works" in notes
    assert "balancer own is left out: no learner takes weights" in notes


@pytest.mark.parametrize("given", [None, {}, {"x": (0.0, 1.0)}, Constant("x", 1)])
def test_what_is_no_configuration_space_is_refused_with_the_component_it_came_from(
    given: Any,
) -> None:
    odd = replace(MINE, space=lambda _task: given)
    with pytest.raises(
        SearchSpaceError, match=r"space\(task\) of the classifier 'mine' must return"
    ):
        build_space(TASK, extra=[odd])
    with pytest.raises(SearchSpaceError, match="'mine'"):
        build_pipeline(
            {"classifier": "mine"}, [*build_space(NUMERIC).components, odd], TASK, 0, True
        )


@pytest.mark.parametrize("given", [False, True, ""])
def test_an_answer_that_is_neither_a_reason_nor_none_is_refused(given: Any) -> None:
    odd = replace(MINE, unsuitable=lambda _task: given)
    with pytest.raises(
        SearchSpaceError, match=r"unsuitable\(task\) of the classifier 'mine' must return a reason"
    ):
        build_space(TASK, extra=[odd])


@pytest.mark.parametrize("name", ["", "a:b"])
def test_names_that_could_not_be_told_from_hyperparameters_are_refused(name: str) -> None:
    with pytest.raises(SearchSpaceError, match="a component cannot be called"):
        replace(MINE, name=name)


def test_defaults_are_made_once() -> None:
    space = build_space(TASK)
    assert space.defaults is space.defaults
