"""export_text: a tree as text for a terminal, with one branch per line.

1. A line is a branch: its condition, and for a leaf the predicted class and the training rows.
2. If a node has many branches, leaves with the same label share a line, and categories without
   training rows are folded into one.
3. A line that is too long has its names shortened first, and is then wrapped between words.
4. Beyond a certain depth the indentation becomes a number, so a deep tree is not wider.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_choice
from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.data.schema import Schema
from plaintree.data.words import line_width, number_text, shown_schema, weight_text
from plaintree.tree.condition import Condition, Grouped, Multiway, NodeKind, Subset
from plaintree.tree.conventions import SignificanceTest
from plaintree.tree.naming import renamed_tree
from plaintree.tree.prediction import answer_text, node_predictions, spread_of
from plaintree.tree.significance import MEANING, p_values
from plaintree.tree.tree import Tree

from .fitting import MIN_NAME, SPACING, Fitting, Words, signs
from .folding import checked_depth
from .listing import listing
from .numbers import MAX_DECIMALS, check_count, with_rounded_thresholds

DEEPEST_INDENT = 30
GROUP_ABOVE = 8
"""With more branches than this, leaves with the same label share a line."""
CLASSES_SHOWN = 5


def export_text(
    model_or_tree: object,
    *,
    style: Literal["tree", "listing"] = "tree",
    max_depth: int | None = None,
    width: int | None = None,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    spacing: int = SPACING,
    decimals: int | None = None,
    show_weights: bool = True,
    show_p_values: bool | SignificanceTest = False,
    show_surrogates: bool = False,
    show_conventions: bool = False,
    ascii: bool = False,
) -> str:
    """Write a tree as text.

    Every line is a branch. The line of a leaf ends with the predicted class and, in parentheses,
    the weight of its training rows (a count if rows are unweighted), followed by the weights by
    class if there is more than one. The branch of missing values is shown only if they have one of
    their own.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    style : {"tree", "listing"}, default="tree"
        "listing" writes one numbered line for each node, "1 if ... then node 2 elseif ...". Only
        ``feature_names``, ``class_names``, ``decimals`` and ``ascii`` apply to it.
    max_depth : int, default=None
        Branches below this depth are left out and counted. None shows the whole tree;
        scikit-learn's default is 10.
    width : int, default=None
        Columns to write in, at least 40. None uses the width of the terminal, or 100 without one.
    feature_names : sequence of str, default=None
        Names of the features in column order. None shows the names of the training table.
    class_names : sequence of str or True, default=None
        Names of the classes in the order of ``classes_``. None and True show the labels.
    spacing : int, default=3
        Columns that each level is indented by.
    decimals : int, default=None
        Decimals of thresholds. None shows the digits they need; scikit-learn's default is 2.
    show_weights : bool, default=True
        Whether to show the weights of training rows by class (counts, if rows are unweighted).
        scikit-learn's default is False.
    show_p_values : bool, "adjusted" or "chi_square", default=False
        Whether to show the p-value of every split: True or "adjusted" for the choice of the split,
        "chi_square" for the split by itself. A line below the tree explains which.
    show_surrogates : bool, default=False
        Whether to show, above the branches of a node, its surrogate splits in the order in which
        they are tried. A line has what goes to the first branch, and the agreement.
    show_conventions : bool, default=False
        Whether to show, below the tree, the conventions it was grown by: the nearest named profile
        and what differs from it.
    ascii : bool, default=False
        Whether to use ASCII only, also in names.

    Returns
    -------
    str
        The tree, without a newline at the end.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> print(pt.export_text(pt.ID3Classifier().fit(X, y)))
    Play: 14 rows (No: 5, Yes: 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain (5)
    │  ├─ Wind = Strong: No (2)
    │  └─ Wind = Weak: Yes (3)
    └─ Outlook = Sunny (5)
       ├─ Humidity = High: No (3)
       └─ Humidity = Normal: Yes (2)
    """
    tree = renamed_tree(model_or_tree, feature_names, class_names)
    if decimals is not None:
        tree = with_rounded_thresholds(tree, check_count("decimals", decimals, 0, MAX_DECIMALS))
    if not isinstance(show_p_values, bool):
        check_choice("show_p_values", show_p_values, MEANING)
    test: SignificanceTest = "chi_square" if show_p_values == "chi_square" else "adjusted"
    check_choice("style", style, ("tree", "listing"))
    if style == "listing":
        return listing(tree, ascii=ascii)
    page = _Page(
        tree=tree,
        schema=shown_schema(tree.schema, ascii=ascii),
        fitting=Fitting(line_width(width), signs(check_count("spacing", spacing, 1, 20), ascii)),
        show_weights=show_weights,
        show_surrogates=show_surrogates,
        p_values=p_values(tree, test) if show_p_values else None,
        max_depth=_deepest(tree, max_depth),
    )
    below = list(page.conventions()) if show_conventions else []
    if show_p_values and tree.n_children[0]:
        below = [*page.fitting.wrapped("", "  ", ["p:", *MEANING[test].split(" ")]), *below]
    return "\n".join([*page.lines(), *below])


def _deepest(tree: Tree, max_depth: int | None) -> int:
    depth = checked_depth(max_depth, automatic=False)
    return depth if isinstance(depth, int) else tree.n_nodes


class _Row(NamedTuple):
    """One or more branches of a node that share a line."""

    condition: Condition
    first_child: int
    branches: Sequence[int]
    depth: int
    above: str
    last: bool


@dataclass(frozen=True)
class _Page:
    """A tree, its schema with printable names, and the options."""

    tree: Tree
    schema: Schema
    fitting: Fitting
    show_weights: bool
    show_surrogates: bool
    p_values: NDArray[np.float64] | None
    max_depth: int

    def lines(self) -> Iterator[str]:
        """The lines of the whole tree, from the root on."""
        signs = self.fitting.signs
        yield from self.fitting.wrapped("", "  ", self._header())
        leaves_below = self._leaves_below()
        pending = self._rows(0, 1, "")[::-1] if self.max_depth > 0 else []
        deepest = min(DEEPEST_INDENT, self.fitting.width // 2 // len(signs.past))
        yield from self._surrogates(0, "" if self.max_depth > 0 else None)
        while pending:
            row = pending.pop()
            node = row.first_child + row.branches[0]
            if row.depth <= deepest:
                lead = row.above + (signs.last if row.last else signs.branch)
                below = row.above + (" " * len(signs.past) if row.last else signs.past)
            else:
                lead, below = f"[depth {row.depth}] ", ""
            hidden = leaves_below[node] if row.depth == self.max_depth else 0
            yield from self.fitting.fitted(lead, below, self._words(row, hidden))
            yield from self._surrogates(node, None if hidden else below)
            if not hidden:
                pending.extend(reversed(self._rows(node, row.depth + 1, below)))

    def _surrogates(self, node: int, above: str | None) -> Iterator[str]:
        """A line for each surrogate of a node; none where its branches are not shown."""
        condition = self.tree.condition(node)
        if not self.show_surrogates or condition is None or above is None:
            return
        signs = self.fitting.signs
        for surrogate in self.tree.surrogates(node):
            words = f"surrogate: {surrogate.describe(self.schema, 0)}".split(" ")
            words += ["for", *condition.describe(self.schema, 0).split(" ")]
            agreement = f"(agreement {surrogate.agreement:.3g}, adjusted {surrogate.adjusted:.3g})"
            lead = above + signs.past
            yield from self.fitting.wrapped(lead, lead + "  ", [*words, *agreement.split(" ")])

    def conventions(self) -> Iterator[str]:
        """The conventions that the tree was grown by, if they are known."""
        known = self.tree.conventions
        words = "unknown" if known is None else str(known)
        return self.fitting.wrapped("", "  ", ["Conventions:", *words.split(" ")])

    def _header(self) -> list[str]:
        """The target, the rows, and their classes."""
        tree, target = self.tree, self.fitting.short(self.schema.target, self.fitting.width // 2)
        parts = [target]
        hidden = tree.n_leaves if tree.kind[0] and self.max_depth == 0 else 0
        alone = not tree.kind[0] or hidden
        if alone:
            parts = [f"{target}:", "always", answer_text(tree, 0, self.schema)]
        if self.show_weights:
            n_rows, weight = int(tree.n_rows[0]), float(tree.weight[0])
            rows = f"{n_rows} row{'s' * (n_rows != 1)}"
            if weight_text(weight) != str(n_rows):
                rows += f", weight {weight_text(weight)}"
            has_classes = bool(self.schema.classes)
            counted = self._classes(tree.class_weights[0]) if has_classes else self._spread(0)
            if alone:
                parts += _enclosed([f"{rows};", *counted] if counted else [rows])
            else:
                parts[-1] += ":"
                parts += [rows, *(_enclosed(counted) if counted else [])]
        return parts + self._significance(0) + self._hidden(hidden)

    def _significance(self, node: int) -> list[str]:
        """The p-value of a node's split, if p-values are shown."""
        if self.p_values is None or not self.tree.n_children[node]:
            return []
        return [f"p={self.p_values[node]:.2g}"]

    def _leaves_below(self) -> list[int]:
        """The number of leaves below every internal node, 0 for leaves; only if needed."""
        tree = self.tree
        if self.max_depth >= tree.n_nodes:
            return [0] * tree.n_nodes
        parents, leaf = tree.parent.tolist(), (tree.kind == NodeKind.LEAF).tolist()
        below = [int(is_leaf) for is_leaf in leaf]
        for node in range(tree.n_nodes - 1, 0, -1):
            below[parents[node]] += below[node]
        return [0 if is_leaf else n for is_leaf, n in zip(leaf, below, strict=True)]

    def _hidden(self, n_leaves: int) -> list[str]:
        return [self.fitting.signs.more, f"{n_leaves} leaves below"] if n_leaves else []

    # ---------------------------------------------------------------- branches that share a line

    def _rows(self, node: int, depth: int, above: str) -> list[_Row]:
        """The lines directly below a node; none below a leaf."""
        condition = self.tree.condition(node)
        if condition is None:
            return []
        first, n = int(self.tree.first_child[node]), int(self.tree.n_children[node])
        groups: Sequence[Sequence[int]] = [(branch,) for branch in range(n)]
        if isinstance(condition, Multiway):
            groups = self._groups(first, n, condition.n_branches)
        last = len(groups) - 1
        return [
            _Row(condition, first, branches, depth, above, position == last)
            for position, branches in enumerate(groups)
        ]

    def _groups(self, first: int, n_children: int, n_branches: int) -> list[list[int]]:
        """The branches of a multiway node, grouped by line."""
        tree, own = self.tree, node_predictions(self.tree)
        groups: dict[tuple[str, float], list[int]] = {}
        for branch in range(n_branches):
            child = first + branch
            key: tuple[str, float] = ("branch", branch)
            if tree.kind[child] == NodeKind.LEAF:
                if tree.weight[child] == 0:
                    key = ("empty", float(own[child]))
                elif n_branches > GROUP_ABOVE:
                    key = ("label", float(own[child]))
            groups.setdefault(key, []).append(branch)
        empty = [group for (why, _), group in groups.items() if why == "empty"]
        others = [group for (why, _), group in groups.items() if why != "empty"]
        extra = [[branch] for branch in range(n_branches, n_children)]
        return [*others, *empty, *extra]

    # ---------------------------------------------------------------- the text of a line

    def _words(self, row: _Row, n_hidden: int) -> Words:
        condition, branches = row.condition, row.branches
        tree, name = self.tree, self.schema.names[condition.feature]
        node = row.first_child + branches[0]
        values: Sequence[str]
        in_braces = False
        if branches[0] == condition.n_branches:
            operator, values = "is missing", []
        elif len(branches) > 1:
            labels = self.schema.features[condition.feature].categories
            operator, values, in_braces = "in", [str(labels[b]) for b in branches], True
        else:
            operator, value = condition.operator_and_value(self.schema, branches[0])
            values = [value]
            codes = _named_codes(condition, branches[0])
            if len(codes) > 1:
                labels = self.schema.features[condition.feature].categories
                values, in_braces = [str(labels[c]) for c in codes], True
        is_end = n_hidden or not tree.kind[node]
        label = answer_text(tree, node, self.schema) if is_end else ""
        notes = self._counts([row.first_child + b for b in branches], full=bool(is_end))
        notes += self._significance(node) + self._hidden(n_hidden)
        no_rows = len(branches) > 1 and bool(tree.weight[node] == 0)
        return Words(name, operator, values, in_braces, no_rows, label, notes)

    def _counts(self, nodes: Sequence[int], *, full: bool) -> list[str]:
        """The weight of the rows in some nodes and, if full and mixed, their classes."""
        if not self.show_weights:
            return []
        tree = self.tree
        weight = float(tree.weight[nodes].sum()) if len(nodes) > 1 else float(tree.weight[nodes[0]])
        if weight == 0:
            return ["(no rows)"]
        if not full:
            return [f"({weight_text(weight)})"]
        if not tree.schema.classes:
            spread = [str(spread_of(tree, nodes[0]))] if len(nodes) == 1 else []
            return _enclosed([f"{weight_text(weight)}{',' * len(spread)}", *spread])
        by_class = tree.class_weights[nodes[0]]
        if len(nodes) > 1:
            by_class = tree.class_weights[nodes].sum(axis=0)
        if by_class[tree.label[nodes[0]]] >= weight * (1 - 1e-9):  # sums round
            return [f"({weight_text(weight)})"]
        return _enclosed([f"{weight_text(weight)};", *self._classes(by_class)])

    def _spread(self, node: int) -> list[str]:
        """The prediction of a node, and how far its targets are from it, by the criterion."""
        spread = spread_of(self.tree, node)
        return [f"{spread.centre} {number_text(self.tree.prediction[node])},", str(spread)]

    def _classes(self, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[str]:
        """The largest classes in their order, each with its weight."""
        present = np.flatnonzero(weights)
        shown = present
        if len(present) > CLASSES_SHOWN + 1:
            largest = np.argsort(-weights[present], kind="stable")[:CLASSES_SHOWN]
            shown = present[np.sort(largest)]
        cap = max(MIN_NAME, self.fitting.width // 5)
        names = [self.fitting.short(str(self.schema.classes[c]), cap) for c in shown]
        words = [
            f"{name}: {weight_text(weights[c])}," for name, c in zip(names, shown, strict=True)
        ]
        left_out = len(present) - len(shown)
        words += [f"{self.fitting.signs.more} {left_out} more classes,"] if left_out else []
        return [*words[:-1], words[-1].removesuffix(",")] if words else []


def _enclosed(words: Sequence[str]) -> list[str]:
    """Words in parentheses."""
    if len(words) == 1:
        return [f"({words[0]})"]
    return [f"({words[0]}", *words[1:-1], f"{words[-1]})"]


def _named_codes(condition: Condition, branch: int) -> tuple[int, ...]:
    """The categories that a branch of a set condition names; none for other conditions."""
    if isinstance(condition, Subset):
        return condition.categories
    return condition.categories_of(branch) if isinstance(condition, Grouped) else ()
