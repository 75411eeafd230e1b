"""The ensemble beside its best single model and the defaults of two strong learners."""

from __future__ import annotations

import csv
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split

from automl.benchmark.baselines import baselines
from automl.benchmark.best_single import HistoryKeeper, best_single_probabilities
from automl.benchmark.bundled import load_bundled
from automl.errors import InputError
from automl.estimator import AutoClassifier
from search_space.arrays import FloatArray

_TEST_FRACTION = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Test scores of one method on one table with one seed.

    Attributes
    ----------
    table, method : str
        What was run.
    seed : int
        Seed of the split and of the method.
    accuracy, log_loss : float
        On the test rows.
    seconds : float
        Wall-clock seconds of the fit.
    n_trials : int
        Finished evaluations; 0 for a single default model.
    settings, versions, machine : str
        What the numbers depend on.
    """

    table: str
    method: str
    seed: int
    accuracy: float
    log_loss: float
    seconds: float
    n_trials: int
    settings: str
    versions: str
    machine: str


_COLUMNS = [field.name for field in fields(Result)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One cell of the comparison: a table and a seed, with the limits of the search.

    Attributes
    ----------
    table : str
        Name of a bundled table.
    seed : int
        Seed of the split and of every method.
    time_limit : float
        Seconds of the search.
    n_jobs : int
        Workers of the search.
    optimizer, search_space : str
        As in `AutoClassifier`.
    """

    table: str
    seed: int
    time_limit: float
    n_jobs: int
    optimizer: str = "divbo"
    search_space: str = "default"

    @property
    def settings(self) -> str:
        """What the results depend on besides table and seed, in words."""
        return (
            f"time_limit={self.time_limit:g} n_jobs={self.n_jobs} "
            f"optimizer={self.optimizer} search_space={self.search_space}"
        )

    def run(self) -> list[Result]:
        """Return the results of all methods on one stratified split, 75 % training rows."""
        X, y = load_bundled(self.table)
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=_TEST_FRACTION, stratify=y, random_state=self.seed
        )
        keeper = HistoryKeeper()
        started = time.perf_counter()
        clf = AutoClassifier(
            time_limit=self.time_limit,
            n_jobs=self.n_jobs,
            optimizer=self.optimizer,
            search_space=self.search_space,
            callbacks=[keeper],
            random_state=self.seed,
        ).fit(X_train, y_train)
        if clf.was_interrupted_:
            raise KeyboardInterrupt  # a shorter search is no result
        seconds = time.perf_counter() - started
        n_trials = len(clf.leaderboard())
        results = [
            self._result(
                "ensemble", y_test, clf.classes_, clf.predict_proba(X_test), seconds, n_trials
            )
        ]
        started = time.perf_counter()
        single = best_single_probabilities(keeper.history, X_train, y_train, X_test)
        seconds = time.perf_counter() - started
        results.append(self._result("best single", y_test, clf.classes_, single, seconds, n_trials))
        for name, pipeline in baselines(self.seed).items():
            started = time.perf_counter()
            model = pipeline.fit(X_train, y_train)
            seconds = time.perf_counter() - started
            results.append(
                self._result(name, y_test, model.classes_, model.predict_proba(X_test), seconds, 0)
            )
        return results

    def _result(
        self,
        method: str,
        y: pd.Series,
        classes: Any,
        probabilities: FloatArray,
        seconds: float,
        n_trials: int,
    ) -> Result:
        return Result(
            table=self.table,
            method=method,
            seed=self.seed,
            accuracy=float(accuracy_score(y, np.asarray(classes)[probabilities.argmax(axis=1)])),
            log_loss=float(log_loss(y, probabilities, labels=classes)),
            seconds=round(seconds, 2),
            n_trials=n_trials,
            settings=self.settings,
            versions=_versions(),
            machine=_machine(),
        )


def _versions() -> str:
    names = ("divbo", "scikit-learn", "lightgbm", "xgboost-cpu", "ConfigSpace", "numpy", "pandas")
    return " ".join(f"{name}={version(name)}" for name in names)


def _machine() -> str:
    return f"{platform.machine()} {platform.system()} Python {platform.python_version()}"


def run_comparisons(comparisons: Sequence[Comparison], path: Path) -> Iterator[Result]:
    """Run what `path` does not hold yet, append each result to it, yield all results.

    Parameters
    ----------
    comparisons : sequence of Comparison
        What is wanted.
    path : Path
        A CSV file; created if it is not there. An interrupted run goes on where it stopped;
        results with other settings or versions of packages stay in the file and do not count.
    """
    known = read_results(path)
    for comparison in comparisons:
        wanted = (comparison.table, comparison.seed, comparison.settings, _versions())
        done = [r for r in known if (r.table, r.seed, r.settings, r.versions) == wanted]
        if not done:
            done = comparison.run()
            _append(path, done)
        yield from done


def read_results(path: Path) -> list[Result]:
    """Return the results that a CSV file holds, none if it is not there.

    Raises
    ------
    InputError
        If it is another file, or damaged.
    """
    if not path.exists():
        return []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file, strict=True)
            if rows.fieldnames != _COLUMNS:
                raise ValueError(f"columns {rows.fieldnames}")
            return [_result(row) for row in rows]
    except (ValueError, csv.Error) as error:
        raise InputError(
            f"{path} holds no results of this comparison, or is damaged: name another file, or "
            f"delete it and run again ({error})"
        ) from error


def _result(row: Mapping[str, str]) -> Result:
    if None in row or None in row.values():
        raise ValueError("a line is too short or too long")
    return Result(
        table=row["table"],
        method=row["method"],
        seed=int(row["seed"]),
        accuracy=float(row["accuracy"]),
        log_loss=float(row["log_loss"]),
        seconds=float(row["seconds"]),
        n_trials=int(row["n_trials"]),
        settings=row["settings"],
        versions=row["versions"],
        machine=row["machine"],
    )


def _append(path: Path, results: Sequence[Result]) -> None:
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, _COLUMNS)
        if is_new:
            writer.writeheader()
        writer.writerows(asdict(result) for result in results)


def summary_table(results: Sequence[Result]) -> str:
    """Return mean and standard deviation over seeds of each table and method, as Markdown."""
    frame = pd.DataFrame([asdict(result) for result in results])
    frame["accuracy"] *= 100
    order = list(dict.fromkeys(frame["method"]))
    lines = [
        "| table | method | accuracy % | log loss | evaluations |",
        "|---|---|---|---|---|",
    ]
    for table in dict.fromkeys(frame["table"]):
        for method in order:
            rows = frame[(frame["table"] == table) & (frame["method"] == method)]
            lines.append(
                f"| {table} | {method} "
                f"| {rows['accuracy'].mean():.2f} ± {rows['accuracy'].std(ddof=1):.2f} "
                f"| {rows['log_loss'].mean():.4f} ± {rows['log_loss'].std(ddof=1):.4f} "
                f"| {rows['n_trials'].mean():.0f} |"
            )
    for method in order:
        rows = frame[frame["method"] == method]
        lines.append(
            f"| **mean** | {method} | {rows['accuracy'].mean():.2f} "
            f"| {rows['log_loss'].mean():.4f} | |"
        )
    return "\n".join(lines)
