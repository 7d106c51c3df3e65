"""Record batches of Arrow files: how many rows each has, and what they take in memory.

A record batch can only be read as a whole, so a large one decides how much memory reading takes.
The metadata are tables of FlatBuffers, of which a few fields are read here.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

_WIDTHS: dict[Any, int] = {
    **dict.fromkeys((pl.Boolean, pl.Int8, pl.UInt8), 1),
    **dict.fromkeys((pl.Int16, pl.UInt16), 2),
    **dict.fromkeys((pl.Int32, pl.UInt32, pl.Float32, pl.Date), 4),
    **dict.fromkeys((pl.Int64, pl.UInt64, pl.Float64, pl.Datetime, pl.Duration, pl.Time), 8),
}
"""Bytes of a value, by its type; text has no fixed width."""
_END = struct.Struct("<i6s")
_FIELDS_OF_FOOTER = {"recordBatches": 3}
_FIELDS_OF_MESSAGE = {"header": 2}
_FIELDS_OF_BATCH = {"length": 0, "buffers": 2, "compression": 3}


@dataclass(frozen=True)
class RecordBatch:
    """The rows of a record batch, and the bytes of all of its columns when they are read."""

    n_rows: int
    n_bytes: int

    def bytes_of(self, columns: Sequence[str], types: Mapping[str, Any]) -> int:
        """The bytes of some of the columns, at most."""
        widths = {name: _WIDTHS.get(dtype.base_type()) for name, dtype in types.items()}
        fixed = self.n_rows * sum(width or 0 for width in widths.values())
        wanted = self.n_rows * sum(widths.get(name) or 0 for name in columns)
        has_text = any(widths.get(name, 0) is None for name in columns)
        return wanted + (max(0, self.n_bytes - fixed) if has_text else 0)


def record_batches(path: str) -> list[RecordBatch]:
    """Read the sizes of the record batches of an Arrow file, in order."""
    with open(path, "rb") as stream:
        file, size = stream.fileno(), os.fstat(stream.fileno()).st_size
        length, _ = _END.unpack(os.pread(file, _END.size, size - _END.size))
        footer = _Table.root(os.pread(file, length, size - _END.size - length))
        places = footer.structs(_FIELDS_OF_FOOTER["recordBatches"], "<qi4xq")
        return [_batch(file, offset, n) for offset, n, _ in places]


def _batch(file: int, offset: int, n_bytes: int) -> RecordBatch:
    metadata = os.pread(file, n_bytes, offset)
    batch = _Table.root(metadata[8:]).table(_FIELDS_OF_MESSAGE["header"])
    n_rows = batch.number(_FIELDS_OF_BATCH["length"], "<q")
    buffers = list(batch.structs(_FIELDS_OF_BATCH["buffers"], "<qq"))
    if not batch.has(_FIELDS_OF_BATCH["compression"]):
        return RecordBatch(n_rows, sum(length for _, length in buffers))
    total = 0
    for start, length in buffers:
        if length:  # begins with its length before compression; -1: it is not compressed
            (before,) = struct.unpack("<q", os.pread(file, 8, offset + n_bytes + start))
            total += length - 8 if before < 0 else before
    return RecordBatch(n_rows, total)


@dataclass(frozen=True)
class _Table:
    """A table of FlatBuffers: fields by number, at places that a second table lists."""

    data: bytes
    at: int

    @classmethod
    def root(cls, data: bytes) -> _Table:
        return cls(data, _unpacked("<I", data, 0))

    def _place(self, field: int) -> int:
        """Where a field is; 0 if it is absent."""
        listed = self.at - _unpacked("<i", self.data, self.at)
        entry = 4 + 2 * field
        if entry >= _unpacked("<H", self.data, listed):
            return 0
        offset = _unpacked("<H", self.data, listed + entry)
        return self.at + offset if offset else 0

    def has(self, field: int) -> bool:
        return self._place(field) > 0

    def number(self, field: int, kind: str) -> int:
        place = self._place(field)
        return _unpacked(kind, self.data, place) if place else 0

    def table(self, field: int) -> _Table:
        place = self._place(field)
        return _Table(self.data, place + _unpacked("<I", self.data, place))

    def structs(self, field: int, kind: str) -> Iterator[tuple[int, ...]]:
        place = self._place(field)
        if not place:
            return
        begin = place + _unpacked("<I", self.data, place)
        each = struct.Struct(kind)
        for i in range(_unpacked("<I", self.data, begin)):
            yield each.unpack_from(self.data, begin + 4 + i * each.size)


def _unpacked(kind: str, data: bytes, place: int) -> int:
    (value,) = struct.unpack_from(kind, data, place)
    return int(value)
