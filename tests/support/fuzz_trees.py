"""Hand-made trees with damaged arrays and schemas: each is refused, or everything reads it.

    python -m tests.support.fuzz_trees --count 100000 --seed 7

Thresholds may be infinite: grown trees separate minus infinity from the other values, and imported
ones missing values from all others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.errors import PlaintreeError
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import Equals, Grouped, Multiway, Subset, Surrogate, Threshold
from plaintree.tree.conventions import CART
from plaintree.tree.tree import ARRAY_DTYPES, Tree
from tests.support.every_reader import SLOW, read_by, readers_of
from tests.support.fuzzing import run

SCHEMA = Schema(
    (
        Feature("x", "numeric"),
        Feature("day", "numeric", "date"),
        Feature("at", "numeric", "datetime"),
        Feature("hour", "numeric", "time"),
        Feature("length", "numeric", "duration"),
        Feature("count", "numeric", "integer"),
        Feature("size", "ordered", "text", ("small", "middle", "large")),
        Feature("color", "categorical", "text", ("red", "green", "blue", "grey")),
    ),
    ("no", "yes", "perhaps"),
)
ENTRIES: tuple[float, ...] = (-1, 0, 1, 2, 3, 7, 0.5, -2, 127, 2**31 - 1, -(2**31), 2**53, 1e300)
ENTRIES += (5e-324, np.inf, -np.inf, np.nan, -1e300, 1e18, 253402300800e6, -1e17, 1e39, -0.0)
WEIGHTS = (0.0, 5e-324, 1e-310, 1e-100, 1e-90, 0.3, 1.0, 2**32, 1e90, 1e100, 1e300)
SOME_READERS, EVERY, EVERY_SLOW = 2, 60, 400
"""How many readers a tree is given to; of every so many cases, one is read by all."""


@cache
def originals() -> tuple[Tree, ...]:
    """Valid trees with nodes of every kind; missing values follow a child, or are divided."""
    conditions = (
        Multiway(7, 4),
        *(Threshold(column, 1.5) for column in range(7)),
        Equals(7, 2),
        Subset(7, (0, 3)),
        Grouped(7, (0, 1, 1, 2)),
    )
    trees = []
    for missing in (-1, 0):
        nodes, waiting = [NodeDescription()], [0]
        for number, condition in enumerate(conditions):
            node = waiting.pop(0)
            children = tuple(range(len(nodes), len(nodes) + condition.n_branches))
            nodes[node] = NodeDescription(condition, children, missing_child=missing)
            nodes += [NodeDescription(class_weights=(number, 3.0, c)) for c in children]
            waiting += children
        trees.append(build_tree(SCHEMA, nodes))
    grown = pt.C45Classifier().fit(*pt.datasets.load_golf()).tree_
    stopping = replace(trees[0], conventions=replace(CART, unseen="stop"))
    leaf = build_tree(SCHEMA, [NodeDescription(class_weights=(1, 2, 3))])
    return (*trees, grown, stopping, leaf, with_surrogates())


def with_surrogates() -> Tree:
    """A tree with surrogates of both kinds; rows that none of them decides stop, or are divided."""
    surrogates = (
        Surrogate(Grouped(7, (0, 1, -1, 1)), False, 0.9, 0.8),
        Surrogate(Threshold(6, 0.5), True, 0.8, 0.6),
        Surrogate(Threshold(1, 1.5), False, 0.75, 0.5),
    )
    first = NodeDescription(Threshold(0, 1.5), (1, 2), missing_child=-2, surrogates=surrogates)
    second = NodeDescription(Grouped(7, (0, -1, 1, 1)), (3, 4), surrogates=surrogates[1:])
    leaves = [NodeDescription(class_weights=(n, 3.0, n)) for n in (1, 2, 5)]
    return build_tree(SCHEMA, [first, second, *leaves])


# -------------------------------------------------------------------- changes


def damaged_arrays(tree: Tree, random: Random) -> dict[str, Any]:
    """Arrays of other lengths, types and shapes, or with an entry that does not belong there."""
    fields: dict[str, Any] = {}
    for name in random.sample(list(ARRAY_DTYPES), random.randint(1, 3)):
        array = np.array(getattr(tree, name), dtype=np.float64)
        how = random.randrange(14)
        if how == 0:
            fields[name] = np.atleast_1d(array)[:-1]
        elif how == 1:
            fields[name] = array.astype(random.choice([str, object, np.float32, complex]))
        elif how == 2:
            odd = [None, "text", [[1], [1, 2]], 3, array[..., None], {}, array.tolist(), [10**400]]
            fields[name] = random.choice(odd)
        elif how == 3 and len(array) > 1:
            i, j = random.sample(range(len(array)), 2)
            array[[i, j]] = array[[j, i]]
            fields[name] = array
        elif array.size:
            array.flat[random.randrange(array.size)] = random.choice(ENTRIES)
            fields[name] = array
    return fields


def odd_numbers(tree: Tree, random: Random) -> dict[str, Any]:
    """Thresholds, labels and weights that a tree may well have, however odd."""
    fields: dict[str, Any] = {
        name: getattr(tree, name).copy() for name in ("threshold", "label", "class_weights")
    }
    thresholds = [v for v in ENTRIES if not np.isnan(v)]
    for _ in range(random.randint(1, 6)):
        node = random.randrange(tree.n_nodes)
        if np.isfinite(tree.threshold[node]):
            fields["threshold"][node] = random.choice(thresholds)
        fields["label"][node] = random.randrange(len(tree.schema.classes))
        if random.random() < 0.5:
            fields["class_weights"][node] *= random.choice(WEIGHTS[3:-1])
    if random.random() < 0.1:
        fields["class_weights"][:] = random.choice(WEIGHTS)
    with np.errstate(over="ignore"):
        return fields | {"weight": fields["class_weights"].sum(axis=1)}


def odd_schema(tree: Tree, random: Random) -> dict[str, Any]:
    """Names, units, kinds, categories and classes that columns may have, or may not."""
    schema = tree.schema
    names: list[Any] = ["", " ", "a\nb", "\0", "x", "\udc80", "1e5", 7, None, b"x", "'\"\\", ["x"]]
    labels: list[Any] = [*names, True, 1, 1.5, -0.0, np.inf, np.nan, 2**70, (1,), "1", np.int64(3)]
    if random.random() < 0.4:
        classes = list(schema.classes)
        classes[random.randrange(len(classes))] = random.choice(labels)
        odd = [tuple(classes), tuple(classes), classes, None, (), tuple(classes[1:]), "abc"]
        changed = {"classes": random.choice(odd[: random.choice([2, 2, 7])])}
        return {"schema": replace(schema, target=random.choice([*names, "y"]), **changed)}
    features: list[Any] = list(schema.features)
    place = random.randrange(len(features))
    own = features[place]
    categories = tuple(
        random.choice(labels) if random.random() < 0.3 else c for c in own.categories
    )
    cuts: list[Any] = [(), (1.0,), (0, 1, np.inf), (-np.inf, 0, 1), (2, 1, 0), (np.nan, 1, 2)]
    cuts += [(1, 2, 3), ("a", "b", "c"), None, [1, 2, 3]]
    kinds, units = ["numeric", "categorical", "ordered", "odd", None], ["date", "time", "number"]
    features[place] = random.choice(
        [
            replace(own, name=random.choice(names)),
            replace(own, unit=random.choice([*units, "duration", "boolean", "odd", 3])),
            replace(own, kind=random.choice(kinds)),
            replace(own, categories=categories),
            replace(
                own, categories=random.choice([None, (), "abcd", ["red"], own.categories[:-1]])
            ),
            replace(own, cuts=random.choice(cuts)),
            None,
        ]
    )
    return {"schema": replace(schema, features=tuple(features))}


# -------------------------------------------------------------------- one case


def try_tree(seed: str, all_readers: bool = False) -> str:
    """Damage a tree: it is refused by validation, or everything reads it."""
    random = Random(seed)
    original = random.choice(originals())
    changes: tuple[Callable[[Tree, Random], dict[str, Any]], ...]
    changes = (damaged_arrays, odd_numbers, odd_numbers, odd_schema)
    fields = random.choice(changes)(original, random)
    given = {k: v.copy() for k, v in fields.items() if isinstance(v, np.ndarray)}
    try:
        tree = replace(original, **fields)
    except PlaintreeError:
        return "refused"
    for name, array in given.items():
        kept = np.array(getattr(tree, name), dtype=np.float64)
        assert np.array_equal(kept, array.astype(np.float64), equal_nan=True), name
    read_as_drawn(tree, random, all_readers)
    return "read"


def read_as_drawn(model: Any, random: Random, all_readers: bool) -> None:
    """Read a model by a few readers drawn at random, and now and then by all."""
    drawn, named = random.random(), sorted(readers_of(model))
    if all_readers or drawn < 1 / EVERY:
        read_by(model)
    else:
        read_by(model, random.sample(named, SOME_READERS))
    if drawn < 1 / EVERY_SLOW:
        slow = readers_of(model, slow=True)
        read_by(model, [random.choice([name for name in SLOW if name in slow])])


if __name__ == "__main__":
    sys.exit(run("tests.support.fuzz_trees", try_tree))
