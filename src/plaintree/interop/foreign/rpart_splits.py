"""The table of splits of an rpart model: exact thresholds, sets of categories, surrogate splits.

The lines of a node follow each other: its own split, ``ncompete`` competitors, and ``nsurrogate``
surrogates. Of a numeric split, ``ncat`` is -1 if values below ``index`` go left, 1 if they go
right. Of a split of categories, ``index`` is a row of ``csplit``, with 1 for categories that go
left and 3 for those that go right; a line may have them as lists instead, ``left`` and ``right``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any

from plaintree.data.schema import Feature
from plaintree.errors import TreeError, nearest
from plaintree.tree.condition import Condition, Grouped, Subset, Surrogate, Threshold


@dataclass(frozen=True)
class Sides:
    """Where a split sends rows: numbers below a cut, or lists of categories."""

    name: str
    cut: float | None = None
    below_is_left: bool = True
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    agreement: float = 1.0
    adjusted: float = 1.0

    def condition(self, column: int, feature: Feature) -> tuple[Condition, bool]:
        """The condition, and whether its first branch is the right one of rpart."""
        if self.cut is not None:
            return Threshold(column, nextafter(self.cut, -inf)), not self.below_is_left
        left, right = (codes_of(labels, feature) for labels in (self.left, self.right))
        n = len(feature.categories)
        if feature.kind == "ordered":
            swapped = max(right) < min(left)
            return Threshold(column, max(right if swapped else left) + 0.5), swapped
        if len(left) + len(right) == n:
            return Subset(column, tuple(sorted(left))), False
        side = dict.fromkeys(right, 1) | dict.fromkeys(left, 0)
        return Grouped(column, tuple(side.get(code, -1) for code in range(n))), False

    def surrogate(self, column: int, feature: Feature, swapped: bool) -> Surrogate:
        """The split as a surrogate of a node whose branches are those of rpart, or swapped."""
        condition, from_right = self.condition(column, feature)
        reverse = from_right != swapped
        if isinstance(condition, Subset):
            inside = set(condition.categories)
            codes = range(len(feature.categories))
            condition = Grouped(column, tuple(int(code not in inside) for code in codes))
        if isinstance(condition, Grouped) and reverse:
            turned = {0: 1, 1: 0, -1: -1}
            condition = Grouped(column, tuple(turned[side] for side in condition.groups))
            reverse = False
        return Surrogate(condition, reverse, self.agreement, self.adjusted)


@dataclass(frozen=True)
class NodeSplits:
    """The splits of a node: its own (if its sides are known), and its surrogates in order."""

    own: Sides | None
    surrogates: tuple[Sides, ...]


def node_splits(
    table: Mapping[str, Any], records: Sequence[Mapping[str, Any]]
) -> dict[int, NodeSplits]:
    """The splits of each inner node, by its number; none without the table, or without counts."""
    lines, found = table.get("splits", ()), {}
    counts = [_counts(record) for record in records]
    if not lines or None in counts or sum(map(sum, filter(None, counts))) != len(lines):
        return {}
    at = 0
    for record, count in zip(records, counts, strict=True):
        own, competing, surrogates = count or (0, 0, 0)
        if own:
            after = at + own + competing
            found[int(record["id"])] = NodeSplits(
                _sides(lines[at], table, record["var"]),
                tuple(
                    sides
                    for line in lines[after : after + surrogates]
                    if (sides := _sides(line, table, line.get("var"))) is not None
                ),
            )
        at += own + competing + surrogates
    return found


def _counts(record: Mapping[str, Any]) -> tuple[int, int, int] | None:
    """The lines of a node: its own split, competitors, surrogates."""
    if "var" not in record or "ncompete" not in record or "nsurrogate" not in record:
        return None
    if record["var"] == "<leaf>":
        return 0, 0, 0
    return 1, int(record["ncompete"]), int(record["nsurrogate"])


def _sides(line: Any, table: Mapping[str, Any], name: Any) -> Sides | None:
    """A line of the table; None for categories whose sides the table does not have."""
    try:
        n_categories = int(line["ncat"])
        measures = float(line.get("improve", 1.0)), float(line.get("adj", 1.0))
        if abs(n_categories) < 2:
            return Sides(str(name), float(line["index"]), n_categories < 0, (), (), *measures)
        if "left" in line and "right" in line:
            left, right = (tuple(map(str, line[side])) for side in ("left", "right"))
            return Sides(str(name), None, True, left, right, *measures)
        if "csplit" not in table or str(name) not in table.get("xlevels", {}):
            return None
        row = table["csplit"][int(line["index"]) - 1]
        labels = list(map(str, table["xlevels"][str(name)]))
        left, right = (
            tuple(label for label, side in zip(labels, row, strict=False) if int(side) == wanted)
            for wanted in (1, 3)
        )
        return Sides(str(name), None, True, left, right, *measures)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise TreeError(
            "a line of the table of splits is not valid",
            got=f"{line!r}"[:200],
            hint="every line needs ncat and index.",
        ) from error


def codes_of(values: Sequence[str], feature: Feature) -> list[int]:
    """The codes of categories; TreeError for one that the feature does not have."""
    labels = list(map(str, feature.categories))
    unknown = [value for value in values if value not in labels]
    if unknown:
        raise TreeError(
            f"the rpart tree has a value that is not a category of {feature.name!r}",
            got=repr(unknown[0]),
            hint=nearest(unknown[0], labels) or "write the table with minlength = 0.",
        )
    return [labels.index(value) for value in values]
