"""The end of what a call writes to stderr, however much that is."""

from __future__ import annotations

import os
import select
from typing import Final

from automl.evaluation.framing import CHUNK_BYTES, is_ready

_KEPT_BYTES: Final = 16_384
_SHOWN_CHARACTERS: Final = 2_000


class ErrorTail:
    """Drains a pipe and remembers the end.

    Parameters
    ----------
    fd : int
        Pipe to read from.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._kept = b""

    def read(self) -> bool:
        """Take what is there, waiting for it if need be; return whether more may come."""
        data = os.read(self.fd, CHUNK_BYTES)
        self._kept = (self._kept + data)[-_KEPT_BYTES:]
        return bool(data)

    def text(self) -> str:
        """Return the end of all that was written so far."""
        while is_ready(self.fd, select.POLLIN, 0.0) and self.read():
            pass
        return shown(self._kept)


def shown(data: bytes) -> str:
    r"""Return the end of a text for a report.

    Examples
    --------
    >>> shown(b"Fatal error\nExtension modules: a, b, c\n")
    'Fatal error\n'
    """
    lines = data.decode(errors="replace").splitlines(keepends=True)
    # faulthandler names every extension module that is loaded, in a line of kilobytes.
    wanted = [line for line in lines if not line.startswith("Extension modules:")]
    return "".join(wanted)[-_SHOWN_CHARACTERS:]
