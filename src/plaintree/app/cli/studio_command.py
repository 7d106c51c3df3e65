"""The command that serves the studio, a page in the browser: studio."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plaintree.errors import ParameterError, nearest, unreadable

from .base import MaybeTarget, check_named, command
from .declare import with_options
from .flags import COLUMN_FLAGS, READING_FLAGS, TASK_FLAGS, as_typed
from .help import OUTPUT
from .messages import Messages, note, reported
from .tables import TaskColumns

if TYPE_CHECKING:
    from ..studio.begin import Chosen

STUDIO_FLAGS = {
    **COLUMN_FLAGS,
    **READING_FLAGS,
    **TASK_FLAGS,
    "port": "--port",
    "memory": "--memory",
}
"""The options of the studio, by their parameters."""


@command("studio", "studio golf.csv -t play", "studio golf.csv --no-browser --port 8000")
@with_options()
def studio(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV, Parquet, ARFF or C4.5's .names/.data; or a bundled table such as golf "
            "(default: chosen on the page).",
        ),
    ] = None,
    *,
    target: MaybeTarget = None,
    columns: TaskColumns,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = 0,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory for the work on one table, such as 4GB (default: three quarters of what "
            "is available).",
        ),
    ] = None,
    no_browser: Annotated[
        bool,
        typer.Option("--no-browser", help="Only print the address.", rich_help_panel=OUTPUT),
    ] = False,
    messages: Messages,
) -> None:
    """Grow, edit and prune a tree on a page in the browser.

    Serves the page on 127.0.0.1, to this computer only, until Ctrl-C. The address that is printed
    gives access to it.
    """
    with reported(messages):
        from ..studio.launch import check_installed, serve, show

        check_installed()
        with as_typed(STUDIO_FLAGS):
            limit = _bytes_of(memory)
        _check_table(file, target, columns)
        from ..studio.begin import preset_of_example, preset_of_file
        from ..studio.server.pages import read_pages

        presets = []
        if file is not None:
            preset_of = preset_of_example if is_example(file) else preset_of_file
            presets = [preset_of(file, _chosen(target, columns))]

        def started(url: str) -> None:
            if not read_pages():
                note("warning:", "the page is not built. In a checkout, run make studio.")
            print(f"Table: {'chosen on the page' if file is None else file}")
            print(f"Studio: {url}")
            print("Press Ctrl-C to end.", flush=True)
            if not no_browser:
                show(url)

        with as_typed(STUDIO_FLAGS):
            serve(presets, port, limit, started)


def _bytes_of(memory: str | None) -> int | None:
    if memory is None:
        return None
    from plaintree.checks import bytes_of  # imports numpy

    return bytes_of("memory", memory)


def _chosen(target: str | None, columns: TaskColumns) -> Chosen:
    """The target and the options about reading, as a document has them."""
    from ..studio.begin import Chosen
    from ..studio.messages.documents import Recipe
    from ..study.target_task import wanted_task

    options = columns.options
    recipe = Recipe(
        missing_values=list(options.missing_values),
        types=dict(options.types),
        dates=options.dates,
        categorical_features=columns.categorical_feature or [],
    )
    with as_typed(TASK_FLAGS):
        wanted = wanted_task(columns.task)
    return Chosen(target, columns.drop or (), None if wanted is None else wanted.task, recipe)


def is_example(file: str) -> bool:
    """Whether there is no such file, but a bundled table of that name."""
    return not Path(file).exists() and file in _bundled()


def _bundled() -> list[str]:
    """The names of the bundled tables."""
    from plaintree import datasets

    loaders = [name for name in datasets.__all__ if name.startswith("load_")]
    return [name.removeprefix("load_") for name in loaders]


def _check_table(file: str | None, target: str | None, columns: TaskColumns) -> None:
    """Refuse what cannot be a table before processes are started."""
    if file is None:
        if target is not None:
            raise ParameterError(
                "--target needs a table", got=f"--target {target}", hint="add FILE."
            )
        if columns != TaskColumns():
            raise ParameterError(
                "options about reading a table need one",
                hint="add FILE, or choose them on the page.",
            )
        return
    if file == "-":
        raise ParameterError(
            "the studio reads its table again when it has to, so it cannot be standard input",
            got="-",
            hint="name a file.",
        )
    check_named(file, "table")
    path = Path(file)
    if is_example(file) or path.with_suffix(".names").exists():  # or the stem of a C4.5 table
        return
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise unreadable(file, error, nearest(file, _bundled())) from error
