"""Whether files can be made in a folder, found out before work that would be lost."""

from __future__ import annotations

import tempfile
from pathlib import Path

from automl.errors import InputError


def check_writable(folder: Path) -> None:
    """Raise InputError unless a file can be made in a folder and written to."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        raise _refusal(folder, error) from error


def make_writable(folder: Path) -> None:
    """Make a folder if it is not there, or raise InputError; see `check_writable`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(folder, error) from error
    check_writable(folder)


def _refusal(folder: Path, error: OSError) -> InputError:
    reason = error.strerror or error
    return InputError(
        f"no file can be written in folder {str(folder)!r}: {reason}; name another folder"
    )
