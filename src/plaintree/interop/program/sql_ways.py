"""The way of a node in SQL: where it sends rows, as the cases of a CASE.

A way is a list of conditions with the child each leads to, and the result otherwise. A result is a
child, the node's own prediction (STOPS), or the division over all children (DIVIDES). A node with
surrogates computes the child by a CASE of its own, and compares it.
"""

from __future__ import annotations

from dataclasses import dataclass

from plaintree.data.schema import Feature
from plaintree.errors import ExportError
from plaintree.tree.condition import (
    STOPS,
    Condition,
    Equals,
    Grouped,
    Multiway,
    NodeKind,
    Subset,
    Threshold,
)
from plaintree.tree.tree import Tree
from plaintree.tree.walk import stops_at_unseen

from .sql_words import Dialect


@dataclass(frozen=True)
class Way:
    """The cases of a node in order, and the result if none of them holds."""

    cases: tuple[tuple[str, int], ...]
    otherwise: int

    def leads_to(self, result: int) -> bool:
        """Whether the way has this result for some row."""
        return result in (self.otherwise, *(child for _, child in self.cases))


@dataclass(frozen=True, eq=False)
class WayWriter:
    """Writes the ways of a tree; ``place`` names it in errors."""

    tree: Tree
    dialect: Dialect
    place: str

    def way(self, node: int) -> Way:
        """The way of an internal node."""
        tree = self.tree
        attribute = tree.schema.features[int(tree.feature[node])]
        missing = int(tree.missing_child[node])
        name = f"node {node} of {self.place}"
        if tree.surrogates(node):
            return self._way_by_surrogates(node, attribute, name)
        if tree.kind[node] != NodeKind.THRESHOLD:
            return self._way_of_categories(node, attribute, name)
        sides = enumerate(self._sides(attribute, float(tree.threshold[node]), name))
        cases = ((side, child) for child, side in sides if child != missing)
        return Way(tuple((side, child) for side, child in cases if side is not None), missing)

    def _sides(self, attribute: Feature, threshold: float, name: str) -> list[str | None]:
        """Write whether a value is at most a threshold, and whether it is above; None: never."""
        dialect = self.dialect
        if attribute.kind == "ordered":
            codes = range(len(attribute.categories))
            return [
                dialect.among(attribute, [c for c in codes if c <= threshold], name),
                dialect.among(attribute, [c for c in codes if c > threshold], name),
            ]
        return [
            dialect.at_most(attribute, threshold, name),
            dialect.above(attribute, threshold, name),
        ]

    def _way_by_surrogates(self, node: int, attribute: Feature, name: str) -> Way:
        """The child by the first split, of the node or a surrogate, that has one."""
        tree, missing = self.tree, int(self.tree.missing_child[node])
        condition = tree.condition(node)
        assert condition is not None, "an internal node has a condition"
        asked = self._asked(condition, attribute, name)
        if stops_at_unseen(self.tree) and attribute.is_categorical and not attribute.cuts:
            asked.append((f"NOT {self.dialect.known(attribute)}", STOPS))
        for surrogate in tree.surrogates(node):
            other = tree.schema.features[surrogate.condition.feature]
            sides = self._asked(surrogate.condition, other, name)
            asked += [(side, 1 - way if surrogate.reversed else way) for side, way in sides]
        whens = " ".join(f"WHEN {side} THEN {way}" for side, way in asked)
        child = f"CASE {whens} ELSE {missing} END"
        ways = sorted({way for _, way in asked} - {missing})
        return Way(tuple((f"{child} = {way}", way) for way in ways), missing)

    def _asked(self, condition: Condition, attribute: Feature, name: str) -> list[tuple[str, int]]:
        """The branches of a condition of two branches, never true where it has none."""
        sides: list[str | None]
        if isinstance(condition, Threshold):
            sides = self._sides(attribute, condition.threshold, name)
        else:
            children = codes_of_children(condition, attribute)
            sides = [self.dialect.among(attribute, children.get(way, ()), name) for way in (0, 1)]
        return [(side, way) for way, side in enumerate(sides) if side is not None]

    def _way_of_categories(self, node: int, attribute: Feature, name: str) -> Way:
        """Unseen categories are missing, unless rows with them end at the node."""
        missing = int(self.tree.missing_child[node])
        stops = stops_at_unseen(self.tree) and not attribute.cuts
        children = codes_of_children(self.tree.condition(node), attribute)
        away = children.pop(-1, [])  # categories that the splits above exclude
        cases = []
        for child, codes in children.items():
            if child == missing and not stops:
                continue
            matched = self.dialect.among(attribute, codes, name)
            if child == missing:
                matched = self._or_missing(attribute, [*codes, *away], name)
            if matched is not None:
                cases.append((matched, child))
        if stops and missing not in (*children, STOPS):
            cases.append((self._or_missing(attribute, away, name), missing))
        return Way(tuple(cases), STOPS if stops else missing)

    def _or_missing(self, attribute: Feature, codes: list[int], name: str) -> str:
        matched = self.dialect.among(attribute, codes, name)
        missing = self.dialect.missing(attribute)
        return missing if matched is None else f"({matched} OR {missing})"


def codes_of_children(condition: Condition | None, attribute: Feature) -> dict[int, list[int]]:
    """The categories of every child; those of -1 count as missing."""
    codes = range(len(attribute.categories))
    children: dict[int, list[int]] = {}
    match condition:
        case Multiway():
            return {code: [code] for code in codes}
        case Equals(category=category):
            inside = {category}
        case Subset(categories=categories):
            inside = set(categories)
        case Grouped(groups=groups):
            for code in codes:
                children.setdefault(groups[code], []).append(code)
            return children
        case _:
            raise ExportError("SQL has no such condition", got=repr(condition))
    return {0: sorted(inside), 1: [code for code in codes if code not in inside]}
