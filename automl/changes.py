"""What was done to the user's data or arguments, so that nothing is done in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LISTED_ONE_BY_ONE = 10
_NAMED_IN_A_POOL = 3


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was dropped, converted, pooled or ignored.

    Attributes
    ----------
    subject : str
        What it happened to, e.g. ``column 'age'``.
    action : str
        What happened, in the past tense.
    reason : str
        Why, and what became of the values concerned.
    """

    subject: str
    action: str
    reason: str

    def __str__(self) -> str:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        return f"{self.subject} {self.action}: {self.reason}"


def pool_alike(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return the changes with one entry where the same befell more than ten subjects.

    A table of thousands of columns would otherwise hide what is worth reading.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        alike.setdefault((change.action, change.reason), []).append(change.subject)
    return tuple(
        Change(subject, action, reason)
        for (action, reason), subjects in alike.items()
        for subject in _named(subjects)
    )


def _named(subjects: list[str]) -> list[str]:
    if len(subjects) <= _LISTED_ONE_BY_ONE:
        return subjects
    first = ", ".join(subjects[:_NAMED_IN_A_POOL])
    return [f"{first} and {len(subjects) - _NAMED_IN_A_POOL:,} more"]
