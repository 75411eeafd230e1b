"""The history as a performance surrogate sees it: encoded configurations and finite losses."""

from __future__ import annotations

import numpy as np

from automl.trial import Status
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray

LARGEST = 1e150  # of which sums of thousands of squares are finite


def modelled_losses(history: TrialHistory) -> FloatArray:
    """Return the losses of the successes as models take them: none further from 0 than 1e150.

    Larger ones, which some write where nothing was measured, would leave no finite variance.
    """
    return np.clip(history.success_losses(), -LARGEST, LARGEST)


def performance_observations(history: TrialHistory) -> tuple[FloatArray, FloatArray]:
    """Return every trial as a row and its loss, failures and pending trials included.

    A failed trial has the worst loss seen, so that the surrogate avoids its neighbourhood. A
    pending one has the median loss, so that its neighbourhood is neither sought nor avoided.

    Returns
    -------
    (n, d) array
        Encoded configurations, in the order of starting.
    (n,) array, loss
        Finite losses.

    Raises
    ------
    ValueError
        If no trial has succeeded yet.
    """
    losses = modelled_losses(history)
    if not losses.size:
        raise ValueError("performance_observations needs one successful trial, found none")
    worst, median = float(losses.max()), float(np.median(losses))
    targets = [_target(history, trial.number, worst, median) for trial in history.trials]
    X = history.problem.encoder.encode([trial.configuration for trial in history.trials])
    return X, np.clip(targets, -LARGEST, LARGEST)


def _target(history: TrialHistory, number: int, worst: float, median: float) -> float:
    outcome = history.outcome_of(number)
    if outcome is None:
        return median
    return outcome.loss if outcome.status is Status.SUCCESS else worst


def best_trials(history: TrialHistory, n_trials: int) -> list[int]:
    """Return the numbers of the successful trials with the lowest losses, best first."""
    order = np.argsort(history.success_losses(), kind="stable")[:n_trials]
    return [history.successes[i] for i in order]
