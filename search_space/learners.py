"""Which learners a search space holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from search_space.component import Component, Stage
from search_space.errors import SearchSpaceError, unknown_names
from search_space.presets import PRESETS, Preset
from search_space.task import TaskProperties


@dataclass(frozen=True, slots=True)
class Learners:
    """Learners that are searched, and why others are not.

    Attributes
    ----------
    chosen : tuple of Component
        At least one learner, in the order of the preset.
    left_out : mapping of str to str
        Reason why a learner is not searched; learners that were excluded are not listed.
    """

    chosen: tuple[Component, ...]
    left_out: Mapping[str, str]


def all_learners(preset: Preset, extra: Sequence[Component]) -> dict[str, Component]:
    """Return every known learner by name: the extra ones, the preset's, those of other presets.

    Raises
    ------
    SearchSpaceError
        If an extra component has the name of another one of its stage.
    """
    presets = [preset, *(other for other in PRESETS if other is not preset)]
    known: dict[str, Component] = {}
    for other in presets:
        for learner in other.of(Stage.CLASSIFIER):
            known.setdefault(learner.name, learner)
    for component in extra:
        taken = {c.name for c in preset.of(component.stage)}
        if component.stage is Stage.CLASSIFIER:
            taken = set(known)
        if component.name in taken:
            raise SearchSpaceError(
                f"extra: the name {component.name!r} is taken by another {component.stage}; "
                f"choose a name that is not among {', '.join(sorted(taken))}"
            )
        if component.stage is Stage.CLASSIFIER:
            known[component.name] = component
    return known


def choose_learners(
    preset: Preset,
    task: TaskProperties,
    *,
    include: Iterable[str] | None,
    exclude: Iterable[str] | None,
    extra: Sequence[Component],
) -> Learners:
    """Choose learners by name and leave out those that the task does not suit.

    Parameters
    ----------
    preset : Preset
        Source of the learners that are searched unless `include` says otherwise.
    task : TaskProperties
        What the learners have to handle.
    include : iterable of str or None
        Names of the learners wanted, of any preset or `extra`; None means all of the preset and
        all extra ones.
    exclude : iterable of str or None
        Names of learners not wanted.
    extra : sequence of Component
        Components that no preset has.

    Raises
    ------
    SearchSpaceError
        If a name is unknown or in both lists, or if nothing is left.
    """
    known = all_learners(preset, extra)
    excluded = set(_checked("exclude", exclude, known))
    wanted = _checked("include", include, known)
    both = excluded.intersection(wanted)
    if both:
        raise SearchSpaceError(f"{', '.join(sorted(both))}: both in include and in exclude")
    extras = [c.name for c in extra if c.stage is Stage.CLASSIFIER]
    if include is None:
        wanted = [*(c.name for c in preset.of(Stage.CLASSIFIER)), *extras]
    left_out = {
        name: "it is not named in include" for name in extras if name not in (*wanted, *excluded)
    }
    chosen = []
    for name in dict.fromkeys(name for name in wanted if name not in excluded):
        reason = known[name].refusal(task)
        if reason is None:
            chosen.append(known[name])
        else:
            left_out[name] = reason
    if not chosen:
        empty = "all are excluded" if wanted else "include is empty"
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise SearchSpaceError(f"no learner is left ({reasons or empty})")
    return Learners(tuple(chosen), left_out)


def _checked(
    argument: str, names: Iterable[str] | None, known: Mapping[str, Component]
) -> list[str]:
    """Return names as a list once all of them are known."""
    if isinstance(names, str):
        raise SearchSpaceError(f"{argument}: give a list of names, such as [{names!r}]")
    listed = list(names or ())
    unknown = [name for name in listed if name not in known]
    if unknown:
        raise SearchSpaceError(unknown_names(argument, unknown, known))
    return listed
