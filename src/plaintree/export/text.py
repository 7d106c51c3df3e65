"""A tree as a person reads it in a terminal: one branch per line, a path reads like a sentence.

1. A line is a branch: its condition, and for a leaf the answer and the rows behind it.
2. Where a node has many branches, leaves with the same answer share a line, and categories
   without training rows are folded into one.
3. A line that is too long has its names shortened first, and is then wrapped between words.
4. Beyond a certain depth the indentation becomes a number, so that depth costs no room.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..condition import Condition, Grouped, Multiway, NodeKind, Subset
from ..errors import ParameterError
from ..schema import Schema
from ..significance import p_values
from ..tree import Tree
from ..wording import cells, line_width, shown_schema, tree_of, weight_text, wrapped

DEEPEST_INDENT = 30
GROUP_ABOVE = 8
"""With more branches than this, leaves with the same answer share a line."""
SET_LINES = 6
"""A set of categories is listed on so many lines at most."""
CLASSES_SHOWN = 5
FAIR_NAME, LEAST_NAME = 20, 12
"""Rather than shorten names below so many columns, wrap the counts, or the whole line."""


def export_text(
    model_or_tree: object,
    *,
    max_depth: int | None = None,
    width: int | None = None,
    show_counts: bool = True,
    show_p_values: bool = False,
    ascii: bool = False,
) -> str:
    """Write a tree for reading in a terminal.

    Every line is a branch. A leaf's line ends with its answer and, in parentheses, the weight of
    the training rows there (a count if rows are unweighted), followed by the classes where there
    is more than one. Where missing values go is shown only if they have a branch of their own.

    Parameters
    ----------
    model_or_tree
        A fitted model (anything with a ``tree_``) or a Tree.
    max_depth
        Branches below this depth are left out and counted.
    width
        The columns to write in, at least 40; by default the terminal's, or 100 without one.
    show_counts, show_p_values, ascii
        Whether to show the weights of rows; the p-value of every split (chi-square test); whether
        to use ASCII only, also in names.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> print(pt.export_text(pt.ID3Classifier().fit(X, y)))
    Play: 14 rows (No 5, Yes 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain (5)
    │  ├─ Wind = Strong: No (2)
    │  └─ Wind = Weak: Yes (3)
    └─ Outlook = Sunny (5)
       ├─ Humidity = High: No (3)
       └─ Humidity = Normal: Yes (2)
    """
    tree = tree_of(model_or_tree)
    page = _Page(
        tree=tree,
        schema=shown_schema(tree.schema, ascii=ascii),
        signs=_ASCII if ascii else _BOXES,
        width=line_width(width),
        show_counts=show_counts,
        p_values=p_values(tree) if show_p_values else None,
        max_depth=tree.n_nodes if max_depth is None else _checked_depth(max_depth),
    )
    return "\n".join(page.lines())


def _checked_depth(max_depth: int) -> int:
    if isinstance(max_depth, Integral) and not isinstance(max_depth, bool) and max_depth >= 0:
        return int(max_depth)
    raise ParameterError(
        "max_depth is not a depth",
        got=f"max_depth={max_depth!r}",
        hint="use a whole number from 0, or None for the whole tree.",
    )


class _Signs(NamedTuple):
    """What the lines are drawn with."""

    branch: str
    last: str
    past: str
    more: str
    times: str


_BOXES = _Signs("├─ ", "└─ ", "│  ", "…", "×")
_ASCII = _Signs("|- ", "`- ", "|  ", "...", "x")


class _Row(NamedTuple):
    """One or more branches of a node that share a line."""

    condition: Condition
    first_child: int
    branches: Sequence[int]
    depth: int
    above: str
    last: bool


class _Words(NamedTuple):
    """A line before it is fitted: names may be shortened, everything else may not."""

    name: str
    operator: str
    values: Sequence[str]
    in_braces: bool
    no_rows: bool
    answer: str
    notes: Sequence[str]


@dataclass(frozen=True)
class _Page:
    """A tree, its schema with names fit to print, and how to print it."""

    tree: Tree
    schema: Schema
    signs: _Signs
    width: int
    show_counts: bool
    p_values: NDArray[np.float64] | None
    max_depth: int

    def lines(self) -> Iterator[str]:
        """The lines of the whole tree, from the root on."""
        yield from self._wrapped("", "  ", self._header())
        leaves_below = self._leaves_below()
        pending = self._rows(0, 1, "")[::-1] if self.max_depth > 0 else []
        deepest = min(DEEPEST_INDENT, self.width // 2 // len(self.signs.past))
        while pending:
            row = pending.pop()
            node = row.first_child + row.branches[0]
            if row.depth <= deepest:
                lead = row.above + (self.signs.last if row.last else self.signs.branch)
                below = row.above + (" " * len(self.signs.past) if row.last else self.signs.past)
            else:
                lead, below = f"[depth {row.depth}] ", ""
            hidden = leaves_below[node] if row.depth == self.max_depth else 0
            yield from self._fitted(lead, below, self._words(row, hidden))
            if not hidden:
                pending.extend(reversed(self._rows(node, row.depth + 1, below)))

    def _header(self) -> list[str]:
        """The target, the rows, and their classes."""
        tree, target = self.tree, self._short(self.schema.target, self.width // 2)
        parts = [target]
        hidden = tree.n_leaves if tree.kind[0] and self.max_depth == 0 else 0
        alone = not tree.kind[0] or hidden
        if alone:
            parts = [f"{target}:", "always", str(self.schema.classes[tree.label[0]])]
        if self.show_counts:
            n_rows, weight = int(tree.n_rows[0]), float(tree.weight[0])
            rows = f"{n_rows} row{'s' * (n_rows != 1)}"
            if weight_text(weight) != str(n_rows):
                rows += f", weight {weight_text(weight)}"
            counted = self._classes(tree.class_weights[0])
            if alone:
                parts += _enclosed([f"{rows}:", *counted] if counted else [rows])
            else:
                parts[-1] += ":"
                parts += [rows, *(_enclosed(counted) if counted else [])]
        return parts + self._significance(0) + self._hidden(hidden)

    def _significance(self, node: int) -> list[str]:
        """The p-value of a node's split, if it has one and they are to be shown."""
        if self.p_values is None or not self.tree.n_children[node]:
            return []
        return [f"p={self.p_values[node]:.2g}"]

    def _leaves_below(self) -> list[int]:
        """The number of leaves at or below every inner node, 0 for leaves; only if needed."""
        tree = self.tree
        if self.max_depth >= tree.n_nodes:
            return [0] * tree.n_nodes
        parents, leaf = tree.parent.tolist(), (tree.kind == NodeKind.LEAF).tolist()
        below = [int(is_leaf) for is_leaf in leaf]
        for node in range(tree.n_nodes - 1, 0, -1):
            below[parents[node]] += below[node]
        return [0 if is_leaf else n for is_leaf, n in zip(leaf, below, strict=True)]

    def _hidden(self, n_leaves: int) -> list[str]:
        return [self.signs.more, f"{n_leaves} leaves below"] if n_leaves else []

    # ---------------------------------------------------------------- what shares a line

    def _rows(self, node: int, depth: int, above: str) -> list[_Row]:
        """The lines right below a node; none below a leaf."""
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
        """The branches of a many-way node, those together that share a line."""
        tree = self.tree
        groups: dict[tuple[str, int], list[int]] = {}
        for branch in range(n_branches):
            child = first + branch
            key = ("branch", branch)
            if tree.kind[child] == NodeKind.LEAF:
                if tree.weight[child] == 0:
                    key = ("empty", int(tree.label[child]))
                elif n_branches > GROUP_ABOVE:
                    key = ("answer", int(tree.label[child]))
            groups.setdefault(key, []).append(branch)
        empty = [group for (why, _), group in groups.items() if why == "empty"]
        others = [group for (why, _), group in groups.items() if why != "empty"]
        extra = [[branch] for branch in range(n_branches, n_children)]
        return [*others, *empty, *extra]

    # ---------------------------------------------------------------- what a line says

    def _words(self, row: _Row, n_hidden: int) -> _Words:
        condition, branches = row.condition, row.branches
        tree, name = self.tree, self.schema.names[condition.attribute]
        node = row.first_child + branches[0]
        values: Sequence[str]
        in_braces = False
        if branches[0] == condition.n_branches:
            operator, values = "is missing", []
        elif len(branches) > 1:
            labels = self.schema.attributes[condition.attribute].categories
            operator, values, in_braces = "in", [str(labels[b]) for b in branches], True
        else:
            operator, value = condition.operator_and_value(self.schema, branches[0])
            values = [value]
            codes = _tested_codes(condition, branches[0])
            if len(codes) > 1:
                labels = self.schema.attributes[condition.attribute].categories
                values, in_braces = [str(labels[c]) for c in codes], True
        answers = n_hidden or not tree.kind[node]
        answer = str(self.schema.classes[tree.label[node]]) if answers else ""
        notes = self._counts([row.first_child + b for b in branches], full=bool(answers))
        notes += self._significance(node) + self._hidden(n_hidden)
        no_rows = len(branches) > 1 and bool(tree.weight[node] == 0)
        return _Words(name, operator, values, in_braces, no_rows, answer, notes)

    def _counts(self, nodes: Sequence[int], *, full: bool) -> list[str]:
        """The weight of the rows in some nodes and, if full and mixed, their classes."""
        if not self.show_counts:
            return []
        tree = self.tree
        weight = float(tree.weight[nodes].sum()) if len(nodes) > 1 else float(tree.weight[nodes[0]])
        if weight == 0:
            return ["(no rows)"]
        if not full:
            return [f"({weight_text(weight)})"]
        by_class = tree.class_weights[nodes[0]]
        if len(nodes) > 1:
            by_class = tree.class_weights[nodes].sum(axis=0)
        if by_class[tree.label[nodes[0]]] >= weight * (1 - 1e-9):  # sums round
            return [f"({weight_text(weight)})"]
        return _enclosed([f"{weight_text(weight)}:", *self._classes(by_class)])

    def _classes(self, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[str]:
        """The heaviest classes in their order, each with its weight."""
        present = np.flatnonzero(weights)
        shown = present
        if len(present) > CLASSES_SHOWN + 1:
            heaviest = np.argsort(-weights[present], kind="stable")[:CLASSES_SHOWN]
            shown = present[np.sort(heaviest)]
        numbers = any(not isinstance(c, str) or c[-1:].isdigit() for c in self.tree.schema.classes)
        times = self.signs.times if numbers else ""
        cap = max(LEAST_NAME, self.width // 5)
        words = [
            f"{self._short(str(self.schema.classes[c]), cap)} {times}{weight_text(weights[c])},"
            for c in shown
        ]
        left_out = len(present) - len(shown)
        words += [f"{self.signs.more} {left_out} more classes,"] if left_out else []
        return [*words[:-1], words[-1].removesuffix(",")] if words else []

    # ---------------------------------------------------------------- fitting it in

    def _fitted(self, lead: str, below: str, words: _Words) -> Iterator[str]:
        """A line, with its names shortened and wrapped where it is too long."""
        colon, notes = ":" if words.answer else "", " ".join(words.notes)
        value = ", ".join(words.values)
        value = f"{{{value}}}" if words.in_braces else value
        tested = f"{words.operator} {value}{colon}" if value else words.operator + colon
        text = " ".join(part for part in (words.name, tested, words.answer, notes) if part)
        if len(lead) + cells(text) <= self.width:
            yield lead + text
            return
        rest = below + "  "
        room = self.width - max(len(lead), len(rest))
        if words.in_braces:
            cap = max(LEAST_NAME, room // 3)
            listed = self._listed(words, room, cap)
        else:
            names = (words.name, value, words.answer)
            left = room - cells(text) + sum(map(cells, names))
            cap = _common_cap(names, left)
            if cap < FAIR_NAME:  # the notes go on a line of their own, which gives names more room
                cap = max(LEAST_NAME, _common_cap(names, left + cells(notes)))
            listed = [self._short(value, cap)] if value else []
        tokens = [self._short(words.name, cap), words.operator, *listed]
        tokens[-1] += colon
        tokens += [self._short(words.answer, cap)] if words.answer else []
        tokens += [notes] if cells(notes) <= room else words.notes
        yield from self._wrapped(lead, rest, tokens)

    def _listed(self, words: _Words, room: int, cap: int) -> list[str]:
        """A set's categories as words to wrap; a long set is cut short and the rest counted."""
        values, more = words.values, self.signs.more
        if words.no_rows:
            return [f"{{{len(values)} more categories}}"]
        space = room * SET_LINES
        if words.operator == "not in":  # the same set was listed for the first branch
            space = room - min(cap, cells(words.name)) - len(" not in { ... 1000 more}: ")
        shown: list[str] = []
        for value in values:
            short = self._short(value, cap)
            space -= cells(short) + 2
            if space < 0 and len(values) - len(shown) > 1 and shown:
                break
            shown.append(f"{short},")
        left_out = len(values) - len(shown)
        shown += [f"{more} {left_out} more,"] if left_out else []
        shown[0] = "{" + shown[0]
        shown[-1] = shown[-1].removesuffix(",") + "}"
        return shown

    def _short(self, text: str, columns: int) -> str:
        """A text that takes no more than so many columns."""
        if cells(text) <= columns:
            return text
        kept, left = [], columns - len(self.signs.more)
        for character in text:
            left -= cells(character)
            if left < 0:
                break
            kept.append(character)
        return "".join(kept) + self.signs.more

    def _wrapped(self, lead: str, rest: str, words: Sequence[str]) -> Iterator[str]:
        """Words on as many lines as they need, none of them wider than the page."""
        room = self.width - max(len(lead), len(rest))
        return wrapped([self._short(word, room) for word in words], self.width, lead, rest)


def _enclosed(words: Sequence[str]) -> list[str]:
    """Words in parentheses."""
    if len(words) == 1:
        return [f"({words[0]})"]
    return [f"({words[0]}", *words[1:-1], f"{words[-1]})"]


def _common_cap(texts: Sequence[str], room: int) -> int:
    """The length to which the longest of some texts must be cut for all to fit in the room."""
    sizes = sorted(cells(text) for text in texts)
    for position, size in enumerate(sizes):
        share = room // (len(sizes) - position)
        if size > share:
            return share
        room -= size
    return sizes[-1]


def _tested_codes(condition: Condition, branch: int) -> tuple[int, ...]:
    """The categories that a branch of a set test names; none for other tests."""
    if isinstance(condition, Subset):
        return condition.categories
    return condition.categories_of(branch) if isinstance(condition, Grouped) else ()
