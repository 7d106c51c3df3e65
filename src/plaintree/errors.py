"""Every exception plaintree raises on purpose.

A message has three parts: what happened, what was got, and a hint about what to do. The
classes also derive from ValueError or TypeError where scikit-learn's contract asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class PlaintreeError(Exception):
    """The base of all errors raised by plaintree."""

    def __init__(self, happened: str, got: str | None = None, hint: str | None = None) -> None:
        self.happened = happened
        self.got = got
        self.hint = hint
        text = happened.rstrip(".") + "."
        if got:
            text += f" Got {got.rstrip('.')}."
        if hint:
            text += f" Hint: {hint}"
        super().__init__(text)

    def __reduce__(self) -> tuple[type, tuple[str, str | None, str | None]]:
        return type(self), (self.happened, self.got, self.hint)


class TableError(PlaintreeError, ValueError):
    """The table (X, y, weights) cannot be used as it is."""


class ColumnError(TableError):
    """A column is missing, extra, or holds something else than it did in training."""


class ArgumentTypeError(PlaintreeError, TypeError):
    """An argument is of a type that plaintree cannot take."""


class FileError(TableError):
    """A file cannot be read, or is not what its suffix says."""


class ModelFileError(PlaintreeError, ValueError):
    """A model file cannot be read or written, or does not hold a model."""


class ParameterError(PlaintreeError, ValueError):
    """A parameter has a value that is not allowed."""


class MemoryLimitError(PlaintreeError, MemoryError):
    """What is asked for would need more memory than there is."""


class TreeError(PlaintreeError, ValueError):
    """A tree's arrays do not describe a tree."""


class ExportError(PlaintreeError, ValueError):
    """A model cannot be written in that form, or what was written answers otherwise."""


class UnseenCategoryWarning(UserWarning):
    """New rows hold categories that training did not have, in columns that the model uses."""


class ManyClassesWarning(UserWarning):
    """The target is numeric and has so many distinct values that it may be a measurement."""


class ReadingWarning(UserWarning):
    """Values of a file can be read in two ways; the warning names the parameter that decides."""


def nearest(name: object, known: Iterable[object]) -> str | None:
    """A hint "did you mean ...?" for a misspelt name, or None if nothing is near."""
    matches = get_close_matches(str(name), [str(k) for k in known], n=1)
    return f"did you mean {matches[0]!r}?" if matches else None


def not_allowed(parameter: str, value: object, allowed: Iterable[object]) -> ParameterError:
    """The error for a parameter whose value is not one of a few."""
    choices = [repr(a) for a in allowed]
    return ParameterError(
        f"{parameter} has a value that is not allowed",
        got=f"{parameter}={value!r}",
        hint=f"use one of {', '.join(choices)}.",
    )


def row_name(index: int) -> str:
    """A row as people count it: row 1 is the first row of data. ``index`` counts from 0.

    >>> row_name(0)
    'row 1'
    """
    return f"row {index + 1:d}"


def report_request() -> str:
    """The request to report a bug, with the address in the metadata of the installed package."""
    from importlib.metadata import PackageNotFoundError, metadata  # slow, and rarely needed

    try:
        entries = metadata("plaintree").get_all("Project-URL") or []
    except PackageNotFoundError:  # run from its sources
        entries = []
    addresses = dict(entry.split(", ", maxsplit=1) for entry in entries)
    return f"please report it at {addresses['Issues']}" if addresses else "please report it"
