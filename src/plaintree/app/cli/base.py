"""What all commands share: the program, its common options, its words and its exit codes.

Data goes to standard output, everything else to standard error.

Exit codes: 0 done, 1 models that differ, 2 wrong use, 3 data that cannot be used or output that
cannot be written, 4 a bug in plaintree, 130 interrupted, 141 nobody reads on. numpy, polars
and scikit-learn are imported inside the commands, so that help comes at once.
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from plaintree.errors import (
    FileError,
    ParameterError,
    PlaintreeError,
    ReadingWarning,
    nearest,
    report_request,
)

from .options import (
    LEARNERS,
    completing,
)

if TYPE_CHECKING:
    from plaintree.data.doubts import Doubt

    from .show import Page

DIFFERENT, WRONG_USE, BAD_DATA, OWN_MISTAKE, INTERRUPTED, NO_READER = 1, 2, 3, 4, 130, 141

ORDER = (
    "look",
    "grow",
    "solve",
    "explain",
    "prune",
    "rules",
    "forest",
    "eval",
    "predict",
    "export",
    "diff",
    "check",
    "demo",
)
"""The commands as help lists them: from the first look at a table to the use of a model."""


COLUMN_FLAGS = {
    "target": "--target",
    "drop": "--drop",
    "categorical_features": "--categorical-column",
    "types": "--types",
}
"""The options that name columns, by the parameters that they stand for."""
READING_FLAGS = {"types": "--types", "dates": "--dates", "missing_values": "--gap"}
"""The options of reading a table, by the parameters that they stand for."""
TYPED = "plaintree.typed"
"""Where the words of the command line are kept while it is carried out."""


class Commands(TyperGroup):
    """The commands in their order; what cannot be read as an option's value is told as typed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names; those without a place come last."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep what was typed."""
        ctx.meta[TYPED] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Carry out a command; an error about an option's value shows that value."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            typed = _typed(ctx.meta[TYPED], getattr(error.param, "opts", ()))
            if typed:
                error.message = f"{error.message.rstrip('.')}. Got {typed}."
            raise


def _typed(words: Sequence[str], flags: Sequence[str]) -> str | None:
    """The last of the words that give an option, and its value."""
    for place in reversed(range(len(words))):
        flag, equals, _ = words[place].partition("=")
        if flag in flags and flag.startswith("-"):
            return shlex.join(words[place : place + (1 if equals else 2)])
    return None


def examples(*commands: str) -> str:
    """What stands below the options in the help of a command."""
    return "\n".join(["\b", "Examples:", *(f"  plaintree {command}" for command in commands)])


