"""Trees grown from counts: the rows of a random table in random blocks, under random limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from plaintree import _core
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.data.target import core_target
from plaintree.growing.blocks import borders_of
from plaintree.growing.from_counts import CountedRows, Growing, grow_forest_from, grow_tree_from
from plaintree.growing.limits import Limits
from plaintree.growing.sources.memory import BlocksInMemory
from plaintree.stats.exact_totals import exact_totals
from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import PackedForest, Sampling
from plaintree.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Blocks:
    """How rows lie in blocks: the borders of each column, where blocks end, in which order."""

    borders: list[np.ndarray[Any, Any]]
    ends: list[int]
    order: list[int]

    @classmethod
    def random(cls, random: Random, schema: Schema, rows: Rows) -> Blocks:
        n_rows = len(rows.target)
        ends = sorted(random.sample(range(1, n_rows), min(n_rows - 1, random.choice([0, 1, 3, 6]))))
        order = list(range(len(ends) + 1))
        random.shuffle(order)
        borders = [
            np.empty(0) if feature.is_categorical else random_borders(random, column)
            for feature, column in zip(schema.features, rows.columns, strict=True)
        ]
        return cls(borders, [*ends, n_rows], order)

    def source(self, schema: Schema, rows: Rows) -> BlocksInMemory:
        encoder = _core.BlockEncoder(self.borders)
        target, parts, begin = core_target(rows.target, schema), [], 0
        for end in self.ends:
            block = encoder.encode(
                columns=[np.ascontiguousarray(column[begin:end]) for column in rows.columns],
                n_categories=schema.category_counts,
                target=target[begin:end],
                n_classes=len(schema.classes),
                weights=None if rows.weights is None else rows.weights[begin:end],
                first_row=begin,
            )
            parts.append([block])
            begin = end
        return BlocksInMemory([parts[i] for i in self.order])


def random_borders(random: Random, column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Borders between buckets: one per value, a few of the values, one bucket, or misplaced."""
    values = borders_of(column)
    kind = random.choice(["all", "all", "few", "one", "misplaced"])
    if kind == "all" or not len(values):
        return values
    if kind == "few":
        return np.array(sorted(random.sample(values.tolist(), (len(values) + 1) // 2)))
    if kind == "one":
        return np.empty(0)
    return np.array([-3.25, 1e9 + 1, 1e9 + 2])


def random_limits(random: Random, schema: Schema) -> Limits:
    """Limits under which every stage of growing is used sooner or later.

    The tightest allow for one node at a time, and for one column of it that is looked at.
    """
    cells = sum(n + 1 if n else 65 for n in schema.category_counts)
    one_node = 16 * cells * (8 + 3 * len(schema.classes)) // 4
    return random.choice(
        [
            Limits(table_bytes=one_node, list_rows=1, gather_rows=0),
            Limits(table_bytes=one_node, list_rows=3, gather_rows=5),
            Limits(table_bytes=4 * one_node, list_rows=8, gather_rows=0),
            Limits(gather_rows=random.choice([0, 2, 10, 100])),
        ]
    )


def counted_rows(schema: Schema, rows: Rows) -> CountedRows:
    n_groups = max(1, len(schema.classes))
    groups = rows.target if schema.classes else np.zeros(len(rows.target), dtype=np.int32)
    totals = exact_totals(groups, rows.weights, n_groups)
    return CountedRows(schema, tuple(totals), rows.weights is not None)


def grown_from_counts(
    random: Random, schema: Schema, rows: Rows, conventions: Conventions, **options: Any
) -> Tree:
    """The tree from random blocks under random limits."""
    source = Blocks.random(random, schema, rows).source(schema, rows)
    growing = Growing(random_limits(random, schema), n_threads=random.choice([1, 2]))
    return grow_tree_from(source, counted_rows(schema, rows), conventions, growing, **options)


def knows_numbers_of_values(random: Random, schema: Schema, rows: Rows) -> bool:
    """Whether the same blocks show how many values every column has."""
    facts = Blocks.random(random, schema, rows).source(schema, rows).facts
    return all(column["exact"] for column in _core.describe_facts(facts)["columns"])


def forest_from_counts(
    random: Random,
    schema: Schema,
    rows: Rows,
    conventions: Conventions,
    sampling: Sampling,
    **options: Any,
) -> PackedForest:
    """The forest from random blocks under random limits."""
    source = Blocks.random(random, schema, rows).source(schema, rows)
    growing = Growing(random_limits(random, schema))
    given = source, counted_rows(schema, rows), conventions, sampling, growing
    return grow_forest_from(*given, **options)


def differences(trees: Sequence[Tree], others: Sequence[Tree]) -> list[str]:
    """What differs, tree by tree; nothing where all are the same."""
    found = [a.difference(b) for a, b in zip(trees, others, strict=True)]
    hashes = [a.content_hash() == b.content_hash() for a, b in zip(trees, others, strict=True)]
    return [str(text) for text, same in zip(found, hashes, strict=True) if text or not same]
