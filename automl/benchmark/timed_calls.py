"""Calls of a known length for a sandbox; light to import, as evaluations are by then."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from automl.evaluation.framing import Payload
from search_space.arrays import PredictionArray


@dataclass(frozen=True, slots=True)
class BusyCall:
    """Keeps one core busy for a while."""

    seconds: float

    def __call__(self) -> Payload:
        """Return nothing, later."""
        end = time.perf_counter() + self.seconds
        while time.perf_counter() < end:
            pass
        return Payload(header={})


@dataclass(frozen=True, slots=True)
class TimedEvaluation:
    """Keeps one core busy for a while and returns predictions that were made before."""

    seconds: float
    predictions: PredictionArray

    def __call__(self) -> Payload:
        """Return the predictions and the share of rows that they put into class 0."""
        BusyCall(self.seconds)()
        loss = float(np.mean(self.predictions.argmax(axis=1) == 0))
        return Payload(header={"loss": loss}, blobs=(self.predictions, b""))
