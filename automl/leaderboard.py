"""The leaderboard: every trial of a search as a row, and how many ended in which way.

A trial that succeeded or failed is finished. A trial that ran when the search came to its end is
cancelled: it is neither finished nor failed.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from automl.configuration_text import configuration_text
from automl.history import History
from automl.trial import Status
from search_space.values import plain_values

_WIDEST_IN_HTML = 72  # characters
_ALL_COLUMNS = (
    *("display.max_columns", None),
    *("display.max_colwidth", None),
    *("display.expand_frame_repr", False),
    *("display.precision", 4),
)
_COLUMNS = ("trial", "learner", "loss", "seconds", "status", "weight", "configuration")
_NOT_FAILED = (Status.SUCCESS, Status.CANCELLED)


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """How many trials ended in which way.

    Attributes
    ----------
    by_status : mapping of str to int
        Number of trials by status.

    Examples
    --------
    >>> print(TrialCounts.of(["success", "timeout", "crashed", "timeout", "cancelled"]))
    4 trials finished, 3 failed (2 timeout, 1 crashed), 1 cancelled at the end
    """

    by_status: Mapping[str, int]

    @classmethod
    def of(cls, statuses: Iterable[str]) -> TrialCounts:
        """Count statuses."""
        return cls(Counter(map(str, statuses)))

    @property
    def n_cancelled(self) -> int:
        """Trials that the end of the search stopped."""
        return self.by_status.get(Status.CANCELLED, 0)

    @property
    def n_finished(self) -> int:
        """Trials that succeeded or failed."""
        return sum(self.by_status.values()) - self.n_cancelled

    @property
    def n_failed(self) -> int:
        """Trials that gave no model and were not cancelled."""
        return self.n_finished - self.by_status.get(Status.SUCCESS, 0)

    def __str__(self) -> str:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        failures = Counter({s: n for s, n in self.by_status.items() if is_failure(s)})
        kinds = ", ".join(f"{n} {status}" for status, n in failures.most_common())
        trials = "trial" if self.n_finished == 1 else "trials"
        return (
            f"{self.n_finished} {trials} finished, {self.n_failed} failed"
            f"{f' ({kinds})' if kinds else ''}"
            f"{f', {self.n_cancelled} cancelled at the end' if self.n_cancelled else ''}"
        )


def is_failure(status: str) -> bool:
    """Return whether a trial of this status finished without a model."""
    return status not in _NOT_FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """One trial that ended, in plain values, independent of the search space.

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
    """Return the trials of a search that ended, in the order of their numbers."""
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


class Leaderboard(pd.DataFrame):
    """A data frame that shows every column, also in a narrow terminal.

    Left alone, pandas would spend 50 characters on each configuration and leave out columns in the
    middle. Here the configuration is shortened to what the line has left; the cell keeps all of it.
    """

    @property
    def _constructor(self) -> type[Leaderboard]:
        return Leaderboard  # so that the first rows, or some of them, are shown like all

    def __repr__(self) -> str:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        if not self._has_configurations:
            return super().__repr__()
        with pd.option_context(*_ALL_COLUMNS):
            others = repr(pd.DataFrame(self.drop(columns="configuration")))
            used = max(map(len, others.splitlines()))
            return repr(self._shortened(shutil.get_terminal_size().columns - used - 2))

    def _repr_html_(self) -> str:
        frame = self._shortened(_WIDEST_IN_HTML) if self._has_configurations else pd.DataFrame(self)
        with pd.option_context(*_ALL_COLUMNS):
            return frame.to_html(
                notebook=True, max_rows=pd.get_option("display.max_rows"), show_dimensions=True
            )

    @property
    def _has_configurations(self) -> bool:
        return list(self.columns).count("configuration") == 1

    def _shortened(self, width: int) -> pd.DataFrame:
        """Return a plain frame whose configurations are texts."""
        width = max(width, len("configuration"))
        texts = [
            configuration_text(cell, width) if isinstance(cell, Mapping) else cell
            for cell in self["configuration"]
        ]
        return pd.DataFrame(self).assign(configuration=texts)


def leaderboard_frame(records: Sequence[TrialRecord], weights: Mapping[int, float]) -> Leaderboard:
    """Return the trials by rising loss, then failures, then cancelled trials, with their weights.

    Parameters
    ----------
    records : sequence of TrialRecord
        The trials.
    weights : mapping of int to float
        Weight by trial number; a trial that is not there has weight 0.
    """
    ordered = sorted(
        records,
        key=lambda r: (r.status == Status.CANCELLED, is_failure(r.status), r.loss, r.trial),
    )
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
    return Leaderboard(rows, columns=list(_COLUMNS))
