"""The commands: look, grow, prune, rules, eval, demo.

Data goes to standard output, everything else to standard error.

Exit codes: 0 done, 2 wrong use, 3 data that cannot be used, 130 interrupted, 141 nobody reads on.
numpy, polars and scikit-learn are imported inside the commands, so that help comes at once.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from ..errors import FileError, ParameterError, PlaintreeError
from .options import (
    COMPARED,
    GROWING_OPTIONS,
    LEARNERS,
    OPTIONS,
    PRUNING_METHODS,
    compared_learners,
    with_options,
)

if TYPE_CHECKING:
    import polars as pl

    from .study import Study, Task

WRONG_USE, BAD_DATA, INTERRUPTED, NO_READER = 2, 3, 130, 141

app = typer.Typer(
    name="plaintree",
    help="Decision trees you can read, check and trust.",
    no_args_is_help=True,
    add_completion=False,
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
Columns = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Leave a column out; can be repeated.")
]
Categories = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Read a column's numbers as categories; can be repeated."),
]
Target = Annotated[str, typer.Option(help="The column to be predicted.")]
Learner = Annotated[str, typer.Option(help=f"One of {', '.join(LEARNERS)}.")]
Folds = Annotated[int, typer.Option(min=0, help="Folds of the cross-validation; 0 for none.")]
Seed = Annotated[int, typer.Option(min=0, help="Decides how rows are shuffled or held out.")]
Width = Annotated[int | None, typer.Option(help="Columns to write in (default: the terminal's).")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show where in the program an error arose.")]


def main() -> None:
    """The program `plaintree`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a name that cannot be shown is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    app()


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
) -> None:
    if version:
        print(f"plaintree {__version__}")
        raise typer.Exit


@app.command()
def look(
    file: File,
    *,
    target: Annotated[str | None, typer.Option(help="The column to be predicted.")] = None,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
) -> None:
    """Show the columns of a table, its classes, and what may go wrong with them."""
    with _reported(debug):
        from .look import look_at
        from .show import Page, show_table, write_json

        page = Page(width)
        facts = look_at(_read(file), _source(file), target)
        if json:
            write_json(facts.to_json())
        else:
            show_table(page, facts)
        _warn(facts.warnings)
        if target is None and not json:
            _say("hint:", "--target NAME shows the classes; plaintree grow needs it.")


@app.command()
@with_options(OPTIONS)
def grow(
    file: File,
    *,
    target: Target,
    learner: Learner = "c45",
    drop: Columns = None,
    categorical_column: Categories = None,
    cv: Folds = 10,
    seed: Seed = 0,
    rules: Annotated[bool, typer.Option("--rules", help="Show the tree's rules, too.")] = False,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
    **given: Any,
) -> None:
    """Grow a tree from a table, show it, and say how good it is."""
    with _reported(debug):
        from .show import Page, show_study, show_summary, write_json
        from .study import Task

        page = Page(width)
        task = Task(target, learner, given, drop or (), categorical_column or (), cv, seed)
        study = _carried_out(file, task)
        if json:
            write_json(study.to_json())
        else:
            show_summary(page, study.table)
            show_study(page, study, rules=rules)
        _warn(study.table.warnings)


@app.command()
@with_options(GROWING_OPTIONS)
def prune(
    file: File,
    *,
    target: Target,
    learner: Learner = "c45",
    method: Annotated[
        str, typer.Option(help=f"How the tree is pruned: {', '.join(PRUNING_METHODS)}.")
    ] = "cost_complexity",
    prune_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the method; can be repeated."),
    ] = None,
    validation: Annotated[
        str | None, typer.Option(metavar="FILE", help="Another table, to count errors in.")
    ] = None,
    drop: Columns = None,
    categorical_column: Categories = None,
    cv: Folds = 10,
    seed: Seed = 0,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
    **given: Any,
) -> None:
    """Grow a tree, show the ever smaller trees in it, and prune it by a method."""
    with _reported(debug):
        from .prune_study import PruningTask, prune_table
        from .show import Page, progress, show_summary, write_json
        from .show_pruning import show_pruning
        from .study import Task

        page = Page(width)
        growing = Task(target, learner, given, drop or (), categorical_column or (), cv, seed)
        task = PruningTask(
            growing=growing,
            method=method,  # type: ignore[arg-type]  # is checked there
            texts=prune_option or (),
            validated=validation is not None,
        )
        frame = _read(file)
        other = None if validation is None else (_read(validation), _source(validation))
        with progress() as report:
            study = prune_table(frame, _source(file), task, other, report)
        if json:
            write_json(study.to_json())
        else:
            show_summary(page, study.table)
            show_pruning(page, study)
        _warn(study.table.warnings)


