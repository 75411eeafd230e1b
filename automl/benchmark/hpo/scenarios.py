"""Scenarios of YAHPO Gym whose surrogates are small, as the package `yahpo_gym` 1.0 defines them.

References
----------
.. [1] F. Pfisterer, L. Schneider, J. Moosbauer, M. Binder, B. Bischl (2022). YAHPO Gym: an
   efficient multi-objective multi-fidelity benchmark for hyperparameter optimization. AutoML
   Conference. https://github.com/slds-lmu/yahpo_gym, Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One learning algorithm on many data sets, and what its surrogate takes and gives.

    Attributes
    ----------
    name : str
        Also the name of its folder.
    instance : str
        Hyperparameter that names the data set.
    fidelities : tuple of str
        Hyperparameters that say how thorough an evaluation is: the most when at their largest.
    categories, numbers : tuple of str
        Hyperparameters in the order of the two inputs of the surrogate.
    targets : tuple of str
        Its outputs in order.
    target : str
        The output that is optimised.
    perfect : float
        Value of the target for a faultless model: 0 for an error rate, 1 or 100 for an accuracy.
    training_time : str
        The output that predicts the seconds of training.
    """

    name: str
    instance: str = "task_id"
    fidelities: tuple[str, ...]
    categories: tuple[str, ...]
    numbers: tuple[str, ...]
    targets: tuple[str, ...]
    target: str
    perfect: float
    training_time: str = "timetrain"

    def loss(self, value: float) -> float:
        """Return the error rate, from 0 to 1, for a value of the target."""
        return value if self.perfect == 0.0 else 1.0 - value / self.perfect


_RBV2_TARGETS = (
    *("acc", "bac", "auc", "brier", "f1", "logloss"),
    *("timetrain", "timepredict", "memory"),
)

SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            name="rbv2_xgboost",
            fidelities=("trainsize", "repl"),
            categories=("task_id", "booster", "num.impute.selected.cpo"),
            numbers=(
                *("nrounds", "eta", "gamma", "lambda", "alpha", "subsample", "max_depth"),
                *("min_child_weight", "colsample_bytree", "colsample_bylevel"),
                *("rate_drop", "skip_drop", "trainsize", "repl"),
            ),
            targets=_RBV2_TARGETS,
            target="acc",
            perfect=1.0,
        ),
        Scenario(
            name="rbv2_rpart",
            fidelities=("trainsize", "repl"),
            categories=("task_id", "num.impute.selected.cpo"),
            numbers=("cp", "maxdepth", "minbucket", "minsplit", "trainsize", "repl"),
            targets=_RBV2_TARGETS,
            target="acc",
            perfect=1.0,
        ),
        Scenario(
            name="lcbench",
            instance="OpenML_task_id",
            fidelities=("epoch",),
            categories=("OpenML_task_id",),
            numbers=(
                *("epoch", "batch_size", "learning_rate", "momentum", "weight_decay"),
                *("num_layers", "max_units", "max_dropout"),
            ),
            targets=(
                *("time", "val_accuracy", "val_cross_entropy", "val_balanced_accuracy"),
                *("test_cross_entropy", "test_balanced_accuracy"),
            ),
            target="val_accuracy",
            perfect=100.0,
            training_time="time",
        ),
        Scenario(
            name="iaml_glmnet",
            fidelities=("trainsize",),
            categories=("task_id",),
            numbers=("alpha", "s", "trainsize"),
            targets=(
                *("mmce", "f1", "auc", "logloss", "ramtrain", "rammodel", "rampredict"),
                *("timetrain", "timepredict", "mec", "ias", "nf"),
            ),
            target="mmce",
            perfect=0.0,
        ),
    )
}
