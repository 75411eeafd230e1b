"""What can be wrong with a request for a search space."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SearchSpaceError(ValueError):
    """The search space is empty, malformed, or does not fit the task."""


_MOST_LISTED = 40


def unknown_names(argument: str, names: Iterable[str], legal: Iterable[str]) -> str:
    """Return a message that names the argument, what is unknown in it and what is meant perhaps.

    Parameters
    ----------
    argument : str
        Name of the argument as its caller wrote it.
    names : iterable of str
        Unknown names.
    legal : iterable of str
        Names that would have been accepted.

    Examples
    --------
    >>> unknown_names("include", ["lightgmb"], ["lightgbm", "lda"])
    "include: unknown name 'lightgmb' (close: 'lightgbm'); legal names are 'lda', 'lightgbm'"
    """
    known = sorted(set(legal))
    listed = ", ".join(map(repr, known[:_MOST_LISTED]))
    more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
    described = []
    for name in names:
        close = difflib.get_close_matches(name, known)
        hint = f" (close: {', '.join(map(repr, close))})" if close else ""
        described.append(f"unknown name {name!r}{hint}")
    return f"{argument}: {', '.join(described)}; legal names are {listed}{more}"
