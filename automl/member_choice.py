"""From a finished search to the trials that form the ensemble, and their weights."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from automl.ensembles.selection import better_than_baseline, select, shortlist
from automl.ensembles.threshold import EVEN_THRESHOLD, decision_threshold
from automl.ensembles.tolerance import loss_tolerance
from automl.history import History
from search_space.arrays import IntArray

_LOG = logging.getLogger(__name__)

_SELECTION_BYTES = 256 * 2**20  # predictions that ensemble selection may copy
_FEWEST_SELECTABLE = 50
_FEWEST_SLOW = 5
_CALLS_FOR_TOLERANCE = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberChoice:
    """The trials of an ensemble.

    Attributes
    ----------
    weights : mapping of int to float
        Weight of each chosen trial; empty if no trial succeeded, otherwise they sum to one.
    loss : float
        Validation loss of the ensemble.
    shortfall : str
        Why it is a single model though an ensemble was asked for; empty if it is not.
    threshold : float
        Probability of the second of two classes above which it is predicted.
    """

    weights: Mapping[int, float]
    loss: float
    shortfall: str = ""
    threshold: float = EVEN_THRESHOLD


def choose_members(history: History, size: int, *, scoring_seconds: float) -> MemberChoice:
    """Return what greedy selection makes of the trials that are better than the class frequencies.

    If there is none, or selection fails, the trial with the lowest loss stands alone.

    Losses within one standard error of the lowest count as equal where the metric reads labels
    only, see `loss_tolerance`; not if `size` is 1, which asks for the lowest. Of two classes, the
    threshold between them suits the metric, see `decision_threshold`.

    Parameters
    ----------
    history : History
        A finished search.
    size : int
        Rounds of selection.
    scoring_seconds : float
        How long a scorer may take that is called for each candidate in each round; the worst
        candidates are left out where it would take longer.
    """
    if not history.successes:
        return MemberChoice(weights={}, loss=history.baseline_loss)
    try:
        losses = history.success_losses()
        library = np.flatnonzero(better_than_baseline(losses, history.baseline_loss))
        if not library.size:
            baseline = f"{history.baseline_loss:.6g}"
            reason = f"no model has a lower loss than the class frequencies ({baseline})"
            return _with_threshold(history, _single_best(history, reason), scoring_seconds)
        n_best, n_rounds = _affordable(history, size, scoring_seconds)
        if not n_best:
            reason = f"scoring {history.problem.metric.name!r} is too slow for ensemble selection"
            return _single_best(history, reason)
        chosen = _selected(history, np.sort(library[shortlist(losses[library], n_best)]), n_rounds)
        return _with_threshold(history, chosen, scoring_seconds)
    except Exception as error:  # noqa: BLE001 - an ensemble may fail; what was found must stay
        _LOG.info("ensemble selection failed", exc_info=True)
        return _single_best(history, f"ensemble selection failed ({type(error).__name__}: {error})")


def _selected(history: History, library: IntArray, size: int) -> MemberChoice:
    """Return what selection makes of some successful trials."""
    numbers = [history.successes[i] for i in library]
    stack, problem = history.predictions.stack(numbers), history.problem
    codes, metric, judging = problem.codes, problem.metric, problem.sample_weight
    best = int(history.success_losses()[library].argmin())
    tolerance = loss_tolerance(metric, codes, stack[best], judging) if size > 1 else 0.0
    selection = select(stack, codes, metric, size, tolerance=tolerance, sample_weight=judging)
    weights = {numbers[i]: float(selection.weights[i]) for i in selection.members}
    return MemberChoice(weights=weights, loss=selection.loss)


def _with_threshold(history: History, choice: MemberChoice, seconds: float) -> MemberChoice:
    """Return the choice with the threshold that suits the metric."""
    problem, numbers = history.problem, list(choice.weights)
    weights = np.array([choice.weights[number] for number in numbers])
    probabilities = np.tensordot(weights, history.predictions.stack(numbers), axes=1)
    threshold = decision_threshold(
        problem.metric, problem.codes, probabilities, problem.sample_weight, seconds=seconds
    )
    return replace(choice, threshold=threshold)


def _single_best(history: History, reason: str) -> MemberChoice:
    best = history.best
    if best is None:
        raise ValueError("no trial succeeded")
    return MemberChoice(
        weights={best.number: 1.0},
        loss=best.loss,
        shortfall=f"{reason}; the single best model is returned without an ensemble",
    )


def _affordable(history: History, size: int, scoring_seconds: float) -> tuple[int, int]:
    """Return how many trials, the best ones, selection may choose from, and in how many rounds.

    Nothing is affordable, (0, 0), if a slow scorer leaves no time for two rounds of five trials.
    """
    problem = history.problem
    example = history.predictions.stack(history.successes[:1])[0]
    # Copying more predictions would cost more memory than it can bring.
    n_best = max(_FEWEST_SELECTABLE, _SELECTION_BYTES // int(example.nbytes))
    if size == 1 or not problem.is_slow or math.isinf(scoring_seconds):
        return n_best, size
    started = time.perf_counter()
    problem.metric.loss(problem.codes, example, problem.sample_weight)
    seconds = time.perf_counter() - started
    n_calls = int(scoring_seconds / seconds) - _CALLS_FOR_TOLERANCE
    if n_calls < 2 * _FEWEST_SLOW:
        return 0, 0
    n_best = min(n_best, max(_FEWEST_SLOW, n_calls // size))
    return n_best, min(size, n_calls // n_best)
