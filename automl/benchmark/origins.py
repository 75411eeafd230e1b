"""What the runs of a report depend on, and whether they can be compared with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from automl.benchmark.stored_runs import Circumstances


def mixtures(runs: Sequence[tuple[str, Circumstances]]) -> tuple[str, ...]:
    """Return a line for everything that runs should have in common and have not.

    Parameters
    ----------
    runs : sequence of pairs
        Data set and circumstances of each.
    """
    lines = [
        *_mixed("settings", _values(one.settings for _, one in runs)),
        *_mixed("versions of packages", _values(one.versions for _, one in runs)),
    ]
    for dataset in dict.fromkeys(dataset for dataset, _ in runs):
        prints = Counter(one.data.rpartition(":")[2] for name, one in runs if name == dataset)
        lines += _mixed("data", {dataset: prints})
    return tuple(lines)


def _values(texts: Iterable[str]) -> dict[str, Counter[str]]:
    """Return how often each name of `name=value name=value` has which value."""
    found: dict[str, Counter[str]] = {}
    for text in texts:
        for word in text.split():
            name, _, value = word.partition("=")
            found.setdefault(name, Counter())[value] += 1
    return found


def _mixed(what: str, found: dict[str, Counter[str]]) -> list[str]:
    differing = [
        f"{name} " + ", ".join(f"{value or '(unknown)'} ({n})" for value, n in values.items())
        for name, values in found.items()
        if len(values) > 1
    ]
    if not differing:
        return []
    return [f"Runs with different {what} are mixed (number of runs): {'; '.join(differing)}."]
