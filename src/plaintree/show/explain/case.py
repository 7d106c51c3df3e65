"""One row on its way down a tree: the tests it passes, its values in words, the leaves it reaches.

A row whose missing values divide it reaches several nodes, each with a share of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

from numpy.typing import NDArray

from plaintree.data.encode import encode
from plaintree.data.schema import Feature
from plaintree.data.table import Table
from plaintree.errors import TableError
from plaintree.rules.rule import Clause
from plaintree.tree.tree import Tree
from plaintree.tree.walk import Visit, walk_row

from ..numbers import percent
from .counterfactual import Found, thresholds_of
from .explanation import Change, NewValue, Path, Step
from .ruler import Ruler
from .shares import ClassShare, class_shares
from .values import RowValues, decoded


@dataclass
class Case:
    """One row of a tree's schema: as it was given, and encoded."""

    tree: Tree
    table: Table
    columns: list[NDArray[Any]]

    @classmethod
    def of(cls, tree: Tree, table: Table, used: Collection[int] | None = None) -> Case:
        """A table of one row; refused where the tree has no answer to gaps and it has some.

        ``used`` are the columns that must be there: by default those that the tree tests.
        """
        needed = tree.used_columns() if used is None else used
        conventions = tree.conventions
        unseen = conventions.unseen if conventions else "missing"
        case = cls(tree, table, encode(table, tree.schema, unseen=unseen, used=lambda: needed))
        if conventions and conventions.missing == "error":
            for number in sorted(needed):
                attribute = tree.schema.features[number]
                if case.values.is_missing(number) and case.values.raw(number) is None:
                    raise TableError(
                        f"the row has no value for {attribute.name!r}",
                        hint='fill it in, or grow with another policy than missing="error".',
                    )
        return case

    @cached_property
    def values(self) -> RowValues:
        """The row's values, in words and as data."""
        return RowValues(self.tree.schema, self.table, self.columns)

    def pieces(self) -> list[tuple[int, float]]:
        """The nodes that answer, each with the share of the row it gets; the largest first."""
        ends = [(at.node, float(at.share)) for at in self._visits.values() if not at.onward]
        return sorted(ends, key=lambda end: -end[1])

    def tested(self) -> frozenset[int]:
        """The numbers of the attributes that are tested on the row's way, or ways."""
        inner = [at.node for at in self._visits.values() if at.onward]
        return frozenset(self.tree.feature[inner].tolist())

    @cached_property
    def _visits(self) -> dict[int, Visit]:
        """The nodes that the row reaches, by their numbers, depth first."""
        return {visit.node: visit for visit in walk_row(self.tree, self.columns)}

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
            inherits=bool(tree.label[end] == tree.label[max(int(tree.parent[end]), 0)]),
        )

    def _step(self, node: int, child: int) -> Step:
        tree = self.tree
        condition = tree.condition(node)
        assert condition is not None, "only inner nodes have children"
        number, branch = condition.feature, child - int(tree.first_child[node])
        visit = self._visits[node]
        onward = dict(visit.onward)
        share = float(onward[child] / sum(onward.values()))
        known = visit.branch >= 0
        words = condition.describe(self.values.shown, branch)
        if known:
            operator, _ = condition.operator_and_value(self.values.shown, branch)
            told = operator == "=" and not self.tree.schema.features[number].cuts
            remark = "" if told else f"it is {self.values.text(number)}"
        else:
            remark = self._remark(number, words, share)
        return Step(
            node=node,
            feature=tree.schema.names[number],
            value=self.values.value(number),
            words=words,
            remark=remark,
            reason="value" if known else "missing" if self.values.raw(number) is None else "unseen",
            share=share,
        )

    def _remark(self, number: int, words: str, share: float) -> str:
        """Why the row takes a branch although its value does not say so."""
        this_way = f"{percent(share)} goes this way" if share < 1 else "and goes this way"
        if self.values.raw(number) is not None:
            return f"it is {self.values.text(number)}, unknown to training here, {this_way}"
        if words.endswith(" is missing"):
            return ""
        return f"it is missing{';' if share < 1 else ','} {this_way}"

    def _stopped(self, end: int) -> str | None:
        """Why an inner node answers, in words; None for a leaf."""
        condition = self.tree.condition(end)
        if condition is None:
            return None
        name = self.values.shown.names[condition.feature]
        if self.values.raw(condition.feature) is None:
            return f"{name} is missing, and no branch has training rows"
        value = self.values.text(condition.feature)
        return f"{name} is {value}, unknown to training: no branch takes it"

    # ---------------------------------------------------------------- the change

    def ruler(self, attribute: Feature, frozen: bool, scale: float | None) -> Ruler:
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
        attribute, codes = self.tree.schema.features[number], clause.codes
        if attribute.cuts and len(codes) == 1:  # an interval is told as one
            ends = [None, *attribute.cuts, None]
            clause = Clause(number, low=ends[codes[0]], high=ends[codes[0] + 1])
        if attribute.cuts:
            value = self._in_interval(number, int(encoded))
        else:
            value = decoded(attribute, encoded)
        words = clause.describe(self.values.shown)
        told = self.values.text_of(number, value)
        if isinstance(value, float) and float(told) != value:  # rounded, it might not do
            told = repr(value)
        text = f"{self.values.shown.names[number]}: {told} instead of {self.values.text(number)}"
        if len(clause.codes) != 1:
            text += f" (any {words} will do)"
        return NewValue(attribute.name, value, self.values.value(number), words, text)

    def _in_interval(self, number: int, place: int) -> Any:
        """The number of an interval (of a column put into intervals) nearest to the row's own."""
        attribute = self.tree.schema.features[number]
        ends = [None, *attribute.cuts, None]
        numeric = replace(attribute, kind="numeric", categories=(), cuts=())
        own = self.values.raw(number)
        ruler = Ruler.for_row(numeric, nan if own is None else float(own), attribute.cuts)
        found = ruler.nearest(Clause(number, low=ends[place], high=ends[place + 1]))
        # No whole number need lie between two cuts; the upper one is in the interval then.
        return decoded(numeric, attribute.cuts[place] if found is None else found)


# -------------------------------------------------------------------- class shares


def _class_shares(tree: Tree, node: int, deviation: float) -> tuple[ClassShare, ...]:
    """The shares of a node's classes."""
    rows_per_weight = float(tree.n_rows[0]) / float(tree.weight[0]) if tree.weight[0] else 0.0
    weights, label = tree.class_weights[node].tolist(), int(tree.label[node])
    return class_shares(tree.schema, weights, label, deviation, rows_per_weight)


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
