"""All thresholds of a numeric column at a node, with a histogram of its values."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import format_value, plain
from plaintree.errors import ColumnError, nearest
from plaintree.tree.conventions import criterion_of
from plaintree.tree.tree import Tree

from ..messages.nodes import Cuts, CutsRequest
from .analysis import offers_of
from .held import quiet
from .library import node_at, rows_at, way_to
from .names import SCORES, numbers, score_name
from .replay import Work

MOST_BINS, MOST_VALUES = 40, 200
Floats = NDArray[np.float64]


def cuts(work: Work, request: CutsRequest) -> Cuts:
    """The thresholds of a column in rising order, with scores and the weights below each."""
    tree = work.own_tree()
    column = column_of(tree, request.column)
    feature = tree.schema.features[column]
    if feature.is_categorical:
        raise ColumnError(
            "only numbers, dates and ordered categories have thresholds",
            got=repr(request.column),
            hint="choose another column.",
        )
    way = way_to(tree, request.at)
    make = partial(_cuts, work, request, column)
    found: Cuts = work.kept(("cuts", way, column), make)
    return found


def _cuts(work: Work, request: CutsRequest, column: int) -> Cuts:
    tree = work.own_tree()
    feature, rules = tree.schema.features[column], tree.conventions
    values = _Values.of(work, request.at, column)
    with quiet():
        found = offers_of(work, request.at).thresholds(request.column)
    below, total = found.below, found.total
    if not tree.schema.classes:  # of the weight and the mean, the weight
        below, total = below[:, :1], total[:1]
    bins, counts = values.histogram()
    few = len(values.values) <= MOST_VALUES and bool(np.isfinite(values.values).all())
    by_gain = rules is not None and rules.threshold_choice == "gain"
    criterion = criterion_of(rules, tree.schema)
    return Cuts(
        column=request.column,
        thresholds=found.values.tolist(),
        texts=[format_value(feature, value) for value in found.values.tolist()],
        scores=numbers(found.gains if by_gain else found.scores),
        below=below.tolist(),
        total=total.tolist(),
        allowed=found.allowed.tolist(),
        refused=[reason or "" for reason in found.refused],
        best=found.best,
        n_thresholds=len(found.values),
        score_name=SCORES["information_gain"] if by_gain else score_name(criterion),
        bins=bins,
        counts=counts,
        values=values.values.tolist() if few else [],
        labels=values.codes.tolist() if few else [],
    )


def column_of(tree: Tree, name: str) -> int:
    """The number of a column by its name."""
    names = tree.schema.names
    if name not in names:
        raise ColumnError(
            "the table has no such column",
            got=repr(name),
            hint=nearest(name, names) or f"the columns are {', '.join(map(plain, names[:10]))}.",
        )
    return tree.schema.position(name)


class _Values:
    """The known values of a column at a node: rows with their weights, and a histogram."""

    def __init__(self, values: Floats, codes: NDArray[np.intp], weights: Floats, width: int):
        self.values, self.codes, self.weights, self.width = values, codes, weights, width

    @classmethod
    def of(cls, work: Work, at: list[int], column: int) -> _Values:
        tree, rows = work.own_tree(), work.rows
        reached = rows_at(tree, work.training.X, node_at(tree, at), rows.weights)
        values = rows.columns[column][reached.positions].astype(np.float64)
        known = ~np.isnan(values)
        classes = tree.schema.classes
        codes = rows.target[reached.positions][known].astype(np.intp) if classes else None
        codes = np.zeros(int(known.sum()), dtype=np.intp) if codes is None else codes
        return cls(values[known], codes, reached.weights[known], max(len(classes), 1))

    def histogram(self) -> tuple[list[float], list[list[float]]]:
        """The edges of bins, and the class weights in each."""
        finite = np.isfinite(self.values)
        values = self.values[finite]
        if not len(values):
            return [], []
        n_bins = min(MOST_BINS, len(np.unique(values)))
        edges = np.histogram_bin_edges(values, n_bins)
        counts = [
            np.histogram(values[mine], edges, weights=self.weights[finite][mine])[0]
            for mine in (self.codes[finite] == code for code in range(self.width))
        ]
        return edges.tolist(), np.array(counts).T.tolist()
