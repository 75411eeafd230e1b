"""Results of a search as plain text, for the command line and the demonstration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from automl.ensembles.weighted_ensemble import WeightedEnsemble
from automl.leaderboard import TrialCounts, is_failure
from automl.trial import Status

_WIDEST_CELL = 72  # characters
_LEFT_OUT = ("empty", "none")  # components that change nothing


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


def failures_text(board: pd.DataFrame, *, top: int) -> str:
    """Return the trials that failed as a table, the parameters as for `leaderboard_text`."""
    failures = board[board["status"].map(is_failure).astype(bool)]
    told = "reason" if "reason" in board else "configuration"
    rows = [
        (
            str(row["trial"]),
            str(row["learner"]),
            str(row["status"]),
            f"{row['seconds']:.1f}",
            shortened(row["reason"])
            if told == "reason"
            else configuration_text(row["configuration"]),
        )
        for row in failures.head(top).to_dict("records")
    ]
    table = text_table(("trial", "learner", "status", "seconds", told), rows, left=(1, 2, 4))
    return f"{table}{len(rows)} of {len(failures)} failures; {TrialCounts.of(board['status'])}.\n"


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


def configuration_text(configuration: Mapping[str, Any]) -> str:
    """Return the learner's hyperparameters in one short line, then the other parts of the pipeline.

    Examples
    --------
    >>> configuration_text(
    ...     {"classifier": "lda", "classifier:lda:shrinkage": 0.51239, "preprocessor": "pca"}
    ... )
    'shrinkage=0.512 preprocessor=pca'
    """
    own = [
        f"{name.rsplit(':', 1)[1]}={_value(value)}"
        for name, value in configuration.items()
        if name.startswith("classifier:")
    ]
    others = [
        f"{name}={value}"
        for name, value in configuration.items()
        if ":" not in name and name != "classifier" and value not in _LEFT_OUT
    ]
    return shortened(" ".join(own + others))


def _value(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def shortened(text: str) -> str:
    """Return a text as one line that is not too long for a cell."""
    line = " ".join(text.split())
    return line if len(line) <= _WIDEST_CELL else line[: _WIDEST_CELL - 3] + "..."


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
