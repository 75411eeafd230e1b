"""What is to be said of a fit that gives less than was asked for."""

from __future__ import annotations

from automl.budget import Budget
from automl.changes import Change
from automl.common_failure import common_failure
from automl.history import History
from automl.leaderboard import TrialCounts
from automl.search import ROUND_SIZE
from automl.settings import Settings


def idle_workers(settings: Settings, n_workers: int) -> tuple[Change, ...]:
    """Return what is to be said of workers that a deterministic search has no work for."""
    if not settings.deterministic or n_workers <= ROUND_SIZE:
        return ()
    reason = f"deterministic=True runs {ROUND_SIZE} evaluations at the same time at most"
    return (Change(f"{n_workers - ROUND_SIZE} of {n_workers} workers", "not used", reason),)


def interruption(budget: Budget, history: History) -> str:
    """Return what is to be said of a fit that was asked to end at once."""
    if not budget.is_interrupted:
        return ""
    return (
        f"fit was interrupted after {budget.seconds_used:.1f} s; the result is that of the "
        f"{len(history.successes)} trials that had succeeded by then, without a further refit"
    )


def only_baseline(history: History) -> str:
    """Return what is to be said where there is no fitted model at all."""
    common = common_failure(history)
    if common is not None:
        return f"{common} The class frequencies are predicted."
    failed = next((outcome for outcome in history.outcomes if outcome.reason), None)
    why = f"; the first failure was: {failed.reason}" if failed is not None else ""
    counts = TrialCounts.of(outcome.status for outcome in history.outcomes)
    return (
        f"no trial gave a model in the given limits ({counts}){why}. The class frequencies are "
        "predicted. Raise time_limit, trial_time_limit or memory_limit."
    )
