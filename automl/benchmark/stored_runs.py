"""Files of finished runs: what they depend on stands in their first line, and they appear whole.

The first line is a comment: settings, versions of packages, machine and, where a run has any, the
fingerprints of its data, with semicolons between.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Self

from automl.errors import InputError
from automl.optimizers.rules import RULES
from automl.versions import package_versions


class DamagedRunError(InputError):
    """A file of finished runs or measurements is not what it was when it was written."""

    @classmethod
    def of(cls, path: Path, fault: str = "is damaged") -> Self:
        """Return the error.

        Parameters
        ----------
        path : Path
            Of the file.
        fault : str
            What is wrong with it, as what follows its name.
        """
        # No constructor of its own: one that does not take the message cannot be unpickled.
        return cls(f"{path} {fault}: delete it and run again.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What the results of a run depend on beside its name, each as `name=value name=value`.

    Attributes
    ----------
    settings : str
        Of the run, without a semicolon.
    versions : str
        Of packages, and of the optimisers' rules.
    machine : str
        Where it was run: told, and not compared.
    data : str
        Fingerprints of data sets as `name:value,name:value`, empty if nobody knows.
    """

    settings: str
    versions: str = ""
    machine: str = ""
    data: str = ""

    @classmethod
    def now(cls, settings: str, packages: Sequence[str] = (), data: str = "") -> Self:
        """Return those of a run of this process.

        Parameters
        ----------
        settings : str
            Of the run.
        packages : sequence of str
            Names of packages that results depend on beside those of every search.
        data : str
            Fingerprints of data sets.
        """
        return cls(
            settings=settings,
            versions=_versions(tuple(packages)),
            machine=f"{platform.machine()} {platform.system()}",
            data=data,
        )

    @classmethod
    def of_file(cls, path: Path) -> Self:
        """Return those that the first line of a file tells."""
        with path.open(encoding="utf-8", errors="replace") as file:
            line = file.readline().removeprefix("#")
        parts = [*(part.strip() for part in line.split(";")), "", "", ""]
        return cls(
            settings=parts[0],
            versions=parts[1],
            machine=parts[2],
            data=parts[3].removeprefix("data="),
        )

    def __str__(self) -> str:
        told = f"{self.settings}; {self.versions}; {self.machine}"
        return f"{told}; data={self.data}" if self.data else told

    def check(self, path: Path) -> None:
        """Compare with a file: its settings, and versions and data where both are known.

        Raises
        ------
        InputError
            If they differ.
        DamagedRunError
            If the file tells nothing.
        """
        found = Circumstances.of_file(path)
        if not found.settings:
            raise DamagedRunError.of(path)
        if found.settings != self.settings:
            raise InputError(
                f"{path} was run with {found.settings}, not {self.settings}: name another folder."
            )
        if differing := _differences(_with_rules(found.versions), self.versions):
            raise InputError(
                f"{path} was run with {', '.join(differing)}: install these versions, or name "
                "another folder; rules are those of divbo's optimisers."
            )
        theirs, ours = found.data.replace(",", " "), self.data.replace(",", " ")
        if differing := _differences(theirs, ours, ":"):
            raise InputError(
                f"{path} was run on other data than there are now under that name (fingerprint of "
                f"{', '.join(differing)}): name another folder."
            )


def is_stored(path: Path, circumstances: Circumstances) -> bool:
    """Return whether the file of a run is there.

    Raises
    ------
    InputError
        If the run had other settings, versions of packages or data.
    """
    if not path.exists():
        return False
    circumstances.check(path)
    return True


@contextmanager
def whole_file(path: Path, circumstances: Circumstances) -> Iterator[IO[str]]:
    """Open a file that appears under its name when all was written, and begin it.

    Parameters
    ----------
    path : Path
        Its name; its folder is made if it is not there.
    circumstances : Circumstances
        Of the run.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        with partial.open("w", newline="", encoding="utf-8") as file:
            file.write(f"# {circumstances}\n")
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)  # there only if it was not finished


@lru_cache
def _versions(packages: tuple[str, ...]) -> str:
    """Return what does not change while a process runs."""
    versions = package_versions() | {"rules": str(RULES)}
    for name in packages:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return " ".join(f"{name}={value}" for name, value in versions.items())


def _with_rules(versions: str) -> str:
    """Return versions with the rules of files that tell of none: they were written before 2."""
    return f"{versions} rules=1" if versions and "rules=" not in versions else versions


def _differences(found: str, wanted: str, sign: str = "=") -> list[str]:
    """Return which values differ of the names that both have."""
    theirs, ours = _named(found, sign), _named(wanted, sign)
    return [
        f"{name} {value}, not {ours[name]}"
        for name, value in theirs.items()
        if ours.get(name, value) != value
    ]


def _named(text: str, sign: str) -> dict[str, str]:
    pairs = (word.partition(sign) for word in text.split())
    return {name: value for name, _, value in pairs}
