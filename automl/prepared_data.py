"""What a search works on."""

from __future__ import annotations

from dataclasses import dataclass

from automl.data.resampling import Splits
from automl.data.weights import UNWEIGHTED, RowWeights
from automl.metrics import Metric
from search_space.arrays import Features, IntArray
from search_space.space import SearchSpace


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedData:
    """What the search works on: the user's table after every check.

    Attributes
    ----------
    X : (n, d) array or sparse array
        Prepared features.
    codes : (n,) array of int
        Classes.
    n_classes : int
        Number of classes.
    splits : Splits
        Which rows train and which validate.
    metric : Metric
        Stored predictions to a loss.
    search_space : SearchSpace
        What may be tried, built for this table.
    baseline_loss : float
        Validation loss of predicting the class frequencies; infinite if it has none.
    weights : RowWeights
        How much each row counts.
    """

    X: Features
    codes: IntArray
    n_classes: int
    splits: Splits
    metric: Metric
    search_space: SearchSpace
    baseline_loss: float
    weights: RowWeights = UNWEIGHTED
