"""Facts and studies written for people in a terminal; the only module here that prints data."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite, isnan
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

import plaintree as pt
from plaintree.data.facts import ColumnFacts, shortened
from plaintree.data.words import line_width, plain, shown_schema
from plaintree.progress import Progress, no_progress
from plaintree.rules.extract import by_weight

from ..study.look import TableFacts
from .options import as_typed

if TYPE_CHECKING:
    from plaintree.evaluation.cross_validation import CrossValidation
    from plaintree.evaluation.quality import Quality

    from ..study.grow import Study
    from ..study.rules import RuleStudy

CLASSES_SHOWN = 12
CONFUSIONS_SHOWN = 10
ROOMY = 80
"""From so many columns on there is room for examples."""
NODES_SHOWN = 300
"""A tree of more nodes is folded at the depth down to which it has no more than these."""
RULES_SHOWN = 100
COLUMNS_SHOWN = 100
_KINDS = ("numeric", "ordered", "categorical")


class Page(Console):
    """Standard output: names and values are never read as markup, tables fit the width."""

    def __init__(self, width: int | None = None, *, everything: bool = False) -> None:
        self.everything = everything
        with as_typed({"width": "--width"}):
            self.columns = line_width(width)
        super().__init__(width=self.columns, markup=False, emoji=False, highlight=False)

    def on_broken_pipe(self) -> None:
        """Leave it to the caller, who tells what the exit code is."""
        raise BrokenPipeError

    @property
    def ascii(self) -> bool:
        """Whether the output can take ASCII only."""
        return not self.encoding.startswith("utf")

    def heading(self, text: str) -> None:
        """A line above a part of the output."""
        self.print()
        self.print(Text(text, style="bold"))

    def verbatim(self, text: str) -> None:
        """Text that has its line ends already."""
        self.print(Text(text), soft_wrap=True)


def write_json(data: Any) -> None:
    """One JSON object on standard output.

    Of the numbers that JSON has not, infinite ones are written as text, and NaN as null.
    """
    print(json.dumps(_finite(data), indent=2, allow_nan=False))


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    if isinstance(data, float) and not isfinite(data):
        return None if isnan(data) else str(data)
    return data


@contextmanager
def progress() -> Iterator[Progress]:
    """A function to report work with; it draws bars if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage)
            bars.update(tasks[stage], completed=done, total=total)

        yield report


