"""Messages on standard error, and exit codes.

Results go to standard output, everything else to standard error.

Exit codes: 0 done, 1 models that differ, 2 usage error, 3 data that cannot be used or output that
cannot be written, 4 a bug in plaintree, 130 interrupted, 141 the reading end of a pipe is closed.
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plaintree.errors import (
    FileError,
    ParameterError,
    PlaintreeError,
    ReadingWarning,
    report_request,
)

from .flags import COLUMN_FLAGS, READING_FLAGS
from .help import OUTPUT

if TYPE_CHECKING:
    from plaintree.data.doubts import Doubt

DIFFERENT, USAGE, BAD_DATA, BUG, INTERRUPTED, NO_READER = 1, 2, 3, 4, 130, 141


@dataclass(frozen=True)
class Messages:
    """Options about messages, the same for every command; see ``with_options``."""

    quiet: Annotated[
        bool,
        typer.Option(
            "-q",
            "--quiet",
            help="No warnings, notes or progress; errors are still printed.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    no_color: Annotated[
        bool,
        typer.Option(
            "--no-color",
            help="No colours; the variable NO_COLOR does the same.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Print the traceback of an error.", rich_help_panel=OUTPUT),
    ] = False


_DEFAULT = Messages()
_chosen: ContextVar[Messages] = ContextVar("_chosen", default=_DEFAULT)


def is_quiet() -> bool:
    """Whether the command that runs was given --quiet."""
    return _chosen.get().quiet


def without_color() -> bool | None:
    """True if --no-color was given; otherwise None, and rich reads NO_COLOR."""
    return _chosen.get().no_color or None


@contextmanager
def reported(messages: Messages) -> Iterator[None]:
    """Turn errors into a line on standard error and an exit code, and warnings into a line."""
    token = _chosen.set(messages)
    try:
        with _exit_codes(messages.debug):
            yield
    finally:
        _chosen.reset(token)


@contextmanager
def _exit_codes(debug: bool) -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # those of the library
            yield
        sys.stdout.flush()
    except typer.Exit:
        raise
    except PlaintreeError as error:
        if debug:
            traceback.print_exc()
        say("error:", str(error))
        raise typer.Exit(USAGE if isinstance(error, ParameterError) else BAD_DATA) from None
    except KeyboardInterrupt:
        say("interrupted", "")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _drop_output()  # the reader, such as head, has read enough
        raise typer.Exit(NO_READER) from None
    except OSError as error:
        if debug:
            traceback.print_exc()
        raise typer.Exit(unwritten(error)) from None
    except Exception as error:
        if debug:
            traceback.print_exc()
        say("error:", f"{type(error).__name__}: {error}".rstrip(": ") + ".")
        more = "" if debug else " (add --debug for the traceback)"
        say("hint:", f"this is a bug in plaintree; {report_request()}{more}")
        raise typer.Exit(BUG) from None


def unwritten(error: OSError) -> int:
    """Report that output cannot be written, such as to a full disk; returns the exit code."""
    _drop_output()
    what = f"{error.filename} cannot be used" if error.filename else "the output cannot be written"
    say("error:", str(FileError(what, got=error.strerror or str(error))))
    return BAD_DATA


def _drop_output() -> None:
    """Discard what is still buffered, so the end of the program does not write it again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(doubts: Iterable[Doubt]) -> None:
    """Warnings about a table, each with the option that settles it."""
    for doubt in doubts:
        note("note:" if doubt.is_note else "warning:", doubt.written(_option))


def _option(parameter: str, values: tuple[str, ...]) -> str:
    flag = (COLUMN_FLAGS | READING_FLAGS)[parameter]
    return " ".join(f"{flag} {shlex.quote(value)}" for value in values) if values else flag


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    if isinstance(message, ReadingWarning):
        warn(message.args)
        return
    note("warning:", f"{str(message).rstrip('.')}.")


def wrote(path: str) -> None:
    """Name a file that was written."""
    note("wrote", path)


def note(label: str, text: str) -> None:
    """A line on standard error, unless --quiet was given."""
    if not is_quiet():
        say(label, text)


def say(label: str, text: str) -> None:
    """A line on standard error; its label is coloured in a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False, no_color=without_color())
    style = {"error:": "bold red", "warning:": "yellow"}.get(label, "bold")
    with suppress(OSError):  # if standard error cannot be written either, the exit code remains
        console.print(Text.assemble((label, style), f" {text}".rstrip()), soft_wrap=True)
