"""Who is told of a search while it runs: the user's callbacks and the progress report."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from automl.budget import Budget, trials_text
from automl.history import History, Observer
from automl.leaderboard import TrialCounts
from automl.progress_display import open_display
from automl.settings import Settings
from automl.trial import Outcome, Status

_WITH_EACH_TRIAL = 2  # the verbosity from which on every trial has a line


@contextmanager
def watch(settings: Settings, budget: Budget) -> Iterator[tuple[Observer, ...]]:
    """Give the observers of one search; the report ends when the context does.

    Parameters
    ----------
    settings : Settings
        Of these `verbose` and `callbacks` count. 0 is silent, 1 reports to standard error, 2 also
        has a line for each trial.
    budget : Budget
        The clock of the search. A callback that returns True stops it.
    """

    def call_back(outcome: Outcome, history: History) -> None:
        for callback in settings.callbacks:
            answer = callback(outcome, history)
            if isinstance(answer, bool | np.bool_) and answer:
                budget.is_stopped = True

    if settings.verbose == 0 or sys.stderr is None:
        yield (call_back,)
        return
    standing = Standing(budget)
    with open_display(sys.stderr, standing.line, budget.clock) as display:

        def report(outcome: Outcome, history: History) -> None:
            is_better = standing.update(outcome, history)
            if settings.verbose >= _WITH_EACH_TRIAL:
                display.write(standing.trial_line(outcome, history))
            display.update(is_news=is_better)

        yield (report, call_back)
        display.write(standing.summary())


class Standing:
    """How a search stands, in words.

    Parameters
    ----------
    budget : Budget
        The clock of the search.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._history: History | None = None
        self._statuses: list[Status] = []
        self._best = math.inf
        self._best_learner = ""

    def update(self, outcome: Outcome, history: History) -> bool:
        """Take in an outcome; return whether it is the best so far."""
        self._history = history
        self._statuses.append(outcome.status)
        if outcome.status is not Status.SUCCESS or outcome.loss >= self._best:
            return False
        self._best = outcome.loss
        self._best_learner = _learner(outcome, history)
        return True

    def line(self) -> str:
        """Return one line on the search at this moment."""
        budget, history = self._budget, self._history
        if history is None:
            parts = ["waiting for the first trial"]
        else:
            counts = TrialCounts.of(self._statuses)
            n_running = history.n_started - len(self._statuses)
            parts = [f"{_of_all(counts.n_finished, budget.n_trials)} finished"]
            parts += [f"{counts.n_failed} failed"] if counts.n_failed else []
            parts += [f"{n_running} running"] if n_running else []
            parts += [self._incumbent()]
            if not n_running and not budget.allows_another(history.n_started):
                parts.append("building the ensemble")
        if math.isfinite(budget.seconds):
            parts.append(f"{budget.seconds_left:.0f} s left")
        return f"{budget.seconds_used:.0f} s: {', '.join(parts)}"

    def trial_line(self, outcome: Outcome, history: History) -> str:
        """Return one line on a trial that ended."""
        title = f"trial {outcome.number}, {_learner(outcome, history)}"
        seconds = f"{outcome.seconds:.1f} s"
        if outcome.status is Status.SUCCESS:
            return f"{title}: loss {outcome.loss:.4g} in {seconds}"
        reason = f" ({' '.join(outcome.reason.split())})" if outcome.reason else ""
        return f"{title}: {outcome.status} after {seconds}{reason}"

    def summary(self) -> str:
        """Return the last line: what was asked for, what was used, what came of it."""
        counts = TrialCounts.of(self._statuses)
        return f"{self._budget}, {counts}, {self._incumbent(with_learner=False)}"

    def _incumbent(self, *, with_learner: bool = True) -> str:
        if math.isinf(self._best):
            return "no model yet" if with_learner else "no model"
        learner = f" ({self._best_learner})" if with_learner else ""
        return f"best loss {self._best:.4g}{learner}"


def _learner(outcome: Outcome, history: History) -> str:
    """Return the name of a trial's learner."""
    configuration = history.trials[outcome.number].configuration
    return history.problem.search_space.classifier_of(configuration)


def _of_all(n: int, n_trials: int | None) -> str:
    return trials_text(n) if n_trials is None else f"{n} of {trials_text(n_trials)}"
