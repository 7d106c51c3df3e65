"""All thresholds of a numeric column at a node, with a histogram of its values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import format_value, plain
from plaintree.errors import ColumnError, nearest
from plaintree.stats.sums import ClassWeights
from plaintree.teaching.derive.cuts import Gathered
from plaintree.teaching.derive.thresholds import ThresholdBook, cut_books
from plaintree.teaching.derive.tried import position_of
from plaintree.tree.tree import Tree

from ..messages.nodes import Cuts, CutsRequest
from .analysis import Place, place_of
from .names import SCORES, numbers, score_name
from .replay import Work

MOST_BINS, MOST_VALUES = 40, 200
REFUSED = "too few rows in a branch"
Floats = NDArray[np.float64]


def cuts(work: Work, request: CutsRequest) -> Cuts:
    """The thresholds of a column in rising order, with scores and the weights below each."""
    tree = work.own_tree()
    column = column_of(tree, request.column)
    if tree.schema.features[column].is_categorical:
        raise ColumnError(
            "only numbers, dates and ordered categories have thresholds",
            got=repr(request.column),
            hint="choose another column.",
        )
    place = place_of(work, request.at)
    book = cut_books(Gathered.of(place.cases, place.rows), [column], None).get(column)
    shown = _Values.of(place, column)
    if book is None:
        return _answer(request.column, place, shown, _Listed.empty(), None)
    best = None if book.best is None else position_of(book.best, book.listed)
    return _answer(request.column, place, shown, _Listed.of(tree, column, place, book), best)


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


class _Listed:
    """Thresholds with their texts, scores and weights."""

    def __init__(self, thresholds: list[float], texts: list[str], scores: Floats) -> None:
        self.thresholds, self.texts, self.scores = thresholds, texts, scores
        self.below: list[list[float]] = []
        self.allowed: list[bool] = []

    @classmethod
    def empty(cls) -> _Listed:
        return cls([], [], np.empty(0))

    @classmethod
    def of(cls, tree: Tree, column: int, place: Place, book: ThresholdBook) -> _Listed:
        listed: Any = book.listed
        feature = tree.schema.features[column]
        thresholds = list(map(float, listed.thresholds))
        texts = [format_value(feature, threshold) for threshold in thresholds]
        scale = listed.scale
        found = cls(thresholds, texts, np.array(listed.worth, float) * scale.yardstick)
        found.below = _shown(place, listed.below, scale.unit)
        found.allowed = list(map(bool, listed.allowed))
        return found


def _shown(place: Place, sums: NDArray[Any], unit: int) -> list[list[float]]:
    """Sums (by column of the array) as class weights, or as one weight of numbers."""
    if not isinstance(place.cases.sums, ClassWeights):
        sums = place.cases.sums.weights(sums)[None, :]
    shown: list[list[float]] = (np.asarray(sums, dtype=np.float64).T / unit).tolist()
    return shown


class _Values:
    """The known values of a column at a node: rows with their weights, and a histogram."""

    def __init__(self, values: Floats, codes: NDArray[np.intp], weights: Floats, width: int):
        self.values, self.codes, self.weights, self.width = values, codes, weights, width

    @classmethod
    def of(cls, place: Place, column: int) -> _Values:
        cases = place.cases
        values = cases.numbers(column)[place.positions]
        weights = np.array([float(weight) for _, weight in place.rows])
        known = ~np.isnan(values)
        classes = isinstance(cases.sums, ClassWeights)
        codes = cases.all_codes[place.positions][known]
        width = len(cases.schema.classes) if classes else 1
        return cls(values[known], codes if classes else codes * 0, weights[known], width)

    @property
    def total(self) -> list[float]:
        """The class weights of all rows with a value."""
        found: list[float] = np.bincount(self.codes, self.weights, self.width).tolist()
        return found

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


def _answer(name: str, place: Place, shown: _Values, listed: _Listed, best: int | None) -> Cuts:
    rules = place.rules
    by_gain = rules.threshold_choice == "gain"
    bins, counts = shown.histogram()
    few = len(shown.values) <= MOST_VALUES and bool(np.isfinite(shown.values).all())
    return Cuts(
        column=name,
        thresholds=listed.thresholds,
        texts=listed.texts,
        scores=numbers(listed.scores),
        below=listed.below,
        total=shown.total,
        allowed=listed.allowed,
        refused=["" if allowed else REFUSED for allowed in listed.allowed],
        best=best,
        score_name=SCORES["information_gain"] if by_gain else score_name(rules.criterion),
        bins=bins,
        counts=counts,
        values=shown.values.tolist() if few else [],
        labels=shown.codes.tolist() if few else [],
    )
