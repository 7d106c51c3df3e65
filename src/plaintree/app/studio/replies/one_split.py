"""Any split of a node, measured from the sums of its rows: the numbers of the worked solution.

The worked solution counts rows one by one; here they are counted side by side, so a threshold may
be measured while it is dragged. Sums are integers in parts of a unit, from which all is measured
exactly as there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Feature
from plaintree.stats.exact import Counts, Measures, Scale, added, measure, yardstick_of
from plaintree.stats.number_sums import Moments, TargetWeights, sums_of_numbers
from plaintree.stats.sums import ClassWeights, Sums
from plaintree.tree.condition import Condition, Multiway
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree

from .analysis import check_followed, place_of, reached_by
from .library import NodeRows, way_to
from .replay import Work

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Mask = NDArray[np.bool_]
FINEST = 52
"""Bits of the sum of weights in parts of a unit, so floats hold every sum exactly."""


@dataclass(frozen=True)
class Group:
    """Rows of a branch: their number, and what they are summed up to."""

    n_rows: int
    counts: Counts


@dataclass(frozen=True)
class OneSplit:
    """A split that was measured, whether its branches are large enough."""

    condition: Condition
    measures: Measures
    allowed: bool


@dataclass(frozen=True, eq=False)
class Limits:
    """What a branch has to weigh, and how many rows it needs."""

    weight: float
    n_rows: int

    @classmethod
    def of(cls, work: Work) -> Limits:
        """The limits by the conventions of a document's tree."""
        rules, weights = conventions_of(work), work.rows.known_weights
        limits = rules.for_rows(len(weights))
        n_rows = 0 if rules.counts_weights else int(limits.min_samples_leaf)
        if rules.min_samples_branch is not None:
            return cls(float(rules.min_samples_branch), n_rows)
        least = float(rules.min_weight_fraction_leaf) * float(weights.sum())
        if rules.counts_weights and limits.min_samples_leaf > 1:
            least = max(least, int(limits.min_samples_leaf))
        if rules.missing == "fractional" and _some_missing(work):
            least = max(least, float(weights[weights > 0].min()))
        return cls(least, n_rows)


def _some_missing(work: Work) -> bool:
    """Whether some row that counts has no value in some column."""
    rows, schema = work.rows, work.own_tree().schema
    present = rows.known_weights > 0
    pairs = zip(schema.features, rows.columns, strict=True)
    return any(bool((feature.missing(values) & present).any()) for feature, values in pairs)


def conventions_of(work: Work) -> Conventions:
    """The conventions of a document's tree, if the worked solution follows them."""
    return check_followed(work.own_tree().conventions)


