"""What to try next: functions of the history and a generator.

`AskTell` is the door to them for other jobs than classification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from automl.ask_tell import AskTell

__all__ = ["AskTell"]


def __getattr__(name: str) -> object:
    # It lies above this package, since it writes files; it is imported when it is asked for.
    if name == "AskTell":
        from automl.ask_tell import AskTell

        return AskTell
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
