"""One row on its way down a tree: the tests it passes, its values in words, the leaves it reaches.

A row whose missing values divide it reaches several nodes, each with a share of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..condition import Condition, format_value
from ..encode import encode
from ..errors import TableError
from ..regions import as_written
from ..rules import Clause
from ..schema import UNSEEN, Attribute, Schema
from ..table import Table
from ..tree import Tree
from ..wording import plain, shown_schema
from .counterfactual import Found, thresholds_of
from .explanation import Change, NewValue, Path, Step
from .ruler import Ruler
from .shares import ClassShare, percent, wilson


@dataclass
class Case:
    """One row of a tree's schema: as it was given, and encoded."""

    tree: Tree
    table: Table
    columns: list[NDArray[Any]]

    @classmethod
    def of(cls, tree: Tree, table: Table) -> Case:
        """A table of one row; refused where the tree has no answer to gaps and it has some."""
        conventions = tree.conventions
        unseen = conventions.unseen if conventions else "missing"
        case = cls(tree, table, encode(table, tree.schema, unseen=unseen))
        if conventions and conventions.missing == "error":
            for number, attribute in enumerate(tree.schema.attributes):
                if case.is_missing(number) and case.raw(number) is None:
                    raise TableError(
                        f"the row has no value for {attribute.name!r}",
                        hint='fill it in, or grow with another policy than missing="error".',
                    )
        return case

    @cached_property
    def shown(self) -> Schema:
        """The schema with names fit to print."""
        return shown_schema(self.tree.schema)

    def pieces(self) -> list[tuple[int, float]]:
        """The nodes that answer, each with the share of the row it gets; the largest first."""
        ends = [(node, share) for node, share, onward in self._walk() if not onward]
        return sorted(ends, key=lambda end: -end[1])

    def tested(self) -> frozenset[int]:
        """The numbers of the attributes that are tested on the row's way, or ways."""
        inner = [node for node, _, onward in self._walk() if onward]
        return frozenset(self.tree.attribute[inner].tolist())

    def _walk(self) -> Iterator[tuple[int, float, list[tuple[int, float]]]]:
        """Every node the row comes to, the share of it that does, and where that goes on to."""
        waiting = [(0, 1.0)]
        while waiting:
            node, share = waiting.pop()
            onward = self._onward(node)
            total = sum(part for _, part in onward)
            waiting += [(child, share * part / total) for child, part in reversed(onward)]
            yield node, share, onward

    def _onward(self, node: int) -> list[tuple[int, float]]:
        """The children that a row goes to, with the weight of each; none where the node answers."""
        tree = self.tree
        condition = tree.condition(node)
        if condition is None:
            return []
        first = int(tree.first_child[node])
        branch = self._branch(condition)
        if branch == UNSEEN and tree.conventions and tree.conventions.unseen == "stop":
            return []
        if branch < 0:
            branch = int(tree.missing_child[node])
        if branch >= 0:
            return [(first + branch, 1.0)]
        children = range(first, first + int(tree.n_children[node]))
        return [(child, float(tree.weight[child])) for child in children if tree.weight[child] > 0]

    def _branch(self, condition: Condition) -> int:
        return int(condition.route(self.columns[condition.attribute][:1])[0])

    def path(self, end: int, share: float, deviation: float) -> Path:
        """The way to a node that answers."""
        tree, nodes = self.tree, [end]
        while nodes[-1] > 0:
            nodes.append(int(tree.parent[nodes[-1]]))
        nodes.reverse()
        weight = float(tree.weight[end])
        return Path(
            share=share,
            steps=tuple(map(self._step, nodes[:-1], nodes[1:])),
            node=end,
            weight=weight,
            shares=_class_shares(tree, end, deviation),
            stopped=self._stopped(end),
        )

    def _step(self, node: int, child: int) -> Step:
        tree = self.tree
        condition = tree.condition(node)
        assert condition is not None, "only inner nodes have children"
        number, branch = condition.attribute, child - int(tree.first_child[node])
        onward = dict(self._onward(node))
        share = onward[child] / sum(onward.values())
        known = self._branch(condition) >= 0
        words = condition.describe(self.shown, branch)
        if known:
            operator, _ = condition.operator_and_value(self.shown, branch)
            told = operator == "=" and not self.tree.schema.attributes[number].cuts
            remark = "" if told else f"it is {self.text(number)}"
        else:
            remark = self._remark(number, words, share)
        return Step(
            node=node,
            attribute=tree.schema.names[number],
            value=self.value(number),
            words=words,
            remark=remark,
            reason="value" if known else "missing" if self.raw(number) is None else "unseen",
            share=share,
        )

    def _remark(self, number: int, words: str, share: float) -> str:
        """Why the row takes a branch although its value does not say so."""
        this_way = f"{percent(share)} goes this way" if share < 1 else "and goes this way"
        if self.raw(number) is not None:
            return f"it is {self.text(number)}, unknown to training here, {this_way}"
        if words.endswith(" is missing"):
            return ""
        return f"it is missing{';' if share < 1 else ','} {this_way}"

    def _stopped(self, end: int) -> str | None:
        """Why an inner node answers, in words; None for a leaf."""
        condition = self.tree.condition(end)
        if condition is None:
            return None
        name = self.shown.names[condition.attribute]
        if self.raw(condition.attribute) is None:
            return f"{name} is missing, and no branch has training rows"
        return (
            f"{name} is {self.text(condition.attribute)}, unknown to training: no branch takes it"
        )

    # ---------------------------------------------------------------- values

    def is_missing(self, number: int) -> bool:
        """Whether the row has no value of an attribute that its schema knows."""
        value = float(self.columns[number][0])
        categorical = self.tree.schema.attributes[number].is_categorical
        return value < 0 if categorical else isnan(value)

    def raw(self, number: int) -> Any:
        """The row's value as its table has it: a label or a number, None if missing."""
        name, names = self.tree.schema.names[number], self.table.names
        by_name = name in names and not self.table.generated_names
        column = self.table.columns[names.index(name) if by_name else number]
        value = column.values[0]
        if column.kind == "numeric":
            return None if np.isnan(value) else float(value)
        return None if np.isnan(value) or value < 0 else column.labels[int(value)]

    def value(self, number: int) -> Any:
        """The row's value as a caller has it; None if missing."""
        attribute = self.tree.schema.attributes[number]
        if self.is_missing(number):
            return self.raw(number)
        if attribute.cuts:  # its code says no more than the interval
            return _decoded(replace(attribute, kind="numeric"), float(self.raw(number)))
        return _decoded(attribute, float(self.columns[number][0]))

    def text(self, number: int) -> str:
        """The row's value in words."""
        return self._text(number, self.value(number))

    def _text(self, number: int, value: Any) -> str:
        attribute = self.tree.schema.attributes[number]
        if value is None:
            return "missing"
        if attribute.kind == "numeric" or attribute.cuts:
            if not isinstance(value, (int, float)):
                return plain(value)
            return format_value(attribute, float(value))
        return plain(value)

    # ---------------------------------------------------------------- the change

    def ruler(self, attribute: Attribute, frozen: bool, scale: float | None) -> Ruler:
        """The ruler of one of the row's values."""
        number = self.tree.schema.position(attribute.name)
        own = float(self.columns[number][0])
        ruler = Ruler.for_row(attribute, own, thresholds_of(self.tree, number), frozen=frozen)
        return ruler if scale is None else replace(ruler, scale=scale)

    def change(self, found: Found) -> Change:
        """A change as a person reads it."""
        leaf = found.leaf if found.leaf >= 0 else None
        return Change(
            answer=self.tree.schema.classes[found.answer],
            new_values=tuple(
                self._new_value(number, value, found.clauses[number])
                for number, value in found.values.items()
            ),
            distance=found.distance,
            leaf=leaf,
            weight=None if leaf is None else float(self.tree.weight[leaf]),
        )

    def _new_value(self, number: int, encoded: float, clause: Clause) -> NewValue:
        attribute, codes = self.tree.schema.attributes[number], clause.codes
        if attribute.cuts and len(codes) == 1:  # an interval is told as one
            ends = [None, *attribute.cuts, None]
            clause = Clause(number, low=ends[codes[0]], high=ends[codes[0] + 1])
        if attribute.cuts:
            value = self._in_interval(number, int(encoded))
        else:
            value = _decoded(attribute, encoded)
        words = clause.describe(self.shown)
        told = self._text(number, value)
        if isinstance(value, float) and float(told) != value:  # rounded, it might not do
            told = repr(value)
        text = f"{self.shown.names[number]}: {told} instead of {self.text(number)}"
        if len(clause.codes) != 1:
            text += f" (any {words} will do)"
        return NewValue(attribute.name, value, self.value(number), words, text)

    def _in_interval(self, number: int, place: int) -> Any:
        """The number of an interval (of a column put into intervals) nearest to the row's own."""
        attribute = self.tree.schema.attributes[number]
        ends = [None, *attribute.cuts, None]
        numeric = replace(attribute, kind="numeric", categories=(), cuts=())
        own = self.raw(number)
        ruler = Ruler.for_row(numeric, nan if own is None else float(own), attribute.cuts)
        found = ruler.nearest(Clause(number, low=ends[place], high=ends[place + 1]))
        # No whole number need lie between two cuts; the upper one is in the interval then.
        return _decoded(numeric, attribute.cuts[place] if found is None else found)


