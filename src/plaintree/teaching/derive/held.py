"""What a tree holds for its nodes, compared with what their rows give: classes, or numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import isclose

import numpy as np

from plaintree.data.rows import Rows as EncodedRows
from plaintree.data.words import number_text
from plaintree.stats.exact import Counts, Value
from plaintree.stats.number_sums import AbsoluteDeviations, NumberSums
from plaintree.stats.sums import ClassWeights, Sums
from plaintree.tree.tree import Tree

from .choice import same_score

NEAR = 1e-6
"""Relatively, how far the sums of a tree may be off: its rows were added up in floats."""
ROUNDING = 1e-14
"""How far targets may be off that are written as decimals."""


@dataclass(frozen=True, eq=False)
class Held(ABC):
    """A tree whose nodes are compared."""

    tree: Tree
    sums: Sums

    @abstractmethod
    def label(self, node: int) -> Value:
        """What a node predicts: the code of a class, or a number."""

    @abstractmethod
    def label_differs(self, node: int, counts: Counts) -> bool:
        """Whether that is another prediction than that for some sums, and not for rounding."""

    @abstractmethod
    def sums_differ(self, node: int, counts: Counts) -> bool:
        """Whether the tree holds other sums for a node."""

    @abstractmethod
    def sums_text(self, node: int) -> str:
        """The sums that the tree holds for a node."""

    @abstractmethod
    def differs_from(self, rows: EncodedRows) -> str:
        """How the tree's root differs from rows that are not those that it was grown from."""

    @abstractmethod
    def relabelled(self, pruned: Tree | None) -> int:
        """How many leaves do not predict what pruning gives; ``pruned`` is the tree it gives, if
        that has the same splits."""


def held(tree: Tree, sums: Sums) -> Held:
    """A tree, ready to be compared."""
    return (HeldClasses if isinstance(sums, ClassWeights) else HeldNumbers)(tree, sums)


class HeldClasses(Held):
    """Class weights, and a class for every node."""

    def label(self, node: int) -> Value:
        return int(self.tree.label[node])

    def label_differs(self, node: int, counts: Counts) -> bool:
        """Of classes that tie, growing takes the first by its own sums, which are rounded."""
        tree, label, best = self.tree, int(self.label(node)), int(self.sums.prediction(counts))
        if label == best:
            return False
        if not same_score(counts[label], counts[best], 1e-9 * float(1 + counts[best])):
            return True
        first = self.sums.prediction(tuple(tree.class_weights[node].tolist()))
        any_of_them = tree.conventions is not None and tree.conventions.tied_label == "keep"
        return label != first and not any_of_them

    def sums_differ(self, node: int, counts: Counts) -> bool:
        pairs = zip(self.tree.class_weights[node].tolist(), map(float, counts), strict=True)
        return any(abs(held - counted) > NEAR * (1 + counted) for held, counted in pairs)

    def sums_text(self, node: int) -> str:
        pairs = zip(self.tree.schema.classes, self.tree.class_weights[node].tolist(), strict=True)
        return "counts here: " + ", ".join(f"{label}: {value:g}" for label, value in pairs)

    def differs_from(self, rows: EncodedRows) -> str:
        weights = np.bincount(rows.target, rows.known_weights, len(self.tree.schema.classes))
        held = ", ".join(f"{weight:g}" for weight in self.tree.class_weights[0])
        return f"classes of {', '.join(f'{w:g}' for w in weights)} rows instead of {held}"

    def relabelled(self, pruned: Tree | None) -> int:  # noqa: ARG002
        weights, leaves = self.tree.class_weights, self.tree.n_children == 0
        labels = self.tree.label[:, None].astype(np.intp)
        predicted = np.take_along_axis(weights, labels, axis=1)
        return int((leaves & (predicted[:, 0] < weights.max(axis=1) * (1 - 1e-9))).sum())


class HeldNumbers(Held):
    """Weight, impurity and a number for every node."""

    sums: NumberSums

    def label(self, node: int) -> Value:
        return float(self.tree.prediction[node])

    def label_differs(self, node: int, counts: Counts) -> bool:
        """Any number between two medians is as good as their mean, which growing takes."""
        label, sums = float(self.label(node)), self.sums
        least = most = sums.prediction(counts)
        if isinstance(sums, AbsoluteDeviations):
            least, most = map(sums.number, sums.medians(counts, slack=1e-9))
        slack = 1e-9 * self._range + ROUNDING * self._most
        return not float(least) - slack <= label <= float(most) + slack

    @property
    def _range(self) -> float:
        return float(self.sums.number(-1) - self.sums.number(0))

    @property
    def _most(self) -> float:
        return max(abs(float(self.sums.number(code))) for code in (0, -1))

    def sums_differ(self, node: int, counts: Counts) -> bool:
        tree = self.tree
        weight, impurity = float(self.sums.weight(counts)), float(self.sums.impurity(counts))
        if not isclose(tree.weight[node], weight, rel_tol=NEAR, abs_tol=NEAR):
            return True
        near = NEAR + (ROUNDING * self._most / self._range if self._range else 0)
        least = near * float(tree.impurity[0])
        if not isclose(tree.impurity[node], impurity, rel_tol=near, abs_tol=least):
            return True
        return bool(tree.n_children[node]) and any(counts) and self.label_differs(node, counts)

    def sums_text(self, node: int) -> str:
        tree = self.tree
        values = tree.weight[node], tree.prediction[node], tree.impurity[node]
        weight, typical, impurity = map(number_text, map(float, values))
        return f"values here: weight {weight}, prediction {typical}, impurity {impurity}"

    def differs_from(self, rows: EncodedRows) -> str:
        weights = rows.known_weights
        mean = number_text(float(rows.target @ weights / weights.sum()))
        held = f"{self.tree.weight[0]:g} rows, predicted {number_text(self.tree.prediction[0])}"
        return f"{weights.sum():g} rows of mean {mean} instead of {held}"

    def relabelled(self, pruned: Tree | None) -> int:
        if pruned is None:
            return 0
        leaves = self.tree.n_children == 0
        near = np.isclose(self.tree.prediction, pruned.prediction, rtol=1e-9, atol=0)
        return int((leaves & ~near).sum())
