"""The text of a drawn node, for all drawings and graph languages, and the width of strings.

A node with two branches shows its condition, and its branches are "yes" and "no". A node with more
shows the feature, and its branches the categories. A leaf shows its prediction. Below are the
training rows by class; for numbers, their mean or, in a leaf, their spread. Names that are too long
are shortened, except in the tooltip.
"""

from __future__ import annotations

from dataclasses import dataclass
from unicodedata import combining, east_asian_width

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import number_text, shown_schema, weight_text
from plaintree.tree.condition import Condition, Grouped, Multiway
from plaintree.tree.prediction import answer_text, spread_of
from plaintree.tree.tree import Tree

from ..numbers import percent, with_rounded_thresholds
from .style import NodeStyle

LONGEST_HEAD, LONGEST_BRANCH, LONGEST_COUNTS = 15.0, 8.0, 14.0
"""In units of the size of the letters."""
MIN_NAME = 5.0
TITLE_CLASSES = 40
"""With more classes, a tooltip has the largest ones, and counts the others."""

_WIDTHS = {
    0.34: "ijlI.,:;'| ",
    0.42: "rt()[]fJ/\\-!",
    0.52: '"`*',
    0.86: "<>=+~#wGOQNDHU^&≤≥≠",
    1.0: "mMW%@…",
}
_WIDTH_OF = {character: width for width, group in _WIDTHS.items() for character in group}
_SIGNS = {"<=": "≤", "!=": "≠"}


@dataclass(frozen=True)
class NodeText:
    """The text of one node.

    - ``branch``: the branch that leads here from the parent; empty at the root.
    - ``head``: the split, or the class that a leaf predicts.
    - ``counts``: the training rows; ``note``: the node's number and impurity.
    """

    branch: str
    head: str
    counts: str
    note: str = ""

    @property
    def below_head(self) -> tuple[str, ...]:
        """The lines below the head that are not empty."""
        return tuple(line for line in (self.counts, self.note) if line)


