"""One tree in SQL: nested CASEs, and fractions of rows if these are divided.

The CASE of a node is its way (sql_ways.py).

1. The nested CASE follows a row to the node where it ends, and is NULL if the row is divided.
   Where a tree is deeper than a database's parser goes, it goes on from a node in a further step
   (a common table expression): ``n`` is the number of the node reached so far.
2. Rows that have a value which some node divides, and no others, go on in further steps: a node's
   fraction of the row is a column, computed from its parent's; the predictions of leaves are summed
   by fraction, in the order of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np

from plaintree.data.schema import Feature
from plaintree.errors import ExportError
from plaintree.tree.condition import DIVIDES, STOPS, NodeKind
from plaintree.tree.prediction import predicted_classes, predicted_values
from plaintree.tree.tree import Tree

from ..members import division_weights
from .sql_ways import Way, WayWriter, codes_of_children
from .sql_words import Dialect, select_with

BLOCK_DEPTH = 8
"""Splits nested in one CASE: sqlite's parser goes a dozen deep."""
MOST_DEPTH = 500
"""Splits on a path: the limit of sqlite and others."""
MOST_COLUMNS = 1600
"""Columns of a select in postgres (sqlite takes 2000)."""
WIDTH = 400
"""Nodes of subtrees that parts of a row go down in together."""
MOST_TERMS = 200
"""Terms of a sum: sqlite takes an expression 1000 deep."""


