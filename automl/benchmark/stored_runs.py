"""Files of finished runs: what they depend on stands in their first line, and they appear whole.

The first line is a comment: settings, versions of packages, machine, with semicolons between.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO

from automl.errors import InputError
from automl.versions import package_versions


def is_stored(path: Path, settings: str) -> bool:
    """Return whether the file of a run is there.

    Raises
    ------
    InputError
        If the run had other settings.
    """
    if not path.exists():
        return False
    with path.open(encoding="utf-8") as file:
        found = file.readline().removeprefix("#").partition(";")[0].strip()
    if found != settings:
        raise InputError(f"{path} was run with {found}, not {settings}: name another folder.")
    return True


@contextmanager
def whole_file(path: Path, settings: str, packages: Sequence[str] = ()) -> Iterator[IO[str]]:
    """Open a file that appears under its name when all was written, and begin it.

    Parameters
    ----------
    path : Path
        Its name; its folder is made if it is not there.
    settings : str
        Of the run, without a semicolon.
    packages : sequence of str
        Names of packages that results depend on beside those of every search.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    with partial.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {settings}; {_circumstances(packages)}\n")
        yield file
    partial.replace(path)


def _circumstances(packages: Sequence[str]) -> str:
    versions = package_versions()
    for name in packages:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    known = " ".join(f"{name}={value}" for name, value in versions.items())
    return f"{known}; {platform.machine()} {platform.system()}"
