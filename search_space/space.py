"""Search spaces: built from a preset, or adopted from a user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ConfigSpace import Configuration, ConfigurationSpace
from ConfigSpace.exceptions import ForbiddenValueError

from search_space.assembly import assemble, cut_ranges
from search_space.bounds import levels_kept
from search_space.component import Component, Stage
from search_space.encoders import NATIVE_ENCODER
from search_space.errors import SearchSpaceError, unknown_names
from search_space.imputers import NO_IMPUTER
from search_space.learners import choose_learners
from search_space.presets import PRESETS, Preset
from search_space.task import TaskProperties
from search_space.values import active_values


@dataclass(frozen=True, kw_only=True)  # without slots, which leave no place for `defaults`
class SearchSpace:
    """What may be tried on a task.

    Attributes
    ----------
    configuration_space : ConfigurationSpace
        Hyperparameters with their conditions. ``"classifier"``, ``"preprocessor"`` and so on choose
        the components, ``"classifier:lightgbm:num_leaves"`` belongs to one of them. Its ``meta``
        holds the name of the preset and whether rescalers run before preprocessors.
    components : tuple of Component
        Everything that a configuration may name; the first of each stage is used where a
        configuration does not name any.
    task : TaskProperties
        What the ranges are cut to.
    left_out : mapping of str to str
        Reason why a learner that was asked for is not searched.
    notes : tuple of str
        What else the task changed: ranges, operators, pooled levels.
    """

    configuration_space: ConfigurationSpace
    components: tuple[Component, ...]
    task: TaskProperties
    left_out: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def learners(self) -> tuple[Component, ...]:
        """Return the classifiers that are searched."""
        return tuple(c for c in self.components if c.stage is Stage.CLASSIFIER)

    @property
    def rescale_first(self) -> bool:
        """Whether rescalers run before preprocessors."""
        meta = self.configuration_space.meta or {}
        return bool(meta.get("rescale_first", True))

    @cached_property
    def defaults(self) -> tuple[Configuration, ...]:
        """Return the default configuration of each learner, the cheapest first.

        Learners that handle missing values or level codes themselves are given them. They are
        made once: an optimiser asks for them at every proposal.
        """
        by_cost = sorted(self.learners, key=lambda learner: learner.cost)
        found = [self._default_of(learner) for learner in by_cost]
        return tuple(configuration for configuration in found if configuration is not None)

    @property
    def finite(self) -> tuple[Configuration, ...] | None:
        """Return the only configurations that may be tried, None where all of the space may."""
        return None

    def classifier_of(self, configuration: Mapping[str, object]) -> str:
        """Return the name of the learner that a configuration uses."""
        return str(configuration[Stage.CLASSIFIER])

    def _default_of(self, learner: Component) -> Configuration | None:
        space = self.configuration_space
        chosen: dict[str, str] = {Stage.CLASSIFIER: learner.name}
        native = dict(chosen)
        if learner.handles_missing:
            native[Stage.IMPUTER] = NO_IMPUTER
        if learner.handles_categories:
            native[Stage.ENCODER] = NATIVE_ENCODER
        for preferred in (native, chosen):
            legal = {
                name: value
                for name, value in preferred.items()
                if name in space and space[name].legal_value(value)
            }
            try:
                return Configuration(space, values=active_values(space, legal))
            except ForbiddenValueError:  # a clause of a user's own space
                continue
        return None


def build_space(
    task: TaskProperties,
    *,
    preset: str = "default",
    include: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    extra: Sequence[Component] = (),
) -> SearchSpace:
    """Return a preset's search space, cut to a task.

    Parameters
    ----------
    task : TaskProperties
        What the components have to handle.
    preset : str
        ``"default"``, ``"divbo"`` or ``"fast"``.
    include : iterable of str or None
        Names of the learners to search, whatever the preset; None searches those of the preset
        and the extra ones.
    exclude : iterable of str or None
        Names of learners not to search.
    extra : sequence of Component
        Learners and operators of the user.

    Raises
    ------
    SearchSpaceError
        If a name is unknown, taken or contradictory, or no learner suits the task.

    Examples
    --------
    >>> task = TaskProperties(
    ...     n_rows=75, n_classes=2, smallest_class=40, largest_class=60, numeric=(0, 1, 2)
    ... )
    >>> space = build_space(task, include=["lda", "qda"])
    >>> [space.classifier_of(configuration) for configuration in space.defaults]
    ['lda', 'qda']
    """
    chosen = preset_named(preset)
    learners = choose_learners(chosen, task, include=include, exclude=exclude, extra=extra)
    operators, notes = _operators(chosen, task, learners.chosen, extra)
    components = (*learners.chosen, *operators)
    space = assemble(chosen, _searched(chosen, components, task), task)
    return SearchSpace(
        configuration_space=space,
        components=components,
        task=task,
        left_out=learners.left_out,
        notes=(*notes, *_pooled_levels(task), *cut_ranges(space)),
    )


def preset_named(name: str) -> Preset:
    """Return the preset of a name.

    Raises
    ------
    SearchSpaceError
        If there is none.
    """
    for preset in PRESETS:
        if preset.name == name:
            return preset
    raise SearchSpaceError(unknown_names("preset", [name], [preset.name for preset in PRESETS]))


def _operators(
    preset: Preset,
    task: TaskProperties,
    learners: Sequence[Component],
    extra: Sequence[Component],
) -> tuple[list[Component], list[str]]:
    """Return what may fill the other stages, defaults first, and what was left out."""
    kept: list[Component] = []
    notes: list[str] = []
    for stage in Stage:
        if stage is Stage.CLASSIFIER:
            continue
        default, *others = (*preset.of(stage), *(c for c in extra if c.stage is stage))
        # The default stays in any case: the pipeline needs one for what prediction may bring.
        kept.append(default)
        for component in others:
            reason = component.refusal(task) or _why_unwanted(component, learners)
            if reason is None:
                kept.append(component)
            elif component in extra or stage in (Stage.PREPROCESSOR, Stage.RESCALER):
                # Of our own, imputers and so on go where there is nothing for them to do.
                notes.append(f"{stage} {component.name} is left out: {reason}")
    return kept, notes


def _why_unwanted(component: Component, learners: Sequence[Component]) -> str | None:
    """Return why no learner can do with what an operator leaves undone or asks for, if so."""
    if component.name == NO_IMPUTER and component.stage is Stage.IMPUTER:
        able = any(learner.handles_missing for learner in learners)
        return None if able else "no learner handles missing values"
    if component.name == NATIVE_ENCODER and component.stage is Stage.ENCODER:
        able = any(learner.handles_categories for learner in learners)
        return None if able else "no learner handles categories"
    if component.stage is Stage.BALANCER:
        able = any(learner.takes_weights for learner in learners)
        return None if able else "no learner takes weights"
    return None


def _searched(
    preset: Preset, components: Sequence[Component], task: TaskProperties
) -> list[Component]:
    """Leave out stages that would have no effect on the task."""
    without_effect = set()
    if preset.rescale_first and not task.numeric:
        without_effect.add(Stage.RESCALER)
    return [c for c in components if c.stage not in without_effect]


def _pooled_levels(task: TaskProperties) -> list[str]:
    most = levels_kept(task)
    wide = [
        position
        for position, levels in zip(task.categorical, task.n_levels, strict=True)
        if levels + task.has_missing > most
    ]
    if not wide:
        return []
    listed = ", ".join(map(str, wide))
    return [f"one-hot encoding pools the rarest levels of columns {listed}: {most} are kept"]
