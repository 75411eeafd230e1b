"""The journal of a search: one checksummed line for each proposal and outcome, append-only."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

from automl.errors import InputError
from automl.storage.journal_records import (
    JournalHeader,
    as_line,
    header_record,
    outcome_record,
    reopened_record,
    trial_record,
)
from automl.trial import Outcome, Trial

Clock = Callable[[], float]


class Journal:
    """Writes what happens to a file before it counts; `read_journal` reads it back.

    Parameters
    ----------
    file : binary file
        Where the next line goes. `create` and `continued` open it. While it is open, no other
        process can open it for writing.
    clock : callable
        Seconds of the search that were used.

    Raises
    ------
    InputError
        If another process writes to it.
    """

    def __init__(self, file: BinaryIO, clock: Clock) -> None:
        self._file = file
        self._clock = clock
        try:
            import fcntl  # not there on Windows, where models predict all the same

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise InputError(
                f"work_dir: another fit writes to {file.name!r} ({error.strerror}); wait for its "
                "end or choose another folder"
            ) from error

    @classmethod
    def create(cls, path: Path, header: JournalHeader, clock: Clock) -> Self:
        """Begin a journal; the file must not exist yet. It never exists without its header."""
        if path.exists():
            raise FileExistsError(f"{path} exists")
        draft = path.with_name(f"{path.name}.partial")
        journal = cls(draft.open("wb"), clock)
        try:
            journal._append(header_record(header))
            draft.rename(path)
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def continued(cls, path: Path, n_bytes: int, clock: Clock) -> Self:
        """Go on with a journal after its first `n_bytes`; a torn line behind them is cut off."""
        journal = cls(path.open("r+b"), clock)
        journal._file.truncate(n_bytes)
        journal._file.seek(n_bytes)
        return journal

    def write_trial(self, trial: Trial) -> None:
        """Write a proposal that was taken up."""
        self._append(trial_record(trial))

    def write_outcome(self, outcome: Outcome) -> None:
        """Write how a trial ended."""
        self._append(outcome_record(outcome))

    def write_reopened(self, number: int) -> None:
        """Write that the outcome of a trial does not count any more."""
        self._append(reopened_record(number))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _append(self, record: Mapping[str, Any]) -> None:
        self._file.write(as_line(record, self._clock()))
        self._file.flush()
        os.fsync(self._file.fileno())
