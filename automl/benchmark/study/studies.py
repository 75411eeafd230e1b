"""Many runs of a study: data sets, searches and seeds, several at the same time, gone on with."""

from __future__ import annotations

import itertools
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from automl.benchmark.study.evaluation_limits import MachineError
from automl.benchmark.study.opening import Load, StudySettings, opened, survey, survey_of_tables
from automl.benchmark.study.run_files import RunFolder, StudyKey
from automl.benchmark.study.runner import run_study_search
from automl.benchmark.study.searches import make_search
from automl.benchmark.worker_calls import calls_as_they_end
from automl.errors import AutoMLError, InputError


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
        If a search, a data set, a table or the folder cannot be used: nothing is run then.
    """
    runs = RunFolder(folder, str(settings))
    runs.check()
    missing = [key for key in keys if not runs.holds(key)]
    for name in dict.fromkeys(key.search for key in missing):
        make_search(name, settings.n_trials)
    found = survey_of_tables([key.dataset for key in missing], settings, load)
    runs = replace(runs, data={name: one.data for name, one in found.items()})
    runs.check()
    calls = ((key, runs, settings, load) for key in missing)
    return calls_as_they_end(_run_and_keep, calls, n_jobs=n_jobs), len(missing)


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
    space, evaluator = opened(
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltPart:
    """A part of a table that is done.

    Attributes
    ----------
    dataset : str
        Name.
    n_done : int
        Configurations.
    n_new : int
        How many of them were not evaluated before.
    failures : tuple of str
        A line for each that the machine may be to blame for; these are not stored.
    """

    dataset: str
    n_done: int
    n_new: int
    failures: tuple[str, ...] = ()


def build_tables(
    datasets: Sequence[str], settings: StudySettings, load: Load, *, n_jobs: int = 1
) -> tuple[Iterator[BuiltPart], int]:
    """Evaluate the configurations of tables: parts as they end, and how many have to be evaluated.

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

    Raises
    ------
    InputError
        If a data set or the cache cannot be used: nothing is evaluated then.
    """
    found = survey(datasets, settings, load)
    size = settings.table_size or 0
    bounds = [*range(0, size, _PART), size]
    parts = list(itertools.product(datasets, itertools.pairwise(bounds)))
    calls = ((name, part, settings, load) for name, part in parts)
    n_new = sum(one.n_configurations - one.n_stored for one in found.values())
    return calls_as_they_end(_build_part, calls, n_jobs=n_jobs), n_new


_PART = 20  # configurations that one call evaluates


def _build_part(name: str, part: tuple[int, int], settings: StudySettings, load: Load) -> BuiltPart:
    space, evaluator = opened(name, settings, load)
    configurations = (space.finite or ())[slice(*part)]
    n_stored = evaluator.n_stored(configurations)
    failures = []
    with threadpool_limits(1):
        for configuration in configurations:
            try:
                evaluator(configuration)
            except MachineError as error:
                failures.append(str(error))
    return BuiltPart(
        dataset=name,
        n_done=part[1] - part[0],
        n_new=len(configurations) - n_stored,
        failures=tuple(failures),
    )
