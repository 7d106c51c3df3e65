"""The command that shows a tree of a bundled table: demo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .base import Output, check_places, command, write_named
from .declare import with_options
from .help import FILES
from .messages import reported, warn
from .tables import read


@command("demo", "demo --table golf.csv")
@with_options()
def demo(
    *,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.csv", help="Write the table to a file and exit.", rich_help_panel=FILES
        ),
    ] = None,
    output: Output,
) -> None:
    """Grow a C4.5 tree from a bundled table.

    The table is golf.csv, which the examples of the other commands use.
    """
    with reported(output):
        from plaintree import datasets
        from plaintree.progress import no_progress

        from ..study.grow import Task, carry_out, source_from, training_table
        from ..study.target_task import task_of_target
        from .show import Page, show_table, write_json
        from .show_study import show_study

        page = Page(output.width)
        path = Path(datasets.__file__).with_name("golf.csv")
        if table is not None:
            check_places(table)
            write_named(table, path.read_text(), "the table")
            return
        file = _nearby(path)
        task = Task("play")
        source = source_from(read(file)[0], file, task.target)
        training = training_table(source, task_of_target(source.column))
        study = carry_out(training, task, no_progress)
        if output.json:
            write_json(study.to_json())
            return
        show_table(page, study.table)
        show_study(page, study, rules=True)
        program = sys.argv[0] if Path(sys.argv[0]).name == "plaintree" else "plaintree"
        page.heading("Try next")
        page.verbatim(f"{_nearby(Path(program))} grow {file} -t play --learner cart --rules")
        page.verbatim(f"{_nearby(Path(program))} inspect YOUR_TABLE.csv")
        warn(study.table.warnings)


def _nearby(path: Path) -> str:
    """A path as short as it can be written from here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
