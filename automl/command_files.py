"""Where commands write: checked before they start, so that nothing is lost at their end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from automl.errors import InputError
from automl.writable import check_writable


def check_new_file(option: str, path: Path, *, read: Sequence[Path], may_exist: bool) -> None:
    """Raise InputError unless a file can be made, or replaced where that is asked for.

    Parameters
    ----------
    option : str
        The option that names the file.
    path : Path
        The file.
    read : sequence of Path
        Files that the command reads; they are never replaced.
    may_exist : bool
        Whether another file is replaced.
    """
    if path.is_dir():
        raise InputError(f"{option} {str(path)!r} is a folder; name a file in it")
    if path.exists():
        if any(given.exists() and path.samefile(given) for given in read):
            raise InputError(f"{option} {str(path)!r} would overwrite what is read")
        if not may_exist:
            raise InputError(f"{option} {str(path)!r} exists; --force overwrites it")
    check_writable(path.resolve().parent)


def check_new_folder(option: str, path: Path) -> None:
    """Raise InputError unless files can be made in a folder, there or still to be made."""
    nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
    if nearest == path and not path.is_dir():
        raise InputError(f"{option} {str(path)!r} is a file; name a folder")
    if not nearest.is_dir():
        raise InputError(f"{option} {str(path)!r}: {str(nearest)!r} is a file, not a folder")
    check_writable(nearest)
