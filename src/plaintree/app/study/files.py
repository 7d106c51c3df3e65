"""The facts of commands on tables in files that are read in batches: opening, growing, measuring.

Nothing is printed here; app/cli/show_files.py formats a study as text, ``to_json`` as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import polars as pl

import plaintree as pt
from plaintree.data.batches import Batch, batches_for
from plaintree.data.column import Column
from plaintree.data.dataset import Dataset
from plaintree.data.dataset_files import is_several, known_format
from plaintree.data.dataset_filter import RowFilter
from plaintree.data.dataset_reading import column_names
from plaintree.data.frames import column_from
from plaintree.data.rows import Floats
from plaintree.data.schema import Schema
from plaintree.data.strings import ReadOptions
from plaintree.data.target import labels_from, numbers_from
from plaintree.data.typed_rows import schema_of
from plaintree.errors import TableError
from plaintree.estimators.batches import positions_of
from plaintree.evaluation.in_batches import LabelCounts, NumericSums, mean_of
from plaintree.evaluation.metrics import costs_of
from plaintree.evaluation.quality import TRAINING, AnyQuality
from plaintree.progress import Progress

from .grow import Task, new_learner, parameters_of, rules_to_json, tree_to_json
from .inspect import check_columns
from .target_task import MOST_CLASSES, ROWS_PER_CLASS, Plan, TargetTask, is_numeric

MANY_VALUES = 1_000
"""Distinct numbers of a target that are counted; more of them are not classes."""
MEASURING = "measuring rows"
"""The stage of predicting the training rows, as progress callbacks get it."""


@dataclass(frozen=True)
class Opening:
    """How the files of a table are opened.

    - ``paths``: a file, a pattern or a directory.
    - ``memory``: the memory of the process, such as "2 GB".
    - ``store``, ``checkpoint``: where encoded rows are kept, and what is known after a level.
    - ``filter``: SQL. ``weights``: a column. ``options``: how strings are read.
    """

    paths: str
    memory: str | None = None
    store: str | None = None
    checkpoint: str | None = None
    filter: str | None = None
    weights: str | None = None
    options: ReadOptions = field(default_factory=ReadOptions)

    @property
    def reads_batches(self) -> bool:
        """Whether the table is read in batches, rather than into memory as a whole.

        It is if the path is a pattern or a directory, if one file has a format that is read in no
        other way (Arrow, compressed CSV), or if an option asks for it.
        """
        given = (self.memory, self.store, self.checkpoint, self.filter, self.weights)
        return any(option is not None for option in given) or reads_batches(self.paths)

    def open(self, target: str, drop: Sequence[str], categorical: Sequence[str]) -> Dataset:
        """The table; an unknown column is a usage error."""
        names = column_names(self.paths)
        check_columns("target", [target], names)
        features = [name for name in names if name != target]
        check_columns("drop", drop, features)
        check_columns("categorical_features", categorical, features)
        check_columns("weights", [] if self.weights is None else [self.weights], features)
        condition = RowFilter.of(self.filter)
        check_columns("filter", [] if condition is None else condition.root_names, names)
        kept = [name for name in features if name not in {*drop, self.weights}]
        return pt.open_dataset(
            self.paths,
            target,
            columns=kept if drop else None,
            weights=self.weights,
            filter=self.filter,
            memory_limit=self.memory,
            store=self.store,
            missing_values=self.options.missing_values,
            types=self.options.types,
            dates=self.options.dates,
        )


def reads_batches(path: str) -> bool:
    """Whether a path names a table that is read in batches.

    >>> [reads_batches(path) for path in ("golf.csv", "data/*.csv", "golf.arrow", "golf.csv.gz")]
    [False, True, True, True]
    """
    return is_several(path) or known_format(path) in ("arrow", "compressed csv")


# -------------------------------------------------------------------- the task


def target_column(dataset: Dataset) -> tuple[Column, bool]:
    """The values of the target that decide on the task, and whether there are more of them.

    All rows are read unless the first are enough: those of text are, or so many numbers.
    """
    name = str(dataset.target)
    seen: pl.DataFrame | None = None
    for _, _, frame in dataset.located_batches(columns=[name]):
        column = column_from(name, frame[name])
        if frame.height and not is_numeric(column) and frame[name].dtype != pl.Null:
            return column, False
        counts = frame.group_by(name).agg(pl.len().alias("n"))
        both = counts if seen is None else pl.concat([seen, counts], how="vertical_relaxed")
        seen = both.group_by(name).agg(pl.col("n").sum())
        if seen.height > MANY_VALUES:
            break
    if seen is None or not seen.height:
        raise TableError("the table has no rows", got=repr(dataset), hint="check the filter.")
    # Of each value enough rows to see whether there are enough for a class.
    enough = seen.with_columns(pl.col("n").clip(upper_bound=MOST_CLASSES * ROWS_PER_CLASS))
    values = enough.select(pl.col(name).repeat_by("n").explode()).to_series()
    return column_from(name, values), seen.height > MANY_VALUES


def planned(dataset: Dataset, plan: Plan[Task]) -> tuple[TargetTask, Task]:
    """The task of the target and what to grow for it."""
    column, has_more = target_column(dataset)
    decided, task = plan.for_target(column)
    if has_more and decided.reason:
        numbers = "integers" if "integers" in decided.reason else "numbers"
        reason = f"target: more than {MANY_VALUES:,} distinct {numbers}"
        decided = replace(decided, reason=reason)
    return decided, task


# -------------------------------------------------------------------- growing


@dataclass(frozen=True)
class FileStudy:
    """A model that was grown from files, and its quality on their rows.

    ``n_passes`` is how often the encoded rows were read, ``seconds`` how long fitting took.
    """

    source: str
    dataset: Dataset
    n_rows: int
    decided: TargetTask
    learner: str
    model: Any
    training: AnyQuality
    n_passes: int
    seconds: float
    validation: None = None

    @property
    def schema(self) -> Schema:
        """The features and the classes."""
        return schema_of(self.model)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        tree, features = self.model.tree_, self.schema.features
        return {
            "table": {
                "source": self.source,
                "files": list(self.dataset.files),
                "n_rows": self.n_rows,
                "columns": [{"name": f.name, "kind": f.kind, "unit": f.unit} for f in features],
                "target": self.dataset.target,
                "task": self.decided.name,
            },
            "task": self.training.task,
            "learner": self.learner,
            "parameters": parameters_of(self.model),
            "conventions": tree.conventions.to_json(),
            "schema": tree.schema.to_json(),
            "tree": tree_to_json(tree),
            "rules": rules_to_json(pt.rules_of(tree)),
            "training": self.training.to_json(),
            "cross_validation": None,
            "passes": self.n_passes,
            "seconds": self.seconds,
        }


def grow_from_files(
    dataset: Dataset, opening: Opening, plan: Plan[Task], report: Progress
) -> FileStudy:
    """Grow a tree from files, and measure it on their rows."""
    decided, task = planned(dataset, plan)
    n_passes = 0

    def counted(stage: str, done: int, total: int | None) -> None:
        nonlocal n_passes
        n_passes = done if stage.startswith("level ") else n_passes
        report(stage, done, total)

    begin = perf_counter()
    model = new_learner(task).fit(dataset, progress=counted, checkpoint=opening.checkpoint)
    seconds = perf_counter() - begin
    training = measured(model, dataset, report)
    return FileStudy(
        opening.paths,
        dataset,
        training.n_rows,
        decided,
        task.learner,
        model,
        training,
        n_passes,
        seconds,
    )


def measured(model: Any, dataset: Dataset, report: Progress) -> AnyQuality:
    """The quality of a model's predictions for the rows that it was grown from."""
    n_rows, done = model.training_.n_rows, 0
    counts, sums = LabelCounts(), None
    if not model.schema_.classes:
        sums = NumericSums(TRAINING, mean_of(dataset))
    for batch in batches_for(dataset, model.schema_, model.used_columns, labelled=True):
        if sums is None:
            add_labels(counts, model, batch)
        else:
            sums.add(numbers_of(batch), model.predict(batch))
        done += batch.frame.height
        report(MEASURING, done, n_rows)
    return sums or counts.quality(TRAINING, costs_of(model))


def numbers_of(batch: Batch) -> Floats:
    """The target of a batch as numbers."""
    return numbers_from(batch.target, batch.frame.height).numbers


def add_labels(counts: LabelCounts, model: Any, batch: Batch) -> None:
    """Count the classes and predicted classes of a batch."""
    codes, labels = labels_from(batch.target, batch.frame.height)
    predicted = positions_of(model.classes_, model.predict(batch))
    counts.add(counts.places(labels)[codes], counts.places(model.classes_.tolist())[predicted])
