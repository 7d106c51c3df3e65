"""Exceptions and warnings of plaintree, all public.

Every exception is a :class:`PlaintreeError` and also the built-in exception that callers would
catch, such as ``ValueError`` or ``FileNotFoundError``. A message has up to three parts: what is
wrong, the value that was given, and a hint how to fix it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from pathlib import Path

__all__ = [
    "ArgumentTypeError",
    "ColumnError",
    "DirectoryError",
    "ExportError",
    "FileError",
    "FilePermissionError",
    "ManyClassesWarning",
    "MemoryLimitError",
    "MissingFileError",
    "ModelFileError",
    "ParameterError",
    "PlaintreeError",
    "ReadingWarning",
    "TableError",
    "TreeError",
    "UnseenCategoryWarning",
]


class PlaintreeError(Exception):
    """Base class of all exceptions that plaintree raises.

    Parameters
    ----------
    happened : str
        What is wrong.
    got : str or None, default=None
        The value that was given.
    hint : str or None, default=None
        How to fix it.

    Examples
    --------
    >>> import plaintree as pt
    >>> try:
    ...     pt.CARTClassifier(max_depth=-1).fit([[0], [1]], ["no", "yes"])
    ... except pt.PlaintreeError as error:
    ...     print(type(error).__name__, error.got)
    ParameterError max_depth=-1
    """

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

    def __str__(self) -> str:
        return str(self.args[0])  # an OSError would write its number instead

    def __reduce__(self) -> tuple[type, tuple[str, str | None, str | None]]:
        return type(self), (self.happened, self.got, self.hint)


class TableError(PlaintreeError, ValueError):
    """The table, labels or weights cannot be used as they are."""


class ColumnError(TableError):
    """A column is missing, unexpected, or of another type than in training."""


class ArgumentTypeError(PlaintreeError, TypeError):
    """An argument has a type that is not accepted."""


class ParameterError(PlaintreeError, ValueError):
    """A parameter has a value that is not allowed."""


class MemoryLimitError(PlaintreeError, MemoryError):
    """The operation would need more memory than is available."""


class TreeError(PlaintreeError, ValueError):
    """The arrays of a tree do not describe a valid tree."""


class ExportError(PlaintreeError, ValueError):
    """A model cannot be exported, or the exported model predicts something else."""


class FileError(PlaintreeError, ValueError):
    """A file cannot be read or written, or its content does not match its format."""


class MissingFileError(FileError, FileNotFoundError):
    """A file, or the directory it should be written to, does not exist."""


class FilePermissionError(FileError, PermissionError):
    """The system does not allow reading or writing a file."""


class DirectoryError(FileError, IsADirectoryError):
    """A path names a directory where a file is expected."""


class ModelFileError(FileError):
    """A file does not hold a valid model, or an object cannot be saved as one."""


class UnseenCategoryWarning(UserWarning):
    """New rows have categories not seen in training, in columns that the model uses."""


class ManyClassesWarning(UserWarning):
    """The target is numeric and has so many distinct values that it may be a measurement."""


class ReadingWarning(UserWarning):
    """Values of a file are ambiguous; the warning names the parameter that decides."""


_OF_SYSTEM: dict[type[OSError], type[FileError]] = {
    FileNotFoundError: MissingFileError,
    PermissionError: FilePermissionError,
    IsADirectoryError: DirectoryError,
}


def file_error(happened: str, cause: OSError, hint: str | None = None) -> FileError:
    """Make the error for a file that the system cannot open, read or write."""
    error = _OF_SYSTEM.get(type(cause), FileError)(happened, cause.strerror or str(cause), hint)
    if isinstance(error, OSError):
        error.errno, error.strerror, error.filename = cause.errno, cause.strerror, cause.filename
    return error


def unreadable(path: object, cause: OSError, hint: str | None = None) -> FileError:
    """Make the error for a file that cannot be read; suggest a name for a missing one."""
    if not isinstance(cause, FileNotFoundError):
        return file_error(f"{path} cannot be read", cause, hint)
    file = Path(str(path))
    beside = [f.name for f in file.parent.iterdir()] if file.parent.is_dir() else []
    hint = nearest(file.name, beside) or hint or "check the directory and the spelling."
    return file_error(f"there is no file {path}", cause, hint)


def nearest(name: object, known: Iterable[object]) -> str | None:
    """Return a hint "did you mean ...?" for a misspelt name, or None if no name is similar."""
    matches = get_close_matches(str(name), [str(k) for k in known], n=1)
    return f"did you mean {matches[0]!r}?" if matches else None


def not_allowed(parameter: str, value: object, allowed: Iterable[object]) -> ParameterError:
    """Make the error for a parameter whose value is not one of the allowed ones."""
    choices = [repr(a) for a in allowed]
    return ParameterError(
        f"{parameter} has a value that is not allowed",
        got=f"{parameter}={value!r}",
        hint=f"use one of {', '.join(choices)}.",
    )


_number_of: ContextVar[Callable[[int], int] | None] = ContextVar("_number_of", default=None)


def row_name(index: int) -> str:
    """Name a row as people count: row 1 is the first row of data. ``index`` counts from 0.

    >>> row_name(0)
    'row 1'
    """
    number_of = _number_of.get()
    return f"row {(index if number_of is None else number_of(index)) + 1:d}"


@contextmanager
def rows_counted(number_of: Callable[[int], int]) -> Iterator[None]:
    """Name rows by their numbers in the file of which they are a part.

    >>> with rows_counted(lambda index: index + 100):
    ...     row_name(0)
    'row 101'
    """
    before = _number_of.set(number_of)
    try:
        yield
    finally:
        _number_of.reset(before)


def report_request() -> str:
    """Return the request to report a bug, with the address from the package's metadata."""
    from importlib.metadata import PackageNotFoundError, metadata  # slow, and rarely needed

    try:
        entries = metadata("plaintree").get_all("Project-URL") or []
    except PackageNotFoundError:  # run from its sources
        entries = []
    addresses = dict(entry.split(", ", maxsplit=1) for entry in entries)
    return f"please report it at {addresses['Issues']}" if addresses else "please report it"
