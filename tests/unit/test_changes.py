"""Reports of what was done to the user's data."""

from __future__ import annotations

from automl.changes import Change, pool_alike


def test_a_change_reads_as_a_sentence() -> None:
    assert str(Change("column 'a'", "dropped", "it has no values")) == (
        "column 'a' dropped: it has no values"
    )


def test_up_to_ten_alike_are_listed_one_by_one() -> None:
    changes = [Change(f"c{j}", "dropped", "empty") for j in range(10)]
    assert pool_alike(changes) == tuple(changes)


def test_more_than_ten_alike_are_one_entry_and_others_stay() -> None:
    changes = [Change(f"c{j}", "dropped", "empty") for j in range(11)]
    other = Change("d", "dropped", "constant")
    assert pool_alike([*changes[:5], other, *changes[5:]]) == (
        Change("c0, c1, c2 and 8 more", "dropped", "empty"),
        other,
    )
