"""From a journal back to what happened, as far as it was written before a run was killed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ConfigSpace import Configuration, ConfigurationSpace, Constant
from ConfigSpace.hyperparameters import (
    CategoricalHyperparameter,
    Hyperparameter,
    OrdinalHyperparameter,
)

from automl.errors import JournalError
from automl.storage.journal_records import (
    JournalHeader,
    Record,
    Reopened,
    WrittenTrial,
    as_json,
    record_of,
)
from automl.trial import Outcome, Proposal, Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalContent:
    """What a journal says.

    Attributes
    ----------
    header : JournalHeader
        What identifies the search.
    trials : tuple of WrittenTrial
        Every trial, in the order of starting.
    outcomes : tuple of Outcome
        Every outcome that counts, in the order of recording.
    seconds_used : float
        Time that the search had used when the last line was written.
    n_bytes : int
        Length of what is sound: `Journal.continued` goes on from there.
    is_torn : bool
        Whether a last line behind it is not whole, as after a crash.
    """

    header: JournalHeader
    trials: tuple[WrittenTrial, ...]
    outcomes: tuple[Outcome, ...]
    seconds_used: float
    n_bytes: int
    is_torn: bool


def read_journal(path: Path) -> JournalContent:
    """Return what a journal says, without a last line that is torn.

    Raises
    ------
    JournalError
        If the file cannot be read or does not begin with a header, or a line in its middle is
        damaged or contradicts those before it; the message names the line.
    """
    try:
        *whole, rest = path.read_bytes().split(b"\n")
    except OSError as error:
        raise JournalError(f"journal {str(path)!r} cannot be read: {error}") from error
    lines = [*(line + b"\n" for line in whole), *([rest] if rest else [])]
    records: list[Record] = []
    seconds_used = 0.0
    is_torn = False
    for number, line in enumerate(lines, start=1):
        try:
            record, seconds_used = record_of(line)
            records.append(record)
        except ValueError as error:
            is_torn = number == len(lines) > 1
            if not is_torn:
                raise _damaged(path, number, str(error)) from error
    if not records or not isinstance(records[0], JournalHeader):
        raise JournalError(f"journal {str(path)!r} does not begin with the header of a search")
    outcomes = _outcomes_that_count(path, records)
    return JournalContent(
        header=records[0],
        trials=tuple(record for record in records if isinstance(record, WrittenTrial)),
        outcomes=outcomes,
        seconds_used=seconds_used,
        n_bytes=sum(map(len, lines[: len(records)])),
        is_torn=is_torn,
    )


def restored_trial(written: WrittenTrial, space: ConfigurationSpace) -> Trial:
    """Return a trial with its configuration in a search space, bit for bit as it was.

    Raises
    ------
    JournalError
        If the space has no such configuration.
    """
    try:
        values = {
            name: _value_of(space[name], value) for name, value in written.configuration.items()
        }
        configuration = Configuration(space, values=values)
    except (LookupError, ValueError) as error:
        found = " ".join(f"{type(error).__name__}: {error}".split())
        raise JournalError(
            f"the configuration of trial {written.number} is not one of this search space: {found}"
        ) from error
    proposal = Proposal(
        configuration=configuration, origin=written.origin, beliefs=dict(written.beliefs)
    )
    return Trial(number=written.number, proposal=proposal)


def _outcomes_that_count(path: Path, records: list[Record]) -> tuple[Outcome, ...]:
    """Return the outcomes of trials that were not reopened later.

    Raise unless trials are numbered in order, and each has one such outcome at most, after it.
    """
    n_trials = 0
    outcomes: dict[int, Outcome] = {}
    for line, record in enumerate(records[1:], start=2):
        match record:
            case WrittenTrial(number=number) if number == n_trials:
                n_trials += 1
            case Outcome(number=number) if number in range(n_trials) and number not in outcomes:
                outcomes[number] = record
            case Reopened(number=number) if number in outcomes:
                del outcomes[number]
            case _:
                raise _damaged(path, line, "it does not follow from the lines before it")
    return tuple(outcomes.values())


def _damaged(path: Path, line: int, reason: str) -> JournalError:
    return JournalError(f"line {line} of journal {str(path)!r} is damaged: {reason}")


def _value_of(hyperparameter: Hyperparameter[Any, Any], written: Any) -> Any:
    """Return the value that was written: a choice may be of a type that JSON does not have."""
    choices: tuple[Any, ...] = ()
    if isinstance(hyperparameter, CategoricalHyperparameter):
        choices = tuple(hyperparameter.choices)
    elif isinstance(hyperparameter, OrdinalHyperparameter):
        choices = tuple(hyperparameter.sequence)
    elif isinstance(hyperparameter, Constant):
        choices = (hyperparameter.value,)
    text = as_json(written)
    return next((choice for choice in choices if as_json(choice) == text), written)
