"""The commands that show how an answer comes about: solve, explain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plaintree.errors import ModelFileError, ParameterError

from .base import (
    COLUMN_FLAGS,
    File,
    Learner,
    OneTree,
    Out,
    Output,
    Seed,
    Target,
    app,
    check_one_pipe,
    check_out,
    examples,
    load_model,
    reported,
    say,
    source_of,
    warn,
    write_text,
)
from .options import OPTIONS, as_typed, completing, with_options
from .tables import Columns, Reading, read, read_for, read_rows, task_of

if TYPE_CHECKING:
    import polars as pl

    from ..study.grow import Task


QUESTION_FLAGS = {
    "row": "--row",
    "values": "--value",
    "frozen": "--frozen",
    "confidence": "--interval",
}
"""The options of a question, by what they are called in the study."""

Values = Annotated[
    list[str] | None,
    typer.Option(
        "--value", "--values", metavar="NAME=VALUE", help="A value of the row; can be repeated."
    ),
]
Frozen = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A column that may not change; can be repeated."),
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
        help="full (every formula), table (values) or summary (chosen splits).",
        autocompletion=completing(("full", "table", "summary")),
    ),
]
RowNumber = Annotated[
    int | None, typer.Option(min=1, help="The number of the row; 1 is the first row of data.")
]


@app.command(
    epilog=examples(
        "solve golf.csv --target play",
        "solve golf.csv --target play --learner c45 --level table --format html -o golf.html",
        "solve golf.csv --target play --worksheet --format latex -o sheet.tex",
    )
)
@with_options(OPTIONS)
def solve(
    file: File,
    *,
    target: Target,
    learner: Learner = "id3",
    format: Format = "text",
    level: Level = "full",
    worksheet: Annotated[
        bool, typer.Option("--worksheet", help="Leave blanks for the answers.")
    ] = False,
    digits: Annotated[int, typer.Option(min=0, max=15, help="Digits that numbers are given.")] = 4,
    rows: Annotated[
        str | None, typer.Option(metavar="FILE", help="New rows to classify in words.")
    ] = None,
    out: Out = "-",
    columns: Columns,
    seed: Seed = 0,
    output: Output,
    **given: Any,
) -> None:
    """Grow a tree and write down how, every number of every step."""
    with reported(output.debug):
        from plaintree.data.typed_rows import kinds_of

        from ..study.solve import Writing, solve_table
        from .pruning_options import flags_of_texts
        from .show import Page, write_json

        page = Page(output.width)
        check_one_pipe(file, rows)
        check_out(out)
        with as_typed({"format": "--format", "level": "--level"}):
            writing = Writing(format, level, worksheet, digits, page.columns, page.ascii)
        task = task_of(target, learner, given, columns, seed=seed)
        table = read_for(task, file, columns)
        new = None if rows is None else read_rows(rows, columns, kinds_of(table.X))
        with as_typed(flags_of_texts(given["pruning_options"])):
            solution = solve_table(table, task, writing, new)
        if output.json:
            write_json(solution.to_json())
        else:
            write_text(out, solution.text, "the solution")
        warn(solution.table.warnings)
        if not solution.derivation.agrees:
            say("warning:", "the tree differs from what is found here; the text says where.")


@app.command(
    epilog=examples(
        "explain golf.csv --target play --row 1",
        "explain golf.csv --target play --value outlook=sunny --value humidity=90",
        "explain golf.json golf.csv --row 3 --frozen outlook",
    )
)
@with_options(OPTIONS)
def explain(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="With --target a table to grow from, otherwise a model file; - is from a pipe.",
        ),
    ],
    rows: Annotated[
        str | None, typer.Argument(metavar="[ROWS]", help="The table with the row, if not FILE.")
    ] = None,
    *,
    target: Annotated[str | None, typer.Option(help="The column to be predicted.")] = None,
    learner: Learner = "c45",
    row: RowNumber = None,
    value: Values = None,
    tree: OneTree = None,
    frozen: Frozen = None,
    interval: Annotated[float, typer.Option(help="Confidence of the intervals of shares.")] = 0.95,
    columns: Columns,
    output: Output,
    **given: Any,
) -> None:
    """Say why one row gets its answer, and what would change it."""
    with reported(output.debug):
        from plaintree.data.typed_rows import kinds_for, schema_of

        from ..study.explain import Question, reasons
        from .show import Page, write_json

        page = Page(output.width)
        check_one_pipe(file, rows)
        with as_typed(QUESTION_FLAGS):
            question = Question(row, value or (), frozen or (), interval)
        task = target and task_of(target, learner, given, columns)
        if not task:
            _check_model_file(file, (*given.values(), columns.drop, columns.categorical_column))
        else:
            _check_no_tree(tree)
        typed = given["pruning_options"] or ()
        model, own_rows = _model_of(file, task or None, columns, tree, typed)
        known = kinds_for(schema_of(model))
        frame = own_rows if rows is None else read_rows(rows, columns, known)
        with as_typed(QUESTION_FLAGS):
            found = reasons(model, frame, question)
        if output.json:
            write_json(found.to_json())
        else:
            page.verbatim(found.to_text(page.columns))
        if found.remark:
            say("note:", found.remark)


def _model_of(
    file: str,
    task: Task | None,
    how: Reading,
    tree: int | None,
    pruning_options: Sequence[str],
) -> tuple[Any, pl.DataFrame | None]:
    """The model of a file, and no rows; or the model grown from a table, and its rows."""
    from ..study.explain import grown_model
    from .pruning_options import flags_of_texts

    if task is None:
        try:
            return load_model(file, tree), None
        except ModelFileError as error:
            if file != "-":  # a pipe has no name that would tell a table
                raise
            raise _no_target("standard input") from error
    table, doubts = read(file, how.options)
    warn(doubts)
    with as_typed({**COLUMN_FLAGS, **flags_of_texts(pruning_options)}):
        return grown_model(table, source_of(file), task), table


def _check_model_file(file: str, options: Iterable[Any]) -> None:
    """A table needs a target, and a model that is there already no options of a learner."""
    from plaintree.data.files import EXTENSIONS

    if Path(file).suffix.lower() in EXTENSIONS:
        raise _no_target(file)
    if any(value is not None for value in options):
        raise ParameterError(
            "a model file is not grown anew, but options say how to grow",
            hint="leave them out, or give a table and --target.",
        )


def _no_target(source: str) -> ParameterError:
    return ParameterError(
        "a tree is grown from a table for a target, and none is named",
        got=f"{source} without --target",
        hint="give --target NAME, or a model file.",
    )


def _check_no_tree(tree: int | None) -> None:
    if tree is not None:
        raise ParameterError(
            "one tree is grown from the table, so that there is none to choose",
            got=f"--tree {tree} and --target",
            hint="leave one of them out; --tree is for a model file of many trees.",
        )