app = typer.Typer(
    name="plaintree",
    cls=Commands,
    epilog=examples(
        "demo --table golf.csv",
        "look golf.csv --target play",
        "grow golf.csv --target play --save golf.json --report golf.html",
        "predict golf.json golf.csv",
    ),
    help="Decision trees you can read, check and trust.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="CSV, TSV, Parquet, ARFF or C4.5's .names/.data; - is CSV from a pipe."
    ),
]
Target = Annotated[str, typer.Option(help="The column to be predicted.")]
Learner = Annotated[
    str, typer.Option(help=f"One of {', '.join(LEARNERS)}.", autocompletion=completing(LEARNERS))
]
Folds = Annotated[int, typer.Option(min=0, help="Folds of the cross-validation; 0 for none.")]
Seed = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, help="Decides how rows are shuffled or held out.")
]
Width = Annotated[int | None, typer.Option(help="Columns to write in (default: the terminal's).")]
OneTree = Annotated[
    int | None,
    typer.Option("--tree", min=0, help="(forests) One of the trees, counted from 0."),
]
Save = Annotated[
    str | None, typer.Option(metavar="MODEL", help="Keep the model in a file, for predict, export.")
]
Report = Annotated[
    str | None, typer.Option(metavar="FILE.html", help="Write a report about all of it.")
]
Out = Annotated[
    str, typer.Option("-o", "--out", metavar="FILE", help="Where to write; - is standard output.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]
Everything = Annotated[
    bool,
    typer.Option("--all", help="Print a large tree, rule list or table whole."),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show where in the program an error arose.")]


@dataclass(frozen=True)
class Output:
    """How a command says what it has found out."""

    json: Json = False
    width: Width = None
    debug: Debug = False


def present(page: Page, study: Any, show: Callable[..., None], as_json: bool) -> None:
    """What was found out, for people or for programs."""
    from .show import show_summary, write_json

    if as_json:
        write_json(study.to_json())
        return
    show_summary(page, study.table)
    show(page, study)


def model_bytes(file: str) -> bytes:
    """What is in a model file, or comes from a pipe; that it is a model is found out later."""
    from plaintree.interop.model_file.atomic import read_file

    check_named(file, "model")
    if file == "-":
        return sys.stdin.buffer.read()
    path = Path(file)
    if path.exists():
        return read_file(path)
    beside = [f.name for f in path.parent.iterdir()] if path.parent.is_dir() else []
    raise FileError(
        f"there is no file {file}",
        hint=nearest(path.name, beside) or "plaintree grow ... --save MODEL writes a model file.",
    )


def load_model(file: str, tree: int | None = None) -> Any:
    """The model of a file, or one of its trees."""
    from plaintree.interop.model_file.reading import from_bytes

    model = from_bytes(model_bytes(file))
    if tree is None:
        return model
    trees = getattr(model, "trees_", None)
    if trees is None:
        raise ParameterError(
            "this model does not answer by many trees",
            got=f"--tree {tree} of a {type(model).__name__}",
            hint="leave it out.",
        )
    if tree >= len(trees):
        raise ParameterError(
            "there is no such tree",
            got=f"--tree {tree} of {len(trees)} trees",
            hint="trees are counted from 0.",
        )
    return trees[tree]


def check_one_pipe(*files: str | None) -> None:
    """Standard input can be read once only."""
    if files.count("-") > 1:
        raise ParameterError(
            "only one thing can come from a pipe",
            got=f"- {files.count('-')} times",
            hint="name a file for the others.",
        )


def check_named(file: str, what: str) -> None:
    """A file to be read has a name, and is no folder."""
    if not file:
        raise ParameterError(f"the name of the {what} is empty", hint="name a file.")
    _check_possible(file)
    if Path(file).is_dir():
        raise FileError(f"{file} is a folder", hint=f"name the file in it that holds the {what}.")


def _check_possible(file: str) -> None:
    from plaintree.checks import check_path

    check_path(file)


def check_places(*files: str | None) -> None:
    """Files that are to be written at last can be, as far as that can be told at first."""
    for file in files:
        if file in ("-", ""):
            raise ParameterError(
                "standard output has the text, so that this needs a file",
                got=f"{file!r}",
                hint="name a file.",
            )
        if file:
            _check_possible(file)
        if file and not Path(file).parent.is_dir():
            raise FileError(f"there is no folder {Path(file).parent}", hint="make it first.")
        if file and Path(file).is_dir():
            raise FileError(f"{file} is a folder", hint="name a file in it.")


def check_out(out: str) -> None:
    """The same for what may go to standard output."""
    if out != "-":
        check_places(out)


def write_text(out: str, text: str, what: str) -> None:
    """Text on standard output, or as the content of a file."""
    if out == "-":
        print(text.rstrip("\n"))
        return
    from ..report.writing import write_whole

    write_whole(out, text.rstrip("\n") + "\n", what)


# -------------------------------------------------------------------- words and exit codes


@contextmanager
def reported(debug: bool) -> Iterator[None]:
    """Errors become a line on standard error and an exit code; warnings, a line."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _tell  # of the library
            yield
        sys.stdout.flush()
    except typer.Exit:
        raise
    except PlaintreeError as error:
        if debug:
            traceback.print_exc()
        say("error:", str(error))
        raise typer.Exit(WRONG_USE if isinstance(error, ParameterError) else BAD_DATA) from None
    except KeyboardInterrupt:
        say("interrupted", "")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _drop_output()  # the reader, such as head, has what it wanted
        raise typer.Exit(NO_READER) from None
    except OSError as error:
        if debug:
            traceback.print_exc()
        raise typer.Exit(unwritten(error)) from None
    except Exception as error:
        if debug:
            traceback.print_exc()
        say("error:", f"{type(error).__name__}: {error}".rstrip(": ") + ".")
        say("hint:", f"this is a bug in plaintree, shown by --debug; {report_request()}")
        raise typer.Exit(OWN_MISTAKE) from None


def unwritten(error: OSError) -> int:
    """Say that output cannot be written, such as to a full disk; the exit code for it."""
    _drop_output()
    what = f"{error.filename} cannot be used" if error.filename else "the output cannot be written"
    say("error:", str(FileError(what, got=error.strerror or str(error))))
    return BAD_DATA


def _drop_output() -> None:
    """What is still buffered goes nowhere, so that ending the program does not try it again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(doubts: Iterable[Doubt]) -> None:
    """Doubts about a table on standard error, each with the option that settles it."""
    for doubt in doubts:
        say("warning:", doubt.written(_option))


def _option(parameter: str, values: tuple[str, ...]) -> str:
    flag = (COLUMN_FLAGS | READING_FLAGS)[parameter]
    return " ".join(f"{flag} {shlex.quote(value)}" for value in values) if values else flag


def _tell(message: Warning | str, *_: Any, **__: Any) -> None:
    if isinstance(message, ReadingWarning):
        warn(message.args)
        return
    say("warning:", f"{message}.")


def say(what: str, text: str) -> None:
    """A line on standard error, coloured where that is wanted and possible."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    style = {"error:": "bold red", "warning:": "yellow"}.get(what, "bold")
    with suppress(OSError):  # where there is no room for the error either, the exit code tells
        console.print(Text.assemble((what, style), f" {text}".rstrip()), soft_wrap=True)


def source_of(file: str) -> str:
    return "standard input" if file == "-" else file