@app.command()
def rules(
    file: File,
    *,
    target: Target,
    method: Annotated[
        str, typer.Option(help="c4.5rules, Quinlan's program, or course, a simpler way.")
    ] = "c4.5rules",
    confidence: Annotated[
        float, typer.Option(help="Of the estimated accuracy; less makes shorter rules.")
    ] = 0.25,
    min_branch: Annotated[
        float | None, typer.Option(help="Rows that two branches of the tree need.")
    ] = None,
    drop: Columns = None,
    categorical_column: Categories = None,
    cv: Folds = 10,
    seed: Seed = 0,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
) -> None:
    """Make a table into a short list of rules, by way of a C4.5 tree, and say how good it is."""
    with _reported(debug):
        from ..rule_candidates import Options
        from .rule_study import make_rules
        from .show import Page, progress, show_rules, show_summary, write_json
        from .study import Task

        page = Page(width)
        options = Options(method, confidence)  # type: ignore[arg-type]  # is checked there
        given = {"prune": "none", "min_samples_branch": min_branch}
        task = Task(target, "c45", given, drop or (), categorical_column or (), cv, seed)
        frame = _read(file)
        with progress() as report:
            study = make_rules(frame, _source(file), task, options, report)
        if json:
            write_json(study.to_json())
        else:
            show_summary(page, study.table)
            show_rules(page, study)
        _warn(study.table.warnings)


@app.command("eval")
def evaluate(
    file: File,
    *,
    target: Target,
    learners: Annotated[
        str, typer.Option(metavar="NAMES", help=f"Some of {','.join(COMPARED)}.")
    ] = ",".join(COMPARED),
    drop: Columns = None,
    categorical_column: Categories = None,
    cv: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    seed: Seed = 0,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
) -> None:
    """Compare learners by cross-validation, with the same folds for all of them."""
    with _reported(debug):
        from .eval_study import compare
        from .show import Page, progress, show_summary, write_json
        from .show_eval import show_comparison
        from .study import Task

        page = Page(width)
        names = compared_learners(learners)
        task = Task(target, "c45", {}, drop or (), categorical_column or (), cv, seed)
        frame = _read(file)
        with progress() as report:
            study = compare(frame, _source(file), task, names, report)
        if json:
            write_json(study.to_json())
        else:
            show_summary(page, study.table)
            show_comparison(page, study)
        _warn(study.table.warnings)


@app.command()
def demo(*, width: Width = None, debug: Debug = False) -> None:
    """Grow a C4.5 tree on a bundled table and show everything about it."""
    with _reported(debug):
        from .. import datasets
        from .show import Page, show_study, show_table
        from .study import Task

        page = Page(width)
        file = _nearby(Path(datasets.__file__).with_name("golf.csv"))
        study = _carried_out(file, Task("play"))
        show_table(page, study.table)
        show_study(page, study, rules=True)
        program = sys.argv[0] if Path(sys.argv[0]).name == "plaintree" else "plaintree"
        page.heading("Try next")
        page.verbatim(f"{_nearby(Path(program))} grow {file} --target play --learner cart --rules")
        page.verbatim(f"{_nearby(Path(program))} look YOUR_TABLE.csv")
        _warn(study.table.warnings)


def _carried_out(file: str, task: Task) -> Study:
    """Read, grow and validate, with a bar while it takes long."""
    from .show import progress
    from .study import carry_out

    frame = _read(file)
    with progress() as report:
        return carry_out(frame, _source(file), task, report)


def _read(file: str) -> pl.DataFrame:
    from ..files import read_table

    if Path(file).is_dir():
        raise FileError(f"{file} is a folder", hint="name the file in it that holds the table.")
    return read_table(file)


# -------------------------------------------------------------------- words and exit codes


@contextmanager
def _reported(debug: bool) -> Iterator[None]:
    """Errors become a line on standard error and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except PlaintreeError as error:
        if debug:
            traceback.print_exc()
        _say("error:", str(error))
        raise typer.Exit(WRONG_USE if isinstance(error, ParameterError) else BAD_DATA) from None
    except KeyboardInterrupt:
        _say("interrupted", "")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader, such as head, has what it wanted. What is still buffered goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(NO_READER) from None


def _warn(warnings: Iterable[str]) -> None:
    for text in warnings:
        _say("warning:", text)


def _say(what: str, text: str) -> None:
    """A line on standard error, coloured where that is wanted and possible."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    style = {"error:": "bold red", "warning:": "yellow"}.get(what, "bold")
    console.print(Text.assemble((what, style), f" {text}".rstrip()), soft_wrap=True)


def _source(file: str) -> str:
    return "standard input" if file == "-" else file


def _nearby(path: Path) -> str:
    """A path as short as it can be written from here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
