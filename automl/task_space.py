"""The search space of one task, from what the user asked for."""

from __future__ import annotations

import copy
from typing import Any

from ConfigSpace import ConfigurationSpace

from automl.changes import Change
from automl.errors import InputError, InputTypeError
from automl.settings import Settings
from automl.travel import check_can_travel
from search_space.adoption import adopt_space
from search_space.component import Component
from search_space.custom import as_component
from search_space.errors import SearchSpaceError
from search_space.presets import PRESETS
from search_space.space import SearchSpace, build_space
from search_space.task import TaskProperties

_PARAMETERS = {"preset": "search_space", "extra": "extra_learners"}  # by the names they have below


def space_for(
    task: TaskProperties, asked: Any, settings: Settings
) -> tuple[SearchSpace, tuple[Change, ...]]:
    """Return the space and what was left out of it or cut.

    Parameters
    ----------
    task : TaskProperties
        The size and kinds of the table.
    asked : str or ConfigurationSpace
        Name of a preset, or the user's own space.
    settings : Settings
        Which learners to include, exclude and add.

    Raises
    ------
    InputError
        If a name is unknown, the space is malformed, or no learner is left.
    """
    try:
        space = _space(task, asked, settings)
    except SearchSpaceError as error:
        raise InputError(_with_our_names(str(error))) from error
    left_out = tuple(
        Change(f"learner {name}", "left out", reason) for name, reason in space.left_out.items()
    )
    notes = tuple(Change("search space", "adapted to the task", note) for note in space.notes)
    return space, left_out + notes


def _space(task: TaskProperties, asked: Any, settings: Settings) -> SearchSpace:
    extra = _components(settings.extra_learners)
    if isinstance(asked, ConfigurationSpace):
        if settings.include is not None or settings.exclude is not None:
            raise InputError(
                "include and exclude choose learners of a named search_space; with a "
                "ConfigurationSpace of your own leave the learners out of its hyperparameter "
                "'classifier' instead"
            )
        # Drawing from a space changes its generator, and this one is the user's.
        return adopt_space(copy.deepcopy(asked), task, extra=extra)
    if not isinstance(asked, str):
        names = ", ".join(repr(preset.name) for preset in PRESETS)
        raise InputTypeError(
            f"search_space must be one of {names} or a ConfigurationSpace, found {asked!r}"
        )
    return build_space(
        task, preset=asked, include=settings.include, exclude=settings.exclude, extra=extra
    )


def _with_our_names(message: str) -> str:
    """Return a message of `build_space` with the parameter of the estimator that it is about."""
    argument, *rest = message.split(":", 1)
    return ":".join([_PARAMETERS.get(argument, argument), *rest])


def _components(learners: tuple[Any, ...]) -> tuple[Component, ...]:
    components: list[Component] = []
    for learner in learners:
        taken = {component.name for component in components}
        try:
            component = as_component(learner, taken)
        except SearchSpaceError as error:
            raise InputError(f"extra_learners: {error}") from error
        check_can_travel("extra_learners", learner, sent=component)
        components.append(component)
    return tuple(components)
