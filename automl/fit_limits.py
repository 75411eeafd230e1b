"""What parts of one ``fit`` may use: memory and time of an evaluation, time after the search."""

from __future__ import annotations

import math

from automl.budget import Budget
from automl.evaluation.limits import available_memory_mib
from automl.history import History
from automl.optimizers.observations import best_trials
from automl.settings import Settings
from automl.trial import Outcome

SECONDS_TO_FINISH = 0.5
"""For loading models and ending processes after the last refit."""

_TRIALS_PER_TIME_LIMIT = 8  # one evaluation may take an eighth of the whole time
_SECONDS_PER_TRIAL = 600.0  # where there is no time limit
_MEMORY_SHARE = 0.8  # of what is free when the search starts
_LARGEST_RESERVED_SHARE = 0.25  # of the time limit that the search leaves to what comes after it
_SELECTION_SHARE = 0.03  # of the time limit that a scorer called in each round may take
_SECONDS_PER_SUMMED_PROBABILITY = 2e-9  # ensemble selection by accuracy, on one 2.6 GHz core
_MEMBERS_EXPECTED = 10
_REFIT_ALLOWANCE = 2.0  # members that differ are slower than the best ones, and machines are busy


def memory_limit_mib(asked: float | None, n_workers: int) -> float | None:
    """Return what one evaluation may use: what was asked for, or a fair share of what is free."""
    if asked is None:
        return _MEMORY_SHARE * available_memory_mib() / n_workers
    return None if math.isinf(asked) else asked


def trial_seconds(settings: Settings) -> float:
    """Return what one evaluation may take: what was asked for, or a part of the whole time."""
    if settings.trial_time_limit is not None:
        return settings.trial_time_limit
    if math.isinf(settings.time_limit):
        return _SECONDS_PER_TRIAL
    return settings.time_limit / _TRIALS_PER_TIME_LIMIT


def scoring_seconds(budget: Budget) -> float:
    """Return how long an ensemble selection may take that calls a scorer for every candidate."""
    return _SELECTION_SHARE * budget.seconds


class TimeReserve:
    """An observer of the search that leaves selection and refit the time they are going to need.

    Parameters
    ----------
    budget : Budget
        Its reserve follows what was seen of the search.
    settings : Settings
        Whether members are refitted, and how many rounds choose them.
    n_splits : int
        Fits of one evaluation.
    n_workers : int
        Refits that run at the same time.
    """

    def __init__(self, budget: Budget, settings: Settings, n_splits: int, n_workers: int) -> None:
        self._budget = budget
        self._settings = settings
        self._n_splits = n_splits
        self._n_workers = n_workers

    def __call__(self, _: Outcome, history: History) -> None:
        """Look at the history anew."""
        if math.isinf(self._budget.seconds):
            return
        problem = history.problem
        n_summed = len(history.successes) * problem.codes.size * len(problem.metric.classes)
        expected = SECONDS_TO_FINISH
        expected += _SECONDS_PER_SUMMED_PROBABILITY * n_summed * self._settings.ensemble_size
        if problem.is_slow:
            expected += 2.0 * scoring_seconds(self._budget)  # selection, then the threshold
        if self._settings.refit:
            expected += _REFIT_ALLOWANCE * expected_refit_seconds(
                history, self._n_splits, self._n_workers
            )
        self._budget.reserved = min(expected, _LARGEST_RESERVED_SHARE * self._budget.seconds)


def expected_refit_seconds(history: History, n_splits: int, n_workers: int) -> float:
    """Return about how long it takes to refit the members that an ensemble may have.

    The ten trials with the lowest losses stand for the members. One fit on all rows takes a
    split's share of the evaluation, and more by the rows that a split leaves out.
    """
    outcomes = (history.outcome_of(number) for number in best_trials(history, _MEMBERS_EXPECTED))
    growth = n_splits / (n_splits - 1) if n_splits > 1 else 4 / 3
    fits = [growth * outcome.seconds / n_splits for outcome in outcomes if outcome is not None]
    # However many workers there are, the longest fit has to end.
    return max(sum(fits) / n_workers, max(fits, default=0.0))
