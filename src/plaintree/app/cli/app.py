"""The program, and the commands that grow: look, grow, prune, rules, forest, eval.

What all commands share is in base.py; further commands are in work_commands.py (solve, explain),
model_commands.py (predict, export, diff, check) and demo_command.py.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from plaintree import __version__
from plaintree.threads import default_jobs

from .base import (
    COLUMN_FLAGS,
    Everything,
    File,
    Folds,
    Learner,
    Output,
    Report,
    Save,
    Seed,
    Target,
    app,
    check_one_pipe,
    check_places,
    examples,
    present,
    reported,
    say,
    source_of,
    unwritten,
    warn,
)
from .options import (
    COMPARED,
    FOREST_OPTIONS,
    GROWING_OPTIONS,
    OPTIONS,
    PRUNING_METHODS,
    as_typed,
    compared_learners,
    completing,
    completing_list,
    flags_of,
    with_options,
)
from .tables import Columns, Reading, read, read_for, read_rows, task_of

MaxFeatures = Annotated[
    str | None,
    typer.Option(
        help="Columns a node draws: sqrt, log2, all, a number, a share.",
        autocompletion=completing(("sqrt", "log2", "all")),
    ),
]
Tune = Annotated[
    str | None,
    typer.Option(
        help="oob: try numbers of columns, by out-of-bag error.",
        autocompletion=completing(("oob",)),
    ),
]
Voting = Annotated[
    str,
    typer.Option(
        help="Each tree has one vote (hard), or gives its class probabilities (soft).",
        autocompletion=completing(("hard", "soft")),
    ),
]
FOREST_FLAGS = {
    "n_estimators": "--trees",
    "max_features": "--max-features",
    "tune": "--tune",
    "voting": "--voting",
    **flags_of(FOREST_OPTIONS),
}
"""The options of a forest, by the parameters that they stand for."""
PruningMethod = Annotated[
    str,
    typer.Option(
        help=f"How the tree is pruned: {', '.join(PRUNING_METHODS)}.",
        autocompletion=completing(PRUNING_METHODS),
    ),
]


def main() -> None:
    """The program `plaintree`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by <&- or >&-, so that it is not wanted
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (for as long as we run)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a name that cannot be shown is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    try:
        with default_jobs(-1):  # nobody else is at work in this process
            app(prog_name="plaintree")  # python -m plaintree as well
    except OSError as error:  # help, on a full disk
        sys.exit(unwritten(error))


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[
        bool, typer.Option("-V", "--version", help="Show the version and leave.")
    ] = False,
) -> None:
    if version:
        print(f"plaintree {__version__}", flush=True)
        raise typer.Exit


@app.command(epilog=examples("look golf.csv", "look golf.csv --target play --json"))
@with_options()
def look(
    file: File,
    *,
    target: Annotated[str | None, typer.Option(help="The column to be predicted.")] = None,
    everything: Everything = False,
    reading: Reading,
    output: Output,
) -> None:
    """Show a table's columns and classes, and what may go wrong."""
    with reported(output.debug):
        from ..study.look import look_at
        from .show import Page, show_table, write_json

        page = Page(output.width, everything=everything)
        frame, doubts = read(file, reading.options)
        with as_typed(COLUMN_FLAGS):
            facts = look_at(frame, source_of(file), target, doubts)
        if output.json:
            write_json(facts.to_json())
        else:
            show_table(page, facts)
        warn(facts.warnings)
        if target is None and not output.json:
            say("hint:", "--target NAME shows the classes; plaintree grow needs it.")


@app.command(
    epilog=examples(
        "grow golf.csv --target play",
        "grow golf.csv --target play --learner cart --max-depth 3 --rules --save cart.json",
        "grow golf.csv --target play --save golf.json --report golf.html",
    )
)
@with_options(OPTIONS)
def grow(
    file: File,
    *,
    target: Target,
    learner: Learner = "c45",
    columns: Columns,
    cv: Folds = 10,
    seed: Seed = 0,
    rules: Annotated[bool, typer.Option("--rules", help="Show the tree's rules, too.")] = False,
    save: Save = None,
    report: Report = None,
    everything: Everything = False,
    output: Output,
    **given: Any,
) -> None:
    """Grow a tree from a table, show it, and say how good it is."""
    with reported(output.debug):
        from ..study.grow import carry_out
        from .keep import keep_model, write_report
        from .pruning_options import flags_of_texts
        from .show import Page, progress, show_study

        page = Page(output.width, everything=everything)
        check_places(save, report)
        task = task_of(target, learner, given, columns, n_folds=cv, seed=seed)
        table = read_for(task, file, columns)
        with progress() as told, as_typed(flags_of_texts(given["pruning_options"])):
            study = carry_out(table, task, told)
        present(page, study, partial(show_study, rules=rules), output.json)
        keep_model(study.model, save)
        write_report(report, study.model, table, seed, study.validation)
        warn(study.table.warnings)


