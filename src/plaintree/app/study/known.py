"""Names and numbers as typed: learners, formats, numbers of features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from plaintree.errors import ParameterError, nearest


def check_known(what: str, got: str, name: str, known: Iterable[str]) -> None:
    """Raise an error for an unknown name, with the nearest one or all.

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


def features_from(text: str) -> Any:
    """``max_features`` as an estimator takes it; the table shows whether a number fits."""
    if text in ("sqrt", "log2"):
        return text
    if text == "all":
        return None
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise ParameterError(
            "max_features must be sqrt, log2, all or a number",
            got=f"max_features={text}",
            hint="a number such as 3 counts features, one such as 0.5 is a fraction of them.",
        ) from None
