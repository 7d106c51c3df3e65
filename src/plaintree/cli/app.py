"""The program, and the commands that grow: look, grow, prune, rules, forest, eval.

What all commands share is in base.py; further commands are in work_commands.py (solve, explain),
model_commands.py (predict, export, diff, check) and demo_command.py.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from .base import (
    Categories,
    Columns,
    Debug,
    File,
    Folds,
    Gaps,
    Json,
    Learner,
    Report,
    Save,
    Seed,
    Target,
    Width,
    app,
    check_one_pipe,
    check_places,
    examples,
    present,
    read,
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
    with_options,
)

if TYPE_CHECKING:
    from .study import Study, Task


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
        help="majority or probability.",
        autocompletion=completing(("majority", "probability")),
    ),
]
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
        app()
    except OSError as error:  # help, on a full disk
        sys.exit(unwritten(error))


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
) -> None:
    if version:
        print(f"plaintree {__version__}", flush=True)
        raise typer.Exit


@app.command(epilog=examples("look golf.csv", "look golf.csv --target play --json"))
def look(
    file: File,
    *,
    target: Annotated[str | None, typer.Option(help="The column to be predicted.")] = None,
    gap: Gaps = None,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
) -> None:
    """Show a table's columns and classes, and what may go wrong."""
    with reported(debug):
        from .look import look_at
        from .show import Page, show_table, write_json

        page = Page(width)
        facts = look_at(read(file, gap), source_of(file), target)
        if json:
            write_json(facts.to_json())
        else:
            show_table(page, facts)
        warn(facts.warnings)
        if target is None and not json:
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
    drop: Columns = None,
    categorical_column: Categories = None,
    gap: Gaps = None,
    cv: Folds = 10,
    seed: Seed = 0,
    rules: Annotated[bool, typer.Option("--rules", help="Show the tree's rules, too.")] = False,
    save: Save = None,
    report: Report = None,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
    **given: Any,
) -> None:
    """Grow a tree from a table, show it, and say how good it is."""
    with reported(debug):
        from .keep import keep_model, write_report
        from .show import Page, show_study
        from .study import Task

        page = Page(width)
        check_places(save, report)
        task = Task(target, learner, given, drop or (), categorical_column or (), cv, seed)
        frame = read(file, gap)
        study = _carried_out(frame, source_of(file), task)
        present(page, study, partial(show_study, rules=rules), json)
        keep_model(study.model, save)
        write_report(report, study.model, frame, task, study.validation)
        warn(study.table.warnings)


@app.command(
    epilog=examples(
        "prune golf.csv --target play",
        "prune golf.csv --target play --learner cart --prune-option choice=min",
    )
)
@with_options(GROWING_OPTIONS)
def prune(
    file: File,
    *,
    target: Target,
    learner: Learner = "c45",
    method: PruningMethod = "cost_complexity",
    prune_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the method; can be repeated."),
    ] = None,
    validation: Annotated[
        str | None, typer.Option(metavar="FILE", help="Another table, to count errors in.")
    ] = None,
    drop: Columns = None,
    categorical_column: Categories = None,
    gap: Gaps = None,
    cv: Folds = 10,
    seed: Seed = 0,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
    **given: Any,
) -> None:
    """Grow a tree and prune it; show the ever smaller trees in it."""
    with reported(debug):
        from .prune_study import PruningTask, prune_table
        from .show import Page, progress
        from .show_pruning import show_pruning
        from .study import Task

        page = Page(width)
        check_one_pipe(file, validation)
        growing = Task(target, learner, given, drop or (), categorical_column or (), cv, seed)
        task = PruningTask(
            growing=growing,
            method=method,  # type: ignore[arg-type]  # is checked there
            texts=prune_option or (),
            validated=validation is not None,
        )
        frame = read(file, gap)
        other = None if validation is None else (read(validation, gap), source_of(validation))
        with progress() as report:
            study = prune_table(frame, source_of(file), task, other, report)
        present(page, study, show_pruning, json)
        warn(study.table.warnings)


@app.command(epilog=examples("rules golf.csv --target play --save rules.json"))
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
    min_branch: Annotated[
        float | None, typer.Option(help="Rows that two branches of the tree need.")
    ] = None,
    drop: Columns = None,
    categorical_column: Categories = None,
    gap: Gaps = None,
    cv: Folds = 10,
    seed: Seed = 0,
    save: Save = None,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
) -> None:
    """Make a table into a short list of rules.

    The rules come from a C4.5 tree; what they are worth is told by cross-validation.
    """
    with reported(debug):
        from ..rule_candidates import Options
        from .keep import keep_rules
        from .rule_study import make_rules
        from .show import Page, progress, show_rules
        from .study import Task

        page = Page(width)
        check_places(save)
        with as_typed({"method": "--method", "confidence": "--confidence"}):
            options = Options(method, confidence)  # type: ignore[arg-type]  # is checked there
        given = {"prune": "none", "min_samples_branch": min_branch}
        task = Task(target, "c45", given, drop or (), categorical_column or (), cv, seed)
        frame = read(file, gap)
        with progress() as report:
            study = make_rules(frame, source_of(file), task, options, report)
        present(page, study, show_rules, json)
        keep_rules(study.learner, frame, task, save)
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
    trees: Annotated[int, typer.Option(min=1, help="How many trees to grow.")] = 500,
    max_features: MaxFeatures = None,
    tune: Tune = None,
    voting: Voting = "majority",
    drop: Columns = None,
    categorical_column: Categories = None,
    gap: Gaps = None,
    seed: Seed = 0,
    save: Save = None,
    report: Report = None,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
    **given: Any,
) -> None:
    """Grow a random forest; say how good it is and what matters.

    How good it is, is told out of bag: every row is answered by the trees that have not seen it.
    What it depends on is told by shuffling the columns.
    """
    with reported(debug):
        from .forest_study import ForestTask, grow_forest
        from .keep import keep_model, write_report
        from .show import Page, progress
        from .show_forest import show_forest
        from .study import Task

        page = Page(width)
        check_places(save, report)
        columns = Task(target, "cart", {}, drop or (), categorical_column or (), 0, seed)
        task = ForestTask(columns, trees, max_features, tune, voting, given)
        frame = read(file, gap)
        with progress() as told:
            study = grow_forest(frame, source_of(file), task, told)
        present(page, study, show_forest, json)
        keep_model(study.model, save)
        write_report(report, study.model, frame, columns)
        warn(study.warnings)


@app.command("eval", epilog=examples("eval golf.csv --target play --learners c45,forest"))
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
    drop: Columns = None,
    categorical_column: Categories = None,
    gap: Gaps = None,
    cv: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    seed: Seed = 0,
    json: Json = False,
    width: Width = None,
    debug: Debug = False,
) -> None:
    """Compare learners by cross-validation on the same folds."""
    with reported(debug):
        from .eval_study import compare
        from .show import Page, progress
        from .show_eval import show_comparison
        from .study import Task

        page = Page(width)
        names = compared_learners(learners)
        task = Task(target, "c45", {}, drop or (), categorical_column or (), cv, seed)
        frame = read(file, gap)
        with progress() as report:
            study = compare(frame, source_of(file), task, names, report)
        present(page, study, show_comparison, json)
        warn(study.table.warnings)


def _carried_out(frame: Any, source: str, task: Task) -> Study:
    """Grow and validate, with a bar while it takes long."""
    from .show import progress
    from .study import carry_out

    with progress() as told:
        return carry_out(frame, source, task, told)
