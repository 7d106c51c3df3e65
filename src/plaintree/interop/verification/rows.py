"""Generated rows for verification: both sides of every split, missing and unseen values.

A row is generated for a node: it satisfies all conditions above the node, and takes, in the column
that the node splits on, the values that decide: the threshold and its two neighbours, every
category, a missing value, an unseen category. Other columns are filled at random. If there are too
many nodes, some are sampled, always the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from math import floor, inf, isfinite, isnan, nextafter
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.column import Column
from plaintree.data.encode import UsedColumns, encode
from plaintree.data.schema import UNSEEN, Feature, Label, Schema
from plaintree.data.table import Table, table_from
from plaintree.data.timestamps import DAY, TEMPORAL, duration_of, timestamp_of
from plaintree.rules.rule import Clause, joined
from plaintree.tree.tree import Tree

from ..members import Members, label_type, members_of

MOST_ROWS = 1000
"""Number of rows that are generated."""
BATCH = 50_000
"""Number of rows of a table that are compared at once."""
MOST_VALUES = 12
"""Number of categories or cut points that are tried at one node."""
SEED = 20240229

Value = Any
Row = dict[str, Value]


@dataclass(frozen=True, eq=False)
class VerificationRows:
    """Rows by column names, and which of them the model refuses to predict.

    Values are floats, labels, datetimes and timedeltas, or None for missing.

    - ``numbers``: the numbers in a table, from 0, of the first rows; the others are generated.
    - ``left_out``: how many rows were dropped, by the reason for it.
    - ``encoded``: the same rows as a table that models take, where there is one already.
    """

    schema: Schema
    rows: list[Row]
    refused: list[bool]
    numbers: Sequence[int] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    encoded: Table | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_given(self) -> int:
        """Number of rows of a table; they come first."""
        return len(self.numbers)

    def columns(self) -> dict[str, list[Value]]:
        """The rows as a table that models take; their timestamps are those of UTC."""
        zoned = {a.name for a in self.schema.features if a.zoned and not a.is_categorical}
        return {
            name: [
                row[name].replace(tzinfo=UTC) if name in zoned and row[name] else row[name]
                for row in self.rows
            ]
            for name in self.schema.names
        }

    def table(self) -> Table:
        """The same, read."""
        return table_from(self.columns()) if self.encoded is None else self.encoded

    def some(self, kept: Iterable[int]) -> VerificationRows:
        """The rows at some places, in ascending order."""
        places = list(kept)
        if len(places) == len(self.rows):
            return self
        return replace(
            self,
            rows=[self.rows[i] for i in places],
            refused=[self.refused[i] for i in places],
            numbers=[self.numbers[i] for i in places if i < self.n_given],
            encoded=None if self.encoded is None else self.encoded.take(np.array(places, np.intp)),
        )

    def accepted(self) -> list[int]:
        """The places of the rows that the model does not refuse."""
        return [i for i, refused in enumerate(self.refused) if not refused]

    def features(self) -> Iterator[tuple[Feature, list[Value]]]:
        """Yield each feature with its values."""
        for attribute in self.schema.features:
            yield attribute, [row[attribute.name] for row in self.rows]


def verification_rows(model: object, X: Any = None, *, limit: int = MOST_ROWS) -> VerificationRows:
    """Return the rows of a table, and rows generated for the nodes or rules of a model.

    >>> import plaintree as pt
    >>> from plaintree.interop.verification.rows import verification_rows
    >>> X, y = pt.datasets.load_tennis()
    >>> rows = verification_rows(pt.ID3Classifier().fit(X, y)).columns()
    >>> sorted(set(rows["Outlook"]) - {None})
    ['Overcast', 'Rain', 'Sunny', 'unseen']
    """
    batches = list(verification_batches(model, X, limit=limit))
    rows = [row for batch in batches for row in batch.rows]
    refused = [one for batch in batches for one in batch.refused]
    numbers = [number for batch in batches for number in batch.numbers]
    return VerificationRows(batches[0].schema, rows, refused, numbers)


def verification_batches(
    model: object, X: Any = None, *, limit: int = MOST_ROWS, size: int = BATCH
) -> Iterator[VerificationRows]:
    """Yield the same rows: those of the table in batches, then the generated ones."""
    members = members_of(model)
    maker = _RowMaker(members.schema, Random(SEED))
    refuses = _refusal(members.schema, _conventions_of(model, members))
    if X is not None:
        yield from _given_rows(members.schema, X, members.used_columns, refuses, size)
    if isinstance(members, Members):
        made = maker.rows_of_trees(members.trees, limit)
    else:
        made = maker.rows_of_rules([rule.conditions for rule in members.rules], limit)
    made += maker.random_rows(max(20, limit // 10))
    yield VerificationRows(members.schema, made, list(map(refuses, made)))


def _conventions_of(model: object, members: Any) -> Any:
    tree = getattr(model, "tree_", None)
    return (
        members.conventions if isinstance(members, Members) else getattr(tree, "conventions", None)
    )


def _refusal(schema: Schema, conventions: Any) -> Callable[[Mapping[str, Value]], bool]:
    """Whether a model of these conventions raises an error for a row."""
    no_missing = conventions is not None and conventions.missing == "error"
    no_unseen = conventions is not None and conventions.unseen == "error"
    known = {
        a.name: {str(category) for category in a.categories}
        for a in schema.features
        if a.categories and not a.cuts
    }

    def refuses(row: Mapping[str, Value]) -> bool:
        if no_missing and any(value is None for value in row.values()):
            return True
        return no_unseen and any(
            row[name] is not None and str(row[name]) not in texts for name, texts in known.items()
        )

    return refuses


def _given_rows(
    schema: Schema,
    X: Any,
    used: UsedColumns,
    refuses: Callable[[Mapping[str, Value]], bool],
    size: int,
) -> Iterator[VerificationRows]:
    """The rows of a caller's table; an unseen category becomes one that is made up."""
    uncut = tuple(
        replace(a, kind="numeric", categories=(), cuts=()) if a.cuts else a for a in schema.features
    )
    encoded = encode(table_from(X), replace(schema, features=uncut), used=used)
    n_rows = len(encoded[0])
    for start in range(0, n_rows, size):
        parts = [column[start : start + size] for column in encoded]
        table = Table(tuple(map(_column_of, uncut, parts)), len(parts[0]))
        values = map(_values_of, uncut, parts)
        rows = [dict(zip(schema.names, row, strict=True)) for row in zip(*values, strict=True)]
        numbers = range(start, start + len(rows))
        refused = list(map(refuses, rows))
        yield VerificationRows(schema, rows, refused, numbers, encoded=table)


