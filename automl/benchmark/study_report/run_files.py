"""The run files of a study as frames: ``runs/DATASET/SEARCH/SEED.csv`` and ``.json`` beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from automl.benchmark.study_report.methods import PAPER_SEARCHES, method_name
from automl.errors import InputError
from search_space.arrays import FloatArray

RUN = ["dataset", "search", "seed"]
_LOSSES = [
    *("validation_loss", "test_loss", "es_validation", "es_test"),
    *("single_validation", "single_test"),
]
_COLUMNS = ["trial", *_LOSSES, "in_pool", "distance"]
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
        First lines of the files, each once: settings, versions, machine.
    unfinished : tuple of str
        Runs of which one of the two files is missing.
    """

    trials: pd.DataFrame
    finals: pd.DataFrame
    ensembles: tuple[FinalEnsemble, ...]
    origins: tuple[str, ...]
    unfinished: tuple[str, ...]

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


def read_study(folder: Path) -> Study:
    """Return the finished runs of a folder.

    Parameters
    ----------
    folder : Path
        With a folder `runs`.

    Raises
    ------
    InputError
        If there is no finished run, or a file is not what it should be.
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
    results = [_result_of(path.with_suffix(".json")) for path in finished]
    rows = [row for of_run, _ in results for row in of_run]
    origins = dict.fromkeys(_first_line(path) for path in finished)
    return Study(
        trials=pd.concat([_trials_of(path) for path in finished], ignore_index=True),
        finals=pd.DataFrame(rows, columns=_FINAL_COLUMNS),
        ensembles=tuple(ensemble for _, ensemble in results if ensemble is not None),
        origins=tuple(origins),
        unfinished=tuple(str(path.relative_to(folder / "runs")) for path in alone),
    )


def read_surrogates(folder: Path) -> pd.DataFrame | None:
    """Return how well surrogates order configurations, or None if that was not measured.

    Returns
    -------
    frame : dataset, surrogate, n_observations, seed, tau
    """
    path = folder / "surrogates.csv"
    if not path.exists():
        return None
    frame = pd.read_csv(path, comment="#")
    return _with_columns(frame, path, ["dataset", "surrogate", "n_observations", "seed", "tau"])


def _key_of(path: Path) -> tuple[str, str, int]:
    try:
        return path.parts[-3], path.parts[-2], int(path.stem)
    except ValueError as error:
        raise InputError(f"{path}: the name of a run file is its seed.") from error


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().removeprefix("#").strip()


def _trials_of(path: Path) -> pd.DataFrame:
    try:
        frame = pd.read_csv(path, skiprows=1)
    except pd.errors.ParserError as error:
        raise InputError(f"{path} is no table.") from error
    except pd.errors.EmptyDataError as error:
        raise InputError(f"{path} is empty.") from error
    frame = _with_columns(frame, path, _COLUMNS).sort_values("trial", ignore_index=True)
    dataset, search, seed = _key_of(path)
    frame[_LOSSES] = frame[_LOSSES].astype(np.float64)  # a column without numbers reads as text
    frame.insert(0, "step", np.arange(1, len(frame) + 1))
    for name, value in (("seed", seed), ("search", search), ("dataset", dataset)):
        frame.insert(0, name, value)
    return frame


def _with_columns(frame: pd.DataFrame, path: Path, wanted: list[str]) -> pd.DataFrame:
    lacking = [name for name in wanted if name not in frame]
    if lacking:
        raise InputError(f"{path} has no column {', '.join(lacking)}.")
    return frame


def _result_of(path: Path) -> tuple[list[tuple[object, ...]], FinalEnsemble | None]:
    """Return the errors of all designs, and the ensemble, that a run ended with."""
    dataset, search, seed = _key_of(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        rows: list[tuple[object, ...]] = [
            (dataset, search, seed, design, method_name(search, design), *_errors_of(losses))
            for design, losses in content["designs"].items()
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is no result of a run: 'designs' holds the errors 'validation' and 'test'."
        ) from error
    return rows, _ensemble_of(path, content)


def _errors_of(losses: Any) -> list[float]:
    found = [losses.get(name) for name in ("validation", "test")]
    return [np.nan if value is None else float(value) for value in found]


def _ensemble_of(path: Path, content: Any) -> FinalEnsemble | None:
    members, pairwise = content.get("members"), content.get("pairwise")
    if not members or not pairwise:
        return None
    matrix = np.asarray(pairwise, dtype=np.float64)
    if matrix.shape != (len(members), len(members)):
        raise InputError(f"{path}: 'pairwise' has not a row and a column for each member.")
    order = np.argsort(members)
    dataset, search, seed = _key_of(path)
    return FinalEnsemble(
        dataset=dataset,
        search=search,
        seed=seed,
        members=tuple(int(members[i]) for i in order),
        pairwise=matrix[np.ix_(order, order)],
    )
