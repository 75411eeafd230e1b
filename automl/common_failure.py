"""When a search cannot succeed: everything that was tried failed, and for one and the same reason.

A scorer that raises, a table that no learner takes or a limit that is too short fails every trial
alike; going on until the budget is spent would only make the user wait for the news.
"""

from __future__ import annotations

from dataclasses import dataclass

from automl.failures import kind_of_failure
from automl.history import History
from automl.trial import Status

_FEWEST_TRIALS = 10
_ADVICE = {
    Status.TIMEOUT: "Raise trial_time_limit.",
    Status.OUT_OF_MEMORY: "Raise memory_limit.",
    Status.CRASHED: "With work_dir the journal there holds the tracebacks.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonFailure:
    """What all trials of a search ended with.

    Attributes
    ----------
    status : Status
        How they ended.
    reason : str
        What the first of them reported.
    n_trials : int
        How many there are.
    """

    status: Status
    reason: str
    n_trials: int

    def __str__(self) -> str:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        return (
            f"All of the first {self.n_trials} evaluations failed for the same reason "
            f"({self.status}: {self.reason}), so the search ended there. {_ADVICE[self.status]}"
        )


def common_failure(history: History) -> CommonFailure | None:
    """Return what every trial failed of, or None while there is hope.

    There is hope until ten trials have ended, and until every learner of the space was tried: of
    trials that fail independently half of the time, ten in a row fail once in a thousand searches,
    and a learner that was not tried may be the one that works. One success, or two reasons, are
    hope as well. Trials that were cancelled say nothing.
    """
    if history.successes or history.n_finished < _FEWEST_TRIALS:
        return None
    failed = [outcome for outcome in history.outcomes if outcome.status is not Status.CANCELLED]
    kinds = {kind_of_failure(outcome.status, outcome.reason) for outcome in failed}
    if len(failed) < _FEWEST_TRIALS or len(kinds) > 1:
        return None
    space = history.problem.search_space
    tried = {space.classifier_of(history.trials[o.number].configuration) for o in failed}
    if not tried.issuperset(learner.name for learner in space.learners):
        return None
    first = failed[0]
    return CommonFailure(status=first.status, reason=first.reason, n_trials=len(failed))
