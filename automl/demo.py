"""A demonstration on a bundled table: search, compare with known models, save, load."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split

from automl.benchmark.baselines import baselines
from automl.benchmark.bundled import load_bundled
from automl.data.files import read_table
from automl.errors import AutoMLError
from automl.estimator import AutoClassifier
from automl.model_file import SavedModel, save_model
from automl.result_tables import ensemble_text, leaderboard_text, text_table

_TEST_SHARE = 0.25
_TARGET = "target"
_ROUNDING = 1e-12  # sums in another order; memory is aligned differently in another process


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tables:
    """A table in two parts: one to search on, one that nothing sees before the end."""

    X_train: pd.DataFrame
    X_test: pd.DataFrame
    y_train: pd.Series
    y_test: pd.Series


def run_demo(name: str, time_limit: float, n_jobs: int, seed: int, stream: TextIO) -> None:
    """Search on three quarters of a bundled table and compare on the last quarter.

    Parameters
    ----------
    name : str
        A bundled table.
    time_limit : float
        Seconds for the search.
    n_jobs : int
        Evaluations at a time.
    seed : int
        Seed of the split, the search and the models beside it.
    stream : text stream
        Where results go. Progress goes to standard error.

    Raises
    ------
    InputError
        If there is no such table, or an argument cannot be used.
    AutoMLError
        If the saved model predicts something else than the one in memory.
    """
    X, y = load_bundled(name)
    tables = _Tables(
        **dict(
            zip(
                ("X_train", "X_test", "y_train", "y_test"),
                train_test_split(X, y, test_size=_TEST_SHARE, stratify=y, random_state=seed),
                strict=True,
            )
        )
    )
    _say(
        stream,
        f"{name}: {len(X)} rows, {X.shape[1]} columns, {y.nunique()} classes; "
        f"{len(tables.X_train)} rows to search on, {len(tables.X_test)} for the test",
    )
    search = AutoClassifier(time_limit=time_limit, n_jobs=n_jobs, verbose=1, random_state=seed)
    models: Mapping[str, Any] = {"this search": search, **baselines(seed)}
    seconds = {label: _fit(model, tables) for label, model in models.items()}
    _say(stream, "\nThe best single models, losses on validation rows:")
    _say(stream, leaderboard_text(search.leaderboard(), top=10))
    _say(stream, "The ensemble:")
    _say(stream, ensemble_text(search.ensemble_))
    _say(stream, f"On the {len(tables.X_test)} test rows:")
    _say(stream, _comparison(models, seconds, tables))
    difference = _difference_of_saved_model(search, tables)
    _say(
        stream,
        f"Saved, loaded in a new process, predicted again: all {len(tables.X_test)} test rows have "
        f"equal probabilities (largest difference {difference:.2g}).",
    )


def _fit(model: BaseEstimator, tables: _Tables) -> float:
    """Fit a model and return the seconds that it took."""
    started_at = time.perf_counter()
    model.fit(tables.X_train, tables.y_train)
    return time.perf_counter() - started_at


def _comparison(models: Mapping[str, Any], seconds: Mapping[str, float], tables: _Tables) -> str:
    """Return accuracy and log loss of each model on the test rows as a table."""
    rows = []
    for label, model in models.items():
        probabilities = model.predict_proba(tables.X_test)
        predicted = model.classes_[probabilities.argmax(axis=1)]
        accuracy = accuracy_score(tables.y_test, predicted)
        loss = log_loss(tables.y_test, probabilities, labels=model.classes_)
        rows.append((label, f"{accuracy:.4f}", f"{loss:.4f}", f"{seconds[label]:.1f}"))
    return text_table(("model", "accuracy", "log loss", "seconds to fit"), rows, left=(0,))


def _difference_of_saved_model(search: AutoClassifier, tables: _Tables) -> float:
    """Predict with a saved copy in a new process; return the largest difference of probabilities.

    Raises
    ------
    AutoMLError
        If the predictions are not equal.
    """
    with tempfile.TemporaryDirectory(prefix="automl-demo-") as name:
        folder = Path(name)
        save_model(folder / "demo.model", SavedModel(estimator=search, target=_TARGET))
        tables.X_test.to_parquet(folder / "test.parquet", index=False)
        command = ["predict", "demo.model", "test.parquet", "--output", "new.parquet", "--proba"]
        _run_in_new_process(command, folder)
        loaded = read_table(folder / "new.parquet").drop(columns=_TARGET).to_numpy()
    difference = float(np.abs(loaded - search.predict_proba(tables.X_test)).max())
    if difference > _ROUNDING:
        raise AutoMLError(
            f"the saved model predicts other probabilities in a new process: by {difference:.2g}"
        )
    return difference


def _run_in_new_process(command: list[str], folder: Path) -> None:
    """Run the command line in a folder.

    Raises
    ------
    AutoMLError
        If it fails; the message holds what it wrote.
    """
    # The new process finds the packages where this one does, also in a checkout.
    start = (
        f"import sys; sys.path[:] = {[str(Path(entry).resolve()) for entry in sys.path]!r}; "
        "from automl.cli import main; raise SystemExit(main())"
    )
    ended = subprocess.run(
        [sys.executable, "-c", start, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise AutoMLError(f"the new process failed: {ended.stderr}")


def _say(stream: TextIO, text: str) -> None:
    stream.write(f"{text}\n")
    stream.flush()
