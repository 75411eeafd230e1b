"""Words of messages: what a mistyped name was meant to be, which there are, and how many."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

_MOST_NAMED = 20


def did_you_mean(
    name: str, known: Iterable[str], *, most: int = 3, mark: str = "'", cutoff: float = 0.6
) -> str:
    """Return a question that names what is close to a name, or nothing.

    Parameters
    ----------
    name : str
        As it was typed.
    known : iterable of str
        Names that exist.
    most : int
        Names at most, the closest ones.
    mark : str
        What a suggestion is put between.
    cutoff : float
        How alike a name has to be, from 0 to 1, as `difflib` measures it.

    Examples
    --------
    >>> did_you_mean("RISC", ["risk", "age"])
    "; did you mean 'risk'?"
    >>> did_you_mean("--time-limi", ["--trial-time-limit", "--time-limit"], most=1, mark="")
    '; did you mean --time-limit?'
    >>> did_you_mean("income", ["age"])
    ''
    """
    by_lower_case: dict[str, list[str]] = {}
    for candidate in known:
        by_lower_case.setdefault(candidate.casefold(), []).append(candidate)
    close = difflib.get_close_matches(name.casefold(), by_lower_case, n=most, cutoff=cutoff)
    meant = [f"{mark}{spelling}{mark}" for lower in close for spelling in by_lower_case[lower]]
    return f"; did you mean {' or '.join(meant)}?" if meant else ""


def names_in_words(names: Sequence[str]) -> str:
    """Return names between quotation marks, the first twenty of many.

    Examples
    --------
    >>> names_in_words(["age", "risk"])
    "'age', 'risk'"
    """
    listed = ", ".join(map(repr, names[:_MOST_NAMED]))
    n_more = len(names) - _MOST_NAMED
    return f"{listed} and {n_more} more" if n_more > 0 else listed


def counted(n: int, what: str, plural: str = "s") -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> counted(1, "search", "es"), counted(2, "search", "es")
    ('1 search', '2 searches')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}{plural}"
