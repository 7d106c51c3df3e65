"""The command that shows what there is to see, on a table of ours: demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .base import Debug, Json, Width, app, examples, reported, warn, write_text
from .tables import read


@app.command(epilog=examples("demo", "demo --table golf.csv"))
def demo(
    *,
    table: Annotated[
        str | None,
        typer.Option(metavar="FILE.csv", help="Write the table to a file, and do no more."),
    ] = None,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
) -> None:
    """Show what a C4.5 tree of a bundled table looks like.

    The table is golf.csv of the other commands' examples.
    """
    with reported(debug):
        from plaintree import datasets
        from plaintree.progress import no_progress

        from ..study.grow import Task, carry_out, training_table
        from .show import Page, show_study, show_table, write_json

        page = Page(width)
        path = Path(datasets.__file__).with_name("golf.csv")
        if table is not None:
            write_text(table, path.read_text(), "the table")
            return
        file = _nearby(path)
        task = Task("play")
        study = carry_out(training_table(read(file)[0], file, task), task, no_progress)
        if json:
            write_json(study.to_json())
            return
        show_table(page, study.table)
        show_study(page, study, rules=True)
        program = sys.argv[0] if Path(sys.argv[0]).name == "plaintree" else "plaintree"
        page.heading("Try next")
        page.verbatim(f"{_nearby(Path(program))} grow {file} --target play --learner cart --rules")
        page.verbatim(f"{_nearby(Path(program))} look YOUR_TABLE.csv")
        warn(study.table.warnings)


def _nearby(path: Path) -> str:
    """A path as short as it can be written from here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
