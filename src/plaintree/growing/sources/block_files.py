"""Blocks in files: written once, read many times, in a directory that is removed or kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import tempfile
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from mmap import ACCESS_READ, ALLOCATIONGRANULARITY, mmap
from pathlib import Path
from typing import Any

from plaintree import _core
from plaintree.data.survey import Survey
from plaintree.errors import FileError, file_error
from plaintree.growing.blocks import Layout

BLOCKS, MANIFEST, FACTS = "blocks.bin", "manifest.json", "facts.bin"
FORMAT = "plaintree blocks 3"
SPARE = 2**24
"""Bytes that are left free on a disk."""


@dataclass(frozen=True)
class StoredBlock:
    """Where a block lies in its file, and its checksum."""

    offset: int
    size: int
    checksum: str


class BlockFiles:
    """A directory with blocks, and beside them what is known of their rows.

    A temporary directory is removed with :meth:`remove`, at the latest when the process ends.
    """

    def __init__(self, store: str | None) -> None:
        self.is_kept = store is not None
        try:
            if store is None:
                self.directory = Path(tempfile.mkdtemp(prefix="plaintree-"))
            else:
                self.directory = Path(store)
                self.directory.mkdir(parents=True, exist_ok=True)
            self.scratch = self.directory
            if self.is_kept:
                self.scratch = Path(tempfile.mkdtemp(prefix=".scratch-", dir=self.directory))
        except OSError as error:
            raise _cannot_write(store or tempfile.gettempdir(), error) from error
        self._at_exit = weakref.finalize(self, _remove_tree, self.scratch)
        self.blocks: list[StoredBlock] = []
        self.facts = b""
        self._file = -1
        self._size = 0

    @property
    def path(self) -> Path:
        """The file with the blocks."""
        return self.directory / BLOCKS

    # ---------------------------------------------------------------- writing

    def check_space(self, n_bytes: int) -> None:
        """Raise an error if the disk has less space."""
        free = shutil.disk_usage(self.directory).free
        if self.path.exists():  # it is replaced
            free += self.path.stat().st_size
        if free < n_bytes + SPARE:
            raise FileError(
                f"the disk of {self.directory} has too little space for the encoded rows",
                got=f"{free:,} bytes free; {n_bytes + SPARE:,} are needed",
                hint="free some space, or pass store= a directory on another disk.",
            )

    def begin(self) -> None:
        """Begin to write blocks."""
        try:
            with suppress(FileNotFoundError):
                (self.directory / MANIFEST).unlink()
            flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
            self._file = os.open(self.path, flags, 0o600)
        except OSError as error:
            raise _cannot_write(self.path, error) from error

    def write(self, block: bytes) -> None:
        """Append a block."""
        write_at(self._file, block, self._size, self.path)
        self.blocks.append(StoredBlock(self._size, len(block), block[-8:].hex()))
        self._size += -(-len(block) // ALLOCATIONGRANULARITY) * ALLOCATIONGRANULARITY

    def finish(self, facts: bytes, key: str) -> None:
        """End writing; in a kept directory, write what the blocks were made of."""
        self.facts = facts
        if not self.is_kept:
            return
        manifest = {
            "format": FORMAT,
            "key": key,
            "facts": hashlib.sha256(facts).hexdigest(),
            "blocks": [[b.offset, b.size, b.checksum] for b in self.blocks],
        }
        try:
            os.fsync(self._file)
            (self.directory / FACTS).write_bytes(facts)
            new = self.scratch / MANIFEST
            new.write_text(json.dumps(manifest), "utf-8")
            os.replace(new, self.directory / MANIFEST)
        except OSError as error:
            raise _cannot_write(self.directory, error) from error

    def reuse(self, key: str) -> bool:
        """Take the blocks that are there, if they were made of the same rows in the same way."""
        try:
            manifest = json.loads((self.directory / MANIFEST).read_text("utf-8"))
            facts = (self.directory / FACTS).read_bytes()
            blocks = [StoredBlock(int(o), int(n), str(c)) for o, n, c in manifest["blocks"]]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        given = manifest.get("format"), manifest.get("key"), manifest.get("facts")
        if given != (FORMAT, key, hashlib.sha256(facts).hexdigest()):
            return False
        try:
            self._file = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise file_error(f"{self.path} cannot be read", error) from error
        self.blocks, self.facts = blocks, facts
        return True

    # ---------------------------------------------------------------- reading

    def read(self, number: int, *, check: bool) -> mmap:
        """Map a block into memory, so only what is asked for is read; close it afterwards."""
        block = self.blocks[number]
        try:
            n = max(0, os.fstat(self._file).st_size - block.offset)
            if n < block.size:
                raise self._damaged(number, f"{n:,} of its {block.size:,} bytes")
            mapped = mmap(self._file, block.size, access=ACCESS_READ, offset=block.offset)
        except OSError as error:
            raise file_error(f"{self.path} cannot be read", error) from error
        if check:
            self._check(number, mapped)
        return mapped

    def _check(self, number: int, block: mmap) -> None:
        if block[-8:].hex() != self.blocks[number].checksum:
            raise self._damaged(number, "another block")
        try:
            _core.check_block(block)
        except ValueError as error:
            raise self._damaged(number, str(error)) from error

    def _damaged(self, number: int, got: str) -> FileError:
        return FileError(
            f"block {number} of {self.path} is damaged",
            got=got,
            hint="remove the directory, and fit again." if self.is_kept else "fit again.",
        )

    # ---------------------------------------------------------------- the end

    def remove(self) -> None:
        """Close the file; remove what is not kept."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        _remove_tree(self.scratch)
        self._at_exit.detach()

    def remove_unfinished(self) -> None:
        """Remove blocks that were not written to the end as well."""
        self.remove()
        if self.is_kept and not (self.directory / MANIFEST).exists():
            with suppress(OSError):
                self.path.unlink()


def _remove_tree(directory: Path) -> None:
    """Remove a directory. One Ctrl-C may interrupt twice: polars raises one of its own."""
    try:
        shutil.rmtree(directory, ignore_errors=True)
    except KeyboardInterrupt:
        shutil.rmtree(directory, ignore_errors=True)
        raise


def key_of(source: Mapping[str, Any], layout: Layout, survey: Survey) -> str:
    """A name for what blocks depend on: the rows, how they are read, and the borders."""
    found = hashlib.sha256(json.dumps(source, default=str, sort_keys=True).encode())
    found.update(repr((sorted(survey.rows.items()), list(survey.totals.items()))).encode())
    found.update(repr((layout.schema, layout.reading, layout.dtypes)).encode())
    for borders in layout.borders:
        found.update(struct.pack("<Q", len(borders)) + borders.tobytes())
    return found.hexdigest()


def write_at(file: int, data: bytes, offset: int, path: Path) -> None:
    """Write all bytes at a place of a file."""
    view, done = memoryview(data), 0
    try:
        while done < len(view):
            done += os.pwrite(file, view[done:], offset + done)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: object, error: OSError) -> FileError:
    return file_error(
        f"{path} cannot be written",
        error,
        "free some space, or pass store= a directory that can be written.",
    )
