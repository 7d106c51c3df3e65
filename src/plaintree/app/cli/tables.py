"""Tables of the command line: the options about reading them, and reading them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plaintree.errors import ParameterError

from .base import COLUMN_FLAGS, READING_FLAGS, check_named, source_of, warn
from .options import OPTIONS, as_typed, completing, flags_of, growing_parameters, learner_named

if TYPE_CHECKING:
    import polars as pl

    from plaintree.data.doubts import Doubt
    from plaintree.data.strings import ReadOptions

    from ..study.grow import Task, TrainingTable


@dataclass(frozen=True)
class Reading:
    """How the texts of a table are read; see ``with_options``."""

    gap: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="(CSV) A text that means a missing value, like NA; can be repeated.",
        ),
    ] = None
    types: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=KIND",
            help="What a column holds: text, number, integer, boolean, date, datetime or time; "
            "can be repeated.",
        ),
    ] = None
    dates: Annotated[
        str | None,
        typer.Option(
            metavar="ORDER",
            help="(CSV) How 03/04/2021 is read: day-first or month-first.",
            autocompletion=completing(("day-first", "month-first")),
        ),
    ] = None

    @property
    def options(self) -> ReadOptions:
        """The options for the functions that read."""
        from plaintree.data.strings import ReadOptions

        types = {}
        for given in self.types or ():
            name, equals, kind = given.rpartition("=")
            if not equals:
                raise ParameterError(
                    "a kind is not given by the name of a column",
                    got=f"--types {given}",
                    hint="write NAME=KIND, such as zip=text.",
                )
            types[name] = kind
        with as_typed(READING_FLAGS):
            return ReadOptions(self.gap or (), types, self.dates)  # type: ignore[arg-type]  # is checked there


@dataclass(frozen=True)
class Columns(Reading):
    """How the columns of a table are read to grow from."""

    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Leave a column out; can be repeated.")
    ] = None
    categorical_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Read a column's numbers as categories; can be repeated."
        ),
    ] = None


def task_of(
    target: str,
    learner: str,
    given: Mapping[str, Any],
    columns: Columns,
    *,
    n_folds: int = 0,
    seed: int = 0,
) -> Task:
    """What to grow, from what a command was given."""
    from ..study.grow import Task
    from .pruning_options import pruning_parameters

    name = learner_named(learner)
    parameters = growing_parameters(name, given) | pruning_parameters(name, given, seed)
    if "max_features" in parameters:
        parameters["random_state"] = seed
    left_out, categories = columns.drop or (), columns.categorical_column or ()
    with as_typed({**flags_of(OPTIONS), "n_folds": "--cv"}):
        return Task(target, name, parameters, left_out, categories, n_folds, seed)


def read_for(task: Task, file: str, how: Reading) -> TrainingTable:
    """A file's table as a task wants it: read once, whatever is then done with its rows."""
    from ..study.grow import training_table

    frame, doubts = read(file, how.options)
    with as_typed(COLUMN_FLAGS):
        return training_table(frame, source_of(file), task, doubts)


def read(file: str, options: ReadOptions | None = None) -> tuple[pl.DataFrame, list[Doubt]]:
    """A file's table, and what is doubtful about how its texts were read."""
    from plaintree.data import files
    from plaintree.data.strings import ReadOptions

    check_named(file, "table")
    with as_typed(READING_FLAGS):
        return files.read_file(file, options or ReadOptions())


def read_rows(file: str, how: Reading, known: Mapping[str, str]) -> pl.DataFrame:
    """A file's rows for a model or another table, whose kinds of columns are known."""
    frame, doubts = read(file, how.options.expecting(known))
    warn(doubts)
    return frame
