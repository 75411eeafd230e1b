"""The command ``automl fit``: a table in, a model file out."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from automl.changes import Change
from automl.command_files import check_new_file, check_new_folder
from automl.command_messages import tell
from automl.command_result import CommandResult, exit_code_of
from automl.data.files import read_table
from automl.data.suspicion import LOOK_AT_IT
from automl.errors import InputError
from automl.estimator import AutoClassifier
from automl.leaderboard import TrialCounts
from automl.model_file import SavedModel, save_model
from automl.option_names import as_options
from automl.result_tables import ensemble_text, loss_text
from automl.suggestions import did_you_mean, names_in_words

_SECONDS = 300.0  # where neither time nor trials are limited


def run(options: argparse.Namespace) -> CommandResult:
    """Search, save the model, return a summary.

    Raises
    ------
    InputError
        If a file, a column or an option cannot be used. All but the saving is checked before the
        search starts.
    """
    check_new_file("--model", options.model, read=(options.train,), may_exist=options.force)
    if options.work_dir is not None:
        check_new_folder("--work-dir", options.work_dir)
    estimator = _estimator(options)
    table = read_table(options.train, labels=options.target)
    table.columns = table.columns.map(str)
    X, y = _without_target(table, options.target, options.train)
    with as_options(options.train, options.target):
        estimator.fit(X, y)
    if not options.quiet:
        new = [c for c in estimator.changes_ if c.action != LOOK_AT_IT]  # of that a warning told
        for note in _notes(new, in_full=options.verbose):
            tell("note", note)
    save_model(options.model, SavedModel(estimator=estimator, target=options.target))
    return CommandResult(
        _summary(estimator, options.model),
        exit_code_of(estimator),
    )


def _without_target(table: pd.DataFrame, target: str, path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return the features and the labels."""
    names = list(table.columns)
    if target not in names:
        hint = did_you_mean(target, names) or ";"
        raise InputError(
            f"--target {target!r} is no column of {str(path)!r}{hint} the columns are "
            f"{names_in_words(names)}"
        )
    if len(names) == 1:
        raise InputError(f"{str(path)!r} has no column besides the target {target!r}")
    return table.drop(columns=target), table[target]


def _estimator(options: argparse.Namespace) -> AutoClassifier:
    default = None if options.trials is not None else _SECONDS
    seconds = getattr(options, "time_limit", default)
    if seconds is None and options.trials is None:
        raise InputError("--time-limit none needs --trials, or the search would never end")
    return AutoClassifier(
        time_limit=seconds,
        n_trials=options.trials,
        scoring=options.scoring,
        cv=options.cv,
        class_weight=options.class_weight,
        optimizer=options.optimizer,
        surrogate=options.surrogate,
        acquisition=options.acquisition,
        search_space=options.search_space,
        include=options.include,
        exclude=options.exclude,
        ensemble_size=options.ensemble_size,
        trial_time_limit=options.trial_time_limit,
        memory_limit=options.memory_limit,
        n_jobs=options.jobs,
        refit=not options.no_refit,
        work_dir=options.work_dir,
        resume=options.resume,
        deterministic=options.deterministic,
        verbose=0 if options.quiet else 2 if options.verbose else 1,
        random_state=options.seed,
    )


def _notes(changes: Sequence[Change], *, in_full: bool) -> list[str]:
    """Return a line for each change, or one for all of a subject unless wanted in full."""
    alike: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        alike.setdefault((change.subject, change.action), []).append(change)
    return [
        line
        for (subject, action), group in alike.items()
        for line in (
            map(str, group)
            if in_full or len(group) == 1
            else [f"{subject} {action} in {len(group)} places; --verbose lists them"]
        )
    ]


def _size(path: Path) -> str:
    n_bytes = path.stat().st_size
    return f"{n_bytes / 2**20:.1f} MiB" if n_bytes >= 2**20 else f"{n_bytes / 2**10:.1f} KiB"


def _summary(estimator: AutoClassifier, path: Path) -> str:
    """Return what came of the search."""
    ensemble = estimator.ensemble_
    return (
        f"{TrialCounts.of(estimator.leaderboard()['status'])}\n"
        f"Loss on validation rows ({estimator.scoring}): best single model "
        f"{loss_text(estimator.best_loss_)}, ensemble {loss_text(ensemble.loss)}, "
        f"class frequencies {loss_text(estimator.baseline_loss_)}\n"
        f"Ensemble members: {len(ensemble.members)}\n"
        f"{ensemble_text(ensemble)}"
        f"Model: {path} ({_size(path)})\n"
    )
