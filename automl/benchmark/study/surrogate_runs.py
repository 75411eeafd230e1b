"""Measurements of surrogates in a file: each is kept when it ends, and none is made twice.

The file is `surrogates.csv`; its first line is a comment with settings, versions of packages,
machine and fingerprints of data sets.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from threadpoolctl import threadpool_limits

from automl.benchmark.stored_runs import (
    Circumstances,
    DamagedRunError,
    is_stored,
    whole_file,
)
from automl.benchmark.study.opening import Load, StudySettings, opened, survey_of_tables
from automl.benchmark.study.surrogate_quality import Tau, TooFewModelsError, surrogate_taus
from automl.benchmark.worker_calls import calls_as_they_end
from automl.writable import make_writable

FILE = "surrogates.csv"
_COLUMNS = [field.name for field in fields(Tau)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What all surrogates are measured on at once.

    Attributes
    ----------
    dataset : str
        Name.
    n_observations : int
        Configurations that they are fitted to.
    seed : int
        Of the draw.
    """

    dataset: str
    n_observations: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A measurement that has ended.

    Attributes
    ----------
    wanted : Measurement
        Which one.
    taus : tuple of Tau
        What came of it.
    left_out : str
        Why nothing did, a line; empty after a success.
    """

    wanted: Measurement
    taus: tuple[Tau, ...] = ()
    left_out: str = ""


def measure_missing(
    wanted: Sequence[Measurement],
    folder: Path,
    settings: StudySettings,
    load: Load,
    *,
    n_jobs: int = 1,
) -> tuple[Iterator[Measured], int]:
    """Measure what the file of a folder does not hold: measurements as they end, and how many.

    Parameters
    ----------
    wanted : sequence of Measurement
        In the order of being measured.
    folder : Path
        Where the file is.
    settings : StudySettings
        With a table size.
    load : callable
        Loads a data set by name.
    n_jobs : int
        Processes at the same time.

    Raises
    ------
    InputError
        If a data set, a table or the file cannot be used: nothing is measured then.
    """
    make_writable(folder)
    path = folder / FILE
    before = ""
    known: list[Tau] = []
    if is_stored(path, Circumstances.now(str(settings))):
        known, before = read_taus(path), Circumstances.of_file(path).data
    there = {_measurement_of(tau) for tau in known}
    missing = [one for one in wanted if one not in there]
    found = survey_of_tables([one.dataset for one in missing], settings, load)
    prints = [f"{name}:{one.data}" for name, one in found.items()]
    is_stored(path, Circumstances.now(str(settings), data=",".join(prints)))
    data = ",".join(dict.fromkeys([*filter(None, before.split(",")), *prints]))
    circumstances = Circumstances.now(str(settings), data=data)
    calls = ((one, settings, load) for one in missing)
    measured = calls_as_they_end(_measure, calls, n_jobs=n_jobs, in_order=True)
    return _kept(measured, known, path, circumstances), len(missing)


def read_taus(path: Path) -> list[Tau]:
    """Return what a file holds.

    Raises
    ------
    DamagedRunError
        If it is not what was written.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            file.readline()
            rows = csv.DictReader(file)
            if rows.fieldnames != _COLUMNS:
                raise DamagedRunError.of(path, f"has not the columns {', '.join(_COLUMNS)}")
            return [
                Tau(
                    dataset=row["dataset"],
                    surrogate=row["surrogate"],
                    n_observations=int(row["n_observations"]),
                    seed=int(row["seed"]),
                    tau=float(row["tau"]),
                )
                for row in rows
            ]
    except DamagedRunError:
        raise
    except (TypeError, ValueError, csv.Error, OSError) as error:
        raise DamagedRunError.of(path) from error


def _kept(
    ended: Iterator[Measured], known: list[Tau], path: Path, circumstances: Circumstances
) -> Iterator[Measured]:
    """Write all taus again after each measurement, so that the file is whole at any time."""
    taus = list(known)
    for one in ended:
        if one.taus:
            taus += one.taus
            with whole_file(path, circumstances) as file:
                writer = csv.writer(file)
                writer.writerow(_COLUMNS)
                writer.writerows(astuple(tau) for tau in taus)
        yield one


def _measure(wanted: Measurement, settings: StudySettings, load: Load) -> Measured:
    space, evaluator = opened(wanted.dataset, settings, load, only_stored=True)
    try:
        with threadpool_limits(1):
            taus = surrogate_taus(
                evaluator,
                space,
                wanted.dataset,
                n_observations=wanted.n_observations,
                seed=wanted.seed,
            )
    except TooFewModelsError as error:
        return Measured(wanted=wanted, left_out=str(error))
    return Measured(wanted=wanted, taus=taus)


def _measurement_of(tau: Tau) -> Measurement:
    return Measurement(dataset=tau.dataset, n_observations=tau.n_observations, seed=tau.seed)
