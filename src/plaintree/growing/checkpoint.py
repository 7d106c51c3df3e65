"""Checkpoints: what a grower knew after a level, in a file that is complete or absent."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from plaintree.errors import FileError, file_error

MAGIC = b"plaintree checkpoint 1\n"
_ENTRY = struct.Struct("<QQ")


class Checkpoint:
    """A file with the state of each tree that is grown.

    One that is there is read, and growing goes on from it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._states = self._read()
        if not self.path.parent.is_dir():
            raise FileError(
                f"the checkpoint {self.path} cannot be written",
                got=f"no directory {self.path.parent}",
                hint="make the directory first.",
            )

    def state(self, tree: int) -> bytes:
        """What was known of a tree; nothing if it was not begun."""
        return self._states.get(tree, b"")

    def refused(self, error: ValueError) -> FileError:
        """The error for a state that does not fit what is grown."""
        return FileError(
            f"the checkpoint {self.path} cannot be used",
            got=str(error),
            hint="fit the same estimator to the same parts, or remove the file to begin again.",
        )

    def write(self, states: Mapping[int, bytes]) -> None:
        """Replace the file."""
        self._states.update(states)
        body = b"".join(
            _ENTRY.pack(tree, len(state)) + state for tree, state in sorted(self._states.items())
        )
        new = self.path.with_name(self.path.name + ".new")
        try:
            new.write_bytes(MAGIC + struct.pack("<I", zlib.crc32(body)) + body)
            os.replace(new, self.path)
        except OSError as error:
            raise file_error(f"the checkpoint {self.path} cannot be written", error) from error
        finally:
            with suppress(OSError):
                new.unlink()

    def remove(self) -> None:
        """Remove the file, when the trees are done."""
        with suppress(OSError):
            self.path.unlink()

    def _read(self) -> dict[int, bytes]:
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise file_error(f"the checkpoint {self.path} cannot be read", error) from error
        start = len(MAGIC) + 4
        if not raw.startswith(MAGIC) or raw[len(MAGIC) : start] != struct.pack(
            "<I", zlib.crc32(raw[start:])
        ):
            raise FileError(
                f"{self.path} is not a checkpoint, or a damaged one",
                hint="remove the file to begin again.",
            )
        states, at = {}, start
        while at < len(raw):
            tree, size = _ENTRY.unpack_from(raw, at)
            at += _ENTRY.size
            states[tree] = raw[at : at + size]
            at += size
        return states
