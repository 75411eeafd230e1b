"""The records of a search: what was tried, why, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Processes that run evaluations import this module too and have to start quickly.
    from ConfigSpace import Configuration


class Status(StrEnum):
    """How an evaluation ended."""

    SUCCESS = "success"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out of memory"
    CANCELLED = "cancelled"


class Origin(StrEnum):
    """Where a proposal came from."""

    DEFAULT = "default"
    RANDOM = "random"
    LOCAL = "local search"
    MUTATION = "mutation"
    GIVEN = "given"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A configuration worth trying and what the optimiser believed about it.

    Attributes
    ----------
    configuration : Configuration
        Values of the active hyperparameters.
    origin : Origin
        Whether it is a default, a random draw, the end of a local search, a neighbour
        of one that was tried, or was given by a user.
    beliefs : mapping of str to float
        Numbers that explain the choice, e.g. ranks and predicted loss; written to the journal.
    """

    configuration: Configuration
    origin: Origin
    beliefs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A proposal that was taken up: numbered from 0 in the order of starting."""

    number: int
    proposal: Proposal

    @property
    def configuration(self) -> Configuration:
        """Values of the active hyperparameters."""
        return self.proposal.configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a trial.

    Attributes
    ----------
    number : int
        The trial's number.
    status : Status
        How the evaluation ended.
    loss : float
        Validation loss, lower is better; infinite unless the status is success.
    seconds : float
        Wall-clock seconds of the evaluation, all folds.
    reason : str
        One line on what went wrong; empty after a success.
    traceback : str
        The traceback of a failure, where there is one.
    memory_mib : float
        Peak of what the evaluation used above its start.
    """

    number: int
    status: Status
    loss: float
    seconds: float
    reason: str = ""
    traceback: str = ""
    memory_mib: float = 0.0
