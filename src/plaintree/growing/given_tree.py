"""A tree and its training rows, ready for the core: to grow on from it, or to ask at a node."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import completed_schema, encode
from plaintree.data.rows import Rows
from plaintree.data.table import table_from
from plaintree.data.target import comparable, weights_from
from plaintree.errors import ArgumentTypeError, ParameterError, TableError, TreeError, row_name
from plaintree.threads import thread_count
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree, tree_of
from plaintree.tree.walk import encoded_target

from .altered import Altered
from .one_tree import check_task, core_arguments, range_of, refusing_large_trees


class Todo(IntEnum):
    """What the core does at a node (src/core/grow/given_tree.h)."""

    STOP = 0
    KEEP = 1
    GROW = 2
    PROBE = 3


@dataclass(frozen=True, eq=False)
class GivenTree:
    """A tree with the rows that it was grown from, as its learner reads them.

    - ``altered``: the rows as they count in scores, where priors or costs are set.
    - ``chance``: how many features a node samples, and the seed.
    """

    tree: Tree
    rows: Rows
    conventions: Conventions
    altered: Altered | None
    chance: dict[str, int]
    n_threads: int

    @classmethod
    def of(cls, model_or_tree: object, X: Any, y: Any, sample_weight: Any = None) -> GivenTree:
        """The tree, and the table encoded by its schema."""
        tree = _own_tree(model_or_tree)
        conventions = tree.conventions
        if conventions is None:
            raise TreeError(
                "the tree has no conventions to grow by",
                got="a tree that was built by hand or imported",
                hint='give it some: dataclasses.replace(tree, conventions=pt.conventions("CART")).',
            )
        table = table_from(X)
        tree = replace(tree, schema=completed_schema(tree.schema, table))
        columns = encode(table, tree.schema, unseen="error")
        target = encoded_target(tree, y, table.n_rows)
        weights = comparable(weights_from(sample_weight, table.n_rows))
        rows = Rows(columns, target, weights, table)
        if hasattr(model_or_tree, "_weighted"):
            rows = replace(rows, weights=model_or_tree._weighted(rows, tree.schema))
        chance = {}
        if hasattr(model_or_tree, "_chance"):
            chance = model_or_tree._chance(tree.schema, conventions)
        check_task(tree.schema, conventions, *range_of(tree.schema, target))
        if conventions.missing == "error":
            _refuse_missing(tree, columns)
        altered = Altered.of(tree.schema, target, rows.weights, conventions)
        n_threads = thread_count(getattr(model_or_tree, "n_jobs", None))
        return cls(tree, rows, conventions, altered, chance, n_threads)

    def arguments(self, todo: NDArray[np.uint8], **params: int) -> dict[str, Any]:
        """What the core is called with."""
        given = core_arguments(
            self.tree.schema, self.rows, self.conventions, self.altered, **params
        )
        return {**given, "n_threads": self.n_threads, "tree": self.tree, "todo": todo}

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Turn errors of the core into those of the package."""
        schema = self.tree.schema
        try:
            with refusing_large_trees(schema, self.rows):
                yield
        except ValueError as error:
            if len(error.args) != 2:
                raise
            what, column = error.args
            raise TreeError(
                "a split of the tree cannot be kept with these rows",
                got=f"{what}, of the feature {schema.features[column].name!r}",
                hint="use the rows that the tree was grown from, or cut the tree there.",
            ) from None

    def restored(self, class_weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Class weights of the rows as they were given."""
        return class_weights if self.altered is None else self.altered.restored(class_weights)


def _own_tree(model_or_tree: object) -> Tree:
    if hasattr(model_or_tree, "rules_"):
        raise ArgumentTypeError(
            "this model predicts by rules, not by its tree",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="pass its tree, model.tree_.",
        )
    return tree_of(model_or_tree)


def _refuse_missing(tree: Tree, columns: list[NDArray[Any]]) -> None:
    for feature, column in zip(tree.schema.features, columns, strict=True):
        missing = np.flatnonzero(feature.missing(column))
        if missing.size:
            raise TableError(
                f"the feature {feature.name!r} has missing values",
                got=f"missing='error', and a missing value in {row_name(missing[0])}",
                hint="use the rows that the tree was grown from.",
            )


def one_node(tree: Tree, node: Any) -> int:
    """The number of a node; an error if it is not one."""
    if isinstance(node, bool) or not isinstance(node, int | np.integer):
        raise ParameterError(
            "node must be the number of a node",
            got=f"node={node!r}",
            hint="pass an integer, such as node.index.",
        )
    return tree.node(int(node)).index


def ancestors(tree: Tree, node: int) -> list[int]:
    """The nodes above a node, the root first."""
    above = []
    while (node := int(tree.parent[node])) >= 0:
        above.append(node)
    return above[::-1]
