"""Failures that are sent to the page: made from exceptions, and turned into them again."""

from __future__ import annotations

from typing import Literal

import msgspec

from plaintree.errors import (
    FileError,
    MemoryLimitError,
    ParameterError,
    PlaintreeError,
    TableError,
    report_request,
)

from ..messages.documents import Failure

Kind = Literal["usage", "table", "memory", "stopped", "lost", "bug"]


def failure_of(error: BaseException) -> Failure:
    """What the page shows for an exception; one that plaintree does not raise is a bug."""
    if isinstance(error, PlaintreeError):
        return Failure(
            what=error.happened, got=error.got or "", hint=error.hint or "", kind=_kind_of(error)
        )
    return Failure(
        what=f"{type(error).__name__}: {error}"[:2_000],
        hint=f"this is a bug in plaintree; {report_request()}.",
        kind="bug",
    )


def _kind_of(error: PlaintreeError) -> Kind:
    if isinstance(error, MemoryLimitError):
        return "memory"
    return "table" if isinstance(error, TableError | FileError) else "usage"


def out_of_memory(limit: int | None) -> Failure:
    """The failure of work that needs more memory than a worker may take."""
    more = "" if limit is None else f" than {limit / 1e9:.3g} GB"
    return Failure(
        what=f"this needs more memory{more or ' than there is'}",
        hint="use fewer rows, a smaller max_depth, or plaintree studio --memory SIZE.",
        kind="memory",
    )


def error_of(failure: Failure) -> PlaintreeError:
    """The exception for a failure, for callers in Python."""
    kinds: dict[str, type[PlaintreeError]] = {
        "usage": ParameterError,
        "table": TableError,
        "memory": MemoryLimitError,
    }
    kind = kinds.get(failure.kind, PlaintreeError)
    return kind(failure.what, failure.got or None, failure.hint or None)


def result_line(reply: bytes) -> bytes:
    """The last line of a response, from the JSON of its result."""
    return b'{"result":' + reply + b"}\n"


def error_line(failure: Failure | bytes) -> bytes:
    """The last line of a response without a result, from the failure or its JSON."""
    content = failure if isinstance(failure, bytes) else msgspec.json.encode(failure)
    return b'{"error":' + content + b"}\n"


def progress_line(progress: bytes) -> bytes:
    """A line about the progress, from its JSON."""
    return b'{"progress":' + progress + b"}\n"
