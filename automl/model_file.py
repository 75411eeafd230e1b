"""A fitted estimator as a file: one line that says what it is, then a joblib pickle.

The line is read before the pickle, so that a file of another kind is never loaded, and a damaged
one or one of other versions is called what it is. It is no protection: whoever can write the file
can write the line. Loading a model file runs code that is in it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import joblib
from sklearn.exceptions import InconsistentVersionWarning

from automl.errors import AutoMLWarning, InputError
from automl.estimator import AutoClassifier

_MAGIC = b"divbo model "
_FORMAT = 2  # 1 kept the trials under another name
_LONGEST_HEAD = 10_000  # bytes
_PACKAGES = ("divbo", "scikit-learn", "numpy", "pandas", "lightgbm", "xgboost-cpu")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedModel:
    """What a model file holds.

    Attributes
    ----------
    estimator : AutoClassifier
        Fitted.
    target : str
        Name of the column that it predicts.
    """

    estimator: AutoClassifier
    target: str


def check_writable(folder: Path) -> None:
    """Raise InputError unless files can be made in a folder, found out by making one."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"no file can be written in folder {str(folder)!r}: {reason}") from error


def save_model(path: Path, model: SavedModel) -> None:
    """Write a model file; at any moment the path holds either the old file or the whole new one.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    content = io.BytesIO()
    joblib.dump(model, content)
    head = {
        "format": _FORMAT,
        "blake2b": hashlib.blake2b(content.getbuffer()).hexdigest(),
        "versions": _versions(),
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


def load_model(path: Path) -> SavedModel:
    """Read a model file; this runs code that is in it, so only load files you trust.

    Raises
    ------
    InputError
        If it cannot be read, is no model file, is damaged, or needs packages in other versions.
    """
    try:
        with path.open("rb") as file:
            head = _read_head(path, file)
            return _read_model(path, file, head["versions"])
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{str(path)!r} cannot be read: {reason}") from error


def _read_head(path: Path, file: io.BufferedReader) -> dict[str, Any]:
    """Return the first line's content and leave the file at the start of the pickle."""
    line = file.readline(_LONGEST_HEAD)
    if not line.startswith(_MAGIC):
        raise InputError(f"{str(path)!r} is not a model file of automl")
    try:
        head: dict[str, Any] = json.loads(line.removeprefix(_MAGIC))
    except ValueError as error:
        raise InputError(f"{str(path)!r} is damaged") from error
    if head["format"] != _FORMAT:
        raise InputError(
            f"{str(path)!r} has format {head['format']}, this version reads format {_FORMAT}; it "
            f"was written with {_in_words(head['versions'])}"
        )
    start = file.tell()
    if hashlib.file_digest(file, "blake2b").hexdigest() != head["blake2b"]:
        raise InputError(f"{str(path)!r} is damaged or was not copied in full")
    file.seek(start)
    return head


def _read_model(path: Path, file: io.BufferedReader, written: Mapping[str, str]) -> SavedModel:
    """Return what the pickle holds, with one warning where versions differ."""
    here = _versions()
    other = {name: v for name, v in written.items() if here.get(name) != v}
    try:
        with warnings.catch_warnings():
            # scikit-learn warns once for every part of a pipeline.
            warnings.simplefilter("ignore", InconsistentVersionWarning)
            model = joblib.load(file)
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"{str(path)!r} cannot be loaded here ({error}); it was written with "
            f"{_in_words(written)}"
        ) from error
    if not isinstance(model, SavedModel):
        raise InputError(f"{str(path)!r} is not a model file of automl")
    if other:
        current = _in_words({name: here.get(name, "none") for name in other})
        warnings.warn(
            f"{str(path)!r} was written with {_in_words(other)}, here are {current}; predictions "
            "may differ",
            AutoMLWarning,
            stacklevel=3,
        )
    return model


def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # a bare checkout, or xgboost in its other distribution
        return "unknown"


def _in_words(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {v}" for name, v in versions.items())
