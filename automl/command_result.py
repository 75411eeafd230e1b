"""What a command leaves: text for standard output and an exit code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # importing it takes a second that --help does not have
    from automl.estimator import AutoClassifier

SUCCESS = 0
WRONG_INPUT = 2
ONLY_BASELINE = 3
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
READER_GONE = 141  # 128 + SIGPIPE

EXIT_CODES = """exit codes:
  0  success
  2  a wrong option, file or column; nothing was written
  3  saved, but no trial gave a model: it predicts the class frequencies
  130  interrupted; a search that had begun saved what it had found until then"""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended that came to its end.

    Attributes
    ----------
    text : str
        For standard output, each line ended.
    exit_code : int
        One of those above.
    """

    text: str
    exit_code: int = SUCCESS


def exit_code_of(search: AutoClassifier) -> int:
    """Return how a command ends that fitted an estimator."""
    if search.was_interrupted_:
        return INTERRUPTED
    return ONLY_BASELINE if search.ensemble_.is_baseline else SUCCESS
