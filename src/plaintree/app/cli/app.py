"""The program, and the commands about a table: inspect, grow, prune, rules, compare.

Further commands are in work_commands.py (derive, explain), model_commands.py (evaluate, predict,
diff, check) and the modules named after a command.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plaintree import __version__
from plaintree.estimators.registry import TaskName
from plaintree.threads import default_jobs

from .base import (
    Everything,
    File,
    Files,
    Folds,
    Jobs,
    Learner,
    MaybeTarget,
    Output,
    OwnFolds,
    RandomState,
    Report,
    Save,
    Target,
    app,
    check_one_pipe,
    check_places,
    command,
    present,
    source_of,
)
from .declare import completing, completing_list, with_options
from .files import InFiles, grow_files, hint_at_batches, present_files, refuse_options
from .flags import COLUMN_FLAGS, TASK_FLAGS, as_typed
from .help import LEARNER, VALIDATION
from .messages import note, reported, unwritten, warn
from .options import (
    COMPARED,
    GROWING_OPTIONS,
    OPTIONS,
    PRUNING_METHODS,
    compared_learners,
    costs_from,
)
from .tables import Asked, Columns, Reading, TaskColumns, TaskOption, read, read_rows

if TYPE_CHECKING:
    from ..study.grow import Study, Task
    from ..study.prune import PruningTask
    from .show import Page

PruningMethod = Annotated[
    str,
    typer.Option(
        help=f"Pruning method: {', '.join(PRUNING_METHODS)}.",
        autocompletion=completing(PRUNING_METHODS),
    ),
]


def main() -> None:
    """Run the program ``plaintree``."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by <&- or >&-, so it is not wanted
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (for as long as we run)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a name that cannot be encoded is not an error
            stream.reconfigure(errors="backslashreplace")
    try:
        with default_jobs(-1):  # nobody else is at work in this process
            app(prog_name="plaintree")  # python -m plaintree as well
    except OSError as error:  # help, on a full disk
        sys.exit(unwritten(error))


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[
        bool, typer.Option("-V", "--version", help="Print the version and exit.")
    ] = False,
) -> None:
    if version:
        print(f"plaintree {__version__}", flush=True)
        raise typer.Exit


@command("inspect golf.csv", "inspect golf.csv -t play --json")
@with_options()
def inspect(
    file: File,
    *,
    target: MaybeTarget = None,
    task: TaskOption = None,
    everything: Everything = False,
    reading: Reading,
    output: Output,
) -> None:
    """Describe a table: columns, target, data-quality warnings."""
    with reported(output):
        from ..study.inspect import inspect_table
        from ..study.target_task import wanted_task
        from .show import Page, show_table, write_json

        page = Page(output.width, everything=everything)
        frame, doubts = read(file, reading.options)
        with as_typed({**COLUMN_FLAGS, **TASK_FLAGS}):
            facts = inspect_table(frame, source_of(file), target, doubts, wanted_task(task))
        if output.json:
            write_json(facts.to_json())
        else:
            show_table(page, facts)
        warn(facts.warnings)
        if target is None and not output.json:
            note("hint:", "--target NAME describes the target; plaintree grow needs it.")


