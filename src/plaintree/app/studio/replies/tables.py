"""What the studio offers, and the facts of the table that is open."""

from __future__ import annotations

from functools import cache, partial
from typing import Literal

import numpy as np

import plaintree as pt
from plaintree.data.column import Column
from plaintree.data.doubts import Doubt
from plaintree.data.facts import known_values
from plaintree.data.timestamps import TEMPORAL
from plaintree.data.words import plain
from plaintree.errors import TableError
from plaintree.show.picture.palette import CLASS_COLOURS, PAPER, REST, mixed
from plaintree.show.plot.canvas import MARKERS

from ...study.inspect import check_columns
from ...study.inspect import facts_of as studied
from ...study.target_task import TargetTask, Wanted, decided_task
from ..messages.tables import (
    ColumnFacts,
    Example,
    Finding,
    Hello,
    HelloRequest,
    OpenRequest,
    Palette,
    TableFacts,
)
from .examples import EXAMPLES
from .exporting import export_kinds
from .held import Held, quiet, training_of
from .learners import learner_facts
from .reading import Opened
from .table_rows import cell_text

SHOWN = 12
"""Frequent values of a column that are listed."""
Kind = Literal["number", "date", "category", "boolean", "ordered", "empty"]
DARK = 0.3
"""How much white colours of classes are mixed with on a dark page."""


def hello(held: Held, request: HelloRequest) -> Hello:
    """What the studio offers. Tables that are open are known to the server, not to a worker."""
    del held, request
    return Hello(
        version=pt.__version__,
        learners=list(learner_facts()),
        examples=list(_examples()),
        opened=[],
        exports=export_kinds(),
        palette=Palette(
            classes=list(CLASS_COLOURS),
            classes_dark=[mixed(colour, PAPER, DARK) for colour in CLASS_COLOURS],
            rest=REST,
        ),
        markers=list(MARKERS),
    )


@cache
def _examples() -> tuple[Example, ...]:
    found = []
    for name, teaches in EXAMPLES.items():
        table = getattr(pt.datasets, f"load_{name}")()
        found.append(
            Example(name=name, teaches=teaches, n_rows=table.frame.height, target=table.target)
        )
    return tuple(found)


# -------------------------------------------------------------------- a table


def open_table(held: Held, request: OpenRequest) -> TableFacts:
    """The facts of the table, for the target that was chosen or that of the example."""
    known = held.opened_table
    if request.example is not None and (known is None or known.name != request.example):
        held.load_example(request.key or request.example, request.example)
    opened = held.opened
    if request.example is None and request.key is not None and request.key != opened.key:
        raise TableError("the table is not open here", got=repr(request.key), hint="open it again.")
    recipe = opened.recipe if request.recipe is None else request.recipe
    return facts_of(held.opened_by(recipe), request)


def facts_of(opened: Opened, request: OpenRequest) -> TableFacts:
    """The facts of a table: columns, classes, and warnings with the columns they are about."""
    names = opened.table.names
    target = request.target if request.target is not None else _usual_target(opened)
    check_columns("target", [target], names)
    check_columns("drop", request.drop, [name for name in names if name != target])
    column = opened.column(target)
    wanted = None if request.task is None else Wanted(request.task, f"task={request.task}")
    decided = decided_task(column, wanted)
    training = training_of(opened, target, request.drop, decided.name)
    classes = list(training.y.classes)
    counts = np.bincount(training.y.encoded, minlength=len(classes)) if classes else np.empty(0)
    return TableFacts(
        key=opened.key,
        hash=opened.hash,
        name=opened.name,
        n_rows=opened.table.n_rows,
        target=target,
        task=decided.name,
        columns=[facts_of_column(it) for it in opened.table.columns],
        drop=list(request.drop),
        recipe=opened.recipe,
        is_text=opened.is_text,
        classes=classes,
        class_counts=counts.astype(int).tolist(),
        findings=_findings(opened, target, decided),
    )


def _usual_target(opened: Opened) -> str:
    """The target of an example, or the last column that can be one.

    Without any, it is the last column, and the error says why it cannot be predicted.
    """
    columns = opened.table.columns
    able = [c.name for c in columns if c.unit not in TEMPORAL and not c.missing.any()]
    return opened.target or (able or list(opened.table.names))[-1]


def _findings(opened: Opened, target: str, decided: TargetTask) -> list[Finding]:
    with quiet():
        found = studied(
            opened.table, opened.frame, opened.name, target, opened.doubts, decided=decided
        )
    doubts = list(found.warnings)
    if decided.reason:
        other = f"; {decided.other} is possible too" if decided.other else ""
        text = f"{decided.reason}, so the task is {decided.name}{other}"
        return [Finding(text=text, columns=[target]), *map(partial(_finding, opened), doubts)]
    return [_finding(opened, doubt) for doubt in doubts]


def _finding(opened: Opened, doubt: Doubt) -> Finding:
    """A warning, with what settles it on the page."""
    text = doubt.written(_remedy)
    return Finding(
        text=text,
        columns=_about(opened, text, doubt.values),
        parameter=doubt.parameter,
        values=list(doubt.values),
    )


def _remedy(parameter: str, values: tuple[str, ...]) -> str:
    """What settles a warning, in the words of the page.

    >>> _remedy("missing_values", ("?", "NA")), _remedy("types", ("zip=text", "id=text"))
    ("'?', 'NA' to the missing values", 'the kind category')
    """
    match parameter:
        case "drop":
            return "the box before its name"
        case "missing_values" if values:
            return f"{', '.join(map(repr, values))} to the missing values"
        case "types":
            kind = values[0].rpartition("=")[2]
            return f"the kind {'category' if kind == 'text' else kind}"
        case "categorical_features":
            return "them as categories"
        case "dates":
            return values[0]
    return str(Doubt("", parameter, values))


def _about(opened: Opened, text: str, values: tuple[str, ...]) -> list[str]:
    """The columns that a warning is about: those of its remedy, or those that it begins with."""
    names = opened.table.names
    named = [value.rpartition("=")[0] or value for value in values]
    found = [name for name in named if name in names]
    if found:
        return found
    head = text.partition(":")[0]
    listed = [part.strip() for part in head.split(",")]
    return [name for name in names if plain(name) in listed or text.startswith(f"{plain(name)} ")]


def facts_of_column(column: Column) -> ColumnFacts:
    """The kind of a column, its missing values, and its values or range."""
    known = known_values(column)
    values, counts = np.unique(known, return_counts=True)
    numeric = column.kind == "numeric"
    if numeric:
        shown = values[[0, -1]] if len(values) else values
    else:
        shown = values[np.argsort(-counts, kind="stable")][:SHOWN]
    mean = None
    if numeric and column.unit not in TEMPORAL and len(known) and np.isfinite(known).all():
        mean = float(known.astype(np.float64).mean())
    return ColumnFacts(
        name=column.name,
        kind=_kind(column, len(known)),
        n_missing=len(column.values) - len(known),
        n_values=len(values),
        values=[cell_text(column, value) for value in shown.tolist()],
        mean=mean,
    )


def _kind(column: Column, n_known: int) -> Kind:
    if not n_known:
        return "empty"
    if column.kind == "ordered":
        return "ordered"
    if column.unit in TEMPORAL:
        return "date"
    if column.unit == "boolean":
        return "boolean"
    return "number" if column.kind == "numeric" else "category"
