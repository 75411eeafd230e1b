"""What a classification search knows: its trials, and where their predictions are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from automl.metrics import Metric
from automl.trial import Outcome
from automl.trial_history import Record, TrialHistory
from search_space.arrays import FloatArray, IntArray, PredictionArray
from search_space.encoding import ConfigurationEncoder
from search_space.space import SearchSpace


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What an optimiser may know of the job besides the history.

    Attributes
    ----------
    search_space : SearchSpace
        What may be tried.
    encoder : ConfigurationEncoder
        Configurations to arrays.
    metric : Metric
        Stored predictions to a loss.
    codes : (n,) array of int
        Classes of the validation rows, in the order of the stored predictions.
    sample_weight : (n,) array or None
        How much each of these rows counts in the metric.
    """

    search_space: SearchSpace
    encoder: ConfigurationEncoder
    metric: Metric
    codes: IntArray
    sample_weight: FloatArray | None = None

    @property
    def is_slow(self) -> bool:
        """Whether losses of many predictions need a call of the scorer for each."""
        return not self.metric.is_batched(self.sample_weight)


Observer = Callable[[Outcome, "History"], object]
"""Is told of every outcome after it was recorded."""


class Predictions(Protocol):
    """Where the validation predictions of successful trials are."""

    def stack(self, numbers: Sequence[int]) -> PredictionArray:
        """Return the predictions of some trials, (trials, rows, classes), as they are stored."""
        ...


class History(TrialHistory):
    """Records the trials of a classification search, whose predictions are stored elsewhere.

    Parameters
    ----------
    problem : Problem
        The job.
    predictions : Predictions
        The store of validation predictions; filled by whoever receives them.
    seed : int
        Seed of the search.
    baseline_loss : float
        Loss of predicting the class frequencies.
    journal : Record or None
        Written to before a trial or an outcome counts.
    observers : sequence of callable
        Each is called with every outcome and this history after the outcome was recorded.
    """

    problem: Problem

    def __init__(
        self,
        problem: Problem,
        predictions: Predictions,
        seed: int,
        baseline_loss: float = math.inf,
        *,
        journal: Record | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        super().__init__(problem, seed, journal=journal, observers=observers)
        self.predictions = predictions
        self.baseline_loss = baseline_loss
