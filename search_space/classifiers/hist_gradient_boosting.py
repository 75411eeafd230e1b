"""scikit-learn's histogram gradient boosting, stopped early."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace, Float

from search_space.arrays import Features, FloatArray
from search_space.bounds import bounded_integer
from search_space.classifiers.boosting import BoostedClassifier, Rows
from search_space.classifiers.early_stopping import early_stopping_for, rounds_factor
from search_space.classifiers.table_limits import too_many_classes
from search_space.classifiers.tree_sizes import largest_leaf, most_leaves, usual_leaf
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

MOST_LEVELS = 255
"""Levels that scikit-learn takes in a categorical column, one per bin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistGradientBoostingModel:
    """A fitted scikit-learn estimator, with the rounds after the best one."""

    estimator: Any

    @property
    def n_rounds(self) -> int:
        """Rounds up to the best one, at least one."""
        scores = self.estimator.validation_score_
        # The first score is that of the constant model, before any round.
        return max(1, int(np.argmax(scores))) if len(scores) else int(self.estimator.n_iter_)

    def predict_proba(self, X: Features) -> FloatArray:
        """Return probabilities, (n, n_classes)."""
        return np.asarray(self.estimator.predict_proba(X))


@dataclass(frozen=True, slots=True, kw_only=True)
class HistGradientBoostingLearner:
    """Histogram gradient boosting with its hyperparameters.

    Attributes
    ----------
    learning_rate : float
        Step of a round.
    max_leaf_nodes, min_samples_leaf : int
        Size of the trees.
    l2_regularization : float
        Penalty of squared leaf values.
    max_features : float
        Share of the columns that a split may use, in (0, 1].
    seed : int
        Seed of all of its draws.
    categorical_positions : tuple of int
        Columns of level codes. A code that was not there in training goes the way of the missing;
        a column of more than 255 levels is taken as numeric.
    """

    learning_rate: float
    max_leaf_nodes: int
    min_samples_leaf: int
    l2_regularization: float
    max_features: float
    seed: int
    categorical_positions: tuple[int, ...] = ()

    def train(self, rows: Rows, n_rounds: int) -> HistGradientBoostingModel:
        """Train for a number of rounds."""
        estimator = self._estimator(rows, max_iter=n_rounds, early_stopping=False)
        estimator.fit(rows.X, rows.codes, sample_weight=rows.weights)
        return HistGradientBoostingModel(estimator=estimator)

    def train_until_flat(
        self, rows: Rows, validation: Rows, *, max_rounds: int, patience: int
    ) -> HistGradientBoostingModel:
        """Train until the log loss on `validation` has not fallen for `patience` rounds."""
        estimator = self._estimator(
            rows, max_iter=max_rounds, early_stopping=True, n_iter_no_change=patience
        )
        estimator.fit(
            rows.X,
            rows.codes,
            sample_weight=rows.weights,
            X_val=validation.X,
            y_val=validation.codes,
            sample_weight_val=validation.weights,
        )
        return HistGradientBoostingModel(estimator=estimator)

    def _estimator(self, rows: Rows, **length: Any) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            learning_rate=self.learning_rate,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization,
            max_features=self.max_features,
            categorical_features=[
                position
                for position in self.categorical_positions
                if len(np.unique(rows.X[:, position])) <= MOST_LEVELS
            ],
            random_state=self.seed,
            **length,
        )


def space(task: TaskProperties) -> ConfigurationSpace:
    """Return hyperparameters without the number of rounds, sizes of trees cut to the rows."""
    configuration_space = ConfigurationSpace()
    configuration_space.add(
        Float("learning_rate", (0.01, 0.3), default=0.1, log=True),
        rounds_factor(),
        bounded_integer("max_leaf_nodes", (3, 255), most_leaves(task), default=31, log=True),
        bounded_integer(
            "min_samples_leaf",
            (1, 200),
            largest_leaf(task),
            default=usual_leaf(task),
            log=True,
        ),
        Float("l2_regularization", (1e-6, 10.0), default=1e-6, log=True),
        Float("max_features", (0.3, 1.0), default=1.0),
    )
    return configuration_space


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> BoostedClassifier:
    """Return an unfitted histogram gradient boosting that is stopped early."""
    learning_rate = float(hyperparameters["learning_rate"])
    learner = HistGradientBoostingLearner(
        learning_rate=learning_rate,
        max_leaf_nodes=int(hyperparameters["max_leaf_nodes"]),
        min_samples_leaf=int(hyperparameters["min_samples_leaf"]),
        l2_regularization=float(hyperparameters["l2_regularization"]),
        max_features=float(hyperparameters["max_features"]),
        seed=context.seed,
        categorical_positions=context.categorical_positions,
    )
    rounds = early_stopping_for(learning_rate, float(hyperparameters["rounds_factor"]))
    return BoostedClassifier(learner, rounds, random_state=context.seed)


COMPONENT = Component(
    name="hist_gradient_boosting",
    stage=Stage.CLASSIFIER,
    build=build,
    space=space,
    unsuitable=too_many_classes,
    handles_missing=True,
    handles_categories=True,
    cost=1.0,
    modules=("sklearn.ensemble",),
)
