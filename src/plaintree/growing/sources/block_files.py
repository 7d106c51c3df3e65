"""Blocks in files: written once, read many times, in a file without a name or in a kept directory.

Several processes may use a kept directory at once. A file with blocks is written beside the others
under a name of its own, and is never changed; the manifest names the one that counts. A process
that reads an older one still has it open.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from mmap import ACCESS_READ, ALLOCATIONGRANULARITY, mmap
from pathlib import Path
from typing import Any
from uuid import uuid4

from plaintree import _core
from plaintree.data.survey import Survey
from plaintree.errors import FileError, file_error
from plaintree.growing.blocks import Layout

MANIFEST = "manifest.json"
BLOCKS, UNFINISHED = "blocks-*.bin", ".blocks-*.new"
FORMAT = "plaintree blocks 4"
SPARE = 2**24
"""Bytes that are left free on a disk."""


@dataclass(frozen=True)
class StoredBlock:
    """Where a block lies in its file, and its checksum."""

    offset: int
    size: int
    checksum: str


class BlockFiles:
    """A file with blocks, and behind them what is known of their rows.

    Without a ``store``, the file has no name, so nothing is left however the process ends.
    """

    def __init__(self, store: str | None) -> None:
        self.is_kept = store is not None
        self.directory = Path(tempfile.gettempdir() if store is None else store)
        self._is_new = False
        if self.is_kept:
            self._make_directory()
        self.path = self.directory / BLOCKS.replace("*", uuid4().hex)
        self.blocks: list[StoredBlock] = []
        self.facts = b""
        self._file = OpenFile()
        self._unfinished: Path | None = None
        self._size = 0

    def _make_directory(self) -> None:
        try:
            self._is_new = not self.directory.exists()
            self.directory.mkdir(parents=True, exist_ok=True)
            with _locked(self.directory):
                for path in self.directory.glob(UNFINISHED):
                    _remove_if_forgotten(path)
        except FileExistsError:
            raise FileError(
                "store is not a directory",
                got=f"store={str(self.directory)!r}, which is a file",
                hint="pass store= the path of a directory; it is made if it does not exist.",
            ) from None
        except OSError as error:
            raise _cannot_write(self.directory, error) from error

    # ---------------------------------------------------------------- writing

    def check_space(self, n_bytes: int) -> None:
        """Raise an error if the disk has less space."""
        free = shutil.disk_usage(self.directory).free
        if free < n_bytes + SPARE:
            raise FileError(
                f"the disk of {self.directory} has too little space for the encoded rows",
                got=f"{free:,} bytes free; {n_bytes + SPARE:,} are needed",
                hint="free some space, or pass store= a directory on another disk.",
            )

    def begin(self) -> None:
        """Begin to write blocks."""
        try:
            if not self.is_kept:
                self._file.hold(unnamed_file(self.directory))
                return
            self.directory.mkdir(parents=True, exist_ok=True)
            with _locked(self.directory):  # nobody takes the file for a forgotten one
                unfinished = self.directory / f".{self.path.stem}.new"
                self._file.hold(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
                self._unfinished = unfinished
                _hold_lock(self._file.number)
        except OSError as error:
            raise _cannot_write(self.directory, error) from error

    def write(self, block: bytes) -> None:
        """Append a block."""
        write_at(self._file.number, block, self._size, self.path)
        self.blocks.append(StoredBlock(self._size, len(block), block[-8:].hex()))
        self._size += -(-len(block) // ALLOCATIONGRANULARITY) * ALLOCATIONGRANULARITY

    def finish(self, facts: bytes, key: str) -> None:
        """End writing; in a kept directory, write what the blocks were made of."""
        self.facts = facts
        if self._unfinished is None:
            return
        write_at(self._file.number, facts, self._size, self.path)
        manifest = {
            "format": FORMAT,
            "key": key,
            "file": self.path.name,
            "facts": [self._size, len(facts), hashlib.sha256(facts).hexdigest()],
            "blocks": [[b.offset, b.size, b.checksum] for b in self.blocks],
        }
        try:
            os.fsync(self._file.number)
            with _locked(self.directory):
                new = self.directory / f"{MANIFEST}.new"
                new.write_text(json.dumps(manifest), "utf-8")
                os.rename(self._unfinished, self.path)
                self._unfinished = None
                os.replace(new, self.directory / MANIFEST)
                for path in self.directory.glob(BLOCKS):
                    if path != self.path:
                        path.unlink()
        except OSError as error:
            raise _cannot_write(self.directory, error) from error

    def reuse(self, key: str) -> bool:
        """Take the blocks that are there, if they were made of the same rows in the same way."""
        with _locked(self.directory):
            try:
                manifest = json.loads((self.directory / MANIFEST).read_text("utf-8"))
                blocks = [StoredBlock(int(o), int(n), str(c)) for o, n, c in manifest["blocks"]]
                path = self.directory / Path(manifest["file"]).name
                offset, size, digest = manifest["facts"]
                if (manifest["format"], manifest["key"]) != (FORMAT, key):
                    return False
                self._file.hold(os.open(path, os.O_RDONLY))
                facts = os.pread(self._file.number, size, offset)
            except (FileNotFoundError, ValueError, KeyError, TypeError):
                return False
            except OSError as error:
                raise file_error(f"{self.directory} cannot be read", error) from error
        if hashlib.sha256(facts).hexdigest() != digest:
            return False
        self.path, self.blocks, self.facts = path, blocks, facts
        return True

    # ---------------------------------------------------------------- reading

    def read(self, number: int, *, check: bool) -> mmap:
        """Map a block into memory, so only what is asked for is read; close it afterwards."""
        block = self.blocks[number]
        try:
            n = max(0, os.fstat(self._file.number).st_size - block.offset)
            if n < block.size:
                raise self._damaged(number, f"{n:,} of its {block.size:,} bytes")
            mapped = mmap(self._file.number, block.size, access=ACCESS_READ, offset=block.offset)
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
        self._file.close()
        if self._unfinished is not None:
            with suppress(OSError):
                self._unfinished.unlink()
            self._unfinished = None
        if self._is_new:
            with suppress(OSError):  # only an empty directory can be removed
                self.directory.rmdir()


class OpenFile:
    """The number of an open file, which is closed at the latest when this object is forgotten."""

    def __init__(self) -> None:
        self.number = -1
        self._closing: weakref.finalize[..., Any] | None = None

    def hold(self, number: int) -> None:
        """Close the file that was held, and hold another one."""
        self.close()
        self.number = number
        self._closing = weakref.finalize(self, os.close, number)

    def close(self) -> None:
        """Close the file, if one is open."""
        if self._closing is not None:
            self._closing()
        self.number = -1


def unnamed_file(directory: Path) -> int:
    """Open a new file whose name is removed at once: the system removes it when it is closed."""
    number, path = tempfile.mkstemp(prefix="plaintree-", dir=directory)
    os.unlink(path)
    return number


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Let no other process look into a directory, or change it, meanwhile."""
    try:
        number = os.open(directory, os.O_RDONLY)
    except OSError as error:
        raise file_error(f"{directory} cannot be read", error) from error
    try:
        with suppress(OSError):  # some network drives have no locks
            flock(number, LOCK_EX)
        yield
    finally:
        os.close(number)


def _hold_lock(number: int) -> bool:
    """Mark a file as being written, as long as it is open; False if it is marked already."""
    try:
        flock(number, LOCK_EX | LOCK_NB)
    except OSError:
        return False
    return True


def _remove_if_forgotten(path: Path) -> None:
    """Remove a file that no process is writing any more."""
    try:
        number = os.open(path, os.O_RDWR)
    except OSError:
        return
    try:
        if _hold_lock(number):
            path.unlink()
    finally:
        os.close(number)


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