def _decoded(attribute: Attribute, encoded: float) -> Any:
    """An encoded value as a caller has it."""
    if attribute.kind != "numeric":
        return attribute.categories[int(encoded)]
    if attribute.unit == "integer" and encoded.is_integer():
        return int(encoded)
    return as_written(attribute, encoded)


# -------------------------------------------------------------------- class shares


def _class_shares(tree: Tree, node: int, deviation: float) -> tuple[ClassShare, ...]:
    """The shares of a node's classes; without training rows, nothing but its label is known."""
    weights, weight = tree.class_weights[node], float(tree.weight[node])
    if weight <= 0:
        label = int(tree.label[node])
        return tuple(
            ClassShare(name, float(code == label), 0.0, 1.0)
            for code, name in enumerate(tree.schema.classes)
        )
    n = weight * float(tree.n_rows[0]) / float(tree.weight[0])
    pairs = zip(tree.schema.classes, (weights / weight).tolist(), strict=True)
    return tuple(ClassShare(name, p, *wilson(p, n, deviation)) for name, p in pairs)


def averaged(paths: Sequence[Path]) -> tuple[ClassShare, ...]:
    """Shares and intervals of all paths together, by what goes each way."""
    if len(paths) == 1:
        return paths[0].shares
    averaged = []
    for classes in zip(*(path.shares for path in paths), strict=True):
        share, low, high = (
            min(sum(p.share * getattr(c, end) for p, c in zip(paths, classes, strict=True)), 1.0)
            for end in ("share", "low", "high")
        )
        averaged.append(ClassShare(classes[0].label, share, low, high))
    return tuple(averaged)
