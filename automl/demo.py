"""A demonstration on a bundled table: search, compare with known models, save, load."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split

from automl.benchmark.baselines import baselines
from automl.benchmark.best_single import HistoryKeeper, best_single_probabilities
from automl.benchmark.bundled import load_bundled
from automl.data.files import read_table
from automl.errors import AutoMLError
from automl.estimator import AutoClassifier
from automl.history import History
from automl.model_file import SavedModel, save_model
from automl.result_tables import ensemble_text, leaderboard_text, loss_text, text_table
from search_space.arrays import FloatArray

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


def run_demo(
    name: str, time_limit: float, n_jobs: int, seed: int, stream: TextIO
) -> AutoClassifier:
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

    Returns
    -------
    AutoClassifier
        The fitted search.

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
    keeper = HistoryKeeper()
    search = AutoClassifier(
        time_limit=time_limit, n_jobs=n_jobs, verbose=1, callbacks=[keeper], random_state=seed
    )
    predictions = [_predicted("this search", search, tables)]
    search.callbacks = None  # a saved model needs no history
    if not search.ensemble_.is_baseline:
        predictions.append(_predicted_by_best_single(search, keeper.history, tables))
    predictions += [_predicted(label, model, tables) for label, model in baselines(seed).items()]
    _say(stream, "\nThe best single models, losses on validation rows:")
    _say(stream, leaderboard_text(search.leaderboard(), top=10))
    _say(
        stream,
        f"The ensemble, loss on validation rows {loss_text(search.ensemble_.loss)} (best single "
        f"model {loss_text(search.best_loss_)}):",
    )
    _say(stream, ensemble_text(search.ensemble_))
    _say(stream, f"On the {len(tables.X_test)} test rows:")
    _say(stream, _comparison(predictions, tables))
    difference = _difference_of_saved_model(search, tables)
    _say(
        stream,
        f"Saved, loaded in a new process, predicted again: all {len(tables.X_test)} test rows have "
        f"equal probabilities (largest difference {difference:.2g}).",
    )
    return search


@dataclass(frozen=True, slots=True)
class _Predicted:
    """What a model predicts for the test rows, and the seconds that its fit took."""

    label: str
    classes: Any
    probabilities: FloatArray
    seconds: float


def _predicted(label: str, model: Any, tables: _Tables) -> _Predicted:
    """Fit a model and predict."""
    started_at = time.perf_counter()
    model.fit(tables.X_train, tables.y_train)
    seconds = time.perf_counter() - started_at
    return _Predicted(label, model.classes_, model.predict_proba(tables.X_test), seconds)


def _predicted_by_best_single(
    search: AutoClassifier, history: History | None, tables: _Tables
) -> _Predicted:
    """Fit the best single model of a search on all its rows and predict."""
    started_at = time.perf_counter()
    probabilities = best_single_probabilities(
        history, tables.X_train, tables.y_train, tables.X_test
    )
    seconds = time.perf_counter() - started_at
    return _Predicted("its best single model", search.classes_, probabilities, seconds)


def _comparison(predictions: Sequence[_Predicted], tables: _Tables) -> str:
    """Return accuracy and log loss of each model on the test rows as a table."""
    rows = []
    for model in predictions:
        accuracy = accuracy_score(tables.y_test, model.classes[model.probabilities.argmax(axis=1)])
        loss = log_loss(tables.y_test, model.probabilities, labels=model.classes)
        rows.append((model.label, f"{accuracy:.4f}", f"{loss:.4f}", f"{model.seconds:.1f}"))
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
