"""Atomic writing of files: after a crash or on a full disk the old file is unchanged.

The bytes go to a new file in the same directory, are flushed to the disk, and replace the old file
by renaming, which is atomic. A crash may leave the new file behind; old ones are removed when a
model is written to the directory.
"""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from plaintree.checks import check_replaceable
from plaintree.errors import (
    FileError,
    MemoryLimitError,
    ModelFileError,
    file_error,
    unreadable,
)

MOST_BYTES = 2**36
"""The largest file that is read."""

HINT = "pass the path of a file that plaintree.save has written."

PREFIX = ".plaintree-model-"
"""Prefix of the new file's name until it is complete."""
LEFT_BEHIND = re.compile(re.escape(PREFIX) + "[0-9a-f]{16}[.]tmp")
LONG_AGO = 3600.0
"""Seconds after which such a file is no longer being written."""


def write_file(path: Path, data: bytes, what: str = "the model") -> None:
    """Write the bytes to a new file, or replace an old one; errors name ``what`` they are."""
    place = Path(os.path.realpath(path))  # a link stays a link
    try:
        check_replaceable(place, what)
        new = place.with_name(f"{PREFIX}{token_hex(8)}.tmp")
        # As any new file, it can be read by those whom the user's mask allows to.
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, place)
        except BaseException:
            with suppress(OSError):
                new.unlink()
            raise
        _sync_directory(place.parent)
        _remove_left_behind(place.parent)
    except FileError:
        raise
    except OSError as error:
        hint = "an older file of this name is unchanged."
        raise file_error(f"{what} could not be written to {path}", error, hint) from error


_BINARY = getattr(os, "O_BINARY", 0)


def _remove_left_behind(directory: Path) -> None:
    """Remove new files that never became complete, as far as that is possible."""
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if LEFT_BEHIND.fullmatch(entry.name):
                with suppress(OSError):
                    facts = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(facts.st_mode) and time.time() - facts.st_mtime > LONG_AGO:
                        os.unlink(entry.path)


def _sync_directory(directory: Path) -> None:
    """Flush the directory to the disk, if the system can do so."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_file(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a file that is not larger than allowed."""
    try:
        # Without blocking: a pipe without a writer is refused.
        with open(path, "rb", opener=_open_at_once) as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):
                raise FileError(f"{path} is not a file", hint=HINT)
            if facts.st_size > most:
                raise ModelFileError(
                    "the file is too large to be a model",
                    got=f"{facts.st_size:,} bytes, more than {most:,}",
                )
            return file.read(facts.st_size)
    except MemoryError as error:
        raise MemoryLimitError(f"there is not enough memory to read {path}") from error
    except OSError as error:
        raise unreadable(path, error, HINT) from error


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
