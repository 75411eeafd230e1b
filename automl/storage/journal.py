"""The journal of a search: one checksummed line for each proposal and outcome, append-only."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, Self

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

    A line that could not be written, or whose writing was interrupted, leaves nothing behind.

    Parameters
    ----------
    file : FileIO
        Where the next line goes. `create` and `continued` open it. While it is open, no other
        process can open it for writing.
    clock : callable
        Seconds of the search that were used.

    Raises
    ------
    InputError
        If another process writes to it.
    """

    def __init__(self, file: FileIO, clock: Clock) -> None:
        self._file = file
        self._clock = clock
        self._n_bytes, self._is_torn = 0, False  # of the lines that count; bytes behind them
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
        journal = cls(draft.open("wb", buffering=0), clock)
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
        journal = cls(path.open("r+b", buffering=0), clock)
        journal._n_bytes = n_bytes
        journal._take_back()
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
        line, file = as_line(record, self._clock()), self._file.fileno()
        if self._is_torn:
            self._take_back()
        try:
            self._is_torn = True
            _write_all(file, line, self._n_bytes)
            os.fsync(file)
        except BaseException:  # an interruption too: what did not return does not count
            with suppress(OSError):  # it is tried again before the next line
                self._take_back()
            raise
        self._is_torn = False
        self._n_bytes += len(line)

    def _take_back(self) -> None:
        """Cut off what is behind the lines that count."""
        os.ftruncate(self._file.fileno(), self._n_bytes)
        self._is_torn = False


def _write_all(file: int, content: bytes, offset: int) -> None:
    """Write bytes from an offset on; one call may write a part of them."""
    view, written = memoryview(content), 0
    while written < len(content):
        written += os.pwrite(file, view[written:], offset + written)