@command(
    "grow golf.csv -t play",
    "grow golf.csv -t play --learner cart --max-depth 3 --rules --save cart.json",
    "grow golf.csv -t play --save golf.json --report golf.html",
    "grow houses.csv -t price --max-depth 4 --save prices.json",
    "grow 'golf*.csv' -t play --memory 2GB",
)
@with_options(OPTIONS)
def grow(
    file: Files,
    *,
    target: Target,
    learner: Learner = None,
    columns: TaskColumns,
    batches: InFiles,
    cv: OwnFolds = None,
    random_state: RandomState = 0,
    n_jobs: Jobs = -1,
    rules: Annotated[bool, typer.Option("--rules", help="Also print the tree's rules.")] = False,
    save: Save = None,
    report: Report,
    everything: Everything = False,
    output: Output,
    **given: Any,
) -> None:
    """Grow a tree and cross-validate it.

    From several files, or with --memory, rows are read in batches and not cross-validated.
    """
    with reported(output):
        from .keep import keep_model
        from .show import Page

        page = Page(output.width, everything=everything)
        check_places(save, report.report)
        asked = Asked(
            target, learner, given, columns, 10 if cv is None else cv, random_state, n_jobs
        )
        opening = batches.opening(file, asked)
        if opening.reads_batches:
            refuse_options(file, cv=cv, report=report.report)
            in_files = grow_files(opening, asked)
            present_files(page, in_files, output.json, rules=rules)
            keep_model(in_files.model, save, columns.missing_values)
            return
        study = _grow_in_memory(file, asked, page, output, rules=rules, report=report)
        keep_model(study.model, save, columns.missing_values)
        warn(study.table.warnings)


def _grow_in_memory(
    file: str, asked: Asked, page: Page, output: Output, *, rules: bool, report: Report
) -> Study:
    """Grow a tree from a table that is read as a whole."""
    from ..study.grow import carry_out
    from .keep import write_report
    from .pruning_options import flags_of_texts
    from .show import progress
    from .show_study import show_study

    hint_at_batches(file)
    task, table = asked.task_and_table(file)
    with progress() as reporter, as_typed(flags_of_texts(asked.given["pruning_options"])):
        study = carry_out(table, task, reporter)
    present(page, study, partial(show_study, rules=rules), output.json)
    write_report(report, study.model, table, asked.random_state, study.validation)
    return study


@command(
    "prune golf.csv -t play",
    "prune golf.csv -t play --learner cart --pruning-option choice=min --save pruned.json",
)
@with_options(GROWING_OPTIONS)
def prune(
    file: File,
    *,
    target: Target,
    learner: Learner = None,
    method: PruningMethod = "cost_complexity",
    pruning_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Option of the method; can be repeated."),
    ] = None,
    cp: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="The cp of cost-complexity pruning: the minimum decrease of the risk per leaf, "
            "relative to that of the root (default: chosen by cross-validation).",
        ),
    ] = None,
    validation: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Another table, with rows to count errors on."),
    ] = None,
    columns: TaskColumns,
    cv: Folds = 10,
    random_state: RandomState = 0,
    n_jobs: Jobs = -1,
    save: Save = None,
    report: Report,
    everything: Everything = False,
    output: Output,
    **given: Any,
) -> None:
    """Grow a tree, prune it, and show the pruning path.

    Prints the errors before and after pruning.
    """
    with reported(output):
        from plaintree.data.typed_rows import kinds_of

        from ..study.prune import PruningTask, prune_table
        from .keep import keep_model, write_report
        from .pruning_options import check_validation, flags_of_texts, method_options
        from .show import Page, progress
        from .show_pruning import show_pruning

        page = Page(output.width, everything=everything)
        check_one_pipe(file, validation)
        check_places(save, report.report)
        typed = pruning_option or ()
        asked = Asked(target, learner, given, columns, cv, random_state, n_jobs)

        def make(task: TaskName) -> PruningTask:
            growing = asked.task(task)
            options = method_options(method, typed, random_state, task, cp=cp)
            with as_typed({"n_folds": "--cv", "alpha": "--pruning-option alpha="}):
                return PruningTask(growing, method, options)  # type: ignore[arg-type]  # was checked

        plan = asked.plan(make)
        check_validation(method, validation)
        task, table = asked.read(plan, file)
        other = None
        if validation is not None:
            rows = read_rows(validation, replace(columns.options, known=kinds_of(table.X)))
            other = rows, source_of(validation)
        flags = {"cp": "--cp", **flags_of_texts(typed), "validation": "--validation"}
        with progress() as reporter, as_typed(flags):
            study = prune_table(table, task, other, reporter)
            folds = None if report.report is None else study.validated(table, reporter)
        present(page, study, show_pruning, output.json)
        write_report(report, study.pruned_model, table, random_state, folds)
        keep_model(study.pruned_model, save, columns.missing_values)
        warn(study.table.warnings)


