"""The joint space of all stages, from the spaces of their components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    EqualsCondition,
    ForbiddenAndConjunction,
    ForbiddenInClause,
    InCondition,
)
from ConfigSpace.conditions import ConditionLike
from ConfigSpace.forbidden import ForbiddenLike
from ConfigSpace.hyperparameters import CategoricalHyperparameter, Hyperparameter

from search_space.bounds import CUT
from search_space.component import Component, Stage
from search_space.encoders import NATIVE_ENCODER
from search_space.imputers import NO_IMPUTER
from search_space.presets import Preset
from search_space.task import TaskProperties
from search_space.transformers.empty import COMPONENT as NO_PREPROCESSOR

_Part = Hyperparameter[Any, Any] | ConditionLike | ForbiddenLike


def assemble(
    preset: Preset, components: Sequence[Component], task: TaskProperties
) -> ConfigurationSpace:
    """Return one space over the choice of components and their hyperparameters.

    Stages with one component only are not searched, except for the classifier.

    Parameters
    ----------
    preset : Preset
        Source of the pairs that are left out.
    components : sequence of Component
        What may fill the stages on this task, the default of each stage first.
    task : TaskProperties
        What ranges are cut to.
    """
    space = ConfigurationSpace(meta={"preset": preset.name, "rescale_first": preset.rescale_first})
    parts: list[_Part] = []
    for stage in (Stage.CLASSIFIER, *(s for s in Stage if s is not Stage.CLASSIFIER)):
        choices = [c for c in components if c.stage is stage]
        if len(choices) > 1 or stage is Stage.CLASSIFIER:
            parts += _stage_parts(stage, choices, task, preset.empty_share)
    # Each call of `add` sorts the whole space anew.
    space.add(parts)
    _balance_only_with_weights(space, components)
    _forbid_pairs(space, preset, components)
    return space


def _stage_parts(
    stage: Stage, choices: Sequence[Component], task: TaskProperties, empty_share: float | None
) -> list[_Part]:
    """Return a stage's selector and, conditional on it, the hyperparameters of its choices."""
    names = [c.name for c in choices]
    weights = None
    if stage is Stage.PREPROCESSOR and empty_share is not None:
        rest = (1.0 - empty_share) / (len(names) - 1)
        weights = [empty_share if c is NO_PREPROCESSOR else rest for c in choices]
    selector = Categorical(stage.value, names, default=names[0], weights=weights)
    parts: list[_Part] = [selector]
    for component in choices:
        own = ConfigurationSpace()
        own.add_configuration_space(f"{stage}:{component.name}", component.hyperparameters(task))
        roots = [own[name] for name in own.unconditional_hyperparameters]
        parts += [*own.values(), *own.conditions, *own.forbidden_clauses]
        parts += [EqualsCondition(root, selector, component.name) for root in roots]
    return parts


def _balance_only_with_weights(space: ConfigurationSpace, components: Sequence[Component]) -> None:
    """Make the balancer conditional on classifiers that take weights."""
    learners = [c for c in components if c.stage is Stage.CLASSIFIER]
    weighted = [c.name for c in learners if c.takes_weights]
    if Stage.BALANCER in space and len(weighted) < len(learners):
        space.add(InCondition(space[Stage.BALANCER], space[Stage.CLASSIFIER], weighted))


def _forbid_pairs(
    space: ConfigurationSpace, preset: Preset, components: Sequence[Component]
) -> None:
    learners = [c for c in components if c.stage is Stage.CLASSIFIER]
    imputing = [c.name for c in learners if not c.handles_missing]
    encoding = [c.name for c in learners if not c.handles_categories]
    operators = [
        c.name for c in components if c.stage is Stage.PREPROCESSOR and c is not NO_PREPROCESSOR
    ]
    pairs = (
        (Stage.CLASSIFIER, preset.slow_learners, Stage.PREPROCESSOR, preset.wide_operators),
        # Operators know neither missing values nor level codes.
        (Stage.CLASSIFIER, imputing, Stage.IMPUTER, [NO_IMPUTER]),
        (Stage.PREPROCESSOR, operators, Stage.IMPUTER, [NO_IMPUTER]),
        (Stage.RESCALER, ["normalizer"], Stage.IMPUTER, [NO_IMPUTER]),
        (Stage.CLASSIFIER, encoding, Stage.ENCODER, [NATIVE_ENCODER]),
        (Stage.PREPROCESSOR, operators, Stage.ENCODER, [NATIVE_ENCODER]),
    )
    clauses = []
    for stage, names, other_stage, other_names in pairs:
        left = _choices(space, stage, names)
        right = _choices(space, other_stage, other_names)
        if left and right:
            clauses.append(
                ForbiddenAndConjunction(
                    ForbiddenInClause(space[stage], left),
                    ForbiddenInClause(space[other_stage], right),
                )
            )
    space.add(clauses)


def _choices(space: ConfigurationSpace, stage: Stage, names: Sequence[str]) -> list[str]:
    """Return those names that the stage's selector, if there is one, offers."""
    selector = space.get(stage)
    if not isinstance(selector, CategoricalHyperparameter):
        return []
    return [name for name in selector.choices if name in names]


def cut_ranges(space: ConfigurationSpace) -> list[str]:
    """Return one line for each hyperparameter whose range was cut to the task."""
    return [
        f"{name}: {hyperparameter.meta[CUT]}"
        for name, hyperparameter in space.items()
        if hyperparameter.meta and CUT in hyperparameter.meta
    ]
