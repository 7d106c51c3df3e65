"""Blocks of the packed form: columns of numbers, compressed, with their sizes and a checksum.

A block is described in the header by ``stored`` and ``raw`` (its bytes in the file and
uncompressed), ``sha256`` of the bytes in the file, and its columns in order: name, scope, type and
number of entries. Numbers take as few bytes as they fit in. Of numbers of several bytes, all first
bytes are stored together, then all second ones, and so on, which compresses better.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import ModelFileError

from .column import TreeColumn
from .tree_columns import SCOPES
from .values import as_list, as_object, as_text, as_whole, refuse

TYPES = ("u1", "u2", "u4", "i1", "i2", "i4", "i8", "f4", "f8")
"""The types of numbers: unsigned, signed and floating, with their bytes; little endian."""
MOST_ENTRIES = 2**40
MOST_TIMES = 32
"""Largest ratio of uncompressed to stored size. A block that would compress better is stored
uncompressed, so a small file never becomes a large model."""
FREE_BYTES = 2**16
"""Bytes that one block, the last and smallest, may have uncompressed in any case."""


@dataclass(frozen=True)
class Block:
    """A block as the header describes it; columns are name, scope, type and entries."""

    stored: int
    raw: int
    digest: str
    columns: tuple[tuple[str, str, str, int], ...]

    def entries(self, wanted: str) -> int:
        """Number of entries of a column; 0 if there is no such column."""
        return sum(entries for name, _, _, entries in self.columns if name == wanted)

    def to_json(self) -> dict[str, Any]:
        """The description as plain values."""
        columns = [list(column) for column in self.columns]
        return {
            "stored": self.stored,
            "raw": self.raw,
            "sha256": self.digest,
            "columns": columns,
        }

    @classmethod
    def from_json(cls, data: Any, where: str) -> Block:
        """The inverse of :meth:`to_json`."""
        given = as_object(data, where, ("stored", "raw", "sha256", "columns"))
        columns = []
        for column in as_list(given["columns"], f"{where}, columns"):
            name, scope, code, entries = as_list(column, f"{where}, a column", 4)
            columns.append(
                (
                    as_text(name, f"{where}, a column's name"),
                    as_text(scope, f"{where}, a column's scope", SCOPES),
                    as_text(code, f"{where}, a column's type", TYPES),
                    as_whole(entries, f"{where}, a column's entries", 0, MOST_ENTRIES),
                )
            )
        raw = as_whole(given["raw"], f"{where}, raw", 0, MOST_ENTRIES)
        if raw != sum(np.dtype(code).itemsize * entries for _, _, code, entries in columns):
            refuse(f"{where}, raw", "the size of its columns", raw)
        stored = as_whole(given["stored"], f"{where}, stored", 0, MOST_ENTRIES)
        return cls(stored, raw, as_text(given["sha256"], f"{where}, sha256"), tuple(columns))


def written_block(columns: Sequence[TreeColumn]) -> tuple[Block, bytes]:
    """A block of columns, and its bytes."""
    described, parts = [], []
    for column in columns:
        narrow = _narrowed(column.values)
        code = narrow.dtype.str[1:]
        described.append((column.name, column.scope, code, int(narrow.size)))
        parts.append(_by_place(narrow))
    raw = b"".join(parts)
    data = zlib.compress(raw, 6)
    if len(raw) > max(FREE_BYTES, MOST_TIMES * len(data)):
        data = zlib.compress(raw, 0)
    return Block(len(data), len(raw), sha256(data).hexdigest(), tuple(described)), data


def read_block(block: Block, data: bytes | memoryview, n_classes: int) -> list[TreeColumn]:
    """The columns of a block; ModelFileError if the bytes are not those that were written."""
    if sha256(data).hexdigest() != block.digest:
        raise ModelFileError(
            "the file was damaged: a checksum is wrong",
            hint="get the file again from where it came from.",
        )
    try:
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(data, block.raw + 1)
    except zlib.error as error:
        raise ModelFileError(
            "a block of the file cannot be uncompressed", got=str(error)
        ) from error
    if len(raw) != block.raw or not unpacker.eof or unpacker.unused_data:
        raise ModelFileError("a block of the file is larger or smaller than stated in the file")
    columns, start = [], 0
    for name, scope, code, entries in block.columns:
        dtype = np.dtype(f"<{code}")
        end = start + entries * dtype.itemsize
        values = _from_places(raw[start:end], dtype)
        if name == "class_weights":
            if not n_classes or entries % n_classes:
                raise ModelFileError("class weights are not there for every class")
            values = values.reshape(n_classes, -1)
        columns.append(TreeColumn(name, scope, values))
        start = end
    return columns


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """Store the numbers in the smallest type that is exact for all of them."""
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):  # too large for it: then it is not exact
            short = values.astype(np.float32)
        exact = np.array_equal(short.astype(np.float64).view(np.int64), values.view(np.int64))
        return short if exact else values
    if not values.size:
        return values.astype(np.uint8)
    least, most = int(values.min()), int(values.max())
    for code in TYPES[:7]:
        bounds = np.iinfo(code)
        if bounds.min <= least and most <= bounds.max:
            return values.astype(code)
    raise AssertionError("every number of a tree fits a type")


def _by_place(values: NDArray[Any]) -> bytes:
    """The bytes of numbers, all of the first place first."""
    little = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).ravel()
    if little.dtype.itemsize == 1:
        return little.tobytes()
    return little.view(np.uint8).reshape(-1, little.dtype.itemsize).T.tobytes()


def _from_places(raw: bytes, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The inverse of :func:`_by_place`."""
    flat = np.frombuffer(raw, dtype=np.uint8)
    if dtype.itemsize > 1:
        flat = np.ascontiguousarray(flat.reshape(dtype.itemsize, -1).T).ravel()
    return flat.view(dtype).astype(dtype.newbyteorder("="), copy=False)