def _column_of(attribute: Feature, codes: NDArray[Any]) -> Column:
    """Encoded values as a column of a table."""
    name, kind, unit = attribute.name, attribute.kind, attribute.unit
    if kind != "categorical":
        zoned = bool(attribute.zoned)
        return Column(name, kind, codes, unit, attribute.categories, zoned=zoned)
    unseen = unseen_label(attribute)
    labels = (*attribute.categories, *(() if unseen is None else (unseen,)))
    return Column(name, kind, np.where(codes == UNSEEN, len(labels) - 1, codes), unit, labels)


def _values_of(attribute: Feature, codes: NDArray[Any]) -> list[Value]:
    """Encoded values as Python's own."""
    if attribute.kind == "numeric" and attribute.unit not in TEMPORAL:
        numbers: NDArray[np.object_] = codes.astype(np.float64).astype(object)
        numbers[np.isnan(codes)] = None
        return list(numbers)
    if attribute.kind == "numeric":
        return [value_of(attribute, number) for number in codes.tolist()]
    # An unseen one among ordered categories comes back as missing, which is all the same.
    labels = [*attribute.categories, unseen_label(attribute), None]  # -2 and -1
    return [labels[-1 if v != v else int(v)] for v in codes.tolist()]  # noqa: PLR0124


