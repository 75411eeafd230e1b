"""What a command leaves: text for standard output and an exit code."""

from __future__ import annotations

from dataclasses import dataclass

SUCCESS = 0
WRONG_INPUT = 2
ONLY_BASELINE = 3
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
READER_GONE = 141  # 128 + SIGPIPE

EXIT_CODES = """exit codes:
  0  success
  2  a wrong option, file or column; nothing was written
  3  saved, but no trial gave a model: it predicts the class frequencies
  130  interrupted by Ctrl-C"""


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
