"""The command that shows a tree of a bundled table: demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..study.known import check_known
from .base import Output, check_places, command, write_named
from .declare import completing, with_options
from .help import FILES
from .messages import reported, warn
from .options import DEFAULTS
from .tables import read

TABLES: dict[str, str] = {"golf": "play", "houses": "price", "loans": "defaulted"}
"""The bundled tables of the examples, with their targets."""


@command("demo", "demo --table golf.csv", "demo houses --table houses.csv", "demo loans")
@with_options()
def demo(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="golf (classes), houses (numbers) or loans (classes, 1,200 rows).",
            autocompletion=completing(TABLES),
        ),
    ] = "golf",
    *,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.csv", help="Write the table to a file and exit.", rich_help_panel=FILES
        ),
    ] = None,
    output: Output,
) -> None:
    """Grow a tree from a bundled table.

    The tables are golf.csv (C4.5) and houses.csv (CART, regression), which the examples of the
    other commands use, and loans.csv (C4.5), which is large enough to overfit.
    """
    with reported(output):
        from plaintree import datasets
        from plaintree.progress import no_progress

        from ..study.grow import Task, carry_out, source_from, training_table
        from ..study.target_task import task_of_target
        from .show import Page, show_table, write_json
        from .show_study import show_study

        page = Page(output.width)
        check_known("table", name, name, TABLES)
        path = Path(datasets.__file__).with_name(f"{name}.csv")
        if table is not None:
            check_places(table)
            write_named(table, path.read_text(), "the table")
            return
        file = _nearby(path)
        source = source_from(read(file)[0], file, TABLES[name])
        decided = task_of_target(source.column)
        parameters = {"max_depth": 3} if decided.name == "regression" else {}
        task = Task(TABLES[name], DEFAULTS[decided.name], parameters, task=decided.name)
        study = carry_out(training_table(source, decided), task, no_progress)
        if output.json:
            write_json(study.to_json())
            return
        show_table(page, study.table)
        show_study(page, study, rules=True)
        program = sys.argv[0] if Path(sys.argv[0]).name == "plaintree" else "plaintree"
        page.heading("Try next")
        command = _nearby(Path(program))
        page.verbatim(f"{command} grow {file} -t {TABLES[name]} --learner cart --rules")
        page.verbatim(f"{command} inspect YOUR_TABLE.csv")
        warn(study.table.warnings)


def _nearby(path: Path) -> str:
    """A path as short as it can be written from here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
