"""Model files on disk: one line that says what the file is, then a zip archive of named parts.

The line is read before anything else, so that a file of another kind is recognised, and a damaged
one or one of another format is called what it is.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from automl.errors import InputError
from automl.versions import package_versions

_MAGIC = b"divbo model "
_FORMAT = 2
_LONGEST_HEAD = 10_000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelArchive:
    """The content of a model file.

    Attributes
    ----------
    parts : mapping of str to bytes
        What it holds, by name.
    versions : mapping of str to str
        Python and the packages that it was written with.
    """

    parts: Mapping[str, bytes]
    versions: Mapping[str, str]

    @property
    def other_versions(self) -> dict[str, tuple[str, str]]:
        """Version at writing and version here, for each package in which they differ."""
        here = package_versions()
        return {
            name: (written, here.get(name, "none"))
            for name, written in self.versions.items()
            if here.get(name) != written
        }


def write_archive(path: Path, parts: Mapping[str, bytes]) -> None:
    """Write a model file; at any moment the path holds either the old file or the whole new one.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    content = io.BytesIO()
    with ZipFile(content, "w") as archive:  # the parts are compressed already
        for name, part in parts.items():
            archive.writestr(name, part)
    head = {
        "format": _FORMAT,
        "blake2b": hashlib.blake2b(content.getbuffer()).hexdigest(),
        "versions": package_versions(),
    }
    path = path.resolve()  # a link stays a link
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with unfinished.open("xb") as file:
            file.write(_MAGIC + json.dumps(head).encode() + b"\n")
            file.write(content.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{str(path)!r} cannot be written: {reason}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def read_archive(path: Path) -> ModelArchive:
    """Read a model file; nothing that is in it is made into objects.

    Raises
    ------
    InputError
        If it cannot be read, is no model file, is damaged, or has another format.
    """
    try:
        with path.open("rb") as file:
            head = _read_head(path, file)
            content = file.read()
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{str(path)!r} cannot be read: {reason}") from error
    if hashlib.blake2b(content).hexdigest() != head["blake2b"]:
        raise InputError(f"{str(path)!r} is damaged or was not copied in full")
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
    except BadZipFile as error:
        raise InputError(f"{str(path)!r} is damaged") from error
    return ModelArchive(parts=parts, versions=head["versions"])


def _read_head(path: Path, file: io.BufferedReader) -> Mapping[str, Any]:
    """Return the content of the first line."""
    line = file.readline(_LONGEST_HEAD)
    if not line.startswith(_MAGIC):
        raise InputError(f"{str(path)!r} is not a model file of automl")
    try:
        head: dict[str, Any] = json.loads(line.removeprefix(_MAGIC))
        written = in_words({str(k): str(v) for k, v in head["versions"].items()})
        format_, _ = head["format"], head["blake2b"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{str(path)!r} is damaged") from error
    if format_ != _FORMAT:
        raise InputError(
            f"{str(path)!r} has format {format_}, this version reads format {_FORMAT}; it was "
            f"written with {written}"
        )
    return head


def in_words(versions: Mapping[str, str]) -> str:
    """Return versions as they are put in a message."""
    return ", ".join(f"{name} {v}" for name, v in versions.items())
