"""The supervisor's end of the pipes to the process that started it."""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from automl.evaluation.framing import CHUNK_BYTES, Frame, FrameReader, is_ready, widen, write_frame

_LOOK_SECONDS: Final = 1.0


class ParentGoneError(Exception):
    """The process that started this one has ended, or closed its end."""


class ParentLink:
    """Receives calls and sends replies, and notices when nobody is there any more.

    Parameters
    ----------
    requests : int
        Pipe to read from.
    replies : int
        Pipe to write to.
    parent : int
        Process at the other end. A closed pipe is not the only sign that it has ended: processes
        which it forked may hold copies of its ends.
    """

    def __init__(self, requests: int, replies: int, parent: int) -> None:
        os.set_blocking(replies, False)
        widen(replies)
        widen(requests)
        self.requests = requests
        self.replies = replies
        self._parent = parent
        self._reader = FrameReader()
        self._frames: deque[Frame] = deque()

    def receive(self, seconds: float) -> Frame | None:
        """Return the next request, or nothing if none is complete within the time.

        Raises
        ------
        ParentGoneError
            If there is nobody to send one.
        """
        deadline = time.monotonic() + seconds
        while not self._frames:
            left = deadline - time.monotonic()
            if is_ready(self.requests, select.POLLIN, min(left, _LOOK_SECONDS)):
                self._read()
            elif left <= 0.0:
                self._check_parent()
                return None
            self._check_parent()
        return self._frames.popleft()

    def send(self, header: Mapping[str, Any], body: bytes | memoryview = b"") -> None:
        """Send a reply or a part of one.

        Raises
        ------
        ParentGoneError
            If there is nobody to receive it.
        """
        try:
            write_frame(self.replies, header, body, keep_waiting=self._has_parent)
        except OSError as error:  # TimeoutError is one
            raise ParentGoneError from error

    def _read(self) -> None:
        data = os.read(self.requests, CHUNK_BYTES)
        if not data:
            raise ParentGoneError
        self._frames.extend(self._reader.feed(data))

    def _check_parent(self) -> None:
        if not self._has_parent():
            raise ParentGoneError

    def _has_parent(self) -> bool:
        return os.getppid() == self._parent
