"""What the command line says besides its results: one line each, on standard error."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from automl.errors import AutoMLWarning
from automl.option_names import in_options


def tell(kind: str, text: object) -> None:
    """Write one line to standard error, e.g. ``automl: error: ...``.

    Parameters
    ----------
    kind : str
        "error", "warning" or "note".
    text : object
        What is said; line breaks and runs of blanks in it become one blank.
    """
    sys.stderr.write(f"automl: {kind}: {' '.join(str(text).split())}\n")


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Show each warning of ours as a line that names options; others as ever."""
    with warnings.catch_warnings():
        show_other = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, AutoMLWarning):
                tell("warning", in_options(str(message)))
            else:
                show_other(message, category, filename, lineno, file, line)

        warnings.simplefilter("always", AutoMLWarning)
        warnings.showwarning = show
        yield
