"""The command ``automl predict``: a model file and a table in, a table of predictions out."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from automl.command_messages import tell
from automl.command_result import CommandResult
from automl.data.files import read_table, write_predictions
from automl.errors import InputError
from automl.model_file import SavedModel, check_writable, load_model


def run(options: argparse.Namespace) -> CommandResult:
    """Write the predictions, return a line that says so.

    Raises
    ------
    InputError
        If a file or a column cannot be used.
    """
    output: Path = options.output
    for given in (options.model, options.data):
        if output.exists() and given.exists() and output.samefile(given):
            raise InputError(f"--output {str(output)!r} would overwrite what is read")
    check_writable(output.resolve().parent)
    model = load_model(options.model)
    table = read_table(options.data)
    table.columns = table.columns.map(str)
    predictions = _predictions(model, _features(table, model), with_probabilities=options.proba)
    write_predictions(output, predictions)
    return CommandResult(f"{len(predictions)} predictions: {output}\n")


def _features(table: pd.DataFrame, model: SavedModel) -> pd.DataFrame:
    """Return the columns that the model was fitted with, in their order, and what is unknown."""
    if model.target in table.columns:
        tell("note", f"column {model.target!r} is what is predicted; its values are not used")
        table = table.drop(columns=model.target)
    fitted = list(model.estimator.feature_names_in_)
    missing = [name for name in fitted if name not in table.columns]
    if missing:
        raise InputError(
            f"the table lacks columns that the model was fitted with: "
            f"{', '.join(map(repr, missing))}"
        )
    # Columns of a file are known by their names. The estimator refuses the unknown ones.
    unknown = [name for name in table.columns if name not in set(fitted)]
    return table[[*fitted, *unknown]]


def _predictions(model: SavedModel, X: pd.DataFrame, *, with_probabilities: bool) -> pd.DataFrame:
    """Return a column of labels, named like the target, and one for each class if wanted."""
    estimator = model.estimator
    probabilities = estimator.predict_proba(X)
    columns = {model.target: estimator.classes_[probabilities.argmax(axis=1)]}
    if with_probabilities:
        for label, column in zip(estimator.classes_, probabilities.T, strict=True):
            columns[f"probability_{label}"] = column
    return pd.DataFrame(columns)
