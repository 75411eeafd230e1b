"""The command ``automl leaderboard``: the trials of a saved model as a table, or one of them."""

from __future__ import annotations

import argparse

from automl.command_result import CommandResult
from automl.errors import InputError
from automl.estimator import AutoClassifier
from automl.model_file import load_model
from automl.result_tables import failures_text, leaderboard_text, trial_text

_ROWS = 20


def run(options: argparse.Namespace) -> CommandResult:
    """Return the table, or the trial.

    Raises
    ------
    InputError
        If the model file cannot be used or has no such trial.
    """
    if options.trial is not None and options.top is not None:
        raise InputError("--top has no effect with --trial")
    estimator = load_model(options.model).estimator
    top = options.top or _ROWS
    if options.trial is not None:
        return CommandResult(_trial(estimator, options.trial))
    if options.failures:
        return CommandResult(failures_text(estimator.trials_, top=top))
    return CommandResult(leaderboard_text(estimator.leaderboard(), top=top))


def _trial(estimator: AutoClassifier, number: int) -> str:
    for record in estimator.trials_:
        if record.trial == number:
            return trial_text(record, estimator.ensemble_.weights.get(number, 0.0))
    n_trials = len(estimator.trials_)
    known = f"the trials are 0 to {n_trials - 1}" if n_trials else "there are none"
    raise InputError(f"--trial {number}: no such trial; {known}")
