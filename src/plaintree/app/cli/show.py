"""Standard output: its width and style, tables of columns, and JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from plaintree.data.facts import ColumnFacts, shortened
from plaintree.data.words import line_width, number_text, plain
from plaintree.progress import Progress, no_progress

from ..study.inspect import TableFacts
from ..study.target_task import TargetTask
from .flags import as_typed
from .messages import is_quiet, without_color

if TYPE_CHECKING:
    pass

CLASSES_SHOWN = 12
ROOMY = 80
"""From this width on, the table of columns has room for examples."""
COLUMNS_SHOWN = 100
_KINDS = ("numeric", "ordered", "categorical")


class Page(Console):
    """Standard output, without markup in names and values, and of a given width."""

    def __init__(self, width: int | None = None, *, everything: bool = False) -> None:
        self.everything = everything
        with as_typed({"width": "--width"}):
            self.columns = line_width(width)
        super().__init__(
            width=self.columns,
            markup=False,
            emoji=False,
            highlight=False,
            no_color=without_color(),
        )

    def on_broken_pipe(self) -> None:
        """Leave it to the caller, which sets the exit code."""
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
    """Print one JSON object."""
    print(json_text(data))


def json_text(data: Any) -> str:
    """Data as JSON, which has no infinite numbers and no NaN: those become strings and null."""
    return json.dumps(_finite(data), indent=2, allow_nan=False)


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
    """A progress callback; it draws bars if standard error is a terminal."""
    if is_quiet() or not sys.stderr.isatty():
        yield no_progress
        return
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True, no_color=without_color()), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage)
            bars.update(tasks[stage], completed=done, total=total)

        yield report


@contextmanager
def row_counter() -> Iterator[Progress]:
    """A progress callback for rows, of an unknown number."""
    if is_quiet() or not sys.stderr.isatty():
        yield no_progress
        return
    with Console(stderr=True, no_color=without_color()).status("reading") as status:
        yield lambda _stage, done, _total: status.update(f"{done:,} rows")


# -------------------------------------------------------------------- tables


def show_summary(page: Page, facts: TableFacts) -> None:
    """The table in one line."""
    features = facts.features
    kinds = [f"{n} {kind}" for kind in _KINDS if (n := sum(c.kind == kind for c in features))]
    missing = sum(c.n_missing for c in features)
    parts = [
        f"{Path(facts.source).name}: {count(facts.n_rows, 'row')}",
        f"{count(len(features), 'feature' if facts.target else 'column')}",
        count(missing, "missing value") if missing else "no missing values",
    ]
    parts[1] += f" ({', '.join(kinds)})" if kinds else ""
    parts += [f"target: {plain(facts.target)}"] if facts.target is not None else []
    page.print(", ".join(parts))
    if facts.task is not None:
        show_task(page, facts.task)


def show_task(page: Page, task: TargetTask) -> None:
    """The task, unless the target leaves no doubt."""
    if task.reason or task.name == "regression":
        page.print(_task_text(task))


def _task_text(task: TargetTask) -> str:
    """The task, why the values of the target suggest it, and how to override it."""
    reason = f" ({task.reason})" if task.reason else ""
    override = f"; --task {task.other} overrides" if task.other else ""
    return f"Task: {task.name}{reason}{override}"


def show_table(page: Page, facts: TableFacts) -> None:
    """The columns and the classes."""
    show_summary(page, facts)
    page.print()
    roomy = page.columns >= ROOMY
    grid = grid_of("column", "kind", "unit", "missing", "values", *(["example"] if roomy else []))
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
            _percentage(column.n_missing, facts.n_rows) if column.n_missing else "-",
            column.values,
            shortened(column.example or "-"),
        ]
        grid.add_row(*cells[: len(grid.columns)])
    page.print(grid)
    left_out = len(facts.columns) - len(shown)
    if left_out:
        page.print(f"... and {count(left_out, 'more column')}. Print all with --all.")
    if facts.target is not None:
        page.print()
        _show_target(page, facts)


def _show_target(page: Page, facts: TableFacts) -> None:
    """The classes, or the mean, standard deviation and quartiles of a numeric target."""
    if facts.spread is None:
        _show_classes(page, facts)
        return
    names = ("mean", "sd", "min", "25%", "50%", "75%", "max")
    values = zip(names, map(number_text, facts.spread.values()), strict=True)
    shown = ", ".join(f"{name} {value}" for name, value in values)
    page.print(f"{plain(facts.target)}: {shown}")


def _show_classes(page: Page, facts: TableFacts) -> None:
    """The rows of each class; the most frequent ones if there are many."""
    grid = grid_of(plain(facts.target), "rows")
    shown = facts.classes
    if len(shown) > CLASSES_SHOWN:
        shown = tuple(sorted(shown, key=lambda pair: -pair[1])[: CLASSES_SHOWN - 1])
    for name, n in shown:
        grid.add_row(name, _percentage(n, facts.n_rows))
    if len(shown) < len(facts.classes):
        rest = sum(n for _, n in facts.classes) - sum(n for _, n in shown)
        grid.add_row(f"{len(facts.classes) - len(shown)} more", _percentage(rest, facts.n_rows))
    page.print(grid)


def count(n: int, what: str) -> str:
    """A number and what it counts, in the singular or plural."""
    return f"{n:,} {what}{'s' * (n != 1)}"


def _percentage(n: int, of: int) -> str:
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
