"""Greedy selection of an ensemble from a library of models, with replacement.

References
----------
.. [1] R. Caruana, A. Niculescu-Mizil, G. Crew, A. Ksikes (2004). Ensemble Selection from
   Libraries of Models. ICML. https://doi.org/10.1145/1015330.1015432
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from automl.batched_losses import BoolArray
from automl.ensembles.criteria import Criterion, LogLoss, Stack, criterion_for
from automl.metrics import Metric
from search_space.arrays import FloatArray, IntArray

_TIE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Selection:
    """Which models of a library form the ensemble.

    Attributes
    ----------
    weights : (m,) array
        Share of each model in the ensemble's mean prediction; they sum to one.
    order : tuple of int
        The models in the order of being added, repeats included.
    losses : tuple of float
        Loss of the ensemble after each round that was run, also those after the best one.
    added : tuple of int
        The model that each of these rounds added.
    """

    weights: FloatArray
    order: tuple[int, ...]
    losses: tuple[float, ...]
    added: tuple[int, ...]

    @property
    def members(self) -> IntArray:
        """Models with a share, in the order of the library."""
        return self.weights.nonzero()[0]

    @property
    def n_rounds(self) -> int:
        """Rounds that made the ensemble, at most as many as were run."""
        return len(self.order)

    @property
    def loss(self) -> float:
        """Loss of the ensemble."""
        return self.losses[self.n_rounds - 1]

    def of_all_rounds(self) -> Selection:
        """Return the ensemble of every round that was run, though fewer may be better."""
        return first_rounds(len(self.added), self.added, self.losses, len(self.weights))


def select(
    predictions: Stack,
    codes: IntArray,
    metric: Metric,
    size: int,
    *,
    tolerance: float = 0.0,
    sample_weight: FloatArray | None = None,
) -> Selection:
    """Return the ensemble that greedy forward selection [1]_ makes of a library of models.

    The first member is the model with the lowest loss of its own, the first of equals in the order
    of the library.  Each later round adds the model that makes the loss of the mean prediction
    lowest; a model may be added again.  Error rates tie in most rounds: of equals the one with the
    lowest log loss of the mean prediction is added, of equals in that too the first.  The result is
    the shortest run of rounds that reaches the lowest loss.

    Losses are equal if they differ by less than 1e-12 of the best model's loss, or of the metric's
    optimum if that is more: by rounding, whatever unit the metric has.  With a `tolerance`, losses
    that exceed the lowest by no more are equal as well, and the log loss decides also on the first
    member and on the length of the run.  So a metric that reads labels only does not collect models
    that are right by chance on a few of the validation rows.

    The cost of a round is a pass over the predictions for the metrics in `KnownLoss`, and one call
    of the scorer for each model otherwise, and for ranking with weights: `shortlist` the library
    then.

    Parameters
    ----------
    predictions : (m, n, k) array
        Class probabilities that each model gives rows it was not trained on; may be memory-mapped.
    codes : (n,) array
        Class code of each row.
    metric : Metric
        What is made low.
    size : int
        Rounds, at least one.
    tolerance : float
        Difference of losses that tells nothing, as `loss_tolerance` estimates it.
    sample_weight : (n,) array or None
        Weight of each row in the metric.

    Raises
    ------
    ValueError
        If the shapes do not fit, a prediction is negative or not finite, there is no round, or the
        tolerance is negative.

    Examples
    --------
    >>> from automl.scoring import as_metric
    >>> right, wrong = [0.9, 0.1], [0.3, 0.7]
    >>> library = np.array([[right, right, wrong], [wrong, right, right], [wrong, wrong, right]])
    >>> chosen = select(library, np.array([0, 0, 0]), as_metric("accuracy", [0, 1]), size=5)
    >>> chosen.order, chosen.losses[:2]
    ((0, 1), (0.33333333333333337, 0.0))
    """
    if size < 1:
        raise ValueError(f"an ensemble needs at least one round, got size={size}")
    if not tolerance >= 0.0:
        raise ValueError(f"the tolerance has to be zero or more, got {tolerance}")
    own = metric.losses(codes, predictions, sample_weight)
    criterion = criterion_for(metric, predictions, codes, sample_weight)
    log_loss = (
        criterion if isinstance(criterion, LogLoss) else LogLoss(predictions, codes, sample_weight)
    )
    slack = tolerance + rounding(metric, own)
    order = [pick(own, log_loss, slack) if tolerance else int(own.argmin())]
    losses = [float(own[order[0]])]
    for _ in range(size - 1):
        _add(order[-1], criterion, log_loss)
        candidates = criterion.losses_if_added()
        order.append(pick(candidates, log_loss, slack))
        losses.append(float(candidates[order[-1]]))
    lengths = 1 + ties(np.array(losses), slack)
    if tolerance:
        seconds = log_loss.losses_of_runs(order)[lengths - 1]
        lengths = lengths[ties(seconds, _TIE * float(seconds.min()))]
    return first_rounds(int(lengths[0]), order, losses, len(predictions))


def shortlist(losses: FloatArray, n_best: int) -> IntArray:
    """Return the models with the lowest finite losses, best first, equals in their order."""
    order = np.argsort(losses, kind="stable")
    return order[np.isfinite(losses[order])][:n_best]


def better_than_baseline(losses: FloatArray, baseline_loss: float) -> BoolArray:
    """Return which losses (m,) are below that of a prediction which knows nothing of the rows."""
    return losses < baseline_loss


def _add(model: int, criterion: Criterion, log_loss: Criterion) -> None:
    """Add a model to the ensemble of both criteria, which may be one."""
    criterion.add(model)
    if log_loss is not criterion:
        log_loss.add(model)


def rounding(metric: Metric, own: FloatArray) -> float:
    """Return by how much equal losses may differ, given the loss of each model alone."""
    return _TIE * max(abs(metric.optimum), abs(float(own.min())))


def ties(losses: FloatArray, tolerance: float) -> IntArray:
    """Return which losses equal the lowest."""
    return np.flatnonzero(losses <= losses.min() + tolerance)


def pick(losses: FloatArray, log_loss: Criterion, tolerance: float) -> int:
    """Return the first model with the lowest log loss of those with the lowest loss."""
    tied = ties(losses, tolerance)
    if len(tied) > 1:
        second = log_loss.losses_if_added(tied)
        tied = tied[ties(second, _TIE * float(second.min()))]
    return int(tied[0])


def first_rounds(
    n_rounds: int, order: Sequence[int], losses: Sequence[float], n_models: int
) -> Selection:
    """Return the ensemble of the first rounds of those that were run."""
    counts = np.bincount(order[:n_rounds], minlength=n_models)
    return Selection(
        weights=counts / n_rounds,
        order=tuple(order[:n_rounds]),
        losses=tuple(losses),
        added=tuple(order),
    )