class NodeWriter:
    """Writes the text of a tree's nodes, one at a time, so hidden nodes cost nothing."""

    def __init__(self, tree: Tree, style: NodeStyle | None = None, *, shorten: bool = True) -> None:
        self.style = style or NodeStyle()
        self.tree = with_rounded_thresholds(tree, self.style.precision)
        self.schema = shown_schema(tree.schema)
        self.limit = 1.0 if shorten else float("inf")

    def text(self, node: int, *, folded: bool = False) -> NodeText:
        """The text of a node; a folded one is like a leaf."""
        return NodeText(
            branch=fitted(self.branch(node), self.limit * LONGEST_BRANCH),
            head=self.label(node) if folded else self.head(node),
            counts=self.counts(node, folded=folded) if self.style.show_weights else "",
            note=self.style.note(self.tree, node),
        )

    def head(self, node: int) -> str:
        """The split of a node, or the predicted class of a leaf."""
        condition, limit = self.tree.condition(node), self.limit * LONGEST_HEAD
        if condition is None:
            return self.label(node)
        name = self.schema.names[condition.feature]
        if _has_values_on_branches(condition):
            return fitted(name, limit)
        operator, value = condition.operator_and_value(self.schema, 0)
        left = max(limit - text_width(value), MIN_NAME)
        name = fitted(name, left)
        value = fitted(value, max(limit - text_width(name), MIN_NAME))
        return f"{name} {_SIGNS.get(operator, operator)} {value}"

    def label(self, node: int) -> str:
        """The class or the number that a node predicts."""
        return fitted(answer_text(self.tree, node, self.schema), self.limit * LONGEST_HEAD)

    def branch(self, node: int) -> str:
        """The branch that leads to a node from its parent, in full; empty for the root."""
        if node == 0:
            return ""
        above = int(self.tree.parent[node])
        condition = self.tree.condition(above)
        assert condition is not None, "a parent has a condition"
        branch = node - int(self.tree.first_child[above])
        if branch == condition.n_branches:
            return "missing"
        if not _has_values_on_branches(condition):
            return ("yes", "no")[branch]
        return condition.operator_and_value(self.schema, branch)[1]

    def counts(self, node: int, *, folded: bool = False) -> str:
        """The rows of a node: by class if that is short, otherwise their number."""
        weight, by_class = float(self.tree.weight[node]), self.tree.class_weights[node]
        if weight == 0:
            return "no rows"
        rows = f"{weight_text(weight)} row{'s' * (weight != 1)}"
        if self.style.proportion:
            rows = f"{percent(weight / (float(self.tree.weight[0]) or 1.0))} of rows"
        if not self.schema.classes:
            return f"{rows}, {self._spread(node, folded=folded)}"
        present = np.flatnonzero(by_class)
        if 1 < len(present) <= 4:
            text = self._by_class(by_class, present)
            if text_width(text) <= self.limit * LONGEST_COUNTS:
                return text
        is_mixed = not self.tree.n_children[node] and not is_pure(self.tree, node)
        if is_mixed and not self.style.proportion:
            own = float(by_class[self.tree.label[node]])
            return f"{weight_text(own)} of {weight_text(weight)}"
        return rows

    def title(self, node: int) -> str:
        """The tooltip of a node, on a few lines, with no name shortened."""
        tree = self.tree
        lines = []
        condition = tree.condition(node)
        if node:
            above = int(tree.parent[node])
            parent = tree.condition(above)
            assert parent is not None, "a parent has a condition"
            lines.append(parent.describe(self.schema, node - int(tree.first_child[above])))
        if condition is not None:
            split = condition.describe(self.schema, 0)
            many = _has_values_on_branches(condition)
            lines.append(f"split: {self.schema.names[condition.feature] if many else split}")
        lines += [
            f"surrogate: {surrogate.describe(self.schema, 0)} (agreement {surrogate.agreement:.3g})"
            for surrogate in tree.surrogates(node)
        ]
        if self.schema.classes:
            lines.append(f"rows: {self._largest(tree.class_weights[node])}")
        else:
            lines.append(f"rows: {weight_text(float(tree.weight[node]))}, {self._spread(node)}")
        lines.append(f"prediction: {answer_text(self.tree, node, self.schema)}")
        return "\n".join(lines)

    def _spread(self, node: int, *, folded: bool = False) -> str:
        """The mean of a node that splits, or how far the targets of a leaf are from it."""
        spread = spread_of(self.tree, node)
        if self.tree.n_children[node] and not folded:
            return f"{spread.centre} {number_text(self.tree.prediction[node])}"
        return str(spread)

    def _largest(self, weights: NDArray[np.float64]) -> str:
        """The rows by class; of very many classes, the largest ones, these first."""
        present = np.flatnonzero(weights)
        if len(present) <= TITLE_CLASSES:
            return self._by_class(weights, present) or "none"
        by_weight = present[np.argsort(-weights[present], kind="stable")]
        more = len(present) - TITLE_CLASSES
        return f"{self._by_class(weights, by_weight[:TITLE_CLASSES])}, and {more} more classes"

    def _by_class(self, weights: NDArray[np.float64], classes: NDArray[np.int64]) -> str:
        names = self.schema.classes
        if self.style.proportion:
            total = float(weights.sum())
            return ", ".join(f"{names[c]}: {percent(weights[c] / total)}" for c in classes)
        return ", ".join(f"{names[c]}: {weight_text(weights[c])}" for c in classes)


def _has_values_on_branches(condition: Condition) -> bool:
    """Whether the branches are categories, and not yes and no."""
    return isinstance(condition, Multiway | Grouped)


def is_pure(tree: Tree, node: int) -> bool:
    """Whether all rows of a node are of the class it predicts."""
    weight = float(tree.weight[node])
    return bool(tree.class_weights[node, tree.label[node]] >= weight * (1 - 1e-9))  # sums round


# -------------------------------------------------------------------- the width of strings


def text_width(text: str) -> float:
    """The approximate width of a string in units of its font size, too large rather than too small.

    >>> text_width("iii") < text_width("xxx") < text_width("WWW")
    True
    """
    return sum(map(_character_width, text))


def _character_width(character: str) -> float:
    known = _WIDTH_OF.get(character)
    if known is not None:
        return known
    if character.isascii():
        return 0.7 if character.isupper() else 0.64
    if combining(character):
        return 0.0
    return 1.3 if ord(character) > 0x1F000 else 1.0 if east_asian_width(character) in "WF" else 0.75


def fitted(text: str, width: float) -> str:
    """A string of at most this width: shortened, with an ellipsis, if necessary.

    >>> fitted("a name of many words", 6)
    'a name o…'
    """
    if text_width(text) <= width:
        return text
    left, kept = width - text_width("…"), 0
    for character in text:
        left -= _character_width(character)
        if left < 0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def broken(text: str, width: float) -> list[str]:
    """A string on lines of at most this width."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(fitted(word, width))
    return lines
