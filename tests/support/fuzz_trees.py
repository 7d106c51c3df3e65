"""Hand-made trees with damaged arrays: how to make them, and what must hold of each.

    python -m tests.support.fuzz_trees 10000 [SEED]

tries as many damaged trees and as many damaged model files, and prints the outcomes. A damaged tree
is refused by validation, or it is a tree, and everything that reads trees works on it.
"""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.errors import PlaintreeError
from plaintree.interop.model_file.reading import from_bytes, to_bytes
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import Equals, Grouped, Multiway, Subset, Threshold
from plaintree.tree.predict import answering_nodes, class_codes, class_shares
from plaintree.tree.tree import ARRAY_DTYPES, Tree
from tests.support.trees import random_rows

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
ENTRIES += (5e-324, np.inf, -np.inf, np.nan, -1e300, 1e18, 253402300800e6, -1e17)
READERS: dict[str, Callable[[Tree], Any]] = {
    "text": pt.export_text,
    "rules": pt.export_rules,
    "formula": lambda tree: pt.export_formula(tree, "yes"),
    "svg": pt.export_svg,
    "dot": pt.export_dot,
    "mermaid": pt.export_mermaid,
    "tikz": pt.export_tikz,
    "sql": pt.export_sql,
    "c": pt.export_c,
    "python": pt.export_python,
    "java": pt.export_java,
    "javascript": pt.export_javascript,
    "pmml": pt.export_pmml,
    "onnx": pt.export_onnx,
    "explain": lambda tree: str(pt.explain(tree, dict.fromkeys(SCHEMA.names))),
    "explain a row": lambda tree: str(pt.explain(tree, [1.5, *[None] * 5, "middle", "blue"])),
    "importances": lambda tree: tree.importances(),
    "merge": lambda tree: tree.merge_leaves(),
    "cut": lambda tree: tree.cut(0),
    "relabel": lambda tree: tree.relabel(tree.n_nodes - 1, "perhaps"),
    "forest": lambda tree: tree.difference(pt_forest(tree)[0]),
}


def pt_forest(tree: Tree) -> Any:
    """A packed forest of one tree."""
    from plaintree.tree.forest import PackedForest

    return PackedForest.from_trees([tree])


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
    return (*trees, grown, build_tree(SCHEMA, [NodeDescription(class_weights=(1, 2, 3))]))


def damaged(random: Random) -> dict[str, Any]:
    """The changed fields of a tree, some of which may be as they were; and the tree itself."""
    tree = random.choice(originals())
    fields: dict[str, Any] = {}
    for _ in range(random.randint(1, 3)):
        name = random.choice(list(ARRAY_DTYPES))
        array = np.array(fields.get(name, getattr(tree, name)), dtype=np.float64)
        how = random.randrange(12)
        if how == 0:
            fields[name] = np.atleast_1d(array)[:-1]
        elif how == 1:
            fields[name] = array.astype(random.choice([str, object, np.float32, complex]))
        elif how == 2:
            fields[name] = random.choice([None, "text", [[1], [1, 2]], 3, array[..., None]])
        elif array.size:
            array.flat[random.randrange(array.size)] = random.choice(ENTRIES)
            fields[name] = array
        try:
            np.array(fields.get(name, 0), dtype=np.float64)
        except (TypeError, ValueError):
            break  # nothing more can be changed in it
    return {"tree": tree, **fields}


def altered(random: Random) -> dict[str, Any]:
    """The changed fields of a tree that may well be one: odd thresholds, labels and weights."""
    tree = random.choice(originals())
    fields = {name: getattr(tree, name).copy() for name in ("threshold", "label", "class_weights")}
    for _ in range(random.randint(1, 6)):
        node = random.randrange(tree.n_nodes)
        if np.isfinite(tree.threshold[node]):
            fields["threshold"][node] = random.choice([v for v in ENTRIES if not np.isnan(v)])
        fields["label"][node] = random.randrange(len(tree.schema.classes))
        fields["class_weights"][node] *= random.choice([0.0, 5e-324, 1e-310, 0.3, 1.0, 1e300])
    return {"tree": tree, **fields, "weight": fields["class_weights"].sum(axis=1)}


def try_tree(random: Random) -> str:
    """Damage a tree: "refused", or "a tree" on which everything has worked."""
    fields = random.choice((damaged, altered))(random)
    original = fields.pop("tree")
    given = {k: v.copy() for k, v in fields.items() if isinstance(v, np.ndarray)}
    try:
        tree = replace(original, **fields)
    except PlaintreeError:
        return "refused"
    for name, array in given.items():
        assert np.array_equal(getattr(tree, name), array.astype(np.float64), equal_nan=True), name
    check_reading(tree, random)
    return "a tree"


def check_reading(tree: Tree, random: Random) -> None:
    """Everything that reads trees works, or refuses in words of its own."""
    for again in (pickle.loads(pickle.dumps(tree)), from_bytes(to_bytes(tree))):
        assert tree.difference(again) is None
        assert again.content_hash() == tree.content_hash()
    columns = [
        column.astype(np.int32 if attribute.is_categorical else np.float64)
        for attribute, column in zip(
            tree.schema.features,
            random_rows(tree.schema, 20, seed=random.randrange(1000), gaps=True),
            strict=True,
        )
    ]
    assert np.isfinite(class_shares(tree, columns)).all()
    ends, codes = answering_nodes(tree, columns), class_codes(tree, columns)
    if not (tree.missing_child[tree.n_children > 0] < 0).any():
        assert (codes == tree.label[ends]).all()
    if tree.schema != SCHEMA:
        return
    for name in random.sample(sorted(READERS), 5):
        try:
            READERS[name](tree)
        except PlaintreeError:
            pass
        except Exception as error:
            raise AssertionError(f"{name}: {error!r}") from error


def main(n: int, seed: int) -> None:
    """Try n damaged trees and n damaged model files, and print the outcomes."""
    from tests.support.fuzz_model_file import Chance, try_one

    failures: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    for number in range(n):
        try:
            outcomes[try_tree(Random(f"{seed} {number}"))] += 1
        except Exception as error:
            failures[f"{type(error).__name__}: {str(error)[:150]}"] += 1
    print(f"{n:,} damaged trees: {dict(outcomes)}")
    outcomes.clear()
    for number in range(n):
        try:
            outcomes["refused" if try_one(Chance(seed + number)) is None else "a model"] += 1
        except Exception as error:
            failures[f"{type(error).__name__}: {str(error)[:150]}"] += 1
    print(f"{n:,} damaged model files: {dict(outcomes)}")
    for failure, times in failures.most_common():
        print(f"  FAILED {times} times: {failure}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
