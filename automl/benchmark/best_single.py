"""The trial with the lowest validation loss as a model of its own."""

from __future__ import annotations

from typing import Any

import pandas as pd

from automl.data.labels import encode_labels
from automl.data.schema import learn_schema
from automl.evaluation.evaluator import PipelineSpec
from automl.history import History
from automl.seeding import Purpose, derived_seed
from automl.trial import Outcome
from search_space.arrays import FloatArray
from search_space.values import plain_values


class HistoryKeeper:
    """A callback that keeps the history of the search that it is told of."""

    def __init__(self) -> None:
        self.history: History | None = None

    def __call__(self, _: Outcome, history: History) -> None:
        """Take the history."""
        self.history = history


def best_single_probabilities(
    history: History | None, X: pd.DataFrame, y: Any, X_test: pd.DataFrame
) -> FloatArray:
    """Return test probabilities of the trial with the lowest loss, fitted on all training rows.

    Parameters
    ----------
    history : History or None
        Of the search on `X` and `y`; None if no trial ended.
    X, X_test : DataFrame
        Training and test rows.
    y : (n,) array or Series
        Labels of the training rows.

    Raises
    ------
    RuntimeError
        If no trial succeeded.
    """
    best = history.best if history is not None else None
    if history is None or best is None:
        raise RuntimeError("no trial succeeded")
    space = history.problem.search_space
    pipeline = PipelineSpec(
        configuration=plain_values(history.trials[best.number].configuration),
        components=space.components,
        task=space.task,
        seed=derived_seed(history.seed, Purpose.LEARNER, best.number),
        rescale_first=space.rescale_first,
    ).build()
    schema = learn_schema(X)  # depends on the table alone, so it is that of the search
    codes, _ = encode_labels(y, len(X))
    pipeline.fit(schema.transform(X), codes)
    probabilities: FloatArray = pipeline.predict_proba(schema.transform(X_test))
    return probabilities
