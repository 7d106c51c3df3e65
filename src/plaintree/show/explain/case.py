"""One row in a tree: its decision path, its values as text, and the leaves it reaches.

A row that is divided because of missing values reaches several nodes, each with a fraction of it.
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
from plaintree.tree.prediction import spread_of
from plaintree.tree.tree import Tree
from plaintree.tree.walk import Visit, walk_row

from ..numbers import percent
from .counterfactual import Found, thresholds_of
from .distance import FeatureDistance
from .estimate import Estimate
from .parts import Counterfactual, NewValue, Path, Step
from .probabilities import ClassProbability, class_probabilities
from .values import RowValues, decoded


@dataclass
class Case:
    """One row of a tree's schema: as it was given, and encoded."""

    tree: Tree
    table: Table
    columns: list[NDArray[Any]]

    @classmethod
    def of(cls, tree: Tree, table: Table, used: Collection[int] | None = None) -> Case:
        """A table of one row; refused if it has missing values and the tree does not take any.

        ``used`` are the required columns, by default those that the tree splits on.
        """
        needed = tree.used_columns() if used is None else used
        conventions = tree.conventions
        unseen = conventions.unseen if conventions else "missing"
        case = cls(tree, table, encode(table, tree.schema, unseen=unseen, used=lambda: needed))
        if conventions and conventions.missing == "error":
            for number in sorted(needed):
                feature = tree.schema.features[number]
                if case.values.is_missing(number) and case.values.raw(number) is None:
                    raise TableError(
                        f"the row has no value for {feature.name!r}",
                        hint='fill it in, or grow with another policy than missing="error".',
                    )
        return case

    @cached_property
    def values(self) -> RowValues:
        """The row's values, as text and as data."""
        return RowValues(self.tree.schema, self.table, self.columns)

    def pieces(self) -> list[tuple[int, float]]:
        """The nodes that predict, each with the fraction of the row it gets; the largest first."""
        ends = [(at.node, float(at.share)) for at in self._visits.values() if not at.onward]
        return sorted(ends, key=lambda end: -end[1])

    def tested(self) -> frozenset[int]:
        """The numbers of the features on the row's decision path, or paths."""
        inner = [at.node for at in self._visits.values() if at.onward]
        return frozenset(self.tree.feature[inner].tolist())

    @cached_property
    def _visits(self) -> dict[int, Visit]:
        """The nodes that the row reaches, by their numbers, depth first."""
        return {visit.node: visit for visit in walk_row(self.tree, self.columns)}

    def path(self, end: int, fraction: float, deviation: float) -> Path:
        """The decision path to a node that predicts."""
        tree, nodes = self.tree, [end]
        while nodes[-1] > 0:
            nodes.append(int(tree.parent[nodes[-1]]))
        nodes.reverse()
        return Path(
            fraction=fraction,
            steps=tuple(map(self._step, nodes[:-1], nodes[1:])),
            node=end,
            weight=float(tree.weight[end]),
            probabilities=_probabilities(tree, end, deviation) if tree.schema.classes else (),
            stopped=self._stopped(end),
            inherits=bool(tree.label[end] == tree.label[max(int(tree.parent[end]), 0)]),
            estimate=None if tree.schema.classes else _estimate(tree, end),
            start=tree.root.prediction,
        )

    def spread(self) -> float:
        """The spread of the targets in the node that gets most of the row, in their own units."""
        return spread_of(self.tree, self.pieces()[0][0]).distance

    def _step(self, node: int, child: int) -> Step:
        tree = self.tree
        condition = tree.condition(node)
        assert condition is not None, "only inner nodes have children"
        number, branch = condition.feature, child - int(tree.first_child[node])
        visit = self._visits[node]
        onward = dict(visit.onward)
        fraction = float(onward[child] / sum(onward.values()))
        known = visit.branch >= 0
        words = condition.describe(self.values.shown, branch)
        if known:
            operator, _ = condition.operator_and_value(self.values.shown, branch)
            is_named = operator == "=" and not self.tree.schema.features[number].cuts
            remark = "" if is_named else f"it is {self.values.text(number)}"
        else:
            remark = self._remark(number, words, fraction)
        return Step(
            node=node,
            feature=tree.schema.names[number],
            value=self.values.value(number),
            condition=words,
            remark=remark,
            reason="value" if known else "missing" if self.values.raw(number) is None else "unseen",
            fraction=fraction,
            prediction=tree.node(child).prediction,
        )

    def _remark(self, number: int, words: str, fraction: float) -> str:
        """Why the row takes a branch although it has no value for it."""
        part = f"{percent(fraction)} takes this branch"
        taken = part if fraction < 1 else "takes this branch"
        if self.values.raw(number) is not None:
            return f"it is {self.values.text(number)}, not seen in training; {taken}"
        return "" if words.endswith(" is missing") else f"it is missing; {taken}"

    def _stopped(self, end: int) -> str | None:
        """Why the path ends at an internal node; None for a leaf."""
        condition = self.tree.condition(end)
        if condition is None:
            return None
        name = self.values.shown.names[condition.feature]
        if self.values.raw(condition.feature) is None:
            return f"{name} is missing, and no branch has training rows"
        value = self.values.text(condition.feature)
        return f"{name} is {value}, not seen in training; no branch takes it"

    # ---------------------------------------------------------------- the counterfactual

    def distance_of(
        self, feature: Feature, immutable: bool, scale: float | None
    ) -> FeatureDistance:
        """The distances from one of the row's values."""
        number = self.tree.schema.position(feature.name)
        own, thresholds = float(self.columns[number][0]), thresholds_of(self.tree, number)
        measure = FeatureDistance.for_row(feature, own, thresholds, immutable=immutable)
        return measure if scale is None else replace(measure, scale=scale)

    def counterfactual(self, found: Found) -> Counterfactual:
        """A counterfactual as a person reads it."""
        leaf = found.leaf if found.leaf >= 0 else None
        classes = self.tree.schema.classes
        return Counterfactual(
            prediction=classes[int(found.prediction)] if classes else found.prediction,
            new_values=tuple(
                self._new_value(number, value, found.clauses[number])
                for number, value in found.values.items()
            ),
            distance=found.distance,
            leaf=leaf,
            weight=None if leaf is None else float(self.tree.weight[leaf]),
        )

    def _new_value(self, number: int, encoded: float, clause: Clause) -> NewValue:
        feature, codes = self.tree.schema.features[number], clause.codes
        if feature.cuts and len(codes) == 1:  # an interval is shown as one
            ends = [None, *feature.cuts, None]
            clause = Clause(number, low=ends[codes[0]], high=ends[codes[0] + 1])
        if feature.cuts:
            value = self._in_interval(number, int(encoded))
        else:
            value = decoded(feature, encoded)
        words = clause.describe(self.values.shown)
        shown = self.values.text_of(number, value)
        if isinstance(value, float) and float(shown) != value:  # rounded, it might not do
            shown = repr(value)
        text = f"{self.values.shown.names[number]}: {shown} instead of {self.values.text(number)}"
        if len(clause.codes) != 1:
            text += f" (any {words} will do)"
        return NewValue(feature.name, value, self.values.value(number), words, text)

    def _in_interval(self, number: int, place: int) -> Any:
        """The number in an interval (of a discretised column) nearest to the row's own."""
        feature = self.tree.schema.features[number]
        ends = [None, *feature.cuts, None]
        numeric = replace(feature, kind="numeric", categories=(), cuts=())
        own = self.values.raw(number)
        value = nan if own is None else float(own)
        measure = FeatureDistance.for_row(numeric, value, feature.cuts)
        found = measure.nearest(Clause(number, low=ends[place], high=ends[place + 1]))
        # No integer need lie between two cut points; the upper one is in the interval then.
        return decoded(numeric, feature.cuts[place] if found is None else found)


