"""Names that must be one of a few: columns, learners, formats."""

from __future__ import annotations

from collections.abc import Iterable

from plaintree.errors import ParameterError, nearest


def check_known(what: str, got: str, name: str, known: Iterable[str]) -> None:
    """A name must be one of a few; the error tells the nearest one, or all.

    >>> check_known("format", "format=pdf", "pdf", ("text", "html"))
    Traceback (most recent call last):
    plaintree.errors.ParameterError: there is no such format. Got format=pdf. Hint: use one of \
text, html.
    """
    names = tuple(known)
    if name not in names:
        raise ParameterError(
            f"there is no such {what}",
            got=got,
            hint=nearest(name, names) or f"use one of {', '.join(names)}.",
        )
