"""Simplification of the terms of a formula, as boxes (see regions.py).

1. *join*: terms that differ in one feature become one term, if their union on it is an interval or
   a set again (x <= 3, or 3 < x <= 5: x <= 5);
2. *widen*: a condition, or one end of an interval, is left out if the tree predicts the same
   whether it holds or not (x > 3 in: x <= 3, or x > 3 and y = a). It is checked on the tree: the
   wider term must not reach a leaf that predicts otherwise;
3. join again, and leave out terms that the others cover.

Every step shortens the formula, and none changes its meaning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plaintree.tree.tree import Tree

from .regions import Axis, Box, Line, Side, Space
from .rule import Clause

MAX_STEPS = 300_000
"""The number of nodes visited to widen the terms of a formula, about a second. Remaining terms
stay as they are: a formula with so many terms is not for reading."""

MAX_CELLS = 200
"""The number of parts of a term that are examined to find out whether other terms cover it."""


def simplified(tree: Tree, space: Space, wanted: NDArray[np.bool_], boxes: list[Box]) -> list[Box]:
    """The boxes of the wanted leaves of a tree, fewer and wider ones of the same union."""
    boxes = _joined(space, boxes)
    walk = _Walk(tree, space, wanted)
    widened = [walk.widened(box) for box in boxes]
    if widened != boxes:
        boxes = _without_covered(space, _joined(space, widened))
    return boxes


# -------------------------------------------------------------------- joining terms


def _joined(space: Space, boxes: list[Box]) -> list[Box]:
    """The boxes, with those joined that differ in one feature only, until none do."""
    before = -1
    while before != len(boxes):
        before = len(boxes)
        for feature in sorted({a for box in boxes for a in box}):
            boxes = _joined_along(space.axes[feature], feature, boxes)
    return boxes


def _joined_along(axis: Axis, feature: int, boxes: list[Box]) -> list[Box]:
    alike: dict[frozenset[tuple[int, Side]], list[Box]] = {}
    for box in boxes:
        others = frozenset((a, side) for a, side in box.items() if a != feature)
        alike.setdefault(others, []).append(box)
    joined: list[Box] = []
    for group in alike.values():
        sides = axis.union([box.get(feature, axis.whole) for box in group])
        if len(sides) == len(group):
            joined += group
        elif sides == [axis.whole]:
            joined.append(_without(group[0], feature))
        else:
            joined += [box | {feature: side} for box, side in zip(group, sides, strict=False)]
    return joined


def _without(box: Box, feature: int) -> Box:
    return {a: side for a, side in box.items() if a != feature}


def _without_covered(space: Space, boxes: list[Box]) -> list[Box]:
    """The boxes without those that others cover, the longest examined first."""
    kept = dict(enumerate(boxes))
    steps = MAX_STEPS
    for number in sorted(kept, key=lambda n: -len(boxes[n])):
        steps -= len(kept)
        if steps < 0:
            break
        box = kept.pop(number)
        near = [other for other in kept.values() if space.common(box, other) is not None]
        part = space.uncovered(near, space.everything | box, max_cells=MAX_CELLS)
        if part is not None:
            kept[number] = box
    return [boxes[number] for number in sorted(kept)]


# -------------------------------------------------------------------- widening terms


class _Walk:
    """Finds the leaves of a tree that boxes reach; ``steps`` nodes can be visited."""

    def __init__(self, tree: Tree, space: Space, wanted: NDArray[np.bool_]) -> None:
        self.space = space
        self.steps = MAX_STEPS
        self.unwanted = np.logical_not(wanted).tolist()
        self.feature = tree.feature.tolist()
        self.first_child = tree.first_child.tolist()
        self.branches = [_branches(tree, node, space) for node in range(tree.n_nodes)]
        self.lost = [_lost(space, *node) for node in zip(self.feature, self.branches, strict=True)]

    def widened(self, box: Box) -> Box:
        """The box without conditions, then without ends of intervals, that can be left out."""
        for feature in tuple(box):
            wider = _without(box, feature)
            box = box if self._reaches_unwanted(wider) else wider
        for feature, (begin, end) in self._intervals(box):
            last = self.space.axes[feature].known[1]
            for longer in ((0, end), (begin, last)) if begin > 0 and end < last else ():
                wider = box | {feature: longer}
                box = box if self._reaches_unwanted(wider) else wider
        return box

    def _intervals(self, box: Box) -> list[tuple[int, Side]]:
        lines = ((a, side) for a, side in box.items() if isinstance(self.space.axes[a], Line))
        return [(a, side) for a, side in lines if side != self.space.axes[a].missing]

    def _reaches_unwanted(self, box: Box) -> bool:
        """Whether the tree may predict otherwise in the box (or the search is too long)."""
        pending = [(0, box)]
        while pending:
            node, box = pending.pop()
            branches, feature = self.branches[node], self.feature[node]
            self.steps -= 1 + len(branches)
            if self.steps < 0 or (not branches and self.unwanted[node]):
                return True
            if not branches:
                continue
            axis = self.space.axes[feature]
            inside = box.get(feature, axis.whole)
            if any(axis.meet(inside, side) for side in self.lost[node]):
                return True  # missing values without a branch, for example: no rule covers them
            for number, side in enumerate(branches):
                met = None if side is None else axis.meet(inside, side)
                if met is not None:
                    pending.append((self.first_child[node] + number, box | {feature: met}))
        return False


def _branches(tree: Tree, node: int, space: Space) -> list[Side | None]:
    """The sides of a node's branches; None for one that no value takes, none in a leaf."""
    condition = tree.condition(node)
    if condition is None:
        return []
    axis = space.axes[condition.feature]
    clauses = (
        Clause.of(condition, branch, tree.schema) for branch in range(int(tree.n_children[node]))
    )
    return [axis.side(clause) for clause in clauses]


def _lost(space: Space, feature: int, branches: list[Side | None]) -> list[Side]:
    """The values that no branch takes."""
    taken = [side for side in branches if side is not None]
    return space.axes[feature].rest(space.axes[feature].whole, taken) if branches else []
