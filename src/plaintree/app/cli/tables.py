"""Tables of the command line: the options about reading them, and reading them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plaintree.errors import ParameterError

from .base import check_named, source_of
from .declare import completing
from .flags import COLUMN_FLAGS, READING_FLAGS, as_typed
from .help import TABLE
from .messages import warn
from .options import OPTIONS, flags_of, growing_parameters, learner_named

if TYPE_CHECKING:
    import polars as pl

    from plaintree.data.doubts import Doubt
    from plaintree.data.strings import ReadOptions

    from ..study.grow import Task, TrainingTable


@dataclass(frozen=True)
class Reading:
    """Options about reading the strings of a table; see ``with_options``."""

    missing_value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STRING",
            help="(CSV) A string that stands for a missing value, such as NA; can be repeated.",
            rich_help_panel=TABLE,
        ),
    ] = None
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="NAME=KIND",
            help="The kind of a column: text, number, integer, boolean, date, datetime or time; "
            "can be repeated.",
            rich_help_panel=TABLE,
        ),
    ] = None
    dates: Annotated[
        str | None,
        typer.Option(
            metavar="ORDER",
            help="(CSV) The order in dates such as 03/04/2021: day-first or month-first.",
            autocompletion=completing(("day-first", "month-first")),
            rich_help_panel=TABLE,
        ),
    ] = None

    @property
    def missing_values(self) -> tuple[str, ...]:
        """The strings that stand for a missing value."""
        return tuple(self.missing_value or ())

    @property
    def options(self) -> ReadOptions:
        """The options for the functions that read."""
        from plaintree.data.strings import ReadOptions

        types = {}
        for given in self.types or ():
            name, equals, kind = given.rpartition("=")
            if not equals:
                raise ParameterError(
                    "--type needs a column and a kind",
                    got=f"--type {given}",
                    hint="write NAME=KIND, such as zip=text.",
                )
            types[name] = kind
        with as_typed(READING_FLAGS):
            return ReadOptions(self.missing_values, types, self.dates)  # type: ignore[arg-type]  # is checked there


@dataclass(frozen=True)
class Columns(Reading):
    """Options about the columns of a training table."""

    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Leave out a column; can be repeated.", rich_help_panel=TABLE
        ),
    ] = None
    categorical_feature: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Read the numbers of a column as categories; can be repeated.",
            rich_help_panel=TABLE,
        ),
    ] = None


def task_of(
    target: str,
    learner: str,
    given: Mapping[str, Any],
    columns: Columns,
    *,
    n_folds: int = 0,
    random_state: int = 0,
    n_jobs: int = -1,
) -> Task:
    """The task that a command was given."""
    from ..study.grow import Task
    from .pruning_options import pruning_parameters

    name = learner_named(learner)
    parameters = growing_parameters(name, given) | pruning_parameters(name, given, random_state)
    if "max_features" in parameters:
        parameters["random_state"] = random_state
    with as_typed({**flags_of(OPTIONS), "n_folds": "--cv", "n_jobs": "--jobs"}):
        return Task(
            target,
            name,
            parameters,
            columns.drop or (),
            columns.categorical_feature or (),
            n_folds,
            random_state,
            n_jobs,
        )


def read_for(task: Task, file: str, how: Reading) -> TrainingTable:
    """The training table of a task, read once."""
    from ..study.grow import training_table

    frame, doubts = read(file, how.options)
    with as_typed(COLUMN_FLAGS):
        return training_table(frame, source_of(file), task, doubts)


def read(file: str, options: ReadOptions | None = None) -> tuple[pl.DataFrame, list[Doubt]]:
    """The table of a file, and warnings about how its strings were read."""
    from plaintree.data import files
    from plaintree.data.strings import ReadOptions

    check_named(file, "table")
    with as_typed(READING_FLAGS):
        return files.read_file(file, options or ReadOptions())


def read_rows(file: str, options: ReadOptions) -> pl.DataFrame:
    """The rows of a file for a model, or like those of another table, whose kinds are known."""
    frame, doubts = read(file, options)
    warn(doubts)
    return frame
