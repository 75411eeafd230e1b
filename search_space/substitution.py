"""A published value that today's libraries refuse, and what stands in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Substitution:
    """One departure from a published search space.

    Attributes
    ----------
    hyperparameter : str
        Name in the search space, such as ``"preprocessor:fast_ica:whiten"``.
    paper_value : str
        Range or value that was published.
    used_value : str
        Range or value that is used.
    reason : str
        Why the published value cannot be used, as half a sentence.
    """

    hyperparameter: str
    paper_value: str
    used_value: str
    reason: str


def substitution_table(substitutions: Sequence[Substitution]) -> str:
    """Return substitutions as a Markdown table."""
    rows = [
        f"| `{s.hyperparameter}` | {s.paper_value} | {s.used_value} | {s.reason} |"
        for s in substitutions
    ]
    head = ["| hyperparameter | published | used here | why |", "|---|---|---|---|"]
    return "\n".join([*head, *rows])
