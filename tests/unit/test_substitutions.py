"""The table of what differs from the published space is the one that the code holds."""

from __future__ import annotations

from pathlib import Path

import search_space
from search_space import PAPER_SUBSTITUTIONS
from search_space.substitution import substitution_table

DOCUMENT = Path(search_space.__path__[0]) / "SUBSTITUTIONS.md"


def test_the_document_holds_the_table_of_the_code() -> None:
    assert substitution_table(PAPER_SUBSTITUTIONS) in DOCUMENT.read_text(encoding="utf-8")


def test_every_entry_says_what_and_why() -> None:
    for entry in PAPER_SUBSTITUTIONS:
        assert all((entry.hyperparameter, entry.paper_value, entry.used_value, entry.reason))
