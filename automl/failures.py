"""What failed in a search, one entry for each kind: how often, why, and the first traceback."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from automl.leaderboard import TrialRecord, is_failure
from automl.trial import Status

_HEAD_CHARACTERS = 60  # of a reason: the exception's type and how its message begins


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Trials that failed for one and the same reason.

    Attributes
    ----------
    status : str
        How they ended.
    reason : str
        What the first of them reported.
    count : int
        How many there are.
    first_trial : int
        Number of the first of them.
    traceback : str
        The traceback of the first that has one; empty where none has.
    """

    status: str
    reason: str
    count: int
    first_trial: int
    traceback: str

    def __str__(self) -> str:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.count} x {self.status}{why}, first in trial {self.first_trial}"


def kind_of_failure(status: str, reason: str) -> tuple[str, str]:
    """Return what failures for the same reason have in common, whatever numbers it mentions."""
    if status != Status.CRASHED:
        return status, ""
    return status, re.sub(r"\d+", "#", reason)[:_HEAD_CHARACTERS]


def failures_among(records: Sequence[TrialRecord]) -> tuple[Failure, ...]:
    """Return the kinds of failures, the most frequent first, the earlier first among equals.

    Parameters
    ----------
    records : sequence of TrialRecord
        Every trial that ended, in the order of their numbers.
    """
    kinds: dict[tuple[str, str], Failure] = {}
    for record in records:
        if not is_failure(record.status):
            continue
        kind = kind_of_failure(record.status, record.reason)
        known = kinds.get(kind) or Failure(
            status=record.status,
            reason=record.reason,
            count=0,
            first_trial=record.trial,
            traceback="",
        )
        kinds[kind] = replace(
            known, count=known.count + 1, traceback=known.traceback or record.traceback
        )
    return tuple(sorted(kinds.values(), key=lambda failure: -failure.count))
