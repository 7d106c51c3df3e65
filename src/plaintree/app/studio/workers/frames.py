"""Frames between the server and a worker: a kind of one byte, the length, the content."""

from __future__ import annotations

from asyncio import IncompleteReadError, StreamReader
from struct import Struct
from typing import BinaryIO

LOAD, LOAD_TEST, ASK = b"L", b"T", b"A"
"""To the worker: load a table or one to test on (a ``Source``), respond to a request (its name, a
newline, its JSON)."""
READY, PROGRESS, RESULT, FAILURE, LAST = b"R", b"P", b"S", b"F", b"X"
"""From the worker, all but READY with JSON. After LAST, a failure, the worker ends."""
FINAL = (RESULT, FAILURE, LAST)
"""The kinds that end the response to a frame."""

_HEAD = Struct(">cQ")


def packed(kind: bytes, content: bytes = b"") -> bytes:
    """A frame as bytes.

    >>> packed(READY)
    b'R\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00'
    """
    return _HEAD.pack(kind, len(content)) + content


def read_frame(stream: BinaryIO) -> tuple[bytes, bytes] | None:
    """The next frame of a stream; None at its end, also inside a frame."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    kind, length = _HEAD.unpack(head)
    content = stream.read(length)
    return (kind, content) if len(content) == length else None


async def receive_frame(stream: StreamReader) -> tuple[bytes, bytes] | None:
    """The same for a stream of asyncio."""
    try:
        kind, length = _HEAD.unpack(await stream.readexactly(_HEAD.size))
        return kind, await stream.readexactly(length)
    except (IncompleteReadError, ConnectionError):
        return None
