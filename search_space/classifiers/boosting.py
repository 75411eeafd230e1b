"""The scikit-learn face of a boosting library.

A library is a `BoostingLearner`: it trains on class codes and knows nothing of labels, of the rows
that are held back, or of scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from search_space.arrays import Features, FloatArray, IntArray
from search_space.classifiers.contained import contained
from search_space.classifiers.early_stopping import EarlyStopping, FixedRounds, validation_rows
from search_space.classifiers.probabilistic import ProbabilisticClassifier


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table with their classes.

    Attributes
    ----------
    X : (n, d) array or sparse array
        Columns; NaN is missing.
    codes : (n,) array
        Class codes; every code from 0 to the largest occurs in a training part.
    weights : (n,) array or None
        Weights of the rows; None means equal weights.
    """

    X: Features
    codes: IntArray
    weights: FloatArray | None

    def take(self, positions: IntArray) -> Rows:
        """Return the rows at some positions."""
        weights = None if self.weights is None else self.weights[positions]
        return Rows(self.X[positions], self.codes[positions], weights)


class BoostedModel(Protocol):
    """What training gives."""

    @property
    def n_rounds(self) -> int:
        """Rounds up to the one of the smallest validation loss, or all if there was none."""
        ...

    def predict_proba(self, X: Features) -> FloatArray:
        """Return probabilities, (n, n_classes), one column per code."""
        ...


class BoostingLearner(Protocol):
    """A boosting library with its hyperparameters; trains on one thread and prints nothing."""

    def train(self, rows: Rows, n_rounds: int) -> BoostedModel:
        """Train for a number of rounds."""
        ...

    def train_until_flat(
        self, rows: Rows, validation: Rows, *, max_rounds: int, patience: int
    ) -> BoostedModel:
        """Train until the log loss on `validation` has not fallen for `patience` rounds."""
        ...


class BoostedClassifier(ProbabilisticClassifier):
    """A boosted model as scikit-learn classifier for any labels.

    Parameters
    ----------
    learner : BoostingLearner
        What is trained.
    rounds : FixedRounds or EarlyStopping
        How long it is trained.
    random_state : int
        Seed of the rows that are held back.

    Attributes
    ----------
    model_ : BoostedModel
        The trained model.
    classes_ : (n_classes,) array
        Labels seen in `fit`, sorted.
    n_validation_rows_ : int
        Rows that were held back to find the number of rounds; 0 if it was fixed.
    """

    def __init__(
        self, learner: BoostingLearner, rounds: FixedRounds | EarlyStopping, random_state: int
    ) -> None:
        self.learner = learner
        self.rounds = rounds
        self.random_state = random_state

    def fit(self, X: Features, y: IntArray, sample_weight: FloatArray | None = None) -> Self:
        """Train; weights count for the rows that are held back, too.

        Raises
        ------
        ValueError
            If there is one class only.
        """
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan"
        )
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = check_array(sample_weight, ensure_2d=False, dtype=np.float64)
            check_consistent_length(y, sample_weight)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"boosting needs two classes, got one: {self.classes_[0]}")
        with contained():
            self.model_ = self._train(Rows(X, codes, sample_weight))
        return self

    def _train(self, rows: Rows) -> BoostedModel:
        self.n_validation_rows_ = 0
        if isinstance(self.rounds, FixedRounds):
            return self.learner.train(rows, self.rounds.n_rounds)
        rng = np.random.default_rng(self.random_state)
        held_back = validation_rows(rows.codes, self.rounds.validation_fraction, rng)
        if held_back is None:
            return self.learner.train(rows, self.rounds.few_rows_rounds)
        self.n_validation_rows_ = len(held_back)
        model = self._train_on_others(rows, held_back, self.rounds)
        if len(rows.codes) > self.rounds.most_rows_to_train_again:
            return model
        return self.learner.train(rows, round(self.rounds.rounds_factor * model.n_rounds))

    def _train_on_others(
        self, rows: Rows, held_back: IntArray, rounds: EarlyStopping
    ) -> BoostedModel:
        others = np.setdiff1d(np.arange(len(rows.codes)), held_back, assume_unique=True)
        return self.learner.train_until_flat(
            rows.take(others),
            rows.take(held_back),
            max_rounds=rounds.max_rounds,
            patience=rounds.patience,
        )

    def predict_proba(self, X: Features) -> FloatArray:
        """Return probabilities, (n, n_classes), in the order of ``classes_``."""
        check_is_fitted(self)
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            reset=False,
        )
        with contained():
            return self.model_.predict_proba(X)


def probability_matrix(predicted: FloatArray) -> FloatArray:
    """Return what a library predicts as rows that sum to 1 in double precision.

    Parameters
    ----------
    predicted : (n,) or (n, n_classes) array
        Probability of code 1 if there are two classes, else of each class.

    Returns
    -------
    (n, n_classes) array

    Examples
    --------
    >>> probability_matrix(np.array([0.25, 1.0]))
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    predicted = np.asarray(predicted, dtype=np.float64)
    if predicted.ndim == 1:
        return np.column_stack([1.0 - predicted, predicted])
    return np.asarray(predicted / predicted.sum(axis=1, keepdims=True))
