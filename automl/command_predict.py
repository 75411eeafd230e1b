"""The command ``automl predict``: a model file and a table in, a table of predictions out."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from automl.command_files import check_new_file
from automl.command_messages import tell
from automl.command_result import CommandResult
from automl.data.files import kind_of_file, read_table, write_predictions
from automl.errors import InputError
from automl.model_file import SavedModel, load_model
from automl.option_names import as_options
from automl.suggestions import names_in_words


def run(options: argparse.Namespace) -> CommandResult:
    """Write the predictions, return a line that says so.

    Raises
    ------
    InputError
        If a file or a column cannot be used.
    """
    output: Path = options.output
    read = (options.model, options.data)
    check_new_file("--output", output, read=read, may_exist=options.force)
    kind_of_file(output)  # refuses a suffix before anything is read
    model = load_model(options.model)
    table = read_table(options.data)
    table.columns = table.columns.map(str)
    with as_options(options.data, model.target):
        predictions = _predictions(
            model, _features(table, model, options.data), with_probabilities=options.proba
        )
    write_predictions(output, predictions)
    return CommandResult(f"{len(predictions)} predictions: {output}\n")


def _features(table: pd.DataFrame, model: SavedModel, path: Path) -> pd.DataFrame:
    """Return the columns that the model was fitted with, in their order."""
    if model.target in table.columns:
        tell("note", f"column {model.target!r} is what is predicted; its values are not used")
        table = table.drop(columns=model.target)
    fitted = list(model.estimator.feature_names_in_)
    missing = [name for name in fitted if name not in table.columns]
    unknown = [name for name in table.columns if name not in set(fitted)]
    found = []
    if missing:
        found.append(f"lacks columns that the model was fitted with: {names_in_words(missing)}")
    if unknown:
        found.append(f"has columns that the model was not fitted with: {names_in_words(unknown)}")
    if found:
        raise InputError(f"{str(path)!r} {', and '.join(found)}")
    return table[fitted]  # columns of a file are known by their names


def _predictions(model: SavedModel, X: pd.DataFrame, *, with_probabilities: bool) -> pd.DataFrame:
    """Return a column of labels, named like the target, and one for each class if wanted."""
    estimator = model.estimator
    probabilities = estimator.predict_proba(X)
    columns = {model.target: estimator.labels_of(probabilities)}
    if with_probabilities:
        names = [f"probability_{label}" for label in estimator.classes_]
        while model.target in names:
            names = [f"class_{name}" for name in names]
        columns |= zip(names, probabilities.T, strict=True)
    return pd.DataFrame(columns)
