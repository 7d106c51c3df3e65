"""Tables of the command line: the options about reading them, and reading them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from plaintree.errors import FileError, ParameterError
from plaintree.estimators.registry import TaskName

from .base import check_named, source_of
from .declare import completing
from .flags import COLUMN_FLAGS, READING_FLAGS, TASK_FLAGS, as_typed
from .help import TABLE
from .messages import warn
from .options import DEFAULTS, OPTIONS, flags_of, growing_parameters, learner_named

if TYPE_CHECKING:
    import polars as pl

    from plaintree.data.doubts import Doubt
    from plaintree.data.strings import ReadOptions

    from ..study.grow import Source, Task, TrainingTable
    from ..study.target_task import Plan

Made = TypeVar("Made")


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


TaskOption = Annotated[
    str | None,
    typer.Option(
        metavar="TASK",
        help="classification or regression (default: as the values of the target suggest).",
        autocompletion=completing(("classification", "regression")),
    ),
]


@dataclass(frozen=True)
class TaskColumns(Columns):
    """Options about the columns of a training table whose target may be classes or numbers."""

    task: TaskOption = None


@dataclass(frozen=True)
class Asked:
    """What a command was asked to grow; the target of the table may decide the task."""

    target: str
    learner: str | None
    given: Mapping[str, Any]
    columns: Columns
    n_folds: int = 0
    random_state: int = 0
    n_jobs: int = -1

    def task(self, task: TaskName) -> Task:
        """What to grow for classes or for numbers."""
        from ..study.grow import Task, check_learner
        from .pruning_options import pruning_parameters

        name = DEFAULTS[task] if self.learner is None else learner_named(self.learner)
        with as_typed(TASK_FLAGS):
            check_learner(name, task)
        parameters = growing_parameters(name, self.given, task)
        parameters |= pruning_parameters(name, self.given, self.random_state, task)
        if "max_features" in parameters:
            parameters["random_state"] = self.random_state
        with as_typed({**flags_of(OPTIONS), **TASK_FLAGS, "n_folds": "--cv", "n_jobs": "--jobs"}):
            return Task(
                self.target,
                name,
                parameters,
                self.columns.drop or (),
                self.columns.categorical_feature or (),
                self.n_folds,
                self.random_state,
                self.n_jobs,
                task=task,
            )

    def plan(
        self,
        make: Callable[[TaskName], Made],
        *,
        learners: Sequence[str] = (),
        criterion: str | None = None,
    ) -> Plan[Made]:
        """What to do for classes and for numbers; errors that do not depend on the table come now.

        The task is that of --task, of the learners or of the criterion, or the target decides.
        """
        from ..study.target_task import Plan, wanted_task

        own = None if self.learner is None else learner_named(self.learner)
        given = getattr(self.columns, "task", None)
        with as_typed(TASK_FLAGS):
            wanted = wanted_task(given, own, learners, criterion or self.given.get("criterion"))
        return Plan.of(make, wanted)

    def plan_of_classes(self) -> Plan[Task]:
        """What to grow for classes, where numbers are not possible."""
        from ..study.target_task import Plan, Wanted

        return Plan.of(self.task, Wanted("classification"))

    def read(self, plan: Plan[Made], file: str) -> tuple[Made, TrainingTable]:
        """What a plan has for the target of a file, and the training table, read once."""
        from ..study.grow import training_table

        source = self.source(*read(file, self.columns.options), file)
        with as_typed({**COLUMN_FLAGS, **TASK_FLAGS}):
            decided, made = plan.for_target(source.column)
            return made, training_table(source, decided)

    def source(self, frame: pl.DataFrame, doubts: Sequence[Doubt], file: str) -> Source:
        """The table of a file that was read, without the columns to leave out."""
        from ..study.grow import source_from

        columns = self.columns
        with as_typed(COLUMN_FLAGS):
            return source_from(
                frame,
                source_of(file),
                self.target,
                drop=columns.drop or (),
                categorical=columns.categorical_feature or (),
                doubts=doubts,
            )

    def task_and_table(self, file: str) -> tuple[Task, TrainingTable]:
        """The task of a command that only grows a tree, and its table."""
        return self.read(self.plan(self.task), file)


def read(file: str, options: ReadOptions | None = None) -> tuple[pl.DataFrame, list[Doubt]]:
    """The table of a file, and warnings about how its strings were read."""
    from plaintree.data import files
    from plaintree.data.dataset_files import is_several
    from plaintree.data.strings import ReadOptions

    if is_several(file) and not Path(file).is_dir():
        raise FileError(
            "this command reads a single file",
            got=file,
            hint="name one file; plaintree grow, evaluate and predict read several.",
        )
    check_named(file, "table")
    with as_typed(READING_FLAGS):
        return files.read_file(file, options or ReadOptions())


def read_rows(file: str, options: ReadOptions) -> pl.DataFrame:
    """The rows of a file for a model, or like those of another table, whose kinds are known."""
    frame, doubts = read(file, options)
    warn(doubts)
    return frame