def _target_of(work: Work) -> tuple[Sums, Codes]:
    """What rows are summed up to, and the code of each: its class, or the place of its target."""
    rules, classes = conventions_of(work), work.own_tree().schema.classes
    if classes:
        return ClassWeights(rules.criterion, len(classes)), work.rows.codes.astype(np.intp)
    sums, codes = sums_of_numbers(rules.criterion, work.rows.target.tolist())
    return sums, np.array(codes, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class NodeSums:
    """The rows of a node, ready to be split; weights are ``amounts`` of which ``unit`` make 1."""

    work: Work
    reached: NodeRows
    sums: Sums
    codes: Codes
    amounts: NDArray[np.int64]
    unit: int
    limits: Limits

    @classmethod
    def of(cls, work: Work, at: list[int]) -> NodeSums:
        """The rows of a node of the document's tree, which are kept by the way to it."""
        way = way_to(work.own_tree(), at)
        found: NodeSums = work.kept(("sums", way), lambda: cls._of(work, _rows_of(work, at)))
        return found

    @classmethod
    def _of(cls, work: Work, reached: NodeRows) -> NodeSums:
        sums, codes = work.kept("target sums", lambda: _target_of(work))
        limits = work.kept("branch limits", lambda: Limits.of(work))
        amounts, unit = _in_parts(reached.weights)
        return cls(work, reached, sums, codes[reached.positions], amounts, unit, limits)

    @property
    def tree(self) -> Tree:
        """The tree of the document."""
        return self.work.own_tree()

    @property
    def rules(self) -> Conventions:
        """The conventions that the tree is grown by."""
        return conventions_of(self.work)

    def feature(self, column: int) -> Feature:
        """A column of the schema."""
        return self.tree.schema.features[column]

    @cached_property
    def yardstick(self) -> float:
        """What differences between the scores at the node are compared with."""
        everyone = np.ones(len(self.codes), dtype=np.bool_)
        return yardstick_of(self.sums, self.sums.impurity(self.counts(everyone)))

    def counts(self, rows: Mask) -> Counts:
        """What some of the rows are summed up to."""
        codes, amounts = self.codes[rows], self.amounts[rows]
        if isinstance(self.sums, Moments):
            return tuple(self.sums.cells(codes, amounts).sum(axis=1).tolist())
        n = self.sums.n_classes if isinstance(self.sums, ClassWeights) else self._n_targets
        return tuple(map(int, np.bincount(codes, amounts, n).tolist()))

    @property
    def _n_targets(self) -> int:
        assert isinstance(self.sums, TargetWeights), "the other sums are known"
        return len(self.sums.targets)

    # ---------------------------------------------------------------- a split

    def measured(self, condition: Condition, penalty: float = 0.0) -> OneSplit | None:
        """A split, measured; None if no row has a value. C4.5 takes a penalty off the gain."""
        values, known = self._filled(condition.feature)
        if not known.any():
            return None
        branches = np.where(known, condition.route(values), -1)
        parts = [self.counts(branches == branch) for branch in range(condition.n_branches)]
        left_out = self.counts(~known)
        own_branch = self.rules.missing == "branch" and any(left_out)
        every = (*parts, left_out) if own_branch else tuple(parts)
        scale = self._scale(self.counts(known), left_out, own_branch=own_branch)
        enough = self._enough(condition, parts, np.bincount(branches[known], None, len(parts)))
        allowed = enough and all(map(self.sums.allows, every))
        return OneSplit(condition, measure(every, scale, penalty), allowed)

    def _scale(self, known: Counts, left_out: Counts, *, own_branch: bool) -> Scale:
        if own_branch:
            return Scale.of(self.sums, added([known, left_out]), 0, self.unit)
        return Scale.of(self.sums, known, self.sums.weight(left_out), self.unit)

    def _enough(self, condition: Condition, parts: list[Counts], n_rows: Any) -> bool:
        """Whether enough weight reaches the branches; one for missing values is not asked."""
        least = self._least(condition.feature)
        weights = [float(self.sums.weight(part)) / self.unit for part in parts]
        enough: list[bool] = [
            weight > 0 and weight >= least and n >= self.limits.n_rows
            for weight, n in zip(weights, n_rows.tolist(), strict=True)
        ]
        if not isinstance(condition, Multiway):
            return all(enough)
        if self.rules.min_samples_branch is not None:
            return sum(enough) >= 2
        present = sum(weight > 0 for weight in weights)
        return present >= 2 and sum(enough) == present

    def _least(self, column: int) -> float:
        """The weight a branch needs; for numbers C4.5 requires a fraction of the known weight."""
        rules, least, feature = self.rules, self.limits.weight, self.feature(column)
        if feature.is_categorical:
            return least
        has_value = ~feature.missing(self._values(column))
        known = float(self.amounts[has_value].sum()) / self.unit
        if rules.min_samples_branch is not None and known < 2 * least:
            return float("inf")
        n_classes = max(1, len(self.tree.schema.classes))
        share = rules.numeric_branch_fraction * known / n_classes
        return least if share <= least else min(share, 25)

    # ---------------------------------------------------------------- its branches

    def groups(self, condition: Condition) -> list[Group] | None:
        """The rows that growing would send into each branch, one for missing values at the end.

        None where surrogates send rows on.
        """
        values, known = self._filled(condition.feature)
        branches = np.where(known, condition.route(values), -1)
        masks = [branches == branch for branch in range(condition.n_branches)]
        lost = branches < 0
        if not lost.any() or self.rules.missing == "branch":
            return [self._group(mask) for mask in [*masks, *([lost] if lost.any() else [])]]
        return None if self.rules.missing == "surrogate" else list(self._divided(masks, lost))

    def _group(self, rows: Mask) -> Group:
        return Group(int(rows.sum()), self._shown(self.counts(rows)))

    def _divided(self, masks: list[Mask], lost: Mask) -> Iterator[Group]:
        """Rows without a value are divided over the branches, in proportion to their weights."""
        groups, aside = [self._group(mask) for mask in masks], self._group(lost)
        weights = [self.sums.weight(group.counts) for group in groups]
        whole = sum(weights)
        for group, weight in zip(groups, weights, strict=True):
            share = Fraction(weight) / whole if whole else 0
            pairs = zip(group.counts, aside.counts, strict=True)
            counts = tuple([own + share * other for own, other in pairs])
            yield Group(group.n_rows + (aside.n_rows if share else 0), counts)

    def _shown(self, counts: Counts) -> Counts:
        """Sums of weights that are not in parts."""
        if self.unit == 1:
            return counts
        return tuple([Fraction(count) / self.unit for count in counts])

    # ---------------------------------------------------------------- missing values

    def _values(self, column: int) -> NDArray[Any]:
        values: NDArray[Any] = self.work.rows.columns[column][self.reached.positions]
        return values

    def _filled(self, column: int) -> tuple[NDArray[Any], Mask]:
        """The values of a column, filled in if the conventions do so, and where there are any."""
        values = self._values(column)
        known = ~self.feature(column).missing(values)
        policy = self.rules.missing
        if known.all() or not known.any() or not policy.startswith("most_common"):
            return values, known
        values, empty = values.copy(), ~known
        if policy == "most_common":
            values[empty] = self._most_common(values, known, column)
            return values, np.ones_like(known)
        for code in np.unique(self.codes[empty]).tolist():
            peers = known & (self.codes == code)
            common = self._most_common(values, peers if peers.any() else known, column)
            values[empty & (self.codes == code)] = common
        return values, np.ones_like(known)

    def _most_common(self, values: NDArray[Any], rows: Mask, column: int) -> Any:
        """The most frequent category, the first on ties; for numbers the weighted lower median."""
        distinct, places = np.unique(values[rows], return_inverse=True)
        weights = np.bincount(places, self.amounts[rows], len(distinct))
        if self.feature(column).is_categorical:
            return distinct[int(weights.argmax())]
        below = weights.cumsum()
        return distinct[int((2 * below >= below[-1]).argmax())]


def _rows_of(work: Work, at: list[int]) -> NodeRows:
    """The training rows of a node, where growing has sent them."""
    if conventions_of(work).missing != "most_common_in_class":
        return reached_by(work, at)
    rows = place_of(work, at).rows  # filled in by their class, which predicting does not know
    positions = np.array([row for row, _ in rows], dtype=np.int64)
    return NodeRows(positions, np.array([float(weight) for _, weight in rows]))


def _in_parts(weights: Floats) -> tuple[NDArray[np.int64], int]:
    """Weights as integers in parts of a unit: exact if they are integers."""
    if (weights == np.floor(weights)).all():
        return weights.astype(np.int64), 1
    bits = FINEST - max(0, floor(log2(float(weights.sum()))) + 1)
    unit = 1 << max(0, bits)
    return np.rint(weights * unit).astype(np.int64), unit
