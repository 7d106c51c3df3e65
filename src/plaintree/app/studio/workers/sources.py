"""Where the rows of a table come from, for a worker that loads them again."""

from __future__ import annotations

from hashlib import sha256
from secrets import token_hex
from typing import Literal

from msgspec import Struct, field

from ..messages.documents import Recipe


class Source(Struct, frozen=True):
    """A bundled table, a file of the command line, or an uploaded file.

    ``name`` is that of the example or of the file. A ``path`` comes from the command line or from
    the server's own directory of uploads, never from the page. ``recipe`` is how it is read unless
    a request says otherwise.
    """

    key: str
    kind: Literal["example", "file", "upload"]
    name: str
    path: str = ""
    recipe: Recipe = field(default_factory=Recipe)


def of_example(name: str, recipe: Recipe | None = None) -> Source:
    """A bundled table. Its key is the same in every server, so a restarted one knows it."""
    return Source(f"example-{name}", "example", name, recipe=recipe or Recipe())


def of_file(path: str, name: str, recipe: Recipe | None = None) -> Source:
    """A file that was given on the command line or by ``plaintree.studio``."""
    key = f"file-{sha256(path.encode()).hexdigest()[:16]}"
    return Source(key, "file", name, path, recipe or Recipe())


def of_upload(path: str, name: str) -> Source:
    """A file that the page sent."""
    return Source(f"upload-{token_hex(8)}", "upload", name, path)
