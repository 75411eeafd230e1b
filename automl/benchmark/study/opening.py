"""What a study works on: its settings, and data sets that are opened, all of them once at first.

A data set that is not there, or a table that was not built to its end, is found before anything is
run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from automl.benchmark.study.evaluation_limits import EvaluationLimits
from automl.benchmark.study.evaluations import StudyEvaluator
from automl.benchmark.study.study_task import StudyTask
from automl.benchmark.study.table import TableSpace
from automl.errors import InputError
from automl.suggestions import counted
from automl.writable import make_writable
from search_space.space import SearchSpace


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """What all runs of a study have in common.

    Attributes
    ----------
    n_trials : int
        Trials of each run.
    preset : str
        Search space.
    split_seed : int
        Of the split into training, validation and test rows.
    max_rows : int or None
        Rows of a data set that are used.
    table_size : int or None
        Configurations of the table that searches choose from; None searches the whole space.
    limits : EvaluationLimits
        Of one evaluation.
    cache : Path
        Where evaluations are stored.
    """

    n_trials: int = 250
    preset: str = "divbo"
    split_seed: int = 1
    max_rows: int | None = None
    table_size: int | None = None
    limits: EvaluationLimits
    cache: Path

    def __str__(self) -> str:
        return (
            f"n_trials={self.n_trials} preset={self.preset} split_seed={self.split_seed} "
            f"max_rows={self.max_rows} table_size={self.table_size} "
            f"cpu_seconds={self.limits.cpu_seconds:g} memory_mib={self.limits.memory_mib:g}"
        )

    def space_of(self, task: StudyTask) -> SearchSpace:
        """Return what may be tried on a task."""
        if self.table_size is None:
            return task.search_space
        return TableSpace.of(task.search_space, self.table_size)


Load = Callable[[str], StudyTask]
"""From the name of a data set to its task. Importable by name, for other processes."""


def opened(
    name: str, settings: StudySettings, load: Load, *, only_stored: bool = False
) -> tuple[SearchSpace, StudyEvaluator]:
    """Return what may be tried on a data set, and what evaluates it."""
    task = load(name)
    space = settings.space_of(task)
    evaluator = StudyEvaluator(
        task, space, settings.cache, settings.limits, only_stored=only_stored
    )
    return space, evaluator


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """What a data set has.

    Attributes
    ----------
    data : str
        Fingerprint of the data.
    n_configurations : int
        Of its table; 0 without one.
    n_stored : int
        How many of these were evaluated.
    """

    data: str
    n_configurations: int
    n_stored: int


def survey(datasets: Sequence[str], settings: StudySettings, load: Load) -> Mapping[str, Surveyed]:
    """Open every data set once and return what each has.

    Parameters
    ----------
    datasets : sequence of str
        Names.
    settings : StudySettings
        Of the study.
    load : callable
        Loads a data set by name.

    Raises
    ------
    InputError
        If one cannot be used: all of these are named. If nothing can be stored.
    """
    make_writable(settings.cache)
    found: dict[str, Surveyed] = {}
    reasons: dict[str, InputError] = {}
    for name in dict.fromkeys(datasets):
        try:
            found[name] = _surveyed(name, settings, load)
        except InputError as error:
            reasons[name] = error
    if reasons:
        name, reason = next(iter(reasons.items()))
        raise InputError(
            f"{counted(len(reasons), 'data set')} of {len(reasons) + len(found)} cannot be used: "
            f"{', '.join(reasons)}; nothing was run. Provide what is missing, or choose others "
            f"(--datasets). Of {name}: {reason}"
        ) from reason
    return found


def survey_of_tables(
    datasets: Sequence[str], settings: StudySettings, load: Load
) -> Mapping[str, Surveyed]:
    """Return what each data set has, if its table was built to the end or none is needed.

    Parameters
    ----------
    datasets, settings, load
        As for `survey`.

    Raises
    ------
    InputError
        As by `survey`, and if configurations of a table were not evaluated.
    """
    found = survey(datasets, settings, load)
    short = [
        f"{name} {one.n_stored}"
        for name, one in found.items()
        if one.n_stored < one.n_configurations
    ]
    if short:
        raise InputError(
            f"the table has {settings.table_size} configurations, of which were built: "
            f"{', '.join(short)}. Build the others: bin/benchmark build-table --configurations "
            f"{settings.table_size} with the same cache, suite, data sets and limits"
        )
    return found


def _surveyed(name: str, settings: StudySettings, load: Load) -> Surveyed:
    space, evaluator = opened(name, settings, load)
    table = space.finite or ()
    return Surveyed(
        data=evaluator.data[:16], n_configurations=len(table), n_stored=evaluator.n_stored(table)
    )
