"""The command that grows a random forest."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from plaintree.estimators.registry import TaskName

from .base import (
    File,
    Jobs,
    Output,
    RandomState,
    Report,
    Save,
    Target,
    check_places,
    command,
    present,
)
from .declare import completing, with_options
from .flags import as_typed, flag_of
from .help import LEARNER
from .messages import reported, warn
from .options import FOREST_OPTIONS, flags_of
from .tables import Asked, TaskColumns

MaxFeatures = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Features sampled at each node: sqrt, log2, all, a number or a fraction.",
        autocompletion=completing(("sqrt", "log2", "all")),
        rich_help_panel=LEARNER,
    ),
]
Tune = Annotated[
    str | None,
    typer.Option(
        help="oob: choose --max-features by out-of-bag error.",
        autocompletion=completing(("oob",)),
        rich_help_panel=LEARNER,
    ),
]
Voting = Annotated[
    str | None,
    typer.Option(
        help="(classes) hard: each tree has one vote; soft: class probabilities are averaged.",
        autocompletion=completing(("hard", "soft")),
        rich_help_panel=LEARNER,
    ),
]
FOREST_FLAGS = {
    name: flag_of(name) for name in ("n_estimators", "max_features", "tune", "voting")
} | flags_of(FOREST_OPTIONS)
"""The options of a forest, by their parameters."""


@command(
    "forest golf.csv -t play --tune oob",
    "forest golf.csv -t play --n-estimators 500 --save forest.model --report forest.html",
    "explain forest.model golf.csv --row 3",
)
@with_options(FOREST_OPTIONS)
def forest(
    file: File,
    *,
    target: Target,
    n_estimators: Annotated[
        int, typer.Option(min=1, help="Number of trees.", rich_help_panel=LEARNER)
    ] = 100,
    max_features: MaxFeatures = None,
    tune: Tune = None,
    voting: Voting = None,
    columns: TaskColumns,
    random_state: RandomState = 0,
    n_jobs: Jobs = -1,
    save: Save = None,
    report: Report,
    output: Output,
    **given: Any,
) -> None:
    """Grow a random forest, with OOB error and importances.

    Prints the out-of-bag (OOB) error, and permutation and impurity importances.
    """
    with reported(output):
        from ..study.forest import ForestTask, grow_forest
        from .keep import keep_model, write_report
        from .show import Page, progress
        from .show_forest import show_forest

        page = Page(output.width)
        check_places(save, report.report)
        asked = Asked(target, None, {}, columns, random_state=random_state, n_jobs=n_jobs)

        def make(task: TaskName) -> ForestTask:
            growing = replace(asked.task(task), learner="cart")
            with as_typed(FOREST_FLAGS):
                return ForestTask(growing, n_estimators, max_features, tune, voting, given)

        plan = asked.plan(make, criterion=given["criterion"])
        task, table = asked.read(plan, file)
        with progress() as reporter, as_typed(FOREST_FLAGS):
            study = grow_forest(table, task, reporter)
        present(page, study, show_forest, output.json)
        write_report(report, study.model, table, random_state)
        keep_model(study.model, save, columns.missing_values)
        warn(study.warnings)
