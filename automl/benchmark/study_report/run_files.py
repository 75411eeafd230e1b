"""The run files of a study as frames: ``runs/DATASET/SEARCH/SEED.csv`` and ``.json`` beside it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from automl.benchmark.origins import mixtures
from automl.benchmark.stored_runs import Circumstances, DamagedRunError
from automl.benchmark.study.run_files import check_whole
from automl.benchmark.study.surrogate_quality import Tau
from automl.benchmark.study.surrogate_runs import FILE as SURROGATES_FILE
from automl.benchmark.study.surrogate_runs import read_taus
from automl.benchmark.study_report.methods import PAPER_SEARCHES, method_name
from automl.errors import InputError
from search_space.arrays import FloatArray

RUN = ["dataset", "search", "seed"]
_LOSSES = [
    *("validation_loss", "test_loss", "es_validation", "es_test"),
    *("single_validation", "single_test"),
]
_LATER = ["members_validation", "own_validation", "own_test"]  # older files are without them
_NUMBERS = [*_LOSSES, "in_pool", "distance"]
_COLUMNS = ["trial", *_NUMBERS]
_TAU_COLUMNS = [field.name for field in fields(Tau)]
_FINAL_COLUMNS = [*RUN, "design", "method", "validation", "test"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FinalEnsemble:
    """The ensemble at the end of a run.

    Attributes
    ----------
    dataset, search : str
        Of the run.
    seed : int
        Of the run.
    members : tuple of int
        Numbers of trials, rising.
    pairwise : (m, m) array
        Diversity of each pair of members (equation 3 of the paper).
    """

    dataset: str
    search: str
    seed: int
    members: tuple[int, ...]
    pairwise: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
    """All finished runs of a folder.

    Attributes
    ----------
    trials : frame
        dataset, search, seed, step (1, 2, ... within a run), then the columns of the files.
    finals : frame
        dataset, search, seed, design, method, validation, test: errors at the end of each run.
    ensembles : tuple of FinalEnsemble
        Of those runs that kept the diversity of their members.
    origins : tuple of str
        Settings, versions and machine of the runs, each once.
    unfinished : tuple of str
        Runs of which one of the two files is missing.
    damaged : tuple of str
        A line for each run that is left out because a file of it cannot be read.
    mixtures : tuple of str
        A line for each thing that runs should have in common and have not.
    """

    trials: pd.DataFrame
    finals: pd.DataFrame
    ensembles: tuple[FinalEnsemble, ...]
    origins: tuple[str, ...]
    unfinished: tuple[str, ...]
    damaged: tuple[str, ...] = ()
    mixtures: tuple[str, ...] = ()

    def missing_runs(self) -> pd.DataFrame:
        """Return the runs of the paper's searches that some data set or seed lacks.

        Returns
        -------
        frame : dataset, search, seed
            For each data set and seed that occur together, the searches of the paper that are
            not finished. Other searches may be run on less.
        """
        present = self.finals[RUN].drop_duplicates()
        pairs = present[["dataset", "seed"]].drop_duplicates()
        wanted = pairs.merge(pd.DataFrame({"search": PAPER_SEARCHES}), how="cross")[RUN]
        merged = wanted.merge(present, how="left", on=RUN, indicator=True)
        lacking = merged.loc[merged["_merge"] == "left_only", RUN]
        return lacking.sort_values(RUN, ignore_index=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """What both files of a run hold."""

    dataset: str
    circumstances: Circumstances
    trials: pd.DataFrame
    finals: list[tuple[object, ...]]
    ensemble: FinalEnsemble | None

    @classmethod
    def of(cls, path: Path) -> _Run:
        """Return it.

        Raises
        ------
        DamagedRunError
            If a file is not what it should be.
        """
        finals, ensemble = _result_of(path.with_suffix(".json"))
        trials, (dataset, _, _) = _trials_of(path), _key_of(path)
        check_whole(path)
        return cls(dataset, Circumstances.of_file(path), trials, finals, ensemble)


def read_study(folder: Path) -> Study:
    """Return the finished runs of a folder.

    Parameters
    ----------
    folder : Path
        With a folder `runs`.

    Raises
    ------
    InputError
        If there is no finished run, or none that can be read.
    """
    tables = sorted((folder / "runs").glob("*/*/*.csv"))
    others = sorted((folder / "runs").glob("*/*/*.json"))
    finished = [path for path in tables if path.with_suffix(".json").exists()]
    if not finished:
        raise InputError(
            f"{folder} holds no finished run (runs/DATASET/SEARCH/SEED.csv and .json)."
        )
    whole = set(finished) | {path.with_suffix(".json") for path in finished}
    alone = [path for path in (*tables, *others) if path not in whole]
    runs, damaged = _whole_runs(finished)
    if not runs:
        raise InputError(f"No run can be read. {damaged[0]}")
    known = [run.circumstances for run in runs]
    return Study(
        trials=pd.concat([run.trials for run in runs], ignore_index=True),
        finals=pd.DataFrame([row for run in runs for row in run.finals], columns=_FINAL_COLUMNS),
        ensembles=tuple(run.ensemble for run in runs if run.ensemble is not None),
        origins=tuple(dict.fromkeys(str(replace(one, data="")) for one in known)),
        unfinished=tuple(str(path.relative_to(folder / "runs")) for path in alone),
        damaged=damaged,
        mixtures=mixtures([(run.dataset, run.circumstances) for run in runs]),
    )


def _whole_runs(paths: list[Path]) -> tuple[list[_Run], tuple[str, ...]]:
    """Return the runs that can be read, and a line for each of the others."""
    runs, damaged = [], []
    for path in paths:
        try:
            runs.append(_Run.of(path))
        except DamagedRunError as error:
            damaged.append(str(error))
    return runs, tuple(damaged)


def read_surrogates(folder: Path) -> pd.DataFrame | None:
    """Return how well surrogates order configurations, or None if that was not measured.

    Returns
    -------
    frame : dataset, surrogate, n_observations, seed, tau

    Raises
    ------
    InputError
        If the file is damaged.
    """
    path = folder / SURROGATES_FILE
    if not path.exists():
        return None
    frame = pd.DataFrame(read_taus(path), columns=_TAU_COLUMNS)
    return frame.astype({"n_observations": int, "tau": float})


def _key_of(path: Path) -> tuple[str, str, int]:
    try:
        return path.parts[-3], path.parts[-2], int(path.stem)
    except ValueError as error:
        raise DamagedRunError.of(path, "is not named by its seed") from error


def _trials_of(path: Path) -> pd.DataFrame:
    text = _text_of(path)
    if not text:
        raise DamagedRunError.of(path, "is empty")
    if len({len(row) for row in csv.reader(text.splitlines()[1:])}) > 1:
        raise DamagedRunError.of(path, "has a line that is too short or too long")
    try:
        read = pd.read_csv(io.StringIO(text), skiprows=1)
        if lacking := [name for name in _COLUMNS if name not in read]:
            raise DamagedRunError.of(path, f"has no column {', '.join(lacking)}")
        frame = read.sort_values("trial", ignore_index=True)
        frame = frame.reindex(columns=[*frame, *(n for n in _LATER if n not in frame)])
        # A column without numbers reads as text.
        frame[[*_NUMBERS, *_LATER]] = frame[[*_NUMBERS, *_LATER]].astype(np.float64)
    except DamagedRunError:
        raise
    except (ValueError, TypeError) as error:  # of pandas too
        raise DamagedRunError.of(path, "is no table of trials") from error
    dataset, search, seed = _key_of(path)
    frame.insert(0, "step", np.arange(1, len(frame) + 1))
    for name, value in (("seed", seed), ("search", search), ("dataset", dataset)):
        frame.insert(0, name, value)
    return frame


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DamagedRunError.of(path, f"cannot be read ({error})") from error


def _result_of(path: Path) -> tuple[list[tuple[object, ...]], FinalEnsemble | None]:
    """Return the errors of all designs, and the ensemble, that a run ended with."""
    dataset, search, seed = _key_of(path)
    try:
        content = json.loads(_text_of(path))
        rows: list[tuple[object, ...]] = [
            (dataset, search, seed, design, method_name(search, design), *_errors_of(losses))
            for design, losses in content["designs"].items()
        ]
        return rows, _ensemble_of(path, content)
    except DamagedRunError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedRunError.of(
            path, "has not the errors 'validation' and 'test' of each of its 'designs'"
        ) from error


def _errors_of(losses: Any) -> list[float]:
    found = [losses.get(name) for name in ("validation", "test")]
    return [np.nan if value is None else float(value) for value in found]


def _ensemble_of(path: Path, content: Any) -> FinalEnsemble | None:
    members, pairwise = content.get("members"), content.get("pairwise")
    if not members or not pairwise:
        return None
    matrix = np.asarray(pairwise, dtype=np.float64)
    if matrix.shape != (len(members), len(members)):
        raise DamagedRunError.of(path, "has not a row and a column of 'pairwise' for each member")
    order = np.argsort(members)
    dataset, search, seed = _key_of(path)
    return FinalEnsemble(
        dataset=dataset,
        search=search,
        seed=seed,
        members=tuple(int(members[i]) for i in order),
        pairwise=matrix[np.ix_(order, order)],
    )
