"""The commands that explain a model: derive (its tree), explain (one prediction)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plaintree.errors import ModelFileError, ParameterError

from .base import (
    File,
    Interval,
    Jobs,
    Learner,
    MaybeTarget,
    OneTree,
    Out,
    Output,
    RandomState,
    Target,
    check_one_pipe,
    check_out,
    chosen_tree,
    command,
    load_model,
    write_out,
)
from .declare import completing, with_options
from .flags import COLUMN_FLAGS, TASK_FLAGS, as_typed
from .messages import note, reported, warn
from .options import OPTIONS
from .tables import Asked, TaskColumns, read, read_rows

if TYPE_CHECKING:
    import polars as pl

    from plaintree.data.strings import ReadOptions

    from ..study.grow import Task
    from ..study.target_task import Plan


QUESTION_FLAGS = {
    "row": "--row",
    "values": "--value",
    "immutable": "--immutable",
    "confidence": "--interval",
    "above": "--above",
    "below": "--below",
}
"""The options of a question, by their parameters."""

Values = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="The value of a column; can be repeated, and columns without one are missing.",
    ),
]
Immutable = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="A column that a counterfactual may not change; can be repeated."
    ),
]
Above = Annotated[
    float | None,
    typer.Option(help="(numbers) A counterfactual must predict a number above this one."),
]
Below = Annotated[
    float | None,
    typer.Option(help="(numbers) A counterfactual must predict a number below this one."),
]


Format = Annotated[
    str,
    typer.Option(
        help="text, markdown, latex or html.",
        autocompletion=completing(("text", "markdown", "latex", "html")),
    ),
]
Level = Annotated[
    str,
    typer.Option(
        help="full (every formula), table (the values) or summary (the chosen splits).",
        autocompletion=completing(("full", "table", "summary")),
    ),
]
RowNumber = Annotated[
    int | None, typer.Option(min=1, help="The number of the row, counted from 1.")
]


@command(
    "derive golf.csv -t play",
    "derive golf.csv -t play --learner id3 --level table --format html -o golf.html",
    "derive golf.csv -t play --learner id3 --worksheet --format latex -o sheet.tex",
)
@with_options(OPTIONS)
def derive(
    file: File,
    *,
    target: Target,
    learner: Learner = None,
    format: Format = "text",
    level: Level = "full",
    worksheet: Annotated[
        bool, typer.Option("--worksheet", help="An exercise sheet: leave blanks to fill in.")
    ] = False,
    digits: Annotated[int, typer.Option(min=0, max=15, help="Digits after the decimal point.")] = 4,
    rows: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A table of new rows to classify step by step."),
    ] = None,
    out: Out = "-",
    columns: TaskColumns,
    random_state: RandomState = 0,
    n_jobs: Jobs = -1,
    output: Output,
    **given: Any,
) -> None:
    """Write the worked solution of a tree, step by step.

    Grows the tree, and shows every number of every step.
    """
    with reported(output):
        from plaintree.data.typed_rows import kinds_of

        from ..study.derive import Writing, derive_table
        from .pruning_options import flags_of_texts
        from .show import Page, json_text

        page = Page(output.width)
        check_one_pipe(file, rows)
        check_out(out)
        with as_typed({"format": "--format", "level": "--level"}):
            writing = Writing(format, level, worksheet, digits, page.columns, page.ascii)
        asked = Asked(target, learner, given, columns, random_state=random_state, n_jobs=n_jobs)
        task, table = asked.task_and_table(file)
        like_table = replace(columns.options, known=kinds_of(table.X))
        new = None if rows is None else read_rows(rows, like_table)
        with as_typed(flags_of_texts(given["pruning_options"])):
            solution = derive_table(table, task, writing, new)
        text = json_text(solution.to_json()) if output.json else solution.text
        write_out(out, text, "the worked solution")
        warn(solution.table.warnings)
        if not solution.derivation.agrees:
            note("warning:", "the tree differs from its derivation; the text shows where.")


@command(
    "explain golf.csv -t play --row 1",
    "explain golf.csv -t play --value outlook=sunny --value humidity=90",
    "explain golf.json golf.csv --row 3 --immutable outlook",
    "explain prices.json houses.csv --row 3 --above 400",
)
@with_options(OPTIONS)
def explain(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A model file, or with --target a table to grow from; - reads standard input.",
        ),
    ],
    rows: Annotated[
        str | None,
        typer.Argument(metavar="ROWS", help="The table that contains the row, if it is not FILE."),
    ] = None,
    *,
    target: MaybeTarget = None,
    learner: Learner = None,
    row: RowNumber = None,
    value: Values = None,
    tree: OneTree = None,
    immutable: Immutable = None,
    above: Above = None,
    below: Below = None,
    interval: Interval = 0.95,
    n_jobs: Jobs = -1,
    columns: TaskColumns,
    output: Output,
    **given: Any,
) -> None:
    """Explain the prediction for one row of a table.

    Prints the decision path of a tree, the votes of a forest or the rule that fires. The
    counterfactual is the smallest change of the row that changes the prediction, for numbers by
    more than the spread of the leaf, or as --above and --below require.
    """
    with reported(output):
        from plaintree.data.typed_rows import options_for

        from ..study.explain import Question, reasons
        from .show import Page, write_json

        page = Page(output.width)
        check_one_pipe(file, rows)
        with as_typed(QUESTION_FLAGS):
            question = Question(row, value or (), immutable or (), interval, above, below)
        asked = plan = None
        if target is None:
            of_learner = (columns.drop, columns.categorical_feature, columns.task)
            _check_model_file(file, (*given.values(), *of_learner))
        else:
            asked = Asked(target, learner, given, columns, n_jobs=n_jobs)
            plan = asked.plan(asked.task)
            _check_no_tree(tree)
        model, own_rows = _model_of(file, asked, plan, columns.options, n_jobs)
        options = options_for(model, columns.options)
        frame = own_rows if rows is None else read_rows(rows, options)
        with as_typed(QUESTION_FLAGS):
            found = reasons(chosen_tree(model, tree), frame, question, options)
        if output.json:
            write_json(found.to_json())
        else:
            page.verbatim(found.to_text(page.columns))
        if found.remark:
            note("note:", found.remark)


def _model_of(
    file: str,
    asked: Asked | None,
    plan: Plan[Task] | None,
    options: ReadOptions,
    n_jobs: int,
) -> tuple[Any, pl.DataFrame | None]:
    """The model of a file, without rows; or the model grown from a table, with its rows."""
    from ..study.explain import grown_model
    from .pruning_options import flags_of_texts

    if asked is None or plan is None:
        try:
            return load_model(file, n_jobs), None
        except ModelFileError as error:
            if file != "-":  # standard input has no name, so it may be a table
                raise
            raise _no_target("standard input") from error
    frame, doubts = read(file, options)
    warn(doubts)
    source = asked.source(frame, doubts, file)
    typed = flags_of_texts(asked.given["pruning_options"])
    with as_typed({**COLUMN_FLAGS, **TASK_FLAGS, **typed}):
        return grown_model(source, plan), frame


def _check_model_file(file: str, options: Iterable[Any]) -> None:
    """A table needs a target, and a model file takes no options of a learner."""
    from plaintree.data.files import EXTENSIONS

    if Path(file).suffix.lower() in EXTENSIONS:
        raise _no_target(file)
    if any(value is not None for value in options):
        raise ParameterError(
            "options of the learner do not apply to a model file",
            hint="leave them out, or pass a table and --target.",
        )


def _no_target(source: str) -> ParameterError:
    return ParameterError(
        "a table needs a target to grow a tree from it",
        got=f"{source} without --target",
        hint="add --target NAME, or pass a model file.",
    )


def _check_no_tree(tree: int | None) -> None:
    if tree is not None:
        raise ParameterError(
            "--tree chooses a tree of a saved forest, and --target grows one tree from a table",
            got=f"--tree {tree} and --target",
            hint="leave out one of them.",
        )
