"""The command ``automl leaderboard``: the trials of a saved model as a table."""

from __future__ import annotations

import argparse

from automl.command_result import CommandResult
from automl.model_file import load_model
from automl.result_tables import failures_text, leaderboard_text


def run(options: argparse.Namespace) -> CommandResult:
    """Return the table.

    Raises
    ------
    InputError
        If the model file cannot be used.
    """
    board = load_model(options.model).estimator.leaderboard()
    text = failures_text if options.failures else leaderboard_text
    return CommandResult(text(board, top=options.top))
