"""Finished runs in a folder: one CSV file each, one row for each evaluation.

The file of a run is `PROBLEM/METHOD/SEED.csv`. It appears whole or not at all, so a run that was
interrupted leaves nothing that counts, and processes can write into one folder at the same time.
Its first line is a comment with the settings, the versions of packages and the machine. Delete the
folder of a method to have it run again.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import pandas as pd

from automl.benchmark.stored_runs import (
    Circumstances,
    DamagedRunError,
    is_stored,
    whole_file,
)
from automl.errors import InputError
from automl.writable import make_writable


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """What all runs of a benchmark have in common.

    Attributes
    ----------
    n_evaluations : int
        Evaluations of each run.
    batch_size : int
        Configurations that are asked for before their losses are told.
    n_initial : int
        Size of the first batch: the initial design.
    """

    n_evaluations: int
    batch_size: int
    n_initial: int

    def __post_init__(self) -> None:
        if min(self.n_evaluations, self.batch_size, self.n_initial) < 1:
            raise InputError(f"Numbers of evaluations must be positive: {self}.")
        if self.n_initial > self.n_evaluations:
            raise InputError(
                f"The initial design is larger than the run: {self.n_initial} configurations "
                f"(--initial), {self.n_evaluations} evaluations (--evaluations). Take fewer "
                "initial configurations or more evaluations."
            )

    def __str__(self) -> str:
        return (
            f"n_evaluations={self.n_evaluations} batch_size={self.batch_size} "
            f"n_initial={self.n_initial}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKey:
    """What tells one run from the others.

    Attributes
    ----------
    problem, method : str
        Names.
    seed : int
        Seed of the method.
    """

    problem: str
    method: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One row of a run.

    Attributes
    ----------
    evaluation : int
        Counted from 1.
    loss, best : float
        Loss of the configuration, and the smallest so far.
    seconds : float
        That the method took: an equal share of its `ask`, and its `tell`.
    training_seconds : float
        That the real evaluation would have taken; NaN where nobody knows.
    alpha : float
        Weight of exploitation that the configuration was chosen with; NaN where there is none.
    """

    evaluation: int
    loss: float
    best: float
    seconds: float
    training_seconds: float
    alpha: float = math.nan


_PACKAGES = ("ioh", "onnxruntime")
_KEY_COLUMNS = [field.name for field in fields(RunKey)]
_ROW_COLUMNS = [field.name for field in fields(Evaluation)]

COLUMNS = [*_KEY_COLUMNS, *_ROW_COLUMNS]
"""Of the frames of runs."""


@dataclass(frozen=True, slots=True)
class RunStore:
    """A folder of runs with the same settings.

    Attributes
    ----------
    folder : Path
        Made when the first run is written.
    settings : RunSettings
        Of every run.
    """

    folder: Path
    settings: RunSettings

    def check(self) -> None:
        """See whether more runs can be added.

        Raises
        ------
        InputError
            If nothing can be written, or a run that is there, wanted again or not, is damaged or
            had other settings or versions of packages.
        """
        make_writable(self.folder)
        for path in _paths(self.folder):
            self._circumstances.check(path)
            _check_whole(path)

    def holds(self, key: RunKey) -> bool:
        """Return whether a run is finished.

        Raises
        ------
        InputError
            If it was run with other settings or versions of packages.
        """
        return is_stored(self._path(key), self._circumstances)

    def write(self, key: RunKey, evaluations: Sequence[Evaluation]) -> None:
        """Keep a finished run."""
        with whole_file(self._path(key), self._circumstances) as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows((*astuple(key), *astuple(evaluation)) for evaluation in evaluations)

    @property
    def _circumstances(self) -> Circumstances:
        return Circumstances.now(str(self.settings), _PACKAGES)

    def _path(self, key: RunKey) -> Path:
        if "/" in key.method:
            raise InputError(f"The name of a method holds no slash: {key.method!r}.")
        return self.folder / key.problem / key.method / f"{key.seed}.csv"


def read_runs(folder: Path) -> pd.DataFrame:
    """Return the evaluations of all runs in a folder.

    Parameters
    ----------
    folder : Path
        What `RunStore` wrote to.

    Returns
    -------
    frame
        The columns of `RunKey` and `Evaluation`; rows of a run follow each other.

    Raises
    ------
    InputError
        If there are none, one is damaged, or they were run with different settings.
    """
    paths = _paths(folder)
    if not paths:
        raise InputError(f"{folder} holds no runs.")
    first = Circumstances.of_file(paths[0])
    for path in paths:
        Circumstances(settings=first.settings).check(path)
    runs = pd.concat([_rows(path) for path in paths], ignore_index=True)
    return runs.reindex(columns=COLUMNS)


def circumstances_of(folder: Path) -> Iterator[Circumstances]:
    """Yield what the results of each run in a folder depend on, read when it is asked for."""
    return map(Circumstances.of_file, _paths(folder))


def _paths(folder: Path) -> list[Path]:
    """Return the files of runs: others, such as frames of a report, begin without a comment."""
    return [path for path in sorted(folder.rglob("*.csv")) if _is_of_a_run(path)]


def _is_of_a_run(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(1) in (b"#", b"")  # one that lost everything may be of a run


def _rows(path: Path) -> pd.DataFrame:
    """Return the evaluations of one run that is whole."""
    _check_whole(path)
    return pd.read_csv(path, skiprows=1, dtype={"problem": str, "method": str})


def _check_whole(path: Path) -> None:
    """Raise DamagedRunError unless there are as many evaluations as the settings tell of."""
    told = re.search(r"\bn_evaluations=(\d+)\b", Circumstances.of_file(path).settings)
    with path.open(encoding="utf-8", errors="replace") as file:
        n_lines = sum(1 for _ in file)
    if told is None or n_lines != int(told[1]) + 2:  # settings and names of columns
        raise DamagedRunError.of(path)
