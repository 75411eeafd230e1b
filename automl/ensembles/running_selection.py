"""Ensemble selection again after every further model, each time from all models so far.

What was computed for one model more or less is kept: a further model is judged once in each round,
and only from the round on in which it is chosen, all others are judged again.  Most are chosen in
none.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from automl.ensembles.criteria import Criterion, LogLoss, Stack, criterion_for
from automl.ensembles.selection import Selection, first_rounds, pick, rounding, ties
from automl.metrics import Metric
from search_space.arrays import FloatArray, IntArray


def running_selections(
    predictions: Stack, codes: IntArray, metric: Metric, size: int
) -> Iterator[Selection]:
    """Yield what `automl.ensembles.selection.select` makes of the first 1, 2, ..., m models.

    Parameters
    ----------
    predictions : (m, n, k) array
        Class probabilities of each model, in the order in which models are added to the library.
    codes : (n,) array
        Class code of each row.
    metric : Metric
        What is made low.
    size : int
        Rounds, at least one.

    Raises
    ------
    ValueError
        If the shapes do not fit, a prediction is negative or not finite, or there is no round.
    """
    if size < 1:
        raise ValueError(f"an ensemble needs at least one round, got size={size}")
    own = metric.losses(codes, predictions)
    ensemble = _Ensemble.empty(predictions, codes, metric)
    rounds: list[_Round] = []
    order: list[int] = []
    for n_models in range(1, len(predictions) + 1):
        slack = rounding(metric, own[:n_models])
        first = int(own[:n_models].argmin())
        if order[:1] != [first]:
            rounds = [_Round(ensemble.plus(first), np.empty(len(predictions)))]
        rounds = _rounds_with(rounds, size - 1, n_models, slack)
        order = [first, *(one.chosen for one in rounds)]
        losses = [float(own[first]), *(float(one.losses[one.chosen]) for one in rounds)]
        yield first_rounds(1 + int(ties(np.array(losses), slack)[0]), order, losses, n_models)


@dataclass(frozen=True, slots=True)
class _Ensemble:
    """What judges the next member, and what decides between equals."""

    criterion: Criterion
    log_loss: Criterion

    @classmethod
    def empty(cls, predictions: Stack, codes: IntArray, metric: Metric) -> _Ensemble:
        """Return an ensemble of no model."""
        criterion = criterion_for(metric, predictions, codes, None)
        is_both = isinstance(criterion, LogLoss)
        return cls(criterion, criterion if is_both else LogLoss(predictions, codes))

    def plus(self, model: int) -> _Ensemble:
        """Return the ensemble with one member more; this one stays."""
        criterion, log_loss = copy.copy(self.criterion), copy.copy(self.log_loss)
        criterion.add(model)
        log_loss.add(model)
        return _Ensemble(criterion, log_loss)


@dataclass(slots=True)
class _Round:
    """A round of a selection: the ensemble before it, and what was found out about models."""

    ensemble: _Ensemble
    losses: FloatArray  # (m,), with each model added
    n_judged: int = 0
    tied: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    chosen: int = -1

    def judge(self, n_models: int, slack: float) -> bool:
        """Choose from the first models; return whether the choice is the one of before."""
        new = slice(self.n_judged, n_models)
        self.losses[new] = self.ensemble.criterion.losses_if_added(new)
        self.n_judged = n_models
        losses, before = self.losses[:n_models], self.chosen
        tied = ties(losses, slack)
        if not np.array_equal(tied, self.tied):
            self.tied, self.chosen = tied, pick(losses, self.ensemble.log_loss, slack)
        return self.chosen == before


def _rounds_with(rounds: list[_Round], n_rounds: int, n_models: int, slack: float) -> list[_Round]:
    """Return the rounds after the first with so many models; rounds given are those of fewer."""
    judged: list[_Round] = []
    for _ in range(n_rounds):
        one = rounds[len(judged)]
        is_same = one.judge(n_models, slack)
        judged.append(one)
        if not is_same or len(rounds) == len(judged):
            rounds = [*judged, _Round(one.ensemble.plus(one.chosen), np.empty_like(one.losses))]
    return judged
