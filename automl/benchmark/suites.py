"""Named lists of data sets; a checkout keeps them as tables in ``datasets/suites``."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from automl.benchmark.bundled import load_bundled
from automl.benchmark.openml_data import StudyData, load_dataset
from automl.benchmark.openml_files import is_cached
from automl.errors import InputError
from automl.suggestions import did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteEntry:
    """One data set of a suite; sizes that are not known for certain are None.

    Attributes
    ----------
    name : str
        What the suite calls it.
    data_id : int
        Its number at OpenML.
    also : int or None
        Number of another data set at OpenML that holds the same table.
    task_id : int or None
        Number of the suite's task on it.
    rows, columns, classes : int or None
        Its size; columns without the target.
    is_bundled : bool
        Whether it comes with the project.
    """

    name: str
    data_id: int
    also: int | None
    task_id: int | None
    rows: int | None
    columns: int | None
    classes: int | None
    is_bundled: bool


def suite_names() -> tuple[str, ...]:
    """Return the names of the suites, sorted."""
    return tuple(sorted(path.stem for path in _folder().glob("*.csv")))


def suite(name: str) -> tuple[SuiteEntry, ...]:
    """Return the data sets of a suite.

    Parameters
    ----------
    name : str
        One of `suite_names`.

    Raises
    ------
    InputError
        If there is no suite of that name.

    Examples
    --------
    >>> [entry.name for entry in suite("quick")]
    ['quake', 'spambase', 'satimage', 'credit-g']
    """
    names = suite_names()
    if name not in names:  # also keeps a name such as "../secret" from being a path
        hint = did_you_mean(name, names, most=1, cutoff=0.5) or ";"
        known = ", ".join(names) or f"none, {_folder()} holds no table"
        raise InputError(f"no suite is called {name!r}{hint} there are: {known}")
    with (_folder() / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_entry(row) for row in csv.DictReader(file))


def load_entry(entry: SuiteEntry, *, cache: Path | None = None) -> StudyData:
    """Return a data set of a suite under the name that the suite gives it.

    Parameters
    ----------
    entry : SuiteEntry
        Which one.
    cache : Path or None
        As for `load_dataset`; of the same table's numbers, the first that is there is taken.

    Raises
    ------
    InputError
        If it cannot be had, or has another size than the suite tells.
    """
    if entry.is_bundled:
        X, y = load_bundled(entry.name)
        data = StudyData(name=entry.name, data_id=entry.data_id, X=X, y=y)
    else:
        loaded = load_dataset(_data_id(entry, cache), cache=cache)
        data = StudyData(name=entry.name, data_id=loaded.data_id, X=loaded.X, y=loaded.y)
    _check_size(entry, data)
    return data


def _data_id(entry: SuiteEntry, cache: Path | None) -> int:
    """Return the number that a cache has the table under."""
    if entry.also is None or cache is None or is_cached(cache, entry.data_id):
        return entry.data_id
    return entry.also if is_cached(cache, entry.also) else entry.data_id


def _check_size(entry: SuiteEntry, data: StudyData) -> None:
    found = (*data.X.shape, data.y.nunique())
    told = (entry.rows, entry.columns, entry.classes)
    if any(size is not None and size != seen for size, seen in zip(told, found, strict=True)):
        raise InputError(
            f"data set {data.data_id} has {found[0]} rows, {found[1]} columns and {found[2]} "
            f"classes, but the suite tells {told[0]}, {told[1]} and {told[2]} of {entry.name}: it "
            "is another table than the suite means"
        )


def _entry(row: dict[str, str]) -> SuiteEntry:
    return SuiteEntry(
        name=row["name"],
        data_id=int(row["data_id"]),
        also=_number(row["also"]),
        task_id=_number(row["task_id"]),
        rows=_number(row["rows"]),
        columns=_number(row["columns"]),
        classes=_number(row["classes"]),
        is_bundled=row["source"] == "bundled",
    )


def _number(text: str) -> int | None:
    return int(text) if text else None


def _folder() -> Path:
    """Return where the tables are: inside the package in a wheel, beside it in a checkout."""
    packaged = Path(__file__).parent / "suite_tables"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "datasets" / "suites"
