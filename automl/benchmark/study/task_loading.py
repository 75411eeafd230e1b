"""A data set of a suite, by name, as a task of a study."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from automl.benchmark.study.study_task import StudyTask, study_task
from automl.benchmark.suites import load_entry, suite
from automl.errors import InputError


@lru_cache(maxsize=1)
def load_study_task(
    suite_name: str,
    openml_cache: Path | None,
    split_seed: int,
    max_rows: int | None,
    preset: str,
    name: str,
) -> StudyTask:
    """Return a data set prepared and split; a process keeps the last one.

    Parameters
    ----------
    suite_name : str
        Of the suite that has it.
    openml_cache : Path or None
        Folder of OpenML's files.
    split_seed, max_rows, preset
        As in `study_task`.
    name : str
        Of the data set.

    Raises
    ------
    InputError
        If there is no such data set, or it cannot be used.
    """
    for entry in suite(suite_name):
        if entry.name == name:
            data = load_entry(entry, cache=openml_cache)
            return study_task(data, split_seed=split_seed, max_rows=max_rows, preset=preset)
    raise InputError(f"suite {suite_name!r} has no data set {name!r}")
