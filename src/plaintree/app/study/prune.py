"""A tree before and after pruning, and the trees in between: what `plaintree prune` has to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from plaintree.data.rows import Rows
from plaintree.data.table import table_from
from plaintree.errors import ColumnError, ParameterError
from plaintree.progress import no_progress
from plaintree.pruning.curves import pruning_path
from plaintree.pruning.mdl import description_length
from plaintree.pruning.path import PruningPath
from plaintree.pruning.prune import MethodName, prune
from plaintree.tree.predict import class_codes
from plaintree.tree.tree import Tree
from plaintree.tree.walk import rows_from

from ..cli.options import PRUNING_METHODS, as_typed, check_known
from ..cli.pruning_options import check_options, completed, flags_of_texts, named_values, options_of
from .grow import Report, Task, TrainingTable, fitted, parameters_of, tree_to_json
from .look import TableFacts

Labelled = tuple[Any, Any]
"""Attributes and target."""
OF_THE_PATH = ("risk", "links")
"""Options of cost-complexity pruning that make another path."""


@dataclass(frozen=True)
class PruningTask:
    """What to grow (without pruning), and how to prune it; checked before a file is read.

    ``texts`` are the options as they were given. ``validated`` tells whether there is another
    table to validate with.
    """

    growing: Task
    method: MethodName = "cost_complexity"
    texts: Sequence[str] = ()
    validated: bool = False
    options: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        growing = replace(self.growing, given={**self.growing.given, "prune": "none"})
        object.__setattr__(self, "growing", growing)
        check_known("method of pruning", f"--method {self.method}", self.method, PRUNING_METHODS)
        options = named_values(self.texts)
        known = tuple(name for name in options_of(self.method) if name != "folds")  # that is --cv
        with as_typed(flags_of_texts(self.texts)):
            check_options(self.method, options, known)
        options = completed(self.method, options, growing.seed)
        object.__setattr__(self, "options", options)
        if "choice" in options and not growing.n_folds:
            raise ParameterError(
                "alpha cannot be chosen without cross-validation",
                got="--cv 0",
                hint="give folds, such as --cv 10, or --prune-option alpha=0.01.",
            )
        if self.method == "reduced_error" and not self.validated:
            raise ParameterError(
                "the method reduced_error needs rows that the tree was not grown from",
                got="no --validation",
                hint="give them with --validation FILE; plaintree grow --prune reduced_error "
                "holds some out of the table itself.",
            )


@dataclass(frozen=True)
class Errors:
    """How many rows of a table the trees get wrong."""

    source: str
    n_rows: int
    before: int
    after: int

    def to_json(self) -> dict[str, Any]:
        """Plain strings and numbers."""
        return {
            "source": self.source,
            "rows": self.n_rows,
            "errors_before": self.before,
            "errors_after": self.after,
        }


@dataclass(frozen=True)
class PruneStudy:
    """A grown tree, its pruning path, and the tree that a method makes of it."""

    table: TableFacts
    task: PruningTask
    model: Any
    path: PruningPath
    pruned: Tree
    training: Errors
    validation: Errors | None

    @property
    def choices(self) -> dict[str, float]:
        """The alphas that cross-validation chooses, by the names of the rules."""
        if self.path.cv_errors is None:
            return {}
        return {"min": self.path.best_alpha("min"), "one_se": self.path.best_alpha("one_se")}

    @property
    def bits(self) -> tuple[float, float] | None:
        """The description lengths before and after, if the method goes by them."""
        if self.task.method != "mdl":
            return None
        coding = self.task.options.get("coding", "quinlan_rivest")
        before, after = (
            description_length(tree, coding=coding) for tree in (self.path.source, self.pruned)
        )
        return before.total, after.total

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        bits = self.bits
        return {
            "table": self.table.to_json(),
            "learner": self.task.growing.learner,
            "parameters": parameters_of(self.model),
            "conventions": self.pruned.conventions and self.pruned.conventions.to_json(),
            "schema": self.path.source.schema.to_json(),
            "path": {
                "risk": self.path.risk,
                "folds": self.task.growing.n_folds if self.choices else None,
                "trees": self.path.to_frame().to_dicts(),
                "choices": self.choices,
            },
            "method": self.task.method,
            "options": dict(self.task.options),
            "grown": tree_to_json(self.path.source),
            "pruned": tree_to_json(self.pruned),
            "bits": bits and {"before": bits[0], "after": bits[1]},
            "training": self.training.to_json(),
            "validation": self.validation and self.validation.to_json(),
        }


def prune_table(
    table: TrainingTable,
    task: PruningTask,
    validation: tuple[Any, str] | None = None,
    report: Report = no_progress,
) -> PruneStudy:
    """Grow a tree from a table, prune it, and count errors; ``validation`` is a table and its
    source."""
    training = (table.X, table.y)
    model = fitted(task.growing, table)
    other = validation and _divided(*validation, task.growing)
    with as_typed(flags_of_texts(task.texts)):
        path = _path(model, training, task, report)
        pruned = _pruned(model, path, other if task.method == "reduced_error" else training, task)
    trees = (path.source, pruned)
    return PruneStudy(
        table=table.facts,
        task=task,
        model=model,
        path=path,
        pruned=pruned,
        training=_errors(trees, training, table.facts.source),
        validation=_errors(trees, other, validation[1]) if other and validation else None,
    )


def _path(model: Any, training: Labelled, task: PruningTask, report: Report) -> PruningPath:
    given = {name: task.options[name] for name in OF_THE_PATH if name in task.options}
    n_folds, seed = task.growing.n_folds, task.growing.seed
    if not n_folds or len(training[0]) < 2:
        return pruning_path(model, **given)
    return pruning_path(
        model, *training, folds=n_folds, random_state=seed, progress=report, **given
    )


def _pruned(model: Any, path: PruningPath, rows: Labelled | None, task: PruningTask) -> Tree:
    """The pruned tree. An alpha to be chosen is that of the path, which is validated already."""
    options = dict(task.options)
    if "choice" in options:
        choice = options.pop("choice")
        # A single row can neither be divided into folds nor split.
        options["alpha"] = 0.0 if path.cv_errors is None else path.best_alpha(choice)
    needs_rows = task.method in ("error_based", "reduced_error")
    return prune(model, task.method, *(rows if needs_rows and rows else ()), **options)


def _divided(frame: Any, source: str, task: Task) -> Labelled:
    """Another table than the first one, divided into attributes and target."""
    if task.target not in frame.columns:
        raise ColumnError(
            f"{source} has no column {task.target!r}",
            got=f"--validation {source}",
            hint="it needs the columns of the first table, the target among them.",
        )
    attributes = table_from(frame.drop([task.target, *task.drop], strict=False))
    return attributes, frame[task.target]


def _errors(trees: tuple[Tree, Tree], table: Labelled, source: str) -> Errors:
    rows = rows_from(trees[0], *table)
    before, after = (_n_wrong(tree, rows) for tree in trees)
    return Errors(source, len(rows.codes), before, after)


def _n_wrong(tree: Tree, rows: Rows) -> int:
    return int(np.count_nonzero(class_codes(tree, rows.columns) != rows.codes))
