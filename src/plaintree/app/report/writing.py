"""Writing a file in one step: completely, or not at all."""

from __future__ import annotations

from os import PathLike

from plaintree.checks import check_path
from plaintree.interop.model_file.atomic import write_file


def write_whole(path: str | PathLike[str], content: str | bytes, what: str) -> None:
    """Replace the content of a file; errors call it ``what``.

    >>> write_whole("/no/such/directory/page.html", "", "the page")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    plaintree.errors.MissingFileError: the page could not be written to /no/such/...
    """
    # An unpaired surrogate cannot be encoded.
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    write_file(check_path(path), data, what)
