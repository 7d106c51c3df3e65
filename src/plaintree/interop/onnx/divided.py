"""Trees that divide rows without a value over the branches, in plain tensor operations.

The TreeEnsemble operator sends a row to one leaf. Here every row has a fraction at every node of a
level:

1. A level begins with the fractions of its nodes, rows x nodes; the root has the whole row.
2. The fraction of a child is that of its parent, times a factor: 1 on the branch that a row takes
   and 0 on the others. The first split that has a branch for the row decides, that of the parent or
   a surrogate; without one, the factor is that of missing values, such as the child's part of the
   parent's weight.
3. Where a row ends (at a leaf, or at an internal node without a branch for it, which gets one more
   branch), its fraction is kept.
4. The kept fractions, times the nodes' values (class probabilities, or a number), are added in the
   order of a walk.

Products, quotients and sums are taken in the order in which the model takes them, so they
round alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from plaintree.tree.condition import Threshold
from plaintree.tree.prediction import predicted_classes, predicted_values
from plaintree.tree.tree import Tree

from .ensemble import feature_threshold
from .graph import Graph


@dataclass(frozen=True)
class Place:
    """A node on a level, or the extra branch of one where rows end."""

    node: int
    parent: int  # the position of the parent on the level above
    branch: int

    STAYS: ClassVar[int] = -1


@dataclass(frozen=True, eq=False)
class DividedTree:
    """Writes a tree into a graph whose features are rows x columns.

    With ``marked`` every division is by half, so only undivided rows end with fraction 1.
    """

    graph: Graph
    features: str
    tree: Tree
    stops: bool
    marked: bool = False

    def ends(self) -> tuple[str, NDArray[np.int64]]:
        """Nodes where rows may end, in the order of a walk, and the fractions that end there."""
        graph, tree = self.graph, self.tree
        first = graph.take(self.features, [0])
        shares = graph.where_missing(first, graph.constant(1.0), graph.constant(1.0))
        level, kept, nodes = [Place(0, 0, 0)], [], []
        while level:
            answering = [i for i, place in enumerate(level) if self._predictions(place)]
            if answering:
                kept.append(graph.take(shares, answering))
                nodes += [level[i].node for i in answering]
            below = self._below(level)
            if below:
                shares = self._passed_on(shares, below)
            level = below
        order = np.argsort(_walk_positions(tree)[nodes], kind="stable")
        return graph.take(graph.apply("Concat", *kept, axis=1), order), np.array(nodes)[order]

    def _predictions(self, place: Place) -> bool:
        return place.branch == Place.STAYS or not self.tree.n_children[place.node]

    def _below(self, level: list[Place]) -> list[Place]:
        """The children of a level's inner nodes, each with its parent's position."""
        below = []
        for position, place in enumerate(level):
            if self._predictions(place):
                continue
            node = place.node
            first, n = int(self.tree.first_child[node]), int(self.tree.n_children[node])
            below += [Place(first + branch, position, branch) for branch in range(n)]
            if self._may_stay(node):
                below.append(Place(node, position, Place.STAYS))
        return below

    def _may_stay(self, node: int) -> bool:
        attribute = self.tree.schema.features[int(self.tree.feature[node])]
        may_stop = self.stops and attribute.is_categorical and not attribute.cuts
        missing = int(self.tree.missing_child[node])
        return may_stop or missing == STOPS or (missing == DIVIDES and self._total(node) <= 0)

    def _total(self, node: int) -> float:
        """The weight of a node's children, added in their order."""
        first, n = int(self.tree.first_child[node]), int(self.tree.n_children[node])
        total = 0.0
        for weight in self.tree.weight[first : first + n].tolist():
            total += weight
        return total

    # ---------------------------------------------------------------- from level to level

    def _passed_on(self, shares: str, below: list[Place]) -> str:
        """Return the fractions of the places on the next level."""
        graph = self.graph
        numeric = [i for i, place in enumerate(below) if self._is_numeric(place)]
        pieces, order = [], []
        if numeric:
            pieces.append(self._numeric_factors([below[i] for i in numeric]))
            order += numeric
        for attribute in sorted({self._tested(place) for place in below}):
            own = [i for i, place in enumerate(below) if self._tested(place) == attribute]
            if self._is_numeric(below[own[0]]):
                continue
            pieces.append(self._category_factors([below[i] for i in own], attribute))
            order += own
        back = np.argsort(order)
        parts, wholes = (
            graph.take(graph.apply("Concat", *(piece[i] for piece in pieces), axis=1), back)
            for i in (0, 1)
        )
        above = graph.take(shares, [place.parent for place in below])
        return graph.apply("Div", graph.apply("Mul", above, parts), wholes)

    def _parent(self, place: Place) -> int:
        stays = place.branch == Place.STAYS
        return place.node if stays else int(self.tree.parent[place.node])

    def _tested(self, place: Place) -> int:
        return int(self.tree.feature[self._parent(place)])

    def _is_numeric(self, place: Place) -> bool:
        return isinstance(self.tree.condition(self._parent(place)), Threshold)

    def _numeric_factors(self, places: list[Place]) -> tuple[str, str]:
        """Return the factors and divisors of fractions: low < x <= high is 1, else 0."""
        graph = self.graph
        lows, highs = [], []
        for place in places:
            node = self._parent(place)
            attribute = self.tree.schema.features[self._tested(place)]
            threshold = feature_threshold(attribute, float(self.tree.threshold[node]))
            low, high = {0: (nan, threshold), 1: (threshold, inf)}.get(place.branch, (inf, inf))
            lows.append(low)  # NaN: nothing is below it
            highs.append(high)
        gaps = np.array([self._of_missing(place) for place in places])
        values = graph.take(self.features, [self._tested(place) for place in places])
        too_low = graph.apply("LessOrEqual", values, graph.constant([lows]))
        inside = graph.apply(
            "And",
            graph.apply("Not", too_low),
            graph.apply("LessOrEqual", values, graph.constant([highs])),
        )
        known = graph.apply("Cast", inside, to=int(TensorProto.DOUBLE))
        parts = graph.where_missing(values, graph.constant(gaps[None, :, 0]), known)
        wholes = graph.where_missing(values, graph.constant(gaps[None, :, 1]), graph.constant(1.0))
        return parts, wholes

    def _category_factors(self, places: list[Place], attribute: int) -> tuple[str, str]:
        """The same by tables: a row for unseen, for every category, and for missing."""
        graph = self.graph
        n = len(self.tree.schema.features[attribute].categories)
        tables = [self._table(place, n) for place in places]
        value = graph.take(self.features, [attribute])
        code = graph.where_missing(value, graph.constant(float(n + 1)), value)
        code = graph.apply("Cast", code, to=int(TensorProto.INT64))
        code = graph.apply("Reshape", code, graph.constant([-1], np.int64))
        parts, wholes = (
            graph.apply("Gather", graph.constant(np.stack(t, axis=1)), code, axis=0)
            for t in zip(*tables, strict=True)
        )
        return parts, wholes

    def _table(self, place: Place, n: int) -> tuple[NDArray[Any], NDArray[Any]]:
        condition = self.tree.condition(self._parent(place))
        assert condition is not None, "an internal node has a condition"
        routes = condition.route(np.arange(n))
        parts = np.zeros(n + 2)
        wholes = np.ones(n + 2)
        parts[1:-1] = routes == place.branch
        gaps = np.concatenate([[False], routes < 0, [True]])  # some count as missing
        parts[gaps], wholes[gaps] = self._of_missing(place)
        if place.branch == Place.STAYS and self.stops:
            parts[0] = 1.0
        return parts, wholes

    def _of_missing(self, place: Place) -> tuple[float, float]:
        """Return the part of a row with a missing value that a child gets, and its whole."""
        node = self._parent(place)
        missing = int(self.tree.missing_child[node])
        if missing >= 0:
            return float(place.branch == missing), 1.0
        total = self._total(node)
        if total <= 0:
            return float(place.branch == Place.STAYS), 1.0
        if place.branch == Place.STAYS:
            return 0.0, 1.0
        weight = float(self.tree.weight[place.node])
        return (0.5 * (weight > 0), 1.0) if self.marked else (weight, total)

    # ---------------------------------------------------------------- the prediction

    def parts(self, ends: str, nodes: NDArray[np.int64]) -> str:
        """Return what each node adds to the values, rows x nodes x values."""
        graph = self.graph
        shares = graph.apply("Unsqueeze", ends, graph.constant([2], np.int64))
        return graph.apply("Mul", shares, graph.constant(predicted_values(self.tree)[nodes][None]))

    def values(self, ends: str, nodes: NDArray[np.int64]) -> str:
        """Return the values of each row: its class probabilities, or its number."""
        return self.graph.running_sum(self.parts(ends, nodes), len(nodes))

    def label(self, nodes: NDArray[np.int64], values: str) -> str:
        """Return the class (its position) of each row.

        The class of a row that was not divided is the label of its node, which may be another one
        than the first of maximum probability.
        """
        graph, answers_of_nodes = self.graph, predicted_classes(self.tree)
        if (answers_of_nodes == predicted_values(self.tree).argmax(axis=1)).all():
            return graph.greatest(values)
        marks = replace(self, marked=True).ends()[0]
        most = graph.apply("ReduceMax", marks, graph.constant([1], np.int64), keepdims=0)
        whole = graph.apply("Equal", most, graph.constant(1.0))
        answers = graph.constant(answers_of_nodes[nodes], np.int64)
        alone = graph.apply("Gather", answers, graph.greatest(marks), axis=0)
        return graph.apply("Where", whole, alone, graph.greatest(values))


def _walk_positions(tree: Tree) -> NDArray[np.int64]:
    """The position of every node in a walk."""
    positions = np.empty(tree.n_nodes, dtype=np.int64)
    for position, node in enumerate(tree.walk()):
        positions[node.index] = position
    return positions
