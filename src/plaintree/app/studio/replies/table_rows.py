"""The rows of a node, and cells of the table as text."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.column import Column
from plaintree.data.facts import value_text
from plaintree.data.table import Table
from plaintree.errors import ColumnError, TableError, nearest
from plaintree.progress import Progress
from plaintree.tree.walk import walk_row

from ..messages.nodes import Cells, CellsRequest, Rows, RowsRequest, Visit
from .held import Held, Training
from .library import node_at, path_of, rows_at
from .replay import Work, replayed

MOST_CELLS = 1_000
"""Rows in one reply."""


def rows(work: Work, request: RowsRequest) -> Rows:
    """The rows that reach a node, with what of each row does."""
    tree = work.tree(request.member)
    weights = work.rows.weights
    found = rows_at(tree, work.training.X, node_at(tree, request.at), weights)
    whole = np.ones(work.training.X.n_rows) if weights is None else weights
    parts = found.weights / whole[found.positions]
    return Rows(
        rows=found.positions.tolist(),
        weights=parts.tolist(),
        divided=bool((parts < 1 - 1e-12).any()),
    )


def cells(held: Held, request: CellsRequest, progress: Progress) -> Cells:
    """Some rows of the table as text, sorted and searched; the target is the last column.

    With a document, the rows of a node come first, each part in the order that is asked for.
    """
    training = held.training(request.table)
    table = _target_last(training)
    chosen = _chosen(held, training, table, request)
    here: Rows | None = None
    n_first = 0
    if request.document is not None:
        work = replayed(held, request.document, progress)
        here = rows(
            work, RowsRequest(document=request.document, at=request.at, member=request.member)
        )
        chosen, n_first = _first(chosen, here, table.n_rows)
    shown = chosen[request.start : min(request.stop, request.start + MOST_CELLS)]
    if request.rows:
        shown = chosen
    texts = [texts_of(column, shown) for column in table.columns]
    target = training.y
    codes = target.encoded[shown].tolist() if target.classes else [-1] * len(shown)
    return Cells(
        columns=list(table.names),
        numeric=[column.kind == "numeric" for column in table.columns],
        rows=shown.tolist(),
        cells=[list(row) for row in zip(*texts, strict=True)],
        classes=codes,
        n_found=len(chosen),
        n_first=n_first,
        divided=here is not None and here.divided,
        weights=[] if here is None else _parts(here, table.n_rows)[shown].tolist(),
        visits=[] if here is None else _visits(work, request.member, shown),
    )


def _parts(here: Rows, n_rows: int) -> NDArray[np.float64]:
    """By row of the table: what of it reaches a node."""
    parts = np.zeros(n_rows)
    parts[here.rows] = here.weights
    return parts


def _first(chosen: NDArray[np.intp], here: Rows, n_rows: int) -> tuple[NDArray[np.intp], int]:
    """Rows in their order, those of a node first; and how many these are."""
    at_node = np.zeros(n_rows, dtype=np.bool_)
    at_node[here.rows] = True
    first = at_node[chosen]
    return np.concatenate([chosen[first], chosen[~first]]), int(first.sum())


def _visits(work: Work, member: int, shown: NDArray[np.intp]) -> list[list[Visit]]:
    """The nodes that each of some rows passes, with the part of the row."""
    tree, columns = work.tree(member), work.rows.columns
    return [
        [
            Visit(at=list(path_of(tree, visit.node)), share=float(visit.share))
            for visit in walk_row(tree, columns, row)
        ]
        for row in shown.tolist()
    ]


def _target_last(training: Training) -> Table:
    target = training.source.column
    return replace(training.X, columns=(*training.X.columns, target))


def _chosen(
    held: Held, training: Training, table: Table, request: CellsRequest
) -> NDArray[np.intp]:
    """The numbers of all rows that were asked for, in their order."""
    found = np.array(request.rows, dtype=np.intp)
    if not request.rows:
        found = np.arange(table.n_rows)
    elif found.max() >= table.n_rows:
        raise TableError(
            "there is no such row",
            got=f"{found.max()}",
            hint=f"the rows are 0 to {table.n_rows - 1}.",
        )
    if request.search:
        key = ("search", request.search.lower(), training.opened.hash, table.names)
        found = found[held.results.get_or(key, partial(_matching, table, request.search))[found]]
    if request.sort is not None:
        found = found[_order(table, request.sort, found, descending=request.descending)]
    return found


def _matching(table: Table, search: str) -> NDArray[np.bool_]:
    """The rows in which some cell has the text, whatever its case."""
    wanted = search.lower()
    found = np.zeros(table.n_rows, dtype=np.bool_)
    for column in table.columns:
        values, places = np.unique(column.values, return_inverse=True)
        known = _has_value(column, values)
        fits = [
            bool(there) and wanted in cell_text(column, value).lower()
            for value, there in zip(values.tolist(), known.tolist(), strict=True)
        ]
        found |= np.array(fits, dtype=np.bool_)[places]
    return found


def _order(
    table: Table, name: str, rows: NDArray[np.intp], *, descending: bool
) -> NDArray[np.intp]:
    """The places of rows by their values in a column; those without a value come last."""
    if name not in table.names:
        raise ColumnError(
            "the table has no such column",
            got=repr(name),
            hint=nearest(name, table.names) or "sort by one of its columns.",
        )
    column = table.columns[table.names.index(name)]
    values = column.values[rows].astype(np.float64)
    missing = ~_has_value(column, column.values[rows])
    return np.lexsort((-values if descending else values, missing))


def texts_of(column: Column, rows: NDArray[np.intp]) -> list[str | None]:
    """Values as text; None where one is missing."""
    values = column.values[rows]
    known = _has_value(column, values)
    pairs: Any = zip(values.tolist(), known.tolist(), strict=True)
    return [cell_text(column, value) if there else None for value, there in pairs]


def cell_text(column: Column, value: float) -> str:
    """A category as it is, a number as people write it: what cells show and typed rows have."""
    return value_text(column, value) if column.kind == "numeric" else str(column.labels[int(value)])


def _has_value(column: Column, values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether values of a column are known."""
    known = values >= 0 if column.kind == "categorical" else ~np.isnan(values)
    return np.asarray(known)
