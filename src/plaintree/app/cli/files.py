"""Tables in files that are read in batches: their options, and growing from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plaintree.errors import ParameterError

from .flags import COLUMN_FLAGS, READING_FLAGS, TASK_FLAGS, as_typed
from .help import BATCHES
from .messages import note
from .tables import Asked

if TYPE_CHECKING:
    from ..study.files import FileStudy, Opening
    from .show import Page

OPENING_FLAGS = {
    "memory_limit": "--memory",
    "store": "--store",
    "checkpoint": "--checkpoint",
    "filter": "--filter",
    "weights": "--weights",
}
"""The options of tables that are read in batches, by their parameters."""


@dataclass(frozen=True)
class InFiles:
    """Options of tables that are read in batches; see ``with_options``."""

    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory of the process, such as 2GB; reads any table in batches.",
            rich_help_panel=BATCHES,
        ),
    ] = None
    store: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Keep the encoded rows in a directory, for the next time.",
            rich_help_panel=BATCHES,
        ),
    ] = None
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write a file after each level; after an interruption, growing continues from it.",
            rich_help_panel=BATCHES,
        ),
    ] = None
    filter: Annotated[
        str | None,
        typer.Option(
            metavar="SQL",
            help="Use the rows that meet a condition, such as 'year > 2020'.",
            rich_help_panel=BATCHES,
        ),
    ] = None
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column with the weights of the rows.",
            rich_help_panel=BATCHES,
        ),
    ] = None

    def opening(self, file: str, asked: Asked) -> Opening:
        """How the files are opened."""
        from ..study.files import Opening

        return Opening(
            file,
            self.memory,
            self.store,
            self.checkpoint,
            self.filter,
            self.weights,
            asked.columns.options,
        )


def refuse_options(file: str, *, cv: int | None, report: str | None) -> None:
    """Refuse what needs all rows in memory, and standard input, which can be read only once."""
    if file == "-":
        raise ParameterError(
            "standard input can be read only once, and a table in batches is read several times",
            got="-",
            hint="name a file.",
        )
    for flag, value in (("--cv", cv or None), ("--report", report)):
        if value is not None:
            raise ParameterError(
                f"{flag} needs the rows in memory, and this table is read in batches",
                got=f"{flag} {value}",
                hint=f"leave out {flag}; plaintree evaluate measures the model on other files.",
            )


def grow_files(opening: Opening, asked: Asked) -> FileStudy:
    """Grow a tree from files, with its progress on standard error."""
    from ..study.files import grow_from_files
    from .show_files import level_progress

    columns, flags = asked.columns, COLUMN_FLAGS | TASK_FLAGS | READING_FLAGS | OPENING_FLAGS
    plan = asked.plan(asked.task)
    with as_typed(flags):
        dataset = opening.open(asked.target, columns.drop or (), columns.categorical_feature or ())
        try:
            with level_progress() as report:
                return grow_from_files(dataset, opening, plan, report)
        except KeyboardInterrupt:
            if opening.checkpoint is not None and Path(opening.checkpoint).exists():
                note("note:", f"the same command continues from {opening.checkpoint}.")
            raise


def present_files(page: Page, study: FileStudy, as_json: bool, *, rules: bool) -> None:
    """Print a study of files as text or as JSON."""
    from .show import write_json
    from .show_files import show_file_study

    if as_json:
        write_json(study.to_json())
    else:
        show_file_study(page, study, rules=rules)


def hint_at_batches(file: str) -> None:
    """Name the option for a file that may not fit memory."""
    from plaintree.memory import available_bytes

    path = Path(file)
    if path.is_file() and 0 < available_bytes() // 4 < path.stat().st_size:
        note("hint:", "--memory SIZE, such as --memory 2GB, reads a large table in batches.")
