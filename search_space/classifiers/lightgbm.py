"""LightGBM: as published, with the number of rounds searched; and stopped early.

References
----------
.. [1] G. Ke et al. (2017). LightGBM: A Highly Efficient Gradient Boosting Decision Tree. NeurIPS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer, OrdinalHyperparameter

from search_space.arrays import Features, FloatArray
from search_space.bounds import bounded_integer
from search_space.classifiers.boosting import BoostedClassifier, Rows, probability_matrix
from search_space.classifiers.early_stopping import (
    FixedRounds,
    early_stopping_for,
    rounds_factor,
)
from search_space.classifiers.table_limits import too_many_classes
from search_space.classifiers.tree_sizes import largest_leaf, most_leaves, usual_leaf
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

if TYPE_CHECKING:
    import lightgbm

PAPER_MAX_DEPTH = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class LightGBMModel:
    """A trained LightGBM booster."""

    booster: lightgbm.Booster

    @property
    def n_rounds(self) -> int:
        """Rounds up to the best one; LightGBM calls it 0 or less if there was no validation."""
        best = int(self.booster.best_iteration)
        return best if best > 0 else int(self.booster.current_iteration())

    def predict_proba(self, X: Features) -> FloatArray:
        """Return probabilities, (n, n_classes), of the best round's model."""
        return probability_matrix(self.booster.predict(_readable(X), num_threads=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class LightGBMLearner:
    """LightGBM with its hyperparameters.

    Attributes
    ----------
    num_leaves, max_depth, min_child_samples : int
        Size of the trees; a depth of -1 is unlimited.
    learning_rate : float
        Step of a round.
    subsample, colsample_bytree : float
        Share of rows per round and of columns per tree, in (0, 1].
    reg_alpha, reg_lambda : float
        Penalties of leaf values, absolute and squared.
    extra_trees : bool
        Whether one threshold per column is tried, at random, instead of all.
    seed : int
        Seed of all of its draws.
    categorical_positions : tuple of int
        Columns of level codes. A code that was not there in training goes the way of the missing.
    """

    num_leaves: int
    learning_rate: float
    min_child_samples: int
    subsample: float
    colsample_bytree: float
    seed: int
    max_depth: int = -1
    reg_alpha: float = 0.0
    reg_lambda: float = 0.0
    extra_trees: bool = False
    categorical_positions: tuple[int, ...] = ()

    def train(self, rows: Rows, n_rounds: int) -> LightGBMModel:
        """Train for a number of rounds."""
        import lightgbm

        booster = lightgbm.train(self._parameters(rows), self._dataset(rows), n_rounds)
        return LightGBMModel(booster=booster)

    def train_until_flat(
        self, rows: Rows, validation: Rows, *, max_rounds: int, patience: int
    ) -> LightGBMModel:
        """Train until the log loss on `validation` has not fallen for `patience` rounds."""
        import lightgbm

        training = self._dataset(rows)
        booster = lightgbm.train(
            self._parameters(rows),
            training,
            max_rounds,
            valid_sets=[
                training.create_valid(
                    _readable(validation.X), validation.codes, weight=validation.weights
                )
            ],
            callbacks=[lightgbm.early_stopping(patience, verbose=False)],
        )
        return LightGBMModel(booster=booster)

    def _dataset(self, rows: Rows) -> lightgbm.Dataset:
        import lightgbm

        return lightgbm.Dataset(
            _readable(rows.X),
            rows.codes,
            weight=rows.weights,
            categorical_feature=list(self.categorical_positions),
        )

    def _parameters(self, rows: Rows) -> dict[str, Any]:
        n_classes = int(rows.codes.max()) + 1
        objective = (
            {"objective": "binary"}
            if n_classes == 2
            else {"objective": "multiclass", "num_class": n_classes}
        )
        return {
            **objective,
            "num_leaves": self.num_leaves,
            "max_depth": self.max_depth,
            "learning_rate": self.learning_rate,
            "min_data_in_leaf": self.min_child_samples,
            # LightGBM's own 100 leaves small tables without any split by level.
            "min_data_per_group": self.min_child_samples,
            "bagging_fraction": self.subsample,
            # Without a frequency LightGBM ignores the fraction.
            "bagging_freq": 1,
            "feature_fraction": self.colsample_bytree,
            "lambda_l1": self.reg_alpha,
            "lambda_l2": self.reg_lambda,
            "extra_trees": self.extra_trees,
            "seed": self.seed,
            # Else LightGBM times two histogram layouts, whose sums differ in the last digit.
            "deterministic": True,
            "force_row_wise": True,
            "num_threads": 1,
            "verbosity": -1,
        }


def _readable(X: Features) -> Any:
    """Return a table of a type that LightGBM knows; sparse matrices share their memory."""
    return X if isinstance(X, np.ndarray) else scipy.sparse.csr_matrix(X)


def paper_space(task: TaskProperties) -> ConfigurationSpace:
    """Return the published hyperparameters.

    Published steps are ordered lists of values: a user reads the value itself, its neighbours are
    one step away, and as the steps are equal the rank of a value is as good as the value.
    """
    space = ConfigurationSpace()
    fractions = [0.7, 0.8, 0.9, 1.0]
    space.add(
        OrdinalHyperparameter("n_estimators", list(range(100, 1001, 50)), default_value=500),
        Integer("num_leaves", (31, 2047), default=128),
        Float("learning_rate", (1e-3, 0.3), default=0.1, log=True),
        Integer("min_child_samples", (5, 30), default=20),
        OrdinalHyperparameter("subsample", fractions, default_value=1.0),
        OrdinalHyperparameter("colsample_bytree", fractions, default_value=1.0),
    )
    return space


def early_stopped_space(task: TaskProperties) -> ConfigurationSpace:
    """Return hyperparameters without the number of rounds, sizes of trees cut to the rows."""
    space = ConfigurationSpace()
    space.add(
        Float("learning_rate", (0.01, 0.3), default=0.1, log=True),
        rounds_factor(),
        bounded_integer("num_leaves", (4, 255), most_leaves(task), default=31, log=True),
        bounded_integer(
            "min_child_samples",
            (2, 100),
            largest_leaf(task),
            default=usual_leaf(task),
            log=True,
        ),
        Float("subsample", (0.5, 1.0), default=1.0),
        Float("colsample_bytree", (0.4, 1.0), default=1.0),
        Float("reg_alpha", (1e-3, 10.0), default=1e-3, log=True),
        Float("reg_lambda", (1e-3, 10.0), default=1e-3, log=True),
        Categorical("extra_trees", [False, True], default=False),
    )
    return space


def build_paper(hyperparameters: Mapping[str, Any], context: BuildContext) -> BoostedClassifier:
    """Return an unfitted LightGBM of a chosen number of rounds."""
    learner = LightGBMLearner(
        num_leaves=int(hyperparameters["num_leaves"]),
        max_depth=PAPER_MAX_DEPTH,
        learning_rate=float(hyperparameters["learning_rate"]),
        min_child_samples=int(hyperparameters["min_child_samples"]),
        subsample=float(hyperparameters["subsample"]),
        colsample_bytree=float(hyperparameters["colsample_bytree"]),
        seed=context.seed,
    )
    rounds = FixedRounds(int(hyperparameters["n_estimators"]))
    return BoostedClassifier(learner, rounds, random_state=context.seed)


def build_early_stopped(
    hyperparameters: Mapping[str, Any], context: BuildContext
) -> BoostedClassifier:
    """Return an unfitted LightGBM that is stopped early."""
    learning_rate = float(hyperparameters["learning_rate"])
    learner = LightGBMLearner(
        num_leaves=int(hyperparameters["num_leaves"]),
        learning_rate=learning_rate,
        min_child_samples=int(hyperparameters["min_child_samples"]),
        subsample=float(hyperparameters["subsample"]),
        colsample_bytree=float(hyperparameters["colsample_bytree"]),
        reg_alpha=float(hyperparameters["reg_alpha"]),
        reg_lambda=float(hyperparameters["reg_lambda"]),
        extra_trees=bool(hyperparameters["extra_trees"]),
        seed=context.seed,
        categorical_positions=context.categorical_positions,
    )
    rounds = early_stopping_for(learning_rate, float(hyperparameters["rounds_factor"]))
    return BoostedClassifier(learner, rounds, random_state=context.seed)


COMPONENT = Component(
    name="lightgbm",
    stage=Stage.CLASSIFIER,
    build=build_paper,
    space=paper_space,
    unsuitable=too_many_classes,
    handles_missing=True,
    handles_sparse=True,
    cost=2.3,
    modules=("lightgbm",),
)

EARLY_STOPPED = Component(
    name="lightgbm",
    stage=Stage.CLASSIFIER,
    build=build_early_stopped,
    space=early_stopped_space,
    unsuitable=too_many_classes,
    handles_missing=True,
    handles_categories=True,
    handles_sparse=True,
    cost=0.5,
    modules=("lightgbm",),
)
