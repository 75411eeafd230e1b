"""A folder in the layout of openml-python's cache, read without being written to.

The package writes beside what it reads (pickles of what it parsed) and deletes the folder of what
it could not load. What one reading needs is therefore linked into a temporary folder first; pickles
that lie there are left alone, as whoever made them could run code in them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from automl.benchmark.optional_packages import optional_package
from automl.errors import InputError

_READ = (".xml", ".pq", ".arff")
_SKIP_PARQUET = "OPENML_SKIP_PARQUET"


def openml_package() -> Any:
    """Return the package openml, or say in one line how to get it."""
    return optional_package("openml", "Data sets and tasks of OpenML", extra="openml")


@contextmanager
def linked_cache(cache: Path, folders: tuple[Path, ...]) -> Iterator[None]:
    """Let the package openml read some folders of a cache, and nothing else.

    Its settings are those of the whole process: no other thread may use the package meanwhile.

    Parameters
    ----------
    cache : Path
        Root of the cache, the folder that holds ``org/openml/www``.
    folders : tuple of Path
        What is read, below that root.
    """
    config = openml_package().config
    own, skipped = config.get_config_as_dict()["cachedir"], os.environ.get(_SKIP_PARQUET)
    with tempfile.TemporaryDirectory(prefix="openml-") as temporary:
        for folder in folders:
            _link(folder, Path(temporary) / folder.relative_to(cache))
        config.set_root_cache_directory(temporary)
        if not any(any(folder.glob("*.pq")) for folder in folders):
            os.environ[_SKIP_PARQUET] = "true"  # it would be downloaded though there is ARFF
        try:
            yield
        finally:
            config.set_root_cache_directory(own)
            os.environ.pop(_SKIP_PARQUET, None)
            if skipped is not None:
                os.environ[_SKIP_PARQUET] = skipped


def is_cached(cache: Path, data_id: int) -> bool:
    """Return whether a cache holds a data set."""
    return (_folder(cache, "datasets", data_id) / "description.xml").is_file()


def dataset_folder(cache: Path, data_id: int) -> Path:
    """Return the folder of a data set that can be read without the server.

    Raises
    ------
    InputError
        If a file is missing, for which the package would ask the server.
    """
    folder = _folder(cache, "datasets", data_id)
    data = (f"dataset_{data_id}.pq", "dataset.pq", "dataset.arff")
    _check_complete(folder, ("description.xml",), ("features.xml",), data)
    return folder


def task_folder(cache: Path, task_id: int) -> Path:
    """Return the folder of a task that can be read without the server.

    Raises
    ------
    InputError
        If a file is missing, for which the package would ask the server.
    """
    folder = _folder(cache, "tasks", task_id)
    _check_complete(folder, ("task.xml",), ("datasplits.arff",))
    return folder


def data_id_of_task(folder: Path) -> int:
    """Return which data set a cached task is about."""
    path = folder / "task.xml"
    try:
        found = ElementTree.parse(path).findtext(".//{*}data_set_id")
        return int(found or "")
    except (ElementTree.ParseError, ValueError) as error:
        raise InputError(f"{path} names no data set: the file is damaged, replace it") from error


def _folder(cache: Path, kind: str, number: int) -> Path:
    config = openml_package().config
    root = Path(config.get_config_as_dict()["cachedir"])
    return cache / Path(config.get_cache_directory()).relative_to(root) / kind / str(number)


def _check_complete(folder: Path, *files: tuple[str, ...]) -> None:
    """Refuse a folder that lacks a file; of each tuple of names one has to be there."""
    for names in files:
        if not any((folder / name).is_file() for name in names):
            raise InputError(
                f"OpenML {folder.parent.name[:-1]} {folder.name} is not in the given cache: there "
                f"is no {folder / names[0]}. Give the root of a cache of openml-python that holds "
                "it, or no cache to have it downloaded."
            )


def _link(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        if path.suffix in _READ and path.is_file():
            (target / path.name).symlink_to(path.resolve())
