"""Model files of the command line: an estimator, and the name of the column that it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from automl.estimator import AutoClassifier
from automl.model_state import Trusted, load_state, save_state

_UNNAMED = "prediction"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedModel:
    """What a model file holds.

    Attributes
    ----------
    estimator : AutoClassifier
        Fitted.
    target : str
        Name of the column that it predicts.
    """

    estimator: AutoClassifier
    target: str


def save_model(path: Path, model: SavedModel) -> None:
    """Write a model file; at any moment the path holds either the old file or the whole new one.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    save_state(path, model.estimator, target=model.target)


def load_model(path: Path, trusted: Trusted = ()) -> SavedModel:
    """Read a model file, also one that ``AutoClassifier.save`` wrote.

    Raises
    ------
    InputError
        If it cannot be read, is no model file, is damaged, or holds types that are not trusted.
    """
    state = load_state(path, trusted)
    estimator = AutoClassifier()
    state.apply_to(estimator)
    return SavedModel(estimator=estimator, target=state.target or _UNNAMED)
