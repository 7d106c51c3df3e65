"""Trees that divide rows or have surrogates, in plain tensor operations.

The TreeEnsemble operator sends a row to one leaf, by one split at a node. Here every row has a
fraction at every node of a level:

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
from functools import cached_property
from math import inf, nan
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from plaintree.tree.condition import DIVIDES, STOPS, Condition, Threshold
from plaintree.tree.prediction import predicted_classes, predicted_values
from plaintree.tree.tree import Tree

from ..members import SAME_COST, decisive_costs, division_weights, splits_to
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

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weights of nodes, by which rows are divided."""
        return division_weights(self.tree)

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
        for weight in self.weights[first : first + n].tolist():
            total += weight
        return total

    # ---------------------------------------------------------------- from level to level

    def _passed_on(self, shares: str, below: list[Place]) -> str:
        """Return the fractions of the places on the next level."""
        graph = self.graph
        splits = [splits_to(self.tree, self._parent(place), place.branch) for place in below]
        decided = self._inside([first for first, *_ in splits], self.stops)
        for rank in range(1, max(map(len, splits))):
            own = [i for i, tried in enumerate(splits) if len(tried) > rank]
            rest = [i for i, tried in enumerate(splits) if len(tried) <= rank]
            other = self._inside([splits[i][rank] for i in own], False)
            before = graph.take(decided, own)
            pieces = [(rest, graph.take(decided, rest))] if rest else []
            pieces.append((own, graph.where_missing(before, other, before)))
            decided = self._joined(pieces)
        if_missing = np.array([self._of_missing(place) for place in below])
        parts = graph.where_missing(decided, graph.constant(if_missing[None, :, 0]), decided)
        wholes = graph.where_missing(
            decided, graph.constant(if_missing[None, :, 1]), graph.constant(1.0)
        )
        above = graph.take(shares, [place.parent for place in below])
        return graph.apply("Div", graph.apply("Mul", above, parts), wholes)

    def _parent(self, place: Place) -> int:
        stays = place.branch == Place.STAYS
        return place.node if stays else int(self.tree.parent[place.node])

    def _joined(self, pieces: list[tuple[list[int], str]]) -> str:
        """One tensor of some, each with the positions of its columns."""
        order = np.argsort([position for positions, _ in pieces for position in positions])
        together = self.graph.apply("Concat", *(tensor for _, tensor in pieces), axis=1)
        return self.graph.take(together, order)

    def _inside(self, splits: list[tuple[Condition, int]], stops: bool) -> str:
        """1 where a row takes a branch, 0 where it takes another one, NaN where there is none.

        ``stops``: rows with an unseen category take the branch of those that stay.
        """
        own: dict[int, list[int]] = {}
        for i, (condition, _) in enumerate(splits):
            together = -1 if isinstance(condition, Threshold) else condition.feature
            own.setdefault(together, []).append(i)
        pieces = []
        for attribute, positions in own.items():
            some = [splits[i] for i in positions]
            numeric = attribute < 0
            tensor = self._between(some) if numeric else self._among(some, attribute, stops)
            pieces.append((positions, tensor))
        return self._joined(pieces)

    def _between(self, splits: list[tuple[Any, int]]) -> str:
        """The branches of thresholds: low < x <= high."""
        graph = self.graph
        lows, highs = [], []
        for condition, branch in splits:
            attribute = self.tree.schema.features[condition.feature]
            threshold = feature_threshold(attribute, condition.threshold)
            low, high = {0: (nan, threshold), 1: (threshold, inf)}.get(branch, (inf, inf))
            lows.append(low)  # NaN: nothing is below it
            highs.append(high)
        values = graph.take(self.features, [condition.feature for condition, _ in splits])
        too_low = graph.apply("LessOrEqual", values, graph.constant([lows]))
        inside = graph.apply(
            "And",
            graph.apply("Not", too_low),
            graph.apply("LessOrEqual", values, graph.constant([highs])),
        )
        known = graph.apply("Cast", inside, to=int(TensorProto.DOUBLE))
        return graph.where_missing(values, graph.constant(nan), known)

    def _among(self, splits: list[tuple[Condition, int]], attribute: int, stops: bool) -> str:
        """The branches of categories by a table: a row for unseen, each category, and missing."""
        graph = self.graph
        n = len(self.tree.schema.features[attribute].categories)
        table = np.full((n + 2, len(splits)), nan)
        for i, (condition, branch) in enumerate(splits):
            routes = condition.route(np.arange(n))
            table[1:-1, i] = np.where(routes < 0, nan, routes == branch)
            if stops:
                table[0, i] = branch == Place.STAYS
        value = graph.take(self.features, [attribute])
        code = graph.where_missing(value, graph.constant(float(n + 1)), value)
        code = graph.apply("Cast", code, to=int(TensorProto.INT64))
        code = graph.apply("Reshape", code, graph.constant([-1], np.int64))
        return graph.apply("Gather", graph.constant(table), code, axis=0)

    def _of_missing(self, place: Place) -> tuple[float, float]:
        """Return the part of a row that no split decides that a child gets, and its whole."""
        node = self._parent(place)
        missing = int(self.tree.missing_child[node])
        if missing >= 0:
            return float(place.branch == missing), 1.0
        total = self._total(node)
        if missing == STOPS or total <= 0:
            return float(place.branch == Place.STAYS), 1.0
        if place.branch == Place.STAYS:
            return 0.0, 1.0
        weight = float(self.weights[place.node])
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
        costs = decisive_costs(self.tree)
        divided = graph.greatest(values) if costs is None else self._cheapest(values, costs)
        most_probable = predicted_values(self.tree).argmax(axis=1)
        if costs is None and (answers_of_nodes == most_probable).all():
            return divided
        marks = replace(self, marked=True).ends()[0]
        most = graph.apply("ReduceMax", marks, graph.constant([1], np.int64), keepdims=0)
        whole = graph.apply("Equal", most, graph.constant(1.0))
        answers = graph.constant(answers_of_nodes[nodes], np.int64)
        alone = graph.apply("Gather", answers, graph.greatest(marks), axis=0)
        return graph.apply("Where", whole, alone, divided)

    def _cheapest(self, values: str, costs: NDArray[np.float64]) -> str:
        """The first class of the least expected cost, as far as rounding can tell."""
        graph = self.graph
        expected = graph.apply("MatMul", values, graph.constant(costs))
        least = graph.apply("ReduceMin", expected, graph.constant([1], np.int64), keepdims=1)
        most = graph.apply("Add", least, graph.constant(SAME_COST))
        cheap = graph.apply("LessOrEqual", expected, most)
        return graph.greatest(graph.apply("Cast", cheap, to=int(TensorProto.DOUBLE)))


def _walk_positions(tree: Tree) -> NDArray[np.int64]:
    """The position of every node in a walk."""
    positions = np.empty(tree.n_nodes, dtype=np.int64)
    for position, node in enumerate(tree.walk()):
        positions[node.index] = position
    return positions
