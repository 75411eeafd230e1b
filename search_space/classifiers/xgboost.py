"""XGBoost with histogram trees, stopped early.

References
----------
.. [1] T. Chen, C. Guestrin (2016). XGBoost: A Scalable Tree Boosting System. KDD.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ConfigSpace import ConfigurationSpace, Float, Integer

from search_space.arrays import Features, FloatArray
from search_space.classifiers.boosting import BoostedClassifier, Rows, probability_matrix
from search_space.classifiers.early_stopping import early_stopping_for, rounds_factor
from search_space.classifiers.table_limits import too_many_classes
from search_space.component import BuildContext, Component, Stage
from search_space.task import TaskProperties

if TYPE_CHECKING:
    import xgboost


@dataclass(frozen=True, slots=True, kw_only=True)
class XGBoostModel:
    """A trained XGBoost booster, cut to its best rounds."""

    booster: xgboost.Booster
    categorical_positions: tuple[int, ...]

    @property
    def n_rounds(self) -> int:
        """Rounds of the booster."""
        return int(self.booster.num_boosted_rounds())

    def predict_proba(self, X: Features) -> FloatArray:
        """Return probabilities, (n, n_classes)."""
        import xgboost

        table = xgboost.DMatrix(_readable(X), **_column_types(X, self.categorical_positions))
        return probability_matrix(self.booster.predict(table))


@dataclass(frozen=True, slots=True, kw_only=True)
class XGBoostLearner:
    """XGBoost with its hyperparameters.

    Attributes
    ----------
    learning_rate : float
        Step of a round.
    max_depth : int
        Depth of the trees.
    min_child_weight : float
        Smallest sum of second derivatives in a leaf.
    subsample, colsample_bytree : float
        Share of rows per round and of columns per tree, in (0, 1].
    reg_alpha, reg_lambda : float
        Penalties of leaf values, absolute and squared.
    seed : int
        Seed of all of its draws.
    categorical_positions : tuple of int
        Columns of level codes. A code that was not there in training is in no set of a split.
    """

    learning_rate: float
    max_depth: int
    min_child_weight: float
    subsample: float
    colsample_bytree: float
    reg_alpha: float
    reg_lambda: float
    seed: int
    categorical_positions: tuple[int, ...] = ()

    def train(self, rows: Rows, n_rounds: int) -> XGBoostModel:
        """Train for a number of rounds."""
        import xgboost

        return self._model(xgboost.train(self._parameters(rows), self._matrix(rows), n_rounds))

    def train_until_flat(
        self, rows: Rows, validation: Rows, *, max_rounds: int, patience: int
    ) -> XGBoostModel:
        """Train until the log loss on `validation` has not fallen for `patience` rounds."""
        import xgboost

        training = self._matrix(rows)
        booster = xgboost.train(
            self._parameters(rows),
            training,
            max_rounds,
            evals=[(self._matrix(validation, reference=training), "validation")],
            early_stopping_rounds=patience,
            verbose_eval=False,
        )
        return self._model(booster[: booster.best_iteration + 1])

    def _model(self, booster: xgboost.Booster) -> XGBoostModel:
        return XGBoostModel(booster=booster, categorical_positions=self.categorical_positions)

    def _matrix(
        self, rows: Rows, reference: xgboost.QuantileDMatrix | None = None
    ) -> xgboost.QuantileDMatrix:
        import xgboost

        return xgboost.QuantileDMatrix(
            _readable(rows.X),
            rows.codes,
            weight=rows.weights,
            ref=reference,
            **_column_types(rows.X, self.categorical_positions),
        )

    def _parameters(self, rows: Rows) -> dict[str, Any]:
        n_classes = int(rows.codes.max()) + 1
        objective = (
            {"objective": "binary:logistic", "eval_metric": "logloss"}
            if n_classes == 2
            else {"objective": "multi:softprob", "eval_metric": "mlogloss", "num_class": n_classes}
        )
        return {
            **objective,
            "tree_method": "hist",
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth,
            "min_child_weight": self.min_child_weight,
            "subsample": self.subsample,
            "colsample_bytree": self.colsample_bytree,
            "alpha": self.reg_alpha,
            "lambda": self.reg_lambda,
            "seed": self.seed,
            "nthread": 1,
            "verbosity": 0,
        }


def _readable(X: Features) -> Features:
    """Return a table without stored zeros: XGBoost takes absent values as missing, not as 0."""
    if isinstance(X, np.ndarray) or np.all(X.data):
        return X
    without_zeros = X.copy()
    without_zeros.eliminate_zeros()
    return without_zeros


def _column_types(X: Features, categorical_positions: tuple[int, ...]) -> dict[str, Any]:
    """Return the arguments of a matrix that are the same in training and prediction."""
    if not categorical_positions:
        return {"nthread": 1}
    types = np.full(X.shape[1], "q")
    types[list(categorical_positions)] = "c"
    return {"nthread": 1, "feature_types": types.tolist(), "enable_categorical": True}


def space(task: TaskProperties) -> ConfigurationSpace:
    """Return hyperparameters without the number of rounds."""
    configuration_space = ConfigurationSpace()
    configuration_space.add(
        Float("learning_rate", (0.01, 0.3), default=0.1, log=True),
        rounds_factor(),
        Integer("max_depth", (2, 10), default=6),
        Float("min_child_weight", (0.01, 30.0), default=1.0, log=True),
        Float("subsample", (0.5, 1.0), default=1.0),
        Float("colsample_bytree", (0.4, 1.0), default=1.0),
        Float("reg_alpha", (1e-3, 10.0), default=1e-3, log=True),
        Float("reg_lambda", (1e-3, 10.0), default=1.0, log=True),
    )
    return configuration_space


def build(hyperparameters: Mapping[str, Any], context: BuildContext) -> BoostedClassifier:
    """Return an unfitted XGBoost that is stopped early."""
    learning_rate = float(hyperparameters["learning_rate"])
    learner = XGBoostLearner(
        learning_rate=learning_rate,
        max_depth=int(hyperparameters["max_depth"]),
        min_child_weight=float(hyperparameters["min_child_weight"]),
        subsample=float(hyperparameters["subsample"]),
        colsample_bytree=float(hyperparameters["colsample_bytree"]),
        reg_alpha=float(hyperparameters["reg_alpha"]),
        reg_lambda=float(hyperparameters["reg_lambda"]),
        seed=context.seed,
        categorical_positions=context.categorical_positions,
    )
    rounds = early_stopping_for(learning_rate, float(hyperparameters["rounds_factor"]))
    return BoostedClassifier(learner, rounds, random_state=context.seed)


COMPONENT = Component(
    name="xgboost",
    stage=Stage.CLASSIFIER,
    build=build,
    space=space,
    unsuitable=too_many_classes,
    handles_missing=True,
    handles_categories=True,
    handles_sparse=True,
    cost=0.7,
    modules=("xgboost",),
)
