"""The models of one search by what they predict for validation rows and for test rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from automl.ensembles.criteria import Stack
from automl.errors import AutoMLError
from automl.metrics import Metric
from search_space.arrays import FloatArray, IntArray


class NoModelsError(AutoMLError):
    """A search has found no model, so nothing can be made of its models."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelLibrary:
    """Predictions of all successful trials of one search, in the order in which they ended.

    Attributes
    ----------
    validation, test : (m, n_validation, k) and (m, n_test, k) arrays
        Class probabilities; may be memory-mapped.
    validation_codes, test_codes : (n_validation,) and (n_test,) arrays
        Class code of each row.
    losses : (m,) array
        Validation loss of each model.
    metric : Metric
        What the losses are of, and what is told of ensembles.
    """

    validation: Stack
    validation_codes: IntArray
    test: Stack
    test_codes: IntArray
    losses: FloatArray
    metric: Metric

    def __post_init__(self) -> None:
        counts = {len(self.validation), len(self.test), len(self.losses)}
        if len(counts) > 1:
            raise ValueError(
                f"{len(self.validation)} models on validation rows, {len(self.test)} on test rows "
                f"and {len(self.losses)} losses"
            )
        if counts == {0}:
            raise NoModelsError("no trial of the search gave a model")
        if not np.isfinite(self.losses).all():
            raise ValueError("losses of models must be finite: leave failed trials out")

    def on_validation(self, probabilities: FloatArray) -> float:
        """Return the loss of a prediction for the validation rows."""
        return self.metric.loss(self.validation_codes, probabilities)

    def on_test(self, probabilities: FloatArray) -> float:
        """Return the loss of a prediction for the test rows."""
        return self.metric.loss(self.test_codes, probabilities)
