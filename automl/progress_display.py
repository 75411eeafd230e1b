"""Where a progress report appears: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, Self, TextIO

_SECONDS_BETWEEN_LINES = 10.0


class Display(Protocol):
    """Shows lines for as long as its context is open."""

    def update(self, *, is_news: bool) -> None:
        """Show how things stand now; news is shown at once."""
        ...

    def write(self, line: str) -> None:
        """Write a line that stays."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


def open_display(
    stream: TextIO, current_line: Callable[[], str], clock: Callable[[], float]
) -> Display:
    """Return the display that suits a stream.

    Parameters
    ----------
    stream : text stream
        Where lines go. A stream that breaks never stops the caller.
    current_line : callable
        Returns one line on how things stand; may be called from another thread.
    clock : callable
        Monotonic seconds.
    """
    # A dumb terminal cannot move its cursor, so a live line would be a line for each second.
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        return LiveLine(stream, current_line)
    return PlainLines(stream, current_line, clock)


class PlainLines:
    """Writes a line at every piece of news, and when the last one is ten seconds old."""

    def __init__(
        self, stream: TextIO, current_line: Callable[[], str], clock: Callable[[], float]
    ) -> None:
        self._stream = stream
        self._current_line = current_line
        self._clock = clock
        self._written_at = clock()

    def update(self, *, is_news: bool) -> None:
        """Write how things stand now if it is news or nothing was written for ten seconds."""
        now = self._clock()
        if is_news or now - self._written_at >= _SECONDS_BETWEEN_LINES:
            self._written_at = now
            self.write(self._current_line())

    def write(self, line: str) -> None:
        """Write a line."""
        with suppress(OSError, ValueError):  # a full disk or a closed pipe
            self._stream.write(f"automl: {line}\n")
            self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


class LiveLine:
    """Keeps one line of a terminal up to date, each second and at every outcome."""

    def __init__(self, stream: TextIO, current_line: Callable[[], str]) -> None:
        # Only terminals need it, and programs that import `automl` need not wait for it.
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        def shorten_to_line(line: str) -> Text:
            return Text(line, no_wrap=True, overflow="crop")

        self._as_text = Text
        self._console = Console(
            file=stream, force_terminal=True, force_jupyter=False, markup=False, highlight=False
        )
        self._live = Live(
            console=self._console,
            get_renderable=lambda: shorten_to_line(current_line()),
            refresh_per_second=1,
            transient=True,
            redirect_stdout=False,  # it may be a file, and stays what it is
            redirect_stderr=stream is sys.stderr,  # so that warnings appear above the line
        )

    def update(self, *, is_news: bool) -> None:  # noqa: ARG002 - every update is cheap here
        """Show how things stand now."""
        with suppress(OSError, ValueError):
            self._live.refresh()

    def write(self, line: str) -> None:
        """Write a line above the live one."""
        with suppress(OSError, ValueError):
            self._console.print(self._as_text(line), soft_wrap=True)

    def __enter__(self) -> Self:
        self._live.start(refresh=True)
        return self

    def __exit__(self, *exception: object) -> None:
        with suppress(OSError, ValueError):
            self._live.stop()
