"""Frames on a pipe: a JSON header and raw bytes of any length, never a pickle.

A frame is two 64-bit big-endian lengths, the header as JSON, and the body.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

CHUNK_BYTES: Final = 2**18
_LENGTHS: Final = struct.Struct(">QQ")
_ALIGNMENT: Final = 16
_POLL_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What a sandboxed call returns.

    Attributes
    ----------
    header : mapping
        JSON values.
    blobs : tuple of buffers
        Contiguous raw bytes, which are streamed rather than copied.
    """

    header: Mapping[str, Any]
    blobs: tuple[bytes | bytearray | memoryview | npt.NDArray[Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A header and raw bytes.

    Attributes
    ----------
    header : mapping
        JSON values.
    body : memoryview
        Raw bytes.
    """

    header: Mapping[str, Any]
    body: memoryview


class FrameReader:
    """Puts frames together from whatever pieces arrive.

    Parameters
    ----------
    max_bytes : int or None
        Longest header or body to accept: the other end may be faulty.
    """

    def __init__(self, *, max_bytes: int | None = None) -> None:
        self._buffer = bytearray()
        self._max_bytes = max_bytes

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take bytes from the pipe; yield the frames that they complete.

        Raises
        ------
        ValueError
            If the bytes are no frame, or one that is too long.
        """
        self._buffer += data
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> Frame | None:
        if len(self._buffer) < _LENGTHS.size:
            return None
        header_bytes, body_bytes = _LENGTHS.unpack_from(self._buffer)
        if self._max_bytes is not None and max(header_bytes, body_bytes) > self._max_bytes:
            raise ValueError(f"frame of {header_bytes} + {body_bytes} bytes is too long")
        body_start = _LENGTHS.size + header_bytes
        end = body_start + body_bytes
        if len(self._buffer) < end:
            return None
        view = memoryview(self._buffer)
        header = json.loads(bytes(view[_LENGTHS.size : body_start]))
        self._buffer = bytearray(view[end:])  # the frame keeps the old one: bodies are not copied
        if not isinstance(header, dict):
            raise ValueError("the header of a frame is not an object")
        return Frame(header, view[body_start:end])


def write_frame(
    fd: int,
    header: Mapping[str, Any],
    body: bytes | memoryview = b"",
    *,
    keep_waiting: Callable[[], bool] | None = None,
) -> None:
    """Write a frame, waiting while the pipe is full.

    Parameters
    ----------
    fd : int
        Pipe to write to. It must be non-blocking if `keep_waiting` is to be asked.
    header : mapping
        JSON values.
    body : buffer of bytes
        Raw bytes.
    keep_waiting : callable
        Asked now and then while the pipe is full.

    Raises
    ------
    TimeoutError
        If `keep_waiting` says no.
    OSError
        If the pipe is closed at the other end.
    """
    text = json.dumps(header).encode()
    _write(fd, _LENGTHS.pack(len(text), len(body)) + text, keep_waiting)
    _write(fd, body, keep_waiting)


def _write(fd: int, data: bytes | memoryview, keep_waiting: Callable[[], bool] | None) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest[:CHUNK_BYTES]) :]
        except BlockingIOError:
            has_room = is_ready(fd, select.POLLOUT, _POLL_SECONDS)
            if not (has_room or keep_waiting is None or keep_waiting()):
                raise TimeoutError("the other end of a pipe does not read") from None


def widen(fd: int) -> None:
    """Let a pipe hold a whole chunk, where the system can do that: large blobs pass faster."""
    if sys.platform == "linux":
        import fcntl  # does not exist everywhere

        with contextlib.suppress(OSError):  # the user has used up what all pipes together may hold
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, CHUNK_BYTES)


def is_ready(fd: int, event: int, seconds: float) -> bool:
    """Wait until a pipe can be read or written, or is closed at the other end."""
    poll = select.poll()
    poll.register(fd, event)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def raw(blob: bytes | bytearray | memoryview | npt.NDArray[Any]) -> memoryview:
    """Return the bytes of a blob, as a view.

    Raises
    ------
    TypeError
        If they do not lie one after another.
    """
    view = blob.data if isinstance(blob, np.ndarray) else memoryview(blob)
    return view.cast("B") if view.nbytes else memoryview(b"")  # empty ones cannot be cast


def chunks(view: memoryview) -> Iterator[memoryview]:
    """Yield bytes in pieces of at most `CHUNK_BYTES`, filled up to the alignment of blobs."""
    for start in range(0, len(view), CHUNK_BYTES):
        yield view[start : start + CHUNK_BYTES]
    yield memoryview(bytes(-len(view) % _ALIGNMENT))


def split_blobs(body: bytearray, lengths: tuple[int, ...]) -> tuple[memoryview, ...]:
    """Return the blobs whose `chunks` were joined; views, not copies.

    Raises
    ------
    ValueError
        If the lengths do not add up to the body.

    Examples
    --------
    >>> parts = [chunk for blob in (b"abc", b"", b"defg") for chunk in chunks(raw(blob))]
    >>> body = bytearray(b"".join(parts))
    >>> [bytes(blob) for blob in split_blobs(body, (3, 0, 4))]
    [b'abc', b'', b'defg']
    """
    view = memoryview(body)
    blobs = []
    start = 0
    for length in lengths:
        blobs.append(view[start : start + length])
        start += length + -length % _ALIGNMENT
    if start != len(body) or min(lengths, default=0) < 0:
        raise ValueError(f"blobs of {start} bytes were announced, {len(body)} bytes came")
    return tuple(blobs)
