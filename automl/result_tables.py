"""Results of a search as plain text, for the command line and the demonstration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from automl.configuration_text import configuration_text, shortened
from automl.ensembles.weighted_ensemble import WeightedEnsemble
from automl.failures import Failure, failures_among
from automl.leaderboard import TrialCounts, TrialRecord, is_failure
from automl.trial import Status


def leaderboard_text(board: pd.DataFrame, *, top: int) -> str:
    """Return the successful trials with the lowest losses as a table.

    Parameters
    ----------
    board : DataFrame
        As `AutoClassifier.leaderboard` returns it.
    top : int
        Rows at most.
    """
    successes = board[board["status"] == Status.SUCCESS]
    rows = [
        (
            str(row["trial"]),
            str(row["learner"]),
            loss_text(row["loss"]),
            f"{row['seconds']:.1f}",
            f"{row['weight']:.2f}" if row["weight"] > 0.0 else "",
            configuration_text(row["configuration"]),
        )
        for row in successes.head(top).to_dict("records")
    ]
    table = text_table(
        ("trial", "learner", "loss", "seconds", "weight", "configuration"), rows, left=(1, 5)
    )
    return f"{table}{len(rows)} of {len(successes)} models; {TrialCounts.of(board['status'])}.\n"


def failures_text(trials: Sequence[TrialRecord], *, top: int) -> str:
    """Return the trials that failed, and why, as a table of at most `top` rows, then the kinds."""
    failures = [trial for trial in trials if is_failure(trial.status)]
    rows = [
        (
            str(trial.trial),
            trial.learner,
            trial.status,
            f"{trial.seconds:.1f}",
            shortened(trial.reason),
        )
        for trial in failures[:top]
    ]
    table = text_table(("trial", "learner", "status", "seconds", "reason"), rows, left=(1, 2, 4))
    counts = TrialCounts.of(trial.status for trial in trials)
    kinds = "".join(map(_failure_text, failures_among(trials)))
    return f"{table}{len(rows)} of {len(failures)} failures; {counts}.\n{kinds}"


def _failure_text(failure: Failure) -> str:
    """Return how often something failed and its first traceback, after an empty line."""
    return "\n".join(["", str(failure), *failure.traceback.rstrip().splitlines(), ""])


def trial_text(trial: TrialRecord, weight: float) -> str:
    """Return all that is known of a trial: a line for each value, then what went wrong."""
    facts = {
        "trial": trial.trial,
        "learner": trial.learner,
        "status": trial.status,
        "loss": loss_text(trial.loss),
        "weight": f"{weight:.4g}",
        "seconds": f"{trial.seconds:.2f}",
        "memory": f"{trial.memory_mib:.0f} MiB",
        "origin": trial.origin,
    }
    lines = [*_aligned(facts), "", "configuration", *_aligned(trial.configuration, indent="  ")]
    if trial.reason:
        lines += ["", f"reason: {trial.reason}"]
    if trial.traceback:
        lines += ["", trial.traceback.rstrip()]
    return "\n".join(lines) + "\n"


def _aligned(values: Mapping[str, Any], *, indent: str = "") -> list[str]:
    """Return a line for each value, in full, its name before it."""
    width = max(map(len, values), default=0)
    return [f"{indent}{name:<{width}}  {value}" for name, value in values.items()]


def ensemble_text(ensemble: WeightedEnsemble) -> str:
    """Return the members of an ensemble and their weights as a table."""
    rows = [
        (
            f"{member.weight:.2f}",
            "none" if ensemble.is_baseline else str(member.number),
            "class frequencies" if ensemble.is_baseline else member.learner,
            loss_text(member.loss),
            "all rows" if member.is_refitted else f"{len(member.models)} splits",
        )
        for member in ensemble.members
    ]
    return text_table(("weight", "trial", "learner", "loss", "fitted on"), rows, left=(2, 4))


def loss_text(loss: float) -> str:
    """Return a loss in five digits, or "none" where there is no model to have one.

    Examples
    --------
    >>> loss_text(0.1234567), loss_text(float("inf"))
    ('0.12346', 'none')
    """
    return f"{loss:.5g}" if math.isfinite(loss) else "none"


def text_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, left: Iterable[int] = ()
) -> str:
    r"""Return a table with two blanks between its columns, each line ended.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.
    rows : sequence of sequence of str
        Cells.
    left : iterable of int
        Columns of words; the others are flush right.

    Examples
    --------
    >>> text_table(("n", "name"), [("10", "lda")], left=(1,))
    ' n  name\n10  lda\n'
    """
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    to_left = set(left)
    return "".join(
        "  ".join(
            cell.ljust(width) if j in to_left else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        + "\n"
        for line in lines
    )
