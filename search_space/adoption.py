"""A user's own configuration space, checked and made usable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ConfigSpace import ConfigurationSpace, Constant
from ConfigSpace.hyperparameters import (
    CategoricalHyperparameter,
    Hyperparameter,
    OrdinalHyperparameter,
)

from search_space.component import Component, Stage
from search_space.errors import SearchSpaceError, unknown_names
from search_space.learners import all_learners
from search_space.presets import DEFAULT, PRESETS, Preset
from search_space.space import SearchSpace
from search_space.task import TaskProperties

_Owner = tuple[str, str]
"""Stage and name of a component."""

_UNNAMED = "the configuration space does not name it"

_Versions = dict[_Owner, list[Component]]


def adopt_space(
    space: ConfigurationSpace, task: TaskProperties, extra: Sequence[Component] = ()
) -> SearchSpace:
    """Return a search space around a user's own configuration space.

    Hyperparameters that it does not mention take the defaults of their components; stages that it
    does not mention are filled as the preset in its ``meta`` fills them.

    Parameters
    ----------
    space : ConfigurationSpace
        Hyperparameters named as in :attr:`SearchSpace.configuration_space`.
    task : TaskProperties
        What the components have to handle.
    extra : sequence of Component
        Components of the user that `space` may name.

    Raises
    ------
    SearchSpaceError
        If there is no hyperparameter ``"classifier"``, a name means nothing, or rows have weights
        that a learner which is named does not take.
    """
    if Stage.CLASSIFIER not in space:
        raise SearchSpaceError(
            "the configuration space has no hyperparameter 'classifier'; add a Categorical of "
            "that name whose choices are learners"
        )
    preset = _preset_of(space)
    versions = _versions(preset, extra)
    chosen = _chosen_versions(space, versions, task)
    named = [chosen[owner] for owner in _named(space, versions)]
    _refuse_unweighted(named, task)
    defaults = [preset.of(stage)[0] for stage in Stage if stage is not Stage.CLASSIFIER]
    unnamed = [c for c in extra if c not in named]
    unsuited = [(c, c.refusal(task)) for c in named]
    return SearchSpace(
        configuration_space=space,
        components=tuple(dict.fromkeys((*defaults, *named))),
        task=task,
        left_out={c.name: _UNNAMED for c in unnamed if c.stage is Stage.CLASSIFIER},
        notes=(
            *(
                f"{c.stage} {c.name} is kept, since the configuration space names it: {reason}"
                for c, reason in unsuited
                if reason is not None
            ),
            *(
                f"{c.stage} {c.name} is left out: {_UNNAMED}"
                for c in unnamed
                if c.stage is not Stage.CLASSIFIER
            ),
        ),
    )


def _refuse_unweighted(named: Sequence[Component], task: TaskProperties) -> None:
    if not task.has_weights:
        return
    unable = [c.name for c in named if c.stage is Stage.CLASSIFIER and not c.takes_weights]
    if unable:
        raise SearchSpaceError(
            f"the configuration space names {', '.join(unable)}, and rows have weights, which "
            "such a learner does not take; leave it out of the hyperparameter 'classifier'"
        )


def _preset_of(space: ConfigurationSpace) -> Preset:
    name = space.meta.get("preset") if space.meta else None
    return next((preset for preset in PRESETS if preset.name == name), DEFAULT)


def _versions(preset: Preset, extra: Sequence[Component]) -> _Versions:
    """Return all components by stage and name; presets differ in some learners' ranges."""
    all_learners(preset, extra)  # refuses names that are taken
    versions: _Versions = {}
    for component in (*extra, *preset.components, *(c for p in PRESETS for c in p.components)):
        versions.setdefault((component.stage.value, component.name), []).append(component)
    return versions


def _named(space: ConfigurationSpace, versions: _Versions) -> list[_Owner]:
    """Return stage and name of each component that the selectors offer."""
    named: list[_Owner] = []
    for stage in Stage:
        names = [str(choice) for choice in _choices(space[stage])] if stage in space else []
        unknown = [name for name in names if (stage, name) not in versions]
        if unknown:
            legal = [name for of_stage, name in versions if of_stage == stage]
            raise SearchSpaceError(unknown_names(stage.value, unknown, legal))
        named += [(stage.value, name) for name in names]
    return named


def _chosen_versions(
    space: ConfigurationSpace, versions: _Versions, task: TaskProperties
) -> dict[_Owner, Component]:
    """Return, of each component, the first version that has all hyperparameters named.

    Raises one error for all hyperparameters that no version has.
    """
    chosen = {owner: candidates[0] for owner, candidates in versions.items()}
    unknown: list[str] = []
    legal: list[str] = [stage.value for stage in Stage]
    for owner, names in _hyperparameters_by_owner(space).items():
        prefix = ":".join(owner)
        offered = {
            version: {f"{prefix}:{name}" for name in version.hyperparameters(task)}
            for version in versions.get(owner, ())
        }
        fitting = [version for version, own in offered.items() if own.issuperset(names)]
        if fitting:
            chosen[owner] = fitting[0]
        else:
            own = next(iter(offered.values()), set())
            unknown += [name for name in names if name not in own]
            legal += own
    if unknown:
        raise SearchSpaceError(unknown_names("configuration space", unknown, legal))
    return chosen


def _hyperparameters_by_owner(space: ConfigurationSpace) -> dict[_Owner, list[str]]:
    by_owner: dict[_Owner, list[str]] = {}
    selectors = {stage.value for stage in Stage}
    for name in space:
        if name not in selectors:
            stage, component, *_ = (*name.split(":"), "")
            by_owner.setdefault((stage, component), []).append(name)
    return by_owner


def _choices(selector: Hyperparameter[Any, Any]) -> Sequence[object]:
    if isinstance(selector, CategoricalHyperparameter):
        return tuple(selector.choices)
    if isinstance(selector, OrdinalHyperparameter):
        return tuple(selector.sequence)
    if isinstance(selector, Constant):
        return (selector.value,)
    raise SearchSpaceError(
        f"{selector.name}: expected a Categorical of names, got {type(selector).__name__}"
    )
