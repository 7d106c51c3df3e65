"""The commands that use a model file: evaluate, predict, diff, check."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from .base import (
    Interval,
    Jobs,
    Model,
    Output,
    check_named,
    check_one_pipe,
    check_out,
    command,
    load_model,
    model_bytes,
    source_of,
)
from .declare import with_options
from .flags import COLUMN_FLAGS, READING_FLAGS, as_typed
from .help import FILES, OUTPUT
from .messages import DIFFERENT, Messages, note, reported, wrote
from .tables import Reading, read_rows


@command(
    "evaluate golf.json golf.csv",
    "evaluate golf.json - --json < golf.csv",
    "evaluate golf.json 'golf*.csv'",
)
@with_options()
def evaluate(
    model: Model,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A table with the target, preferably of rows not used in training; - reads CSV "
            "from standard input. A pattern in quotes such as 'data/*.parquet', a directory, Arrow "
            "and compressed CSV are read in batches.",
        ),
    ],
    *,
    target: Annotated[
        str | None,
        typer.Option(
            "-t",
            "--target",
            help="The column with the target (default: as in training).",
        ),
    ] = None,
    interval: Interval = 0.95,
    n_jobs: Jobs = -1,
    reading: Reading,
    output: Output,
) -> None:
    """Evaluate a saved model on a table with its target.

    Prints accuracy with an interval and the baseline, balanced accuracy, AUC, Brier score, log
    loss, precision and recall per class, calibration and the confusion matrix. For a numeric
    target, prints RMSE and MAE with intervals, R2, the baseline and the rows with the largest
    errors. To compare learners by cross-validation, see plaintree compare.
    """
    with reported(output):
        from plaintree.data.typed_rows import options_for

        from ..study.evaluate import evaluate_files, evaluate_model, kind_of_target, opened_for
        from ..study.files import reads_batches
        from .show import Page, row_counter, write_json
        from .show_evaluation import show_evaluation

        page = Page(output.width)
        check_one_pipe(model, file)
        loaded = load_model(model, n_jobs=n_jobs)
        options = options_for(loaded, reading.options, kind_of_target(loaded, target))
        flags = {**COLUMN_FLAGS, **READING_FLAGS, "confidence": "--interval"}
        if reads_batches(file):
            with as_typed(flags), row_counter() as report:
                dataset = opened_for(loaded, file, target, options)
                study = evaluate_files(loaded, dataset, file, interval, report)
        else:
            rows = read_rows(file, options)
            with as_typed(flags):
                study = evaluate_model(loaded, rows, source_of(file), target, interval)
        if output.json:
            write_json(study.to_json())
        else:
            show_evaluation(page, study)
        for remark in study.remarks:
            note("warning:", remark)


@command(
    "predict golf.json golf.csv",
    "predict golf.json golf.csv --proba -o predictions.parquet",
    "predict golf.json - --path < golf.csv",
    "predict golf.json 'golf*.csv' -o predictions.parquet",
)
@with_options()
def predict(
    model: Model,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="The rows: CSV, TSV, Parquet or Arrow of any size, also compressed CSV; several "
            "files by a directory or a pattern in quotes such as 'data/*.parquet'; - reads CSV "
            "from standard input.",
        ),
    ],
    *,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the class probabilities, as proba_CLASS.")
    ] = False,
    path: Annotated[
        bool, typer.Option("--path", help="Add the decision path or rule as text, as path.")
    ] = False,
    out: Annotated[
        str,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="The file to write: .csv, .tsv, .parquet or .jsonl; - is CSV on standard output.",
            rich_help_panel=FILES,
        ),
    ] = "-",
    reading: Reading,
    n_jobs: Jobs = -1,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object per row.", rich_help_panel=OUTPUT)
    ] = False,
    messages: Messages,
) -> None:
    """Predict the rows of a table of any size.

    Writes the columns of the table as they are, followed by the prediction.
    """
    with reported(messages):
        from plaintree.data.chunks import format_of, read_pieces, write_pieces
        from plaintree.data.file_pieces import pieces_of_files
        from plaintree.data.typed_rows import options_for

        from ..study.files import reads_batches
        from ..study.predict import Wanted, predicted
        from .show import row_counter

        check_one_pipe(model, file)
        in_files = reads_batches(file)
        if not in_files:
            check_named(file, "table")
        check_out(out)
        kind = format_of(out, json=json)
        typed = kind in (".jsonl", ".parquet")
        with row_counter() as report, as_typed({"path": "--path", **READING_FLAGS}):
            loaded = load_model(model, n_jobs=n_jobs)
            how = options_for(loaded, reading.options)
            wanted = Wanted(proba, path, typed=typed, options=how)
            pieces = pieces_of_files(file) if in_files else read_pieces(file)
            write_pieces(predicted(loaded, pieces, wanted, report), out, kind)
        if out != "-":
            wrote(out)


@command("diff golf.json cart.json", "diff golf.json cart.json golf.csv --n-examples 20")
@with_options()
def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A model file; - reads standard input.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another model file.")],
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A table that both models predict.")
    ] = None,
    *,
    n_examples: Annotated[
        int,
        typer.Option(min=0, help="Number of rows to show whose predictions differ."),
    ] = 5,
    tolerance: Annotated[
        float, typer.Option(min=0, max=1, help="Relative tolerance of thresholds and weights.")
    ] = 0.0,
    reading: Reading,
    output: Output,
) -> None:
    """Compare two models; exit with 1 if they differ.

    Compares their trees or rules, and their predictions for a table if one is given.
    """
    with reported(output):
        import plaintree as pt
        from plaintree.data.typed_rows import columns_for, options_for, schema_of

        from .show import Page, write_json

        page = Page(output.width)
        check_one_pipe(a, b, file)
        first, second = load_model(a), load_model(b)
        rows = None
        if file is not None:
            read = read_rows(file, options_for(first, reading.options))
            rows = columns_for(read, schema_of(first), first.used_columns())
        found = pt.evaluation.diff(first, second, rows, n_examples=n_examples, tolerance=tolerance)
        if output.json:
            write_json(found.to_dict())
        else:
            page.verbatim(found.to_text())
        sys.stdout.flush()
    if not found.equal:
        raise typer.Exit(DIFFERENT)


@command("check golf.json", "check golf.json --json")
@with_options()
def check(model: Model, *, output: Output) -> None:
    """Validate a model file and describe its content."""
    with reported(output):
        from dataclasses import asdict

        from plaintree.interop.model_file.card import card_of

        from .show import Page, write_json
        from .show_card import show_card

        page = Page(output.width)
        card = card_of(model_bytes(model))
        if output.json:
            write_json(asdict(card))
        else:
            show_card(page, card)
