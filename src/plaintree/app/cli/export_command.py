"""The command that writes a model in another language or format: export."""

from __future__ import annotations

from itertools import chain
from typing import Annotated, Any

import typer

from ..study.export import LANGUAGES, READINGS, TARGETS
from .base import (
    Json,
    Model,
    OneTree,
    Out,
    check_one_pipe,
    check_out,
    chosen_tree,
    command,
    load_model,
    write_out,
)
from .declare import completing, either, with_options
from .flags import as_typed, flag_of
from .help import OUTPUT
from .messages import Messages, note, reported
from .tables import Reading, read_rows

EXPORT_FLAGS = {
    name: flag_of(name)
    for name in ("to", "tree", "verify", *chain(*(target.options for target in TARGETS.values())))
}
"""The options of an export, by their parameters."""
TREE_OF_RULES = (
    "this is the tree that the rules were made from; the model predicts with the rules, which "
    "--to rules writes."
)
FORMATS = {name: target.formats for name, target in TARGETS.items() if target.formats}

To = Annotated[
    str,
    typer.Option(
        help=f"Code and formats: {', '.join(LANGUAGES)}; to read: {', '.join(READINGS)}.",
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
    str | None, typer.Option(help="(c, java) Name of the model in the source code.")
]
FoldDepth = Annotated[
    int | None, typer.Option(min=0, help="(drawings, text) Fold nodes below this depth.")
]
ExportFormat = Annotated[
    str | None,
    typer.Option(
        help="; ".join(f"({to}) {either(formats)}" for to, formats in FORMATS.items()) + ".",
        autocompletion=completing(dict.fromkeys(chain(*FORMATS.values()))),
    ),
]
ClassName = Annotated[
    str | None,
    typer.Option("--class", help="(formula) The class; default: all classes."),
]
Above = Annotated[
    float | None,
    typer.Option(help="(formula) Of numbers: predictions above this one."),
]
Below = Annotated[
    float | None,
    typer.Option(help="(formula) Of numbers: predictions below this one."),
]
TextWidth = Annotated[
    int | None,
    typer.Option(
        help="(text, rules, formula) Line width (default: that of the terminal).",
        rich_help_panel=OUTPUT,
    ),
]
Verify = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Run the export on this table and on generated rows, and compare its predictions "
        "with the model's.",
    ),
]


@command(
    "export golf.json --to sql --dialect duckdb --table days --view predictions",
    "export golf.json --to python --verify golf.csv -o golf.py",
    "export golf.json --to svg -o golf.svg",
    "export golf.json --to rules --format markdown",
    "export golf.json --to formula --class yes",
    "export forest.model --to text --tree 0",
)
@with_options()
def export(
    model: Model,
    *,
    to: To,
    dialect: Dialect = None,
    table: Annotated[str | None, typer.Option(help="(sql) The table to select from.")] = None,
    view: Annotated[str | None, typer.Option(help="(sql) The view to create.")] = None,
    proba: Annotated[bool, typer.Option("--proba", help="(sql) Add class probabilities.")] = False,
    name: SourceName = None,
    max_depth: FoldDepth = None,
    standalone: Annotated[
        bool, typer.Option("--standalone", help="(tikz) A complete document.")
    ] = False,
    format: ExportFormat = None,
    label: ClassName = None,
    above: Above = None,
    below: Below = None,
    no_simplify: Annotated[
        bool, typer.Option("--no-simplify", help="(formula) One term per leaf.")
    ] = False,
    tree: OneTree = None,
    verify: Verify = None,
    out: Out = "-",
    reading: Reading,
    json: Json = False,
    width: TextWidth = None,
    messages: Messages,
) -> None:
    """Write a model as SQL, code, PMML, ONNX, text or a drawing.

    With --verify, the export is run and its predictions are compared with the model's.
    """
    with reported(messages):
        from plaintree.data.typed_rows import options_for

        from ..study import export as exporting
        from .show import json_text, row_counter

        given: dict[str, Any] = {"dialect": dialect, "table": table, "view": view, "proba": proba}
        given |= {"name": name, "max_depth": max_depth, "standalone": standalone, "width": width}
        given |= {"format": format, "class_": label, "no_simplify": no_simplify}
        given |= {"above": above, "below": below}
        check_one_pipe(model, verify)
        check_out(out)
        with as_typed(EXPORT_FLAGS):
            options = exporting.check_options(to, given, verified=verify is not None)
        whole = load_model(model)
        loaded = chosen_tree(whole, tree)
        rows = read_rows(verify, options_for(whole, reading.options)) if verify else None
        with as_typed(EXPORT_FLAGS), row_counter() as report:
            exported = exporting.export(loaded, to, options, rows, report)
        written = json_text(exported.to_json()) if json else exported.content
        write_out(out, written, "the export")
        if exported.verification is not None:
            note("verified:", f"{exported.verification}.")
        if exporting.shows_the_tree_of_rules(loaded, to):
            note("note:", TREE_OF_RULES)