@dataclass(frozen=True, eq=False)
class TreeSql:
    """A tree, and how to write it. ``prefix`` begins names that no column has."""

    tree: Tree
    dialect: Dialect
    prefix: str
    place: str = "the tree"

    @cached_property
    def divides(self) -> bool:
        """Whether rows are ever divided."""
        return any(way.leads_to(DIVIDES) for way in self.ways.values())

    @cached_property
    def answers(self) -> list[int]:
        """The class of every node."""
        return [int(code) for code in predicted_classes(self.tree)]

    @cached_property
    def weights(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The weights of nodes, by which rows are divided."""
        return division_weights(self.tree)

    @cached_property
    def values(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The class probabilities of every node, or its number as one column."""
        return predicted_values(self.tree)

    @cached_property
    def ways(self) -> dict[int, Way]:
        """The way of every internal node."""
        if self.tree.depth > MOST_DEPTH:
            raise ExportError(
                f"{self.place} is too deep for SQL, which allows {MOST_DEPTH} splits on a path",
                got=f"{self.tree.depth} splits",
                hint="prune the tree, limit max_depth, or export it to another language.",
            )
        inner = np.flatnonzero(self.tree.n_children).tolist()
        writer = WayWriter(self.tree, self.dialect, self.place)
        return {node: writer.way(node) for node in inner}

    # ---------------------------------------------------------------- rows that are not divided

    def followed(self, write: Callable[[int], str]) -> str:
        """Write the value of a row's own node; NULL if the row is divided."""
        if self.tree.depth <= BLOCK_DEPTH:
            return self._nested(0, write, BLOCK_DEPTH, lines=True)
        n, steps = f"{self.prefix}n", []
        steps.append(f"{self._step(0)} AS MATERIALIZED (SELECT {self._nested(0, str)} AS {n})")
        starts = self._starts()
        for number, nodes in enumerate(starts, 1):
            cases = "\n".join(f"WHEN {node} THEN {self._nested(node, str)}" for node in nodes)
            steps.append(
                f"{self._step(number)} AS MATERIALIZED "
                f"(SELECT CASE {n}\n{cases}\nELSE {n} END AS {n} FROM {self._step(number - 1)})"
            )
        written: dict[str, list[str]] = {}
        for node in self._answering():
            written.setdefault(write(node), []).append(str(node))
        cases = "\n".join(f"WHEN {n} IN ({', '.join(ns)}) THEN {w}" for w, ns in written.items())
        return select_with(steps, f"CASE\n{cases}\nEND", self._step(len(starts)))

    def _step(self, number: int) -> str:
        return f"{self.prefix}w{number}"

    def _starts(self) -> list[list[int]]:
        """The inner nodes at which a further step begins, by step."""
        depths = self.tree.node_depths
        inner = self.tree.n_children > 0
        last = int(depths[inner].max())
        return [
            np.flatnonzero(inner & (depths == depth)).tolist()
            for depth in range(BLOCK_DEPTH, last + 1, BLOCK_DEPTH)
        ]

    def _answering(self) -> list[int]:
        stops = {node for node, way in self.ways.items() if way.leads_to(STOPS)}
        return [n for n in range(self.tree.n_nodes) if self.tree.n_children[n] == 0 or n in stops]

    def _nested(
        self, start: int, write: Callable[[int], str], depth: int = BLOCK_DEPTH, lines: bool = False
    ) -> str:
        """The CASE of a node, with those below it down to a depth."""
        parts: list[str] = []
        bottom = int(self.tree.node_depths[start]) + depth
        waiting: list[tuple[str, int, int]] = [("", start, 0)]  # words before a node, or alone
        while waiting:
            words, node, indent = waiting.pop()
            margin = "\n" + "  " * indent if lines else " "
            parts.append(margin + words if words else "")
            if node < 0:
                continue
            if self.tree.n_children[node] == 0 or self.tree.node_depths[node] == bottom:
                parts.append(" " + write(node))
                continue
            parts.append(" CASE")
            first, way = int(self.tree.first_child[node]), self.ways[node]
            waiting.append(("END", -1, indent))
            if way.otherwise == STOPS:
                waiting.append((f"ELSE {write(node)}", -1, indent + 1))
            elif way.otherwise != DIVIDES:
                waiting.append(("ELSE", first + way.otherwise, indent + 1))
            for matched, child in reversed(way.cases):
                if child == DIVIDES:
                    waiting.append((f"WHEN {matched} THEN NULL", -1, indent + 1))
                elif child == STOPS:
                    waiting.append((f"WHEN {matched} THEN {write(node)}", -1, indent + 1))
                else:
                    waiting.append((f"WHEN {matched} THEN", first + child, indent + 1))
        return "".join(parts).strip()

    # ---------------------------------------------------------------- rows that are divided

    def divided(
        self,
        write: Callable[[list[str]], str],
        numbers: Sequence[int],
        begin: list[str] | None = None,
    ) -> str:
        """Write a value from the names of the columns with some of a divided row's values.

        ``begin`` are columns that these are added to. NULL for undivided rows.
        Parts of the row wait in the order of a walk; each step adds the first of them to the sums
        and takes others a split further.
        """
        p = self.prefix
        totals = [f"{p}q{c}" for c in numbers]
        before = [self.dialect.number(0.0)] * len(totals) if begin is None else begin
        sums = [f"{old} AS {total}" for old, total in zip(before, totals, strict=True)]
        columns, waiting = self._arrived(0), [0]
        source = f"WHERE {self._may_divide()}"
        steps: list[str] = []
        while True:
            self._check_room(len(sums) + len(columns), len(steps))
            step = f"{p}d{len(steps)}"
            selected = ", ".join([*sums, *columns])
            steps.append(f"{step} AS MATERIALIZED (SELECT {selected} {source})")
            if not waiting:
                return select_with(steps, write(totals), step)
            source = f"FROM {step}"
            ready = list(takewhile(self._is_answered, waiting[:MOST_TERMS]))
            sums = [self._sum(c, ready) for c in numbers]
            columns, waiting = self._further(waiting[len(ready) :])

    def _is_answered(self, part: int) -> bool:
        """Whether a part of the row ends at the node; ~node: an internal one."""
        return part < 0 or self.tree.n_children[part] == 0

    def _further(self, parts: list[int]) -> tuple[list[str], list[int]]:
        """Take parts of the row a split further: the first, and others while subtrees are small."""
        columns: list[str] = []
        waiting: list[int] = []
        room = WIDTH
        for part in parts:
            room -= self._sizes[part] if part >= 0 else 1
            if self._is_answered(part) or (room < 0 and len(waiting) > 0):
                columns += self._names(part)
                waiting.append(part)
                continue
            first, n = int(self.tree.first_child[part]), int(self.tree.n_children[part])
            inside = [~part] if self._kept_branches(part) else []
            inside += range(first, first + n)
            columns += [column for one in inside for column in self._arrived(one)]
            waiting += inside
        return columns, waiting

    @cached_property
    def _sizes(self) -> list[int]:
        """Number of nodes of every subtree."""
        sizes, parents = [1] * self.tree.n_nodes, self.tree.parent.tolist()
        for node in range(len(sizes) - 1, 0, -1):  # parents come before their children
            sizes[parents[node]] += sizes[node]
        return sizes

    def _names(self, part: int) -> list[str]:
        """Return the columns of a part of the row: its fraction, and the branch that it takes."""
        p = self.prefix
        if self._is_answered(part):
            return [f"{p}k{~part}" if part < 0 else f"{p}s{part}"]
        return [f"{p}s{part}", f"{p}b{part}"]

    def _arrived(self, part: int) -> list[str]:
        """The same columns, computed from those of the parent."""
        values = [self._share(part)]
        values += [] if self._is_answered(part) else [self._branch(part)]
        names = self._names(part)
        return [f"{value} AS {name}" for value, name in zip(values, names, strict=True)]

    def _may_divide(self) -> str:
        """Write whether some node divides a row: only then its fractions are computed."""
        known: dict[Feature, set[int]] = {}
        for node, way in self.ways.items():
            if not way.leads_to(DIVIDES):
                continue
            attribute = self.tree.schema.features[int(self.tree.feature[node])]
            codes = known.setdefault(attribute, set(range(len(attribute.categories))))
            if self.tree.kind[node] != NodeKind.THRESHOLD:
                children = codes_of_children(self.tree.condition(node), attribute)
                codes -= set(children.get(-1, ()))
        return " OR ".join(self.dialect.not_among(*pair) for pair in known.items())

    def _check_room(self, n_columns: int, n_steps: int) -> None:
        if n_columns <= MOST_COLUMNS and n_steps <= MOST_DEPTH:
            return
        node = next(n for n, way in self.ways.items() if way.leads_to(DIVIDES))
        raise ExportError(
            f"node {node} of {self.place} divides rows whose value is missing over its "
            f"branches, and SQL cannot compute the fractions of so many nodes",
            got=f"{self.tree.n_nodes:,} nodes, {len(self.ways):,} of them internal",
            hint="prune the tree, or export it to another language.",
        )

    def _branch(self, node: int) -> str:
        """The child that a row goes to, or DIVIDES, or STOPS."""
        way = self.ways[node]
        cases = " ".join(f"WHEN {matched} THEN {child}" for matched, child in way.cases)
        return f"CASE {cases} ELSE {way.otherwise} END" if cases else str(way.otherwise)

    def _share(self, part: int) -> str:
        """Write the fraction of a row at a node, from its parent's; ~node: that ends there."""
        p, d = self.prefix, self.dialect
        if part == 0:
            return d.number(1.0)
        if part < 0:
            inside = ", ".join(map(str, self._kept_branches(~part)))
            return f"CASE WHEN {p}b{~part} IN ({inside}) THEN {p}s{~part} ELSE {d.number(0.0)} END"
        parent = int(self.tree.parent[part])
        branch = part - int(self.tree.first_child[parent])
        weight, total = float(self.weights[part]), self._total(parent)
        some = ""
        if weight > 0 and total > 0:
            divided = f"{p}s{parent} * {d.number(weight)} / {d.number(total)}"
            some = f"WHEN {DIVIDES} THEN {divided} "
        return f"CASE {p}b{parent} WHEN {branch} THEN {p}s{parent} {some}ELSE {d.number(0.0)} END"

    def _total(self, node: int) -> float:
        """The weight of a node's children, summed as the model does it."""
        first, n = int(self.tree.first_child[node]), int(self.tree.n_children[node])
        total = 0.0
        for child in range(first, first + n):
            total += float(self.weights[child])
        return total

    def _kept_branches(self, node: int) -> list[int]:
        """The marks of rows that end at an inner node."""
        kept = [STOPS] if self.ways[node].leads_to(STOPS) else []
        return kept + ([DIVIDES] if self._total(node) <= 0 else [])

    def _sum(self, number: int, parts: list[int]) -> str:
        """Write the sum of a value so far, with the predictions of some parts of the row."""
        total = f"{self.prefix}q{number}"
        terms = [total]
        for part in parts:
            value = float(self.values[~part if part < 0 else part, number])
            if value != 0:
                terms.append(f"{self._names(part)[0]} * {self.dialect.number(value)}")
        return f"{' + '.join(terms)} AS {total}"
