"""The leaderboard: every trial of a search as a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from automl.history import History
from automl.trial import Status
from search_space.values import plain_values

_COLUMNS = ("trial", "learner", "loss", "seconds", "status", "weight", "configuration")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """One finished trial in plain values, independent of the search space.

    Attributes
    ----------
    trial : int
        Its number.
    learner : str
        Name of its learner.
    loss : float
        Validation loss; infinite unless it succeeded.
    seconds : float
        Wall-clock seconds of its evaluation.
    status, reason, traceback : str
        How it ended and why.
    memory_mib : float
        Peak of what it used above its start.
    origin : str
        Where the configuration came from.
    configuration : mapping
        Values of the active hyperparameters.
    """

    trial: int
    learner: str
    loss: float
    seconds: float
    status: str
    reason: str
    traceback: str
    memory_mib: float
    origin: str
    configuration: Mapping[str, Any]


def trial_records(history: History) -> tuple[TrialRecord, ...]:
    """Return the finished trials of a search in the order of their numbers."""
    records = []
    for trial in history.trials:
        outcome = history.outcome_of(trial.number)
        if outcome is None:
            continue
        configuration = trial.configuration
        records.append(
            TrialRecord(
                trial=trial.number,
                learner=history.problem.search_space.classifier_of(configuration),
                loss=outcome.loss,
                seconds=outcome.seconds,
                status=str(outcome.status),
                reason=outcome.reason,
                traceback=outcome.traceback,
                memory_mib=outcome.memory_mib,
                origin=str(trial.proposal.origin),
                configuration=plain_values(configuration),
            )
        )
    return tuple(records)


def leaderboard_frame(records: Sequence[TrialRecord], weights: Mapping[int, float]) -> pd.DataFrame:
    """Return the trials by rising loss, failures last, with their weights in the ensemble.

    Parameters
    ----------
    records : sequence of TrialRecord
        The trials.
    weights : mapping of int to float
        Weight by trial number; a trial that is not there has weight 0.
    """
    is_success = {record.trial: record.status == Status.SUCCESS for record in records}
    ordered = sorted(records, key=lambda r: (not is_success[r.trial], r.loss, r.trial))
    rows = [
        {
            "trial": record.trial,
            "learner": record.learner,
            "loss": record.loss,
            "seconds": record.seconds,
            "status": record.status,
            "weight": weights.get(record.trial, 0.0),
            "configuration": record.configuration,
        }
        for record in ordered
    ]
    return pd.DataFrame(rows, columns=list(_COLUMNS))
