"""The weighted average of fitted pipelines: what ``predict_proba`` of the estimator asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from automl.ensembles.threshold import EVEN_THRESHOLD
from automl.probabilities import predicted_probabilities
from search_space.arrays import Features, FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A chosen trial, its share, and its fitted pipelines.

    Attributes
    ----------
    number : int
        The trial.
    learner : str
        Name of its learner.
    weight : float
        Share of the ensemble, in (0, 1].
    loss : float
        Validation loss of the trial.
    configuration : mapping
        Values of its active hyperparameters.
    models : tuple of Pipeline
        One pipeline fitted on all rows, or one for each split; their average counts.
    is_refitted : bool
        Whether the pipeline was fitted on all rows.
    """

    number: int
    learner: str
    weight: float
    loss: float
    configuration: Mapping[str, Any]
    models: tuple[Pipeline, ...]
    is_refitted: bool

    def predict_proba(self, X: Features, n_classes: int) -> FloatArray:
        """Return the average probabilities of the member's pipelines, (n, n_classes)."""
        total = np.zeros((X.shape[0], n_classes))
        for model in self.models:
            total += predicted_probabilities(model, X, n_classes)
        return total / len(self.models)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedEnsemble:
    """A weighted average of members.

    Attributes
    ----------
    members : tuple of Member
        The members by falling weight; the weights sum to one.
    n_classes : int
        Columns of the probabilities.
    loss : float
        Validation loss of the ensemble, the more probable class being predicted.
    threshold : float
        Probability of the second of two classes above which it is predicted.
    """

    members: tuple[Member, ...]
    n_classes: int
    loss: float
    threshold: float = EVEN_THRESHOLD

    def __post_init__(self) -> None:
        total = sum(member.weight for member in self.members)
        if not np.isclose(total, 1.0):
            raise ValueError(f"weights of an ensemble must sum to 1, they sum to {total}")

    def predict_proba(self, X: Features) -> FloatArray:
        """Return class probabilities, (n, n_classes).

        Parameters
        ----------
        X : (n, d) array or sparse array
            A prepared table.
        """
        total = np.zeros((X.shape[0], self.n_classes))
        for member in self.members:
            total += member.weight * member.predict_proba(X, self.n_classes)
        return total

    def codes_of(self, probabilities: FloatArray) -> IntArray:
        """Return the class codes (n,) that are predicted where probabilities are (n, n_classes)."""
        if self.threshold == EVEN_THRESHOLD:
            return np.asarray(probabilities.argmax(axis=1))
        return np.asarray(probabilities[:, 1] > self.threshold, dtype=np.intp)

    @property
    def is_baseline(self) -> bool:
        """Whether it predicts the class frequencies, for want of any fitted trial."""
        return all(member.number < 0 for member in self.members)

    @property
    def weights(self) -> dict[int, float]:
        """Weight of each member by trial number."""
        return {member.number: member.weight for member in self.members}
