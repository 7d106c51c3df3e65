"""A page or any other text written to a file in one step: the whole of it, or nothing."""

from __future__ import annotations

from os import PathLike

from plaintree.checks import check_path
from plaintree.interop.model_file.atomic import write_file


def write_whole(path: str | PathLike[str], content: str | bytes, what: str) -> None:
    """Make the content that of a file; ``what`` it is, an error says.

    >>> write_whole("/no/such/folder/page.html", "", "the page")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    plaintree.errors.MissingFileError: the page could not be written to /no/such/...
    """
    # Half of a pair of characters is no text that a file could hold.
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    write_file(check_path(path), data, what)