@command("rules golf.csv -t play --save rules.json")
@with_options()
def rules(
    file: File,
    *,
    target: Target,
    method: Annotated[
        str,
        typer.Option(
            help="c4.5rules: Quinlan's program; course: the simpler method of textbooks.",
            autocompletion=completing(("c4.5rules", "course")),
            rich_help_panel=LEARNER,
        ),
    ] = "c4.5rules",
    confidence: Annotated[
        float,
        typer.Option(
            help="Confidence of the estimated accuracy; smaller values make shorter rules.",
            rich_help_panel=LEARNER,
        ),
    ] = 0.25,
    min_samples_branch: Annotated[
        float | None,
        typer.Option(
            help="Minimum number of rows in two branches of the tree.", rich_help_panel=LEARNER
        ),
    ] = None,
    columns: Columns,
    cv: Folds = 10,
    random_state: RandomState = 0,
    n_jobs: Jobs = -1,
    save: Save = None,
    report: Report,
    everything: Everything = False,
    output: Output,
) -> None:
    """Grow a rule list (C4.5rules) and cross-validate it."""
    with reported(output):
        from plaintree.rules.candidates import Options

        from ..study.rules import make_rules
        from .keep import keep_model, write_report
        from .show import Page, progress
        from .show_study import show_rules

        page = Page(output.width, everything=everything)
        check_places(save, report.report)
        with as_typed({"method": "--method", "confidence": "--confidence"}):
            options = Options(method, confidence)  # type: ignore[arg-type]  # is checked there
        given = {"pruning": "none", "min_samples_branch": min_samples_branch}
        asked = Asked(target, "c45", given, columns, cv, random_state, n_jobs)
        task, table = asked.read(asked.plan_of_classes(), file)
        with progress() as reporter:
            study = make_rules(table, task, options, reporter)
        present(page, study, show_rules, output.json)
        if save or report.report:
            study.learner.fit(table.X, table.y)
        write_report(report, study.learner, table, random_state, study.validation)
        keep_model(study.learner, save, columns.missing_values)
        warn(study.table.warnings)


@command("compare golf.csv -t play", "compare golf.csv -t play --learners c45,forest --cv 5")
@with_options()
def compare(
    file: File,
    *,
    target: Target,
    learners: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help=f"Some of {','.join(COMPARED)} (default: all; for a numeric target cart,forest).",
            autocompletion=completing_list(COMPARED),
        ),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ACTUAL,PREDICTED=NUMBER",
            help="(classes) Cost of an error, by default 1; can be repeated. All learners are "
            "measured by it, and cart counts it.",
        ),
    ] = None,
    columns: TaskColumns,
    cv: Annotated[
        int,
        typer.Option(
            min=2, help="Number of folds of cross-validation.", rich_help_panel=VALIDATION
        ),
    ] = 10,
    random_state: RandomState = 0,
    n_jobs: Jobs = -1,
    output: Output,
) -> None:
    """Compare learners by cross-validation on the same folds.

    For a saved model and another table, see plaintree evaluate.
    """
    with reported(output):
        from ..study.compare import check_compared, compare_learners
        from .show import Page, progress
        from .show_compare import show_comparison

        page = Page(output.width)
        names, costs = compared_learners(learners), costs_from(cost)
        asked = Asked(target, None, {}, columns, cv, random_state, n_jobs)

        def make(task: TaskName) -> tuple[Task, tuple[str, ...]]:
            with as_typed(TASK_FLAGS):
                return asked.task(task), check_compared(names, task)

        (task, compared), table = asked.read(asked.plan(make, learners=names), file)
        with progress() as reporter:
            study = compare_learners(table, task, compared, reporter, costs)
        present(page, study, show_comparison, output.json)
        warn(study.table.warnings)
