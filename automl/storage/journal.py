"""The journal of a search: one checksummed line for each proposal and outcome, append-only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

from automl.storage.journal_records import (
    JournalHeader,
    as_line,
    header_record,
    outcome_record,
    trial_record,
)
from automl.trial import Outcome, Trial


class Journal:
    """Writes what happens to a file before it counts; `read_journal` reads it back.

    Parameters
    ----------
    file : binary file
        Where the next line goes. `create` and `continued` open it.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    @classmethod
    def create(cls, path: Path, header: JournalHeader) -> Self:
        """Begin a journal; the file must not exist yet."""
        journal = cls(path.open("xb"))
        journal._append(header_record(header))
        return journal

    @classmethod
    def continued(cls, path: Path, n_bytes: int) -> Self:
        """Go on with a journal after its first `n_bytes`; a torn line behind them is cut off."""
        file = path.open("r+b")
        file.truncate(n_bytes)
        file.seek(n_bytes)
        return cls(file)

    def write_trial(self, trial: Trial) -> None:
        """Write a proposal that was taken up."""
        self._append(trial_record(trial))

    def write_outcome(self, outcome: Outcome) -> None:
        """Write how a trial ended."""
        self._append(outcome_record(outcome))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _append(self, record: Mapping[str, Any]) -> None:
        self._file.write(as_line(record))
        self._file.flush()
        os.fsync(self._file.fileno())
