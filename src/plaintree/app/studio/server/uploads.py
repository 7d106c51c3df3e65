"""Files that the page sends: counted while they arrive, kept in a directory of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from unicodedata import category

from ..workers.sources import Source, of_upload
from .limits import NAME_LENGTH, UPLOAD_BYTES, UPLOADS_BYTES
from .refusals import Refused

EXTENSIONS = (".csv", ".tsv", ".txt", ".parquet", ".arff")
"""Formats of one file; the reader checks that the content is what the extension says."""


class Uploads:
    """The uploaded files, each with its source. ``forgotten`` is called with the keys of those
    that made room."""

    def __init__(self, forgotten: Callable[[str], None]) -> None:
        self._directory = TemporaryDirectory(prefix="plaintree-studio-")
        self._forgotten = forgotten
        self._sizes: dict[str, tuple[Path, int]] = {}

    async def receive(self, name: str, pieces: AsyncIterator[bytes]) -> Source:
        """Keep a file, in a place whose name does not depend on what the page calls it."""
        try:
            name = checked_name(name)
        except Refused:
            await _discard(pieces)
            raise
        path = Path(self._directory.name, token_hex(8) + Path(name).suffix.lower())
        try:
            size = await _write(path, pieces)
        except BaseException:  # the page may leave at any time
            path.unlink(missing_ok=True)
            raise
        source = of_upload(str(path), name)
        self._sizes[source.key] = path, size
        self._make_room()
        return source

    def close(self) -> None:
        """Remove all files."""
        with suppress(OSError):
            self._directory.cleanup()

    def _make_room(self) -> None:
        while sum(size for _, size in self._sizes.values()) > UPLOADS_BYTES:
            key = next(iter(self._sizes))
            path, _ = self._sizes.pop(key)
            path.unlink(missing_ok=True)
            self._forgotten(key)


def checked_name(name: str) -> str:
    """The name of a file without directories and control characters; its extension is known.

    >>> checked_name("C:\\\\data\\\\golf.csv"), checked_name("../../etc/x.csv")
    ('golf.csv', 'x.csv')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    clean = "".join(c for c in last if category(c)[0] != "C").strip()
    stem, extension = Path(clean).stem, Path(clean).suffix.lower()
    if extension not in EXTENSIONS:
        raise Refused.because(
            415,
            "a table is uploaded as one file in a known format",
            got=clean[:NAME_LENGTH] or "no name",
            hint=f"known are {', '.join(EXTENSIONS)}; save the sheet of a workbook as CSV.",
        )
    return stem[: NAME_LENGTH - len(extension)] + extension


async def _write(path: Path, pieces: AsyncIterator[bytes]) -> int:
    """Write the pieces to a file that only its owner can read; how many bytes they have."""
    size = 0
    with path.open("xb") as file:
        path.chmod(0o600)
        async for piece in pieces:
            size += len(piece)
            if size > UPLOAD_BYTES:
                raise too_large()
            await asyncio.to_thread(file.write, piece)
    if not size:
        raise Refused.because(400, "the file is empty", hint="choose another one.")
    return size


async def _discard(pieces: AsyncIterator[bytes]) -> None:
    """Read what is sent: a browser that still sends when the connection closes sees no reply."""
    size = 0
    async for piece in pieces:
        size += len(piece)
        if size > UPLOAD_BYTES:
            raise too_large()


def too_large() -> Refused:
    """The refusal of a file by its size."""
    return Refused.because(
        413,
        f"an uploaded file has at most {UPLOAD_BYTES // 1_000_000} MB",
        hint="plaintree studio FILE opens a larger one.",
    )
