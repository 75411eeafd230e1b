"""Frames survive any way in which a pipe may cut them; what is no frame is refused."""

from __future__ import annotations

import json
import os
import struct
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automl.evaluation.framing import (
    CHUNK_BYTES,
    Frame,
    FrameReader,
    chunks,
    raw,
    split_blobs,
    write_frame,
)

HEADERS = st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.floats()))


def encoded(header: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack(">QQ", len(text), len(body)) + text + body


def read_all(data: bytes, step: int, reader: FrameReader | None = None) -> list[Frame]:
    reader = reader or FrameReader()
    pieces = [data[start : start + step] for start in range(0, len(data), step)]
    return [frame for piece in pieces for frame in reader.feed(piece)]


@settings(deadline=None)
@given(st.lists(st.tuples(HEADERS, st.binary()), max_size=4), st.integers(1, 50))
def test_frames_survive_being_cut_anywhere(
    contents: list[tuple[dict[str, Any], bytes]], step: int
) -> None:
    data = b"".join(encoded(header, body) for header, body in contents)
    frames = read_all(data, step)
    assert [bytes(frame.body) for frame in frames] == [body for _, body in contents]
    # As text, because NaN differs from itself.
    headers = [json.dumps(header) for header, _ in contents]
    assert [json.dumps(frame.header) for frame in frames] == headers


def test_incomplete_frame_is_no_frame() -> None:
    data = encoded({"a": 1}, b"body")
    assert all(read_all(data[:end], 7) == [] for end in range(len(data)))


def test_body_stays_as_it_was_when_more_arrives() -> None:
    reader = FrameReader()
    first = next(reader.feed(encoded({}, b"first")))
    list(reader.feed(encoded({}, b"other" * 1000)))
    assert bytes(first.body) == b"first"


@pytest.mark.parametrize(
    "data", [b"\xff" * 16, struct.pack(">QQ", 2, 2**62), encoded({}, b"x" * 9)]
)
def test_frame_beyond_the_limit_is_refused_before_it_has_arrived(data: bytes) -> None:
    with pytest.raises(ValueError, match="too long"):
        read_all(data, 16, FrameReader(max_bytes=8))


@pytest.mark.parametrize("text", [b"[1, 2]", b"nonsense", b"\xff\xfe"])
def test_header_that_is_no_object_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"object|Expecting|decode"):
        read_all(struct.pack(">QQ", len(text), 0) + text, 100)


def test_writing_more_than_a_pipe_holds_waits_for_the_reader() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    body = os.urandom(3 * CHUNK_BYTES + 1)
    frames: list[Frame] = []

    def read() -> None:
        reader = FrameReader()
        while not frames:
            frames.extend(reader.feed(os.read(reading, CHUNK_BYTES)))

    thread = threading.Thread(target=read)
    thread.start()
    write_frame(writing, {"kind": "part"}, body, keep_waiting=lambda: True)
    thread.join()
    os.close(reading)
    os.close(writing)
    assert frames[0].header == {"kind": "part"}
    assert bytes(frames[0].body) == body


def test_writing_gives_up_when_told_to() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with pytest.raises(TimeoutError, match="does not read"):
        write_frame(writing, {}, bytes(4 * CHUNK_BYTES), keep_waiting=lambda: False)
    os.close(reading)
    os.close(writing)


def test_writing_to_a_closed_pipe_is_an_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        write_frame(writing, {})
    os.close(writing)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=70), max_size=6))
def test_blobs_are_split_where_they_were_joined(blobs: list[bytes]) -> None:
    body = bytearray(b"".join(chunk for blob in blobs for chunk in chunks(raw(blob))))
    views = split_blobs(body, tuple(map(len, blobs)))
    assert [bytes(view) for view in views] == blobs
    assert len(body) % 16 == 0


@pytest.mark.parametrize("lengths", [(), (1,), (17, 1), (-16, 48), (33,)])
def test_lengths_that_do_not_fit_are_refused(lengths: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="announced"):
        split_blobs(bytearray(32), lengths)
