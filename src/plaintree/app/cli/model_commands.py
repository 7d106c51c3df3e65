"""The commands that take a model file: predict, export, diff, check."""

from __future__ import annotations

import sys
from itertools import chain
from typing import Annotated, Any

import typer

from plaintree.errors import ParameterError

from ..study.export import LANGUAGES, READINGS, TARGETS
from .base import (
    DIFFERENT,
    READING_FLAGS,
    Debug,
    Json,
    OneTree,
    Out,
    Width,
    app,
    check_named,
    check_one_pipe,
    check_out,
    examples,
    load_model,
    model_bytes,
    reported,
    say,
    write_text,
)
from .options import as_typed, completing, either, with_options
from .tables import Reading, read_rows

EXPORT_FLAGS = {
    name: f"--{name.rstrip('_').replace('_', '-')}"
    for name in ("to", "tree", "verify", *chain(*(target.options for target in TARGETS.values())))
}
"""The options of an export, by the parameters that they stand for."""
TREE_OF_RULES = (
    "this is the tree that the rules were made from; the model answers by the rules, which "
    "--to rules writes."
)
FORMATS = {name: target.formats for name, target in TARGETS.items() if target.formats}

Model = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="A file that --save has written; - is one from a pipe."),
]


To = Annotated[
    str,
    typer.Option(
        help=f"{', '.join(LANGUAGES)}; {', '.join(READINGS)}.",
        autocompletion=completing(TARGETS),
    ),
]
Dialect = Annotated[
    str | None,
    typer.Option(
        help="(sql) sqlite, duckdb or postgres; sqlite by default.",
        autocompletion=completing(("sqlite", "duckdb", "postgres")),
    ),
]
SourceName = Annotated[
    str | None, typer.Option(help="(c, java) The name of the model in the source.")
]
FoldDepth = Annotated[int | None, typer.Option(min=0, help="(drawings) Fold what is deeper.")]
ExportFormat = Annotated[
    str | None,
    typer.Option(
        help="; ".join(f"({to}) {either(formats)}" for to, formats in FORMATS.items()) + ".",
        autocompletion=completing(dict.fromkeys(chain(*FORMATS.values()))),
    ),
]
ClassName = Annotated[
    str | None,
    typer.Option("--class", help="(formula) The class; all of them if it is left out."),
]
TextWidth = Annotated[
    int | None,
    typer.Option(help="(text, rules, formula) Columns to write in (default: the terminal's)."),
]
Verify = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Run the export on a table, and on rows made to find differences."
    ),
]


@app.command(
    epilog=examples(
        "predict golf.json golf.csv",
        "predict golf.json golf.csv --proba -o answers.parquet",
        "predict golf.json - --path < golf.csv",
    )
)
@with_options()
def predict(
    model: Model,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="The rows; CSV, TSV and Parquet of any size; - is CSV from a pipe."
        ),
    ],
    *,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the share of every class, as proba_CLASS.")
    ] = False,
    path: Annotated[
        bool, typer.Option("--path", help="Add the way to the answer in words, as path.")
    ] = False,
    out: Annotated[
        str,
        typer.Option(
            "-o", "--out", metavar="FILE", help="A .csv, .tsv, .parquet or .jsonl; - is CSV."
        ),
    ] = "-",
    reading: Reading,
    json: Annotated[bool, typer.Option("--json", help="A JSON object per row.")] = False,
    debug: Debug = False,
) -> None:
    """Answer the rows of a table, of any size.

    Its columns are written out as they are, and the prediction behind them.
    """
    with reported(debug):
        from plaintree.data.chunks import format_of, read_pieces, write_pieces

        from ..study.predict import Wanted, answered
        from .show import row_counter

        check_one_pipe(model, file)
        check_named(file, "table")
        check_out(out)
        kind = format_of(out, json=json)
        typed = kind in (".jsonl", ".parquet")
        wanted = Wanted(proba, path, typed=typed, options=reading.options)
        with row_counter() as report, as_typed({"path": "--path", **READING_FLAGS}):
            answers = answered(load_model(model), read_pieces(file), wanted, report)
            write_pieces(answers, out, kind)