def value_of(attribute: Feature, number: float) -> Value:
    """Decode a number: a float, datetime, timedelta or label; None if NaN."""
    if isnan(number):
        return None
    if attribute.kind == "ordered":
        return attribute.categories[int(number)]
    if attribute.unit not in TEMPORAL:
        return number
    if attribute.unit == "duration":
        return duration_of(number)
    timestamp = timestamp_of(number)
    if timestamp is None or attribute.unit == "datetime":
        return timestamp
    return timestamp.time() if attribute.unit == "time" else timestamp.date()


def unseen_label(attribute: Feature) -> Label | None:
    """Return a label that is not one of a feature's categories; None if there can be no other."""
    labels = attribute.categories
    kind = label_type(labels)
    if kind == "boolean":
        others = [label for label in (False, True) if label not in labels]
        return others[0] if others else None
    if labels and all(isinstance(label, int) and not isinstance(label, bool) for label in labels):
        return max(map(int, labels)) + 1  # also for large ones, which are easily confused
    if kind == "real":
        return max(map(float, labels)) + 1.5
    text, texts = "unseen", {str(label) for label in labels}
    while text in texts:
        text += "_"
    return text


@dataclass(frozen=True, eq=False)
class _RowMaker:
    """Generates rows for nodes and rules, the same ones every time."""

    schema: Schema
    random: Random

    def rows_of_trees(self, trees: Iterable[Tree], limit: int) -> list[Row]:
        """Rows for inner nodes of trees, for some of them if there are many."""
        trees = list(trees)
        if len(trees) > limit:
            trees = self.random.sample(trees, limit)
        share = max(3, limit // len(trees))
        rows: list[Row] = []
        for tree in trees:
            inner = [node for node, n in enumerate(tree.n_children.tolist()) if n]
            made: list[Row] = []
            if len(inner) * 3 > share:
                inner = sorted(self.random.sample(inner, max(1, min(len(inner), share // 3))))
            for node, clauses in _paths(tree, inner):
                made += self._rows_at(tree, node, clauses)
            rows += made if len(made) <= share else self.random.sample(made, share)
        return rows

    def rows_of_rules(self, rules: list[tuple[Clause, ...]], limit: int) -> list[Row]:
        """Rows that satisfy a rule, and rows that just do or do not satisfy one of its clauses."""
        rows: list[Row] = []
        for clauses in rules:
            for clause in clauses:
                attribute = self.schema.features[clause.feature]
                ends = [end for end in (clause.low, clause.high) if end is not None]
                tried = [v for end in ends for v in self._around(attribute, end)]
                rows += self._variants(clauses, attribute, tried)
        return rows if len(rows) <= limit else self.random.sample(rows, limit)

    def random_rows(self, n: int) -> list[Row]:
        """Return random rows, with many missing values."""
        rows = [self._row(()) for _ in range(n)]
        for row in rows[n // 2 :]:
            for name in row:
                if self.random.random() < 0.4:
                    row[name] = None
        return rows

    def _rows_at(self, tree: Tree, node: int, clauses: tuple[Clause, ...]) -> list[Row]:
        condition = tree.condition(node)
        assert condition is not None, "an internal node has a condition"
        attribute = self.schema.features[condition.feature]
        threshold = float(tree.threshold[node])
        tried = [] if isnan(threshold) else self._around(attribute, threshold)
        rows = self._variants(clauses, attribute, tried)
        undecided = {attribute.name: None}  # what the surrogates so far do not decide
        for surrogate in tree.surrogates(node):
            other = self.schema.features[surrogate.condition.feature]
            cut = getattr(surrogate.condition, "threshold", None)
            tried = [] if cut is None else self._around(other, cut)
            rows += [row | undecided for row in self._variants(clauses, other, tried)]
            undecided[other.name] = None
        return rows

    def _variants(
        self, clauses: tuple[Clause, ...], attribute: Feature, tried: list[Value]
    ) -> list[Row]:
        """Rows that satisfy clauses, but for a column in which they take the values that decide."""
        tried = [*tried, None, *self._values_of(attribute)]
        row = self._row(clauses)
        return [row, *({**row, attribute.name: value} for value in tried)]

    def _row(self, clauses: tuple[Clause, ...]) -> Row:
        asked = {clause.feature: clause for clause in clauses}
        row = {}
        for column, attribute in enumerate(self.schema.features):
            clause = asked.get(column)
            row[attribute.name] = (
                self._any_value(attribute) if clause is None else self._satisfying(clause)
            )
        return row

    def _any_value(self, attribute: Feature) -> Value:
        values = [None, *self._values_of(attribute)]
        if attribute.kind == "numeric":
            values += [value_of(attribute, self.random.uniform(-1e3, 1e3)) for _ in range(9)]
        return self.random.choice(values)

    def _values_of(self, attribute: Feature) -> list[Value]:
        """Return some categories and an unseen one; numbers around cut points; zero."""
        if attribute.cuts:
            chosen = self._some(attribute.cuts)
            return [value for cut in chosen for value in self._around(attribute, cut)]
        if attribute.kind == "numeric":
            return [value_of(attribute, 0.0)]
        unseen = unseen_label(attribute)
        return self._some(attribute.categories) + ([] if unseen is None else [unseen])

    def _some(self, values: tuple[Any, ...]) -> list[Any]:
        few = len(values) <= MOST_VALUES
        return list(values) if few else self.random.sample(values, MOST_VALUES)

    def _around(self, attribute: Feature, threshold: float) -> list[Value]:
        """The values next to a threshold: on it if there is one, below and above."""
        return [value_of(attribute, number) for number in _numbers_around(attribute, threshold)]

    def _satisfying(self, clause: Clause) -> Value:
        """A value that satisfies a clause, if there is any."""
        attribute = self.schema.features[clause.feature]
        if clause.is_missing:
            return None
        if clause.allowed is not None:
            codes = [code for code in clause.codes if code < len(attribute.categories)]
            if not codes:
                return None
            code = self.random.choice(codes)
            if not attribute.cuts:
                return attribute.categories[code]
            cuts = attribute.cuts
            end = cuts[code] if code < len(cuts) else nextafter(cuts[-1], inf)
            return value_of(attribute, end if isfinite(end) else 0.0)
        low, high = clause.low, clause.high
        ends = [end for end in (high, low) if end is not None]
        choices = [n for end in ends for n in _numbers_around(attribute, end)]
        inside = [n for n in choices if (low is None or n > low) and (high is None or n <= high)]
        chosen = inside or choices
        return value_of(attribute, self.random.choice(chosen)) if chosen else None


def _numbers_around(attribute: Feature, threshold: float) -> list[float]:
    """The encoded numbers next to a threshold: on it if there is one, below and above."""
    if attribute.kind == "ordered":
        near = (floor(threshold), floor(threshold) + 1)
        return [float(code) for code in near if 0 <= code < len(attribute.categories)]
    if not isfinite(threshold):
        return [-1e308, 1e308] if attribute.unit not in TEMPORAL else []
    if attribute.unit in TEMPORAL:
        step = DAY if attribute.unit == "date" else 1
        first = threshold // step * step
        return [first, first + step]
    numbers = (threshold, nextafter(threshold, inf), nextafter(threshold, -inf))
    return [number for number in numbers if isfinite(number)]


def _paths(tree: Tree, nodes: list[int]) -> Iterator[tuple[int, tuple[Clause, ...]]]:
    """Yield some nodes, in the order of a walk, with the conditions above them."""
    wanted = set(nodes)
    above = set(nodes)  # a walk needs to go to no other nodes
    for node in nodes:
        while node > 0 and (node := int(tree.parent[node])) not in above:
            above.add(node)
    waiting: list[tuple[int, tuple[Clause, ...]]] = [(0, ())]
    while waiting:
        node, clauses = waiting.pop()
        if node in wanted:
            yield node, clauses
        condition = tree.condition(node)
        first = int(tree.first_child[node])
        for branch in range(int(tree.n_children[node]) - 1, -1, -1):
            if condition is not None and first + branch in above:
                clause = Clause.of(condition, branch, tree.schema)
                waiting.append((first + branch, joined(clauses, clause)))
