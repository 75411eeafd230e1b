"""Many runs of a study: data sets, searches and seeds, several at the same time, gone on with."""

from __future__ import annotations

import itertools
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib
from threadpoolctl import threadpool_limits

from automl.benchmark.study.evaluation_limits import EvaluationLimits
from automl.benchmark.study.evaluations import StudyEvaluator
from automl.benchmark.study.run_files import RunFolder, StudyKey
from automl.benchmark.study.runner import run_study_search
from automl.benchmark.study.searches import make_search
from automl.benchmark.study.study_task import StudyTask
from automl.benchmark.study.surrogate_quality import Tau, surrogate_taus
from automl.benchmark.study.table import TableSpace
from automl.errors import AutoMLError, InputError
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRun:
    """A run that was not there before and has ended.

    Attributes
    ----------
    key : StudyKey
        Which one.
    seconds : float
        That it took.
    failure : str
        What ended it early: a line, or the traceback of what nobody has foreseen; empty if it was
        finished and is stored.
    """

    key: StudyKey
    seconds: float
    failure: str = ""


def run_missing(
    keys: Sequence[StudyKey],
    folder: Path,
    settings: StudySettings,
    load: Load,
    *,
    n_jobs: int = 1,
) -> tuple[Iterator[EndedRun], int]:
    """Run what a folder does not hold: runs as they end, in no particular order, and how many.

    Parameters
    ----------
    keys : sequence of StudyKey
        What is wanted.
    folder : Path
        Where finished runs are; those in it are not run again.
    settings : StudySettings
        Of every run.
    load : callable
        Loads a data set by name.
    n_jobs : int
        Processes at the same time, as joblib counts them.

    Raises
    ------
    InputError
        If a search or the folder cannot be used: nothing is run then. If a data set cannot be
        used, when its turn comes: the runs under way are lost, those that ended are kept.
    """
    runs = RunFolder(folder, str(settings))
    missing = [key for key in keys if not runs.holds(key)]
    for name in dict.fromkeys(key.search for key in missing):
        make_search(name, settings.n_trials)
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    tasks = (joblib.delayed(_run_and_keep)(key, runs, settings, load) for key in missing)
    return parallel(tasks), len(missing)


def _run_and_keep(key: StudyKey, runs: RunFolder, settings: StudySettings, load: Load) -> EndedRun:
    started = time.monotonic()
    failure = ""
    try:
        with threadpool_limits(1):
            _run(key, runs, settings, load)
    except InputError:
        raise  # would end every other run as well
    except (AutoMLError, OSError) as error:
        failure = str(error)
    except Exception:  # noqa: BLE001 - whatever an optimiser may raise must not end the others
        failure = traceback.format_exc()
    return EndedRun(key=key, seconds=time.monotonic() - started, failure=failure)


def _run(key: StudyKey, runs: RunFolder, settings: StudySettings, load: Load) -> None:
    space, evaluator = _opened(
        key.dataset, settings, load, only_stored=settings.table_size is not None
    )
    run = run_study_search(
        make_search(key.search, settings.n_trials),
        evaluator,
        space,
        seed=key.seed,
        n_trials=settings.n_trials,
    )
    runs.write(key, run, evaluator.codes)


def build_tables(
    datasets: Sequence[str], settings: StudySettings, load: Load, *, n_jobs: int = 1
) -> Iterator[tuple[str, int]]:
    """Evaluate the configurations of tables; yield names, and how many of each were done since.

    Parameters
    ----------
    datasets : sequence of str
        Names.
    settings : StudySettings
        With a table size.
    load : callable
        Loads a data set by name.
    n_jobs : int
        Processes at the same time; each takes a part of a table.
    """
    size = settings.table_size or 0
    bounds = [*range(0, size, _PART), size]
    parts = list(itertools.product(datasets, itertools.pairwise(bounds)))
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    tasks = (joblib.delayed(_build_part)(name, part, settings, load) for name, part in parts)
    yield from parallel(tasks)


_PART = 20  # configurations that one call evaluates


def _build_part(
    name: str, part: tuple[int, int], settings: StudySettings, load: Load
) -> tuple[str, int]:
    space, evaluator = _opened(name, settings, load)
    configurations = (space.finite or ())[slice(*part)]
    with threadpool_limits(1):
        for configuration in configurations:
            evaluator(configuration)
    return name, part[1] - part[0]


def measure_surrogates(
    datasets: Sequence[str],
    settings: StudySettings,
    load: Load,
    *,
    n_observations: Sequence[int],
    n_seeds: int,
    n_jobs: int = 1,
) -> Iterator[list[Tau]]:
    """Yield Kendall's taus on tables that were built, a list for each data set and seed.

    Parameters
    ----------
    datasets : sequence of str
        Names.
    settings : StudySettings
        With a table size.
    load : callable
        Loads a data set by name.
    n_observations : sequence of int
        Numbers of configurations that surrogates are fitted to.
    n_seeds : int
        Draws of configurations.
    n_jobs : int
        Processes at the same time.

    Raises
    ------
    InputError
        If a table was not built or has too few successes.
    """
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
    yield from parallel(
        joblib.delayed(_taus_of)(name, seed, tuple(n_observations), settings, load)
        for name in datasets
        for seed in range(n_seeds)
    )


def _taus_of(
    name: str, seed: int, n_observations: tuple[int, ...], settings: StudySettings, load: Load
) -> list[Tau]:
    space, evaluator = _opened(name, settings, load, only_stored=True)
    with threadpool_limits(1):
        return list(
            surrogate_taus(evaluator, space, name, n_observations=n_observations, seed=seed)
        )


def _opened(
    name: str, settings: StudySettings, load: Load, *, only_stored: bool = False
) -> tuple[SearchSpace, StudyEvaluator]:
    """Return what may be tried on a data set, and what evaluates it."""
    task = load(name)
    space = settings.space_of(task)
    evaluator = StudyEvaluator(
        task, space, settings.cache, settings.limits, only_stored=only_stored
    )
    return space, evaluator