@app.command(
    epilog=examples(
        "export golf.json --to sql --dialect duckdb --table days --view answers",
        "export golf.json --to python --verify golf.csv -o golf.py",
        "export golf.json --to svg -o golf.svg",
        "export golf.json --to rules --format markdown",
        "export golf.json --to formula --class yes",
        "export forest.model --to text --tree 0",
    )
)
@with_options()
def export(
    model: Model,
    *,
    to: To,
    dialect: Dialect = None,
    table: Annotated[str | None, typer.Option(help="(sql) The table to select from.")] = None,
    view: Annotated[str | None, typer.Option(help="(sql) The view to make.")] = None,
    proba: Annotated[bool, typer.Option("--proba", help="(sql) Class shares, too.")] = False,
    name: SourceName = None,
    max_depth: FoldDepth = None,
    standalone: Annotated[
        bool, typer.Option("--standalone", help="(tikz) A document of its own.")
    ] = False,
    format: ExportFormat = None,
    label: ClassName = None,
    no_simplify: Annotated[
        bool, typer.Option("--no-simplify", help="(formula) A term for every leaf.")
    ] = False,
    tree: OneTree = None,
    verify: Verify = None,
    out: Out = "-",
    reading: Reading,
    json: Json = False,
    width: TextWidth = None,
    debug: Debug = False,
) -> None:
    """Write a model in another language, verified, or for reading."""
    with reported(debug):
        from plaintree.data.typed_rows import kinds_for, schema_of

        from ..study import export as exporting
        from .show import row_counter, write_json

        given: dict[str, Any] = {"dialect": dialect, "table": table, "view": view, "proba": proba}
        given |= {"name": name, "max_depth": max_depth, "standalone": standalone, "width": width}
        given |= {"format": format, "class_": label, "no_simplify": no_simplify}
        check_one_pipe(model, verify)
        check_out(out)
        with as_typed(EXPORT_FLAGS):
            options = exporting.check_options(to, given, verified=verify is not None)
        loaded = load_model(model, tree)
        known = kinds_for(schema_of(loaded))
        rows = read_rows(verify, reading, known) if verify else None
        with as_typed(EXPORT_FLAGS), row_counter() as report:
            exported = exporting.export(loaded, to, options, rows, report)
        if json:
            write_json(exported.to_json())
        else:
            _write(exported.content, out)
        if exported.verification is not None:
            say("verified:", f"{exported.verification}.")
        if exporting.shows_the_tree_of_rules(loaded, to):
            say("note:", TREE_OF_RULES)


def _write(content: str | bytes, out: str) -> None:
    if isinstance(content, str):
        write_text(out, content, "the export")
        return
    if out == "-":
        if sys.stdout.isatty():
            raise ParameterError("this is no text to read", hint="name a file by -o.")
        sys.stdout.buffer.write(content)
        return
    from ..report.writing import write_whole

    write_whole(out, content, "the export")


@app.command(
    epilog=examples("diff golf.json cart.json", "diff golf.json cart.json golf.csv --examples 20")
)
@with_options()
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A model file; - is one from a pipe.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A table that both shall answer.")
    ] = None,
    *,
    n_examples: Annotated[
        int, typer.Option("--examples", min=0, help="Rows to show that are answered differently.")
    ] = 5,
    tolerance: Annotated[
        float, typer.Option(min=0, max=1, help="How far thresholds and weights may be apart.")
    ] = 0.0,
    reading: Reading,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
) -> None:
    """Say where two models differ; exit 1 if they do.

    They are compared in their trees, and in their answers to a table if there is one.
    """
    with reported(debug):
        import plaintree as pt
        from plaintree.data.typed_rows import columns_for, kinds_for, schema_of

        from .show import Page, write_json

        page = Page(width)
        check_one_pipe(a, b, file)
        first, second = load_model(a), load_model(b)
        rows = None
        if file is not None:
            schema = schema_of(first)
            read = read_rows(file, reading, kinds_for(schema))
            rows = columns_for(read, schema, first.used_columns())
        found = pt.evaluation.diff(first, second, rows, n_examples=n_examples, tolerance=tolerance)
        if json:
            write_json(found.to_dict())
        else:
            page.verbatim(found.to_text())
        sys.stdout.flush()
    if not found.equal:
        raise typer.Exit(DIFFERENT)


@app.command(epilog=examples("check golf.json", "check golf.json --json"))
def check(model: Model, *, json: Json = False, width: Width = None, debug: Debug = False) -> None:
    """Read a model file, check all of it, and say what it holds."""
    with reported(debug):
        from dataclasses import asdict

        from plaintree.interop.model_file.card import card_of

        from .show import Page, write_json
        from .show_card import show_card

        page = Page(width)
        card = card_of(model_bytes(model))
        if json:
            write_json(asdict(card))
        else:
            show_card(page, card)
