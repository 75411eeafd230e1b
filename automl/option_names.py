"""Messages about parameters of `AutoClassifier` in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from automl.errors import InputError

OPTIONS: Mapping[str, str] = {
    "time_limit": "--time-limit",
    "n_trials": "--trials",
    "trial_time_limit": "--trial-time-limit",
    "memory_limit": "--memory-limit",
    "n_jobs": "--jobs",
    "scoring": "--scoring",
    "cv": "--cv",
    "class_weight": "--class-weight",
    "optimizer": "--optimizer",
    "surrogate": "--surrogate",
    "acquisition": "--acquisition",
    "search_space": "--search-space",
    "include": "--include",
    "exclude": "--exclude",
    "ensemble_size": "--ensemble-size",
    "refit": "--no-refit",
    "work_dir": "--work-dir",
    "resume": "--resume",
    "deterministic": "--deterministic",
    "random_state": "--seed",
    "verbose": "--verbose",
}
"""The option of each parameter that the command line has."""

_QUOTED = r"(?<!\w)'[^']*'(?!\w)|(?<!\w)\"[^\"]*\"(?!\w)"
# These are also words: they are parameters only where messages put parameters.
_WORDS = tuple(name for name in OPTIONS if "_" not in name)
_PARAMETER = re.compile(
    rf"(?P<quoted>{_QUOTED})"
    rf"|(?<![\w-])(?P<name>{'|'.join(name for name in OPTIONS if '_' in name)})(?!\w)=?"
    rf"|(?:^|(?<=\bin ))(?P<first>{'|'.join(_WORDS)})(?!\w)=?"
    rf"|(?<![\w-])(?P<word>{'|'.join(_WORDS)})(?:=|(?=:))"
)
_DATA = re.compile(rf"{_QUOTED}|(?<![\w'-])[Xy](?![\w'-])|\bAutoClassifier\b")


def in_options(message: str) -> str:
    """Return a message with options in place of parameters; what is quoted stays.

    Examples
    --------
    >>> in_options("Raise time_limit or memory_limit; cv=5 folds of column 'cv' fail")
    "Raise --time-limit or --memory-limit; --cv 5 folds of column 'cv' fail"
    """

    def replaced(found: re.Match[str]) -> str:
        if found["quoted"]:
            return found[0]
        option = OPTIONS[found["name"] or found["first"] or found["word"]]
        return f"{option} " if found[0].endswith("=") else option

    return _PARAMETER.sub(replaced, message)


@contextmanager
def as_options(table: Path, target: str) -> Iterator[None]:
    """Let errors of an estimator name options, the table's file and the target's column.

    Parameters
    ----------
    table : Path
        What the estimator calls ``X``.
    target : str
        Name of the column that the estimator calls ``y``.
    """
    words = {"X": repr(str(table)), "y": f"--target {target!r}", "AutoClassifier": "automl"}
    try:
        yield
    except InputError as error:
        message = _DATA.sub(lambda found: words.get(found[0], found[0]), error.message)
        raise InputError(in_options(message)) from error