# -------------------------------------------------------------------- what a node predicts


def _estimate(tree: Tree, node: int) -> Estimate:
    """The number of a node, with its spread if it has training rows."""
    spread = spread_of(tree, node) if tree.weight[node] > 0 else None
    return Estimate(float(tree.prediction[node]), spread)


def _probabilities(tree: Tree, node: int, deviation: float) -> tuple[ClassProbability, ...]:
    """The class probabilities of a node."""
    rows_per_weight = float(tree.n_rows[0]) / float(tree.weight[0]) if tree.weight[0] else 0.0
    weights, label = tree.class_weights[node].tolist(), int(tree.label[node])
    return class_probabilities(tree.schema, weights, label, deviation, rows_per_weight)


def estimated(paths: Sequence[Path], prediction: float) -> Estimate:
    """The predicted number; with the spread of its leaf unless the row is divided."""
    known = paths[0].estimate if len(paths) == 1 else None
    return Estimate(prediction) if known is None else known


def averaged(paths: Sequence[Path]) -> tuple[ClassProbability, ...]:
    """The probabilities and intervals of all paths, weighted by their fractions of the row."""
    if len(paths) == 1:
        return paths[0].probabilities
    averaged = []
    for classes in zip(*(path.probabilities for path in paths), strict=True):
        probability, low, high = (
            min(sum(p.fraction * getattr(c, end) for p, c in zip(paths, classes, strict=True)), 1.0)
            for end in ("probability", "low", "high")
        )
        averaged.append(ClassProbability(classes[0].label, probability, low, high))
    return tuple(averaged)