@app.command(
    epilog=examples(
        "prune golf.csv --target play",
        "prune golf.csv --target play --learner cart --pruning-option choice=min",
    )
)
@with_options(GROWING_OPTIONS)
def prune(
    file: File,
    *,
    target: Target,
    learner: Learner = "c45",
    method: PruningMethod = "cost_complexity",
    pruning_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the method; can be repeated."),
    ] = None,
    validation: Annotated[
        str | None, typer.Option(metavar="FILE", help="Another table, to count errors in.")
    ] = None,
    columns: Columns,
    cv: Folds = 10,
    seed: Seed = 0,
    everything: Everything = False,
    output: Output,
    **given: Any,
) -> None:
    """Grow a tree and prune it; show the ever smaller trees in it."""
    with reported(output.debug):
        from plaintree.data.typed_rows import kinds_of

        from ..study.prune import PruningTask, prune_table
        from .pruning_options import check_validation, flags_of_texts, method_options
        from .show import Page, progress
        from .show_pruning import show_pruning

        page = Page(output.width, everything=everything)
        check_one_pipe(file, validation)
        growing = task_of(target, learner, given, columns, n_folds=cv, seed=seed)
        typed = pruning_option or ()
        options = method_options(method, typed, seed)
        with as_typed({"n_folds": "--cv", "alpha": "--pruning-option alpha="}):
            task = PruningTask(growing, method, options)  # type: ignore[arg-type]  # was checked
        check_validation(method, validation)
        table = read_for(task.growing, file, columns)
        other = None
        if validation is not None:
            rows = read_rows(validation, columns, kinds_of(table.X))
            other = rows, source_of(validation)
        with (
            progress() as report,
            as_typed({**flags_of_texts(typed), "validation": "--validation"}),
        ):
            study = prune_table(table, task, other, report)
        present(page, study, show_pruning, output.json)
        warn(study.table.warnings)


@app.command(epilog=examples("rules golf.csv --target play --save rules.json"))
@with_options()
def rules(
    file: File,
    *,
    target: Target,
    method: Annotated[
        str,
        typer.Option(
            help="c4.5rules, Quinlan's program, or course, a simpler way.",
            autocompletion=completing(("c4.5rules", "course")),
        ),
    ] = "c4.5rules",
    confidence: Annotated[
        float, typer.Option(help="Of the estimated accuracy; less makes shorter rules.")
    ] = 0.25,
    min_samples_branch: Annotated[
        float | None, typer.Option(help="Rows that two branches of the tree need.")
    ] = None,
    columns: Columns,
    cv: Folds = 10,
    seed: Seed = 0,
    save: Save = None,
    everything: Everything = False,
    output: Output,
) -> None:
    """Make a table into a short list of rules.

    The rules come from a C4.5 tree; what they are worth is told by cross-validation.
    """
    with reported(output.debug):
        from plaintree.rules.candidates import Options

        from ..study.rules import make_rules
        from .keep import keep_rules
        from .show import Page, progress, show_rules

        page = Page(output.width, everything=everything)
        check_places(save)
        with as_typed({"method": "--method", "confidence": "--confidence"}):
            options = Options(method, confidence)  # type: ignore[arg-type]  # is checked there
        given = {"pruning": "none", "min_samples_branch": min_samples_branch}
        task = task_of(target, "c45", given, columns, n_folds=cv, seed=seed)
        table = read_for(task, file, columns)
        with progress() as report:
            study = make_rules(table, task, options, report)
        present(page, study, show_rules, output.json)
        keep_rules(study.learner, table, save)
        warn(study.table.warnings)


@app.command(
    epilog=examples(
        "forest golf.csv --target play --tune oob",
        "forest golf.csv --target play --trees 100 --save forest.model --report forest.html",
        "explain forest.model golf.csv --row 3",
    )
)
@with_options(FOREST_OPTIONS)
def forest(
    file: File,
    *,
    target: Target,
    trees: Annotated[int, typer.Option(min=1, help="How many trees to grow.")] = 100,
    max_features: MaxFeatures = None,
    tune: Tune = None,
    voting: Voting = "soft",
    columns: Columns,
    seed: Seed = 0,
    save: Save = None,
    report: Report = None,
    output: Output,
    **given: Any,
) -> None:
    """Grow a random forest; say how good it is and what matters.

    How good it is, is told out of bag: every row is answered by the trees that have not seen it.
    What it depends on is told by shuffling the columns.
    """
    with reported(output.debug):
        from ..study.forest import ForestTask, grow_forest
        from .keep import keep_model, write_report
        from .show import Page, progress
        from .show_forest import show_forest

        page = Page(output.width)
        check_places(save, report)
        growing = task_of(target, "cart", {}, columns, seed=seed)
        with as_typed(FOREST_FLAGS):
            task = ForestTask(growing, trees, max_features, tune, voting, given)
        table = read_for(growing, file, columns)
        with progress() as told, as_typed(FOREST_FLAGS):
            study = grow_forest(table, task, told)
        present(page, study, show_forest, output.json)
        keep_model(study.model, save)
        write_report(report, study.model, table, seed)
        warn(study.warnings)


@app.command("eval", epilog=examples("eval golf.csv --target play --learners c45,forest"))
@with_options()
def evaluate(
    file: File,
    *,
    target: Target,
    learners: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help=f"Some of {','.join(COMPARED)}.",
            autocompletion=completing_list(COMPARED),
        ),
    ] = ",".join(COMPARED),
    columns: Columns,
    cv: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Compare learners by cross-validation on the same folds."""
    with reported(output.debug):
        from ..study.compare import compare
        from .show import Page, progress
        from .show_eval import show_comparison

        page = Page(output.width)
        names = compared_learners(learners)
        task = task_of(target, "c45", {}, columns, n_folds=cv, seed=seed)
        table = read_for(task, file, columns)
        with progress() as report:
            study = compare(table, task, names, report)
        present(page, study, show_comparison, output.json)
        warn(study.table.warnings)