@contextmanager
def row_counter() -> Iterator[Progress]:
    """A function to tell the number of rows done, of nobody knows how many."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    with Console(stderr=True).status("reading") as status:
        yield lambda _stage, done, _total: status.update(f"{done:,} rows")


# -------------------------------------------------------------------- tables


def show_summary(page: Page, facts: TableFacts) -> None:
    """The table in a line."""
    attributes = facts.features
    kinds = [f"{n} {kind}" for kind in _KINDS if (n := sum(c.kind == kind for c in attributes))]
    gaps = sum(c.n_missing for c in attributes)
    parts = [
        f"{Path(facts.source).name}: {_count(facts.n_rows, 'row')}",
        f"{_count(len(attributes), 'attribute' if facts.target else 'column')}",
        _count(gaps, "gap") if gaps else "no gaps",
    ]
    parts[1] += f" ({', '.join(kinds)})" if kinds else ""
    parts += [f"target {plain(facts.target)}"] if facts.target is not None else []
    page.print(", ".join(parts))


def show_table(page: Page, facts: TableFacts) -> None:
    """The columns and the classes."""
    show_summary(page, facts)
    page.print()
    roomy = page.columns >= ROOMY
    grid = grid_of("column", "kind", "unit", "gaps", "values", *(["example"] if roomy else []))
    for part in grid.columns[1:4]:
        part.no_wrap = True
    target = [column for column in facts.columns if column.name == facts.target]
    others = [column for column in facts.columns if column.name != facts.target]
    if not page.everything and len(facts.columns) > COLUMNS_SHOWN:
        shown: Sequence[ColumnFacts] = [*others[: COLUMNS_SHOWN - len(target)], *target]
    else:
        shown = facts.columns
    for column in shown:
        cells = [
            plain(column.name) + (" (target)" if column.name == facts.target else ""),
            column.kind,
            column.unit,
            _share(column.n_missing, facts.n_rows) if column.n_missing else "-",
            column.values,
            shortened(column.example or "-"),
        ]
        grid.add_row(*cells[: len(grid.columns)])
    page.print(grid)
    left_out = len(facts.columns) - len(shown)
    if left_out:
        page.print(f"... and {_count(left_out, 'more column')}. Print all with --all.")
    if facts.target is not None:
        page.print()
        _show_classes(page, facts)


def _show_classes(page: Page, facts: TableFacts) -> None:
    """How many rows each class has; the greatest ones if there are many."""
    grid = grid_of(plain(facts.target), "rows")
    shown = facts.classes
    if len(shown) > CLASSES_SHOWN:
        shown = tuple(sorted(shown, key=lambda pair: -pair[1])[: CLASSES_SHOWN - 1])
    for name, n in shown:
        grid.add_row(name, _share(n, facts.n_rows))
    if len(shown) < len(facts.classes):
        rest = sum(n for _, n in facts.classes) - sum(n for _, n in shown)
        grid.add_row(f"{len(facts.classes) - len(shown)} more", _share(rest, facts.n_rows))
    page.print(grid)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _share(n: int, of: int) -> str:
    return f"{n} ({100 * n / of:.1f}%)"


def grid_of(*names: str) -> Table:
    """An empty table with these headings."""
    grid = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold",
    )
    for name in names:
        grid.add_column(name, overflow="fold")
    return grid


# -------------------------------------------------------------------- studies


def show_study(page: Page, study: Study, *, rules: bool) -> None:
    """The tree, its rules if asked for, its size and how good it is."""
    tree = study.model.tree_
    page.heading(f"The tree ({study.learner})")
    show_tree(page, tree)
    if rules:
        page.heading("Its rules")
        _show_rules_of_tree(page, tree)
    leaves = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    page.print()
    page.print(f"Size: {_count(tree.size, 'internal node')}, {leaves}, depth {tree.depth}")
    if not tree.size:
        page.print(
            f"The tree is a single leaf: it predicts {plain(tree.node(0).label)} for all rows"
        )
    page.print(f"Conventions: {tree.conventions}")
    show_quality(page, study)


def show_tree(page: Page, tree: pt.Tree, **options: Any) -> None:
    """The tree as text; a large one is folded unless all of it is asked for."""
    depth = None
    if not page.everything and tree.n_nodes > NODES_SHOWN:
        depth = int(tree.node_depths[NODES_SHOWN]) - 1  # nodes are numbered level by level
    width = page.columns
    page.verbatim(pt.export_text(tree, max_depth=depth, width=width, ascii=page.ascii, **options))
    if depth is not None:
        page.print()
        page.print(
            f"Folded at depth {depth}: the tree has {tree.n_nodes:,} nodes. "
            "Print all of it with --all."
        )


def _show_rules_of_tree(page: Page, tree: pt.Tree) -> None:
    rules = by_weight(tree)
    shown = rules if page.everything else rules[:RULES_SHOWN]
    schema = shown_schema(tree.schema)
    page.verbatim("\n".join(line for rule in shown for line in rule.lines(schema, page.columns)))
    _note_rules(page, len(rules) - len(shown), "of the tree")


def _note_rules(page: Page, n_left_out: int, which: str) -> None:
    if n_left_out > 0:
        page.print(f"... and {_count(n_left_out, 'more rule')} {which}. Print all with --all.")


def show_rules(page: Page, study: RuleStudy) -> None:
    """The rules in their order, and how good they are."""
    page.heading(f"The rules ({study.learner.method})")
    n_shown = len(study.rules) if page.everything else RULES_SHOWN
    shown = replace(study.rules, rules=study.rules.rules[:n_shown])
    page.verbatim(shown.describe(width=page.columns))
    _note_rules(page, len(study.rules) - n_shown, "before OTHERWISE")
    page.print()
    n_rules, n_dropped = len(study.rules), len(study.rules.dropped)
    dropped = f" ({_count(n_dropped, 'rule')} dropped as harmful)" if n_dropped else ""
    page.print(f"Size: {_count(n_rules, 'rule')}{dropped}")
    page.print(f"Default class: {plain(study.rules.default)}")
    if not n_rules:
        page.print(f"The list has no rules: it predicts {plain(study.rules.default)} for all rows")
    show_quality(page, study)


def show_quality(page: Page, study: Study | RuleStudy) -> None:
    """Metrics on the training rows, and in cross-validation; each names its rows."""
    page.print(f"Training errors: {errors_text(study.training.n_errors, study.training.n_rows)}")
    if study.validation is not None:
        _show_validation(page, study.validation)
    else:
        page.print(f"Balanced accuracy on {balanced_text(study.training)}")
        page.print(baseline_text(study.training))


def errors_text(n: int, of: int) -> str:
    """Errors as a count and a share."""
    return f"{n} of {of} ({100 * n / of:.1f}%)"


def balanced_text(quality: Quality) -> str:
    """The rows and the mean recall there."""
    return f"{quality.measured_on}: {100 * quality.balanced_accuracy:.1f}%"


def baseline_text(quality: Quality) -> str:
    """The accuracy that every model has to beat."""
    share = f"{100 * quality.baseline:.1f}%"
    return f"Baseline accuracy (always {plain(quality.majority_class)}): {share}"


def show_confusion(page: Page, quality: Quality) -> None:
    """The confusion matrix with the rows it was measured on; of many classes the worst pairs."""
    page.heading(f"Confusion, {quality.measured_on} (rows: actual, columns: predicted)")
    names = [plain(c) for c in quality.classes]
    letters = [f"{letter})" for letter in ascii_lowercase[: len(names)]]
    fitting = (names, letters) if len(names) <= page.columns else ()  # laying out takes long
    for headings in fitting:  # letters take less room, up to 26 of them
        matrix = _matrix(quality, names, headings)
        if page.measure(matrix, options=page.options.update(width=10_000)).maximum <= page.columns:
            page.print(matrix)
            return
    _show_confusions(page, quality, names)


def _show_validation(page: Page, validation: CrossValidation) -> None:
    sign = "+-" if page.ascii else "±"
    page.print(
        f"Accuracy in {validation.n_folds}-fold cross-validation: "
        f"{100 * validation.mean:.1f}% {sign} {100 * validation.deviation:.1f}% over the folds"
    )
    page.print(
        f"Balanced accuracy in {validation.n_folds}-fold cross-validation: "
        f"{100 * validation.balanced_mean:.1f}%"
    )
    page.print(baseline_text(validation.quality))
    if not validation.stratified:
        page.print("(folds not stratified: some class has fewer rows than there are folds)")
    show_confusion(page, validation.quality)


def _matrix(quality: Quality, names: list[str], headings: list[str]) -> Table:
    lettered = headings != names and len(headings) == len(names)
    matrix = grid_of("", *(headings if lettered else names))
    for column in matrix.columns[1:]:
        column.justify = "right"
    for position, counts in enumerate(quality.confusion.tolist()):
        name = f"{headings[position]} {names[position]}" if lettered else names[position]
        matrix.add_row(Text(name, style="bold"), *map(str, counts))
    return matrix


def _show_confusions(page: Page, quality: Quality, names: list[str]) -> None:
    """The commonest confusions, where the matrix has too many columns."""
    confused = quality.confusion.copy()
    np.fill_diagonal(confused, 0)
    actual, predicted = np.nonzero(confused)  # by rows, which a stable sort keeps among equals
    order = np.argsort(-confused[actual, predicted], kind="stable")
    listing = grid_of("actual", "predicted", "rows")
    for i, j in zip(
        *(cells[order[:CONFUSIONS_SHOWN]] for cells in (actual, predicted)), strict=True
    ):
        listing.add_row(names[i], names[j], str(confused[i, j]))
    page.print(listing)
    left_out = len(order) - CONFUSIONS_SHOWN
    if left_out > 0:
        page.print(f"... and {left_out} more pairs of classes (all of them with --json)")
