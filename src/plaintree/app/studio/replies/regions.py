"""The plane of two columns, cut into the regions of a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import format_value, plain, shown_schema
from plaintree.errors import ColumnError, ParameterError
from plaintree.rules.rule import Clause, joined
from plaintree.show.plot.cells import Scale, cells_of, fixed_values, in_slice, scale_of
from plaintree.tree.predict import predicting_nodes
from plaintree.tree.tree import Tree

from ..messages.views import AxisFacts, Point, Region, Regions, RegionsRequest
from .cut_points import column_of
from .library import node_at, path_of
from .replay import Work

MOST_POINTS = 5_000
N_TICKS = 6


def regions(work: Work, request: RegionsRequest) -> Regions:
    """The exact rectangles of the leaves along two columns; the path to a node fixes others."""
    tree, rows = work.tree(request.member), work.rows
    node = node_at(tree, request.at)
    x, y = _axes(tree, request)
    fixed = fixed_values(tree, [x, y], None, rows.columns)
    fixed |= _fixed_by_path(tree, node, {x, y}, rows.columns)
    scales = {column: scale_of(tree, column, rows.columns[column]) for column in (x, y)}
    tested = {column: value for column, value in fixed.items() if (tree.feature == column).any()}
    _check_values(tree, tested)
    inside = in_slice(tree, tested, rows.columns)
    return Regions(
        x=_axis(scales[x]),
        y=_axis(scales[y]),
        fixed=[_fixed_text(tree, column, value) for column, value in tested.items()],
        regions=_rectangles(tree, scales, fixed),
        points=_points(work, tree, (x, y), inside),
        columns=list(tree.schema.names),
    )


def _axes(tree: Tree, request: RegionsRequest) -> tuple[int, int]:
    """The columns of the axes: as asked for, or the most important ones."""
    important = np.argsort(-tree.importances(), kind="stable").tolist()
    given = [None if n is None else column_of(tree, n) for n in (request.x, request.y)]
    if given[0] is not None and given[0] == given[1]:
        raise ParameterError(
            "both axes show one column", got=repr(request.x), hint="choose another for one of them."
        )
    free = [column for column in important if column not in given]
    if len(important) < 2:
        raise ColumnError(
            "a plane needs two columns", got=f"{len(important)}", hint="keep another column."
        )
    x = free.pop(0) if given[0] is None else given[0]
    return x, free.pop(0) if given[1] is None else given[1]


def _fixed_by_path(
    tree: Tree, node: int, shown: set[int], columns: Sequence[NDArray[Any]]
) -> dict[int, float]:
    """For each column that the path to a node splits on, a typical value that it allows."""
    clauses: tuple[Clause, ...] = ()
    above = 0
    for branch in path_of(tree, node):
        condition = tree.condition(above)
        assert condition is not None, "a node with a branch has a condition"
        clauses = joined(clauses, Clause.of(condition, branch, tree.schema))
        above = int(tree.first_child[above]) + branch
    found = {}
    for clause in clauses:
        if clause.feature not in shown and not clause.is_missing:
            column = columns[clause.feature]
            feature = tree.schema.features[clause.feature]
            known = np.sort(column[clause.matches(column)])
            if not len(known):
                continue
            if feature.is_categorical:
                found[clause.feature] = float(np.bincount(known).argmax())
            else:
                found[clause.feature] = float(known[(len(known) - 1) // 2])
    return found


def _check_values(tree: Tree, fixed: Mapping[int, float]) -> None:
    for column, value in fixed.items():
        if tree.schema.features[column].is_missing(value):
            raise ColumnError(
                "a column that the tree splits on has no values, so it cannot be fixed",
                got=plain(tree.schema.names[column]),
                hint="choose it as an axis, or leave it out.",
            )


def _fixed_text(tree: Tree, column: int, value: float) -> str:
    feature = shown_schema(tree.schema).features[column]
    text = (
        str(feature.categories[int(value)])
        if feature.is_categorical
        else format_value(feature, value)
    )
    return f"{feature.name} = {text}"


def _rectangles(
    tree: Tree, scales: Mapping[int, Scale], fixed: Mapping[int, float]
) -> list[Region]:
    numeric = not tree.schema.classes
    found = []
    for cell in cells_of(tree, scales, fixed):
        path = list(path_of(tree, cell.leaf))
        for (x0, x1), (y0, y1) in cell.boxes():
            found.append(
                Region(
                    x0=x0,
                    x1=x1,
                    y0=y0,
                    y1=y1,
                    leaf=path,
                    label=-1 if numeric else int(tree.label[cell.leaf]),
                    prediction=float(tree.prediction[cell.leaf]) if numeric else None,
                )
            )
    return found


def _axis(scale: Scale) -> AxisFacts:
    feature = scale.feature
    numeric = not feature.categories
    if numeric:
        ticks = _ticks(scale.low, scale.high)
        texts = [format_value(feature, tick) for tick in ticks]
    else:
        ticks = [float(code) for code in range(len(feature.categories))]
        texts = [plain(label) for label in feature.categories]
    return AxisFacts(
        column=feature.name,
        numeric=numeric,
        least=scale.low,
        most=scale.high,
        categories=[] if numeric else texts,
        ticks=ticks,
        tick_texts=texts,
    )


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers on an axis: multiples of 1, 2 or 5 times a power of ten.

    >>> _ticks(63.1, 97.5)
    [65.0, 70.0, 75.0, 80.0, 85.0, 90.0, 95.0]
    """
    rough = (high - low) / N_TICKS
    if not rough > 0 or not np.isfinite(rough):
        return [low]
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.75)
    first = np.ceil(low / step)
    count = int(np.floor(high / step) - first) + 1
    return [float(f"{(first + i) * step:.12g}") for i in range(count)]


def _points(
    work: Work, tree: Tree, axes: tuple[int, int], inside: NDArray[np.bool_]
) -> list[Point]:
    """The rows of the slice that have both values; of very many, evenly chosen ones."""
    rows = work.rows
    features = tree.schema.features
    columns = [rows.columns[axis] for axis in axes]
    known = inside.copy()
    for axis, column in zip(axes, columns, strict=True):
        known &= ~features[axis].missing(column)
        known &= np.isfinite(column.astype(np.float64))
    numbers = np.flatnonzero(known)
    if len(numbers) > MOST_POINTS:
        numbers = numbers[np.linspace(0, len(numbers) - 1, MOST_POINTS).astype(np.intp)]
    classes = bool(work.training.y.classes)
    xs, ys = (column[numbers].astype(float).tolist() for column in columns)
    labels = rows.target[numbers].tolist() if classes else [-1] * len(numbers)
    leaves = _leaves(tree, rows.columns, numbers)
    every = zip(numbers.tolist(), xs, ys, labels, leaves, strict=True)
    return [Point(row=row, x=x, y=y, label=label, leaf=leaf) for row, x, y, label, leaf in every]


def _leaves(tree: Tree, columns: Any, numbers: NDArray[np.intp]) -> list[list[int]]:
    """The paths of the leaves that predict some rows."""
    found = predicting_nodes(tree, [column[numbers] for column in columns]).tolist()
    paths = {node: list(path_of(tree, node)) for node in set(found)}
    return [paths[node] for node in found]
