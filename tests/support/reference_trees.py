"""Trees grown here, compared node by node with those that other programs printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from plaintree.tree.condition import Multiway, Threshold
from plaintree.tree.node import Node


def errors(model: Any, X: pd.DataFrame, y: np.ndarray) -> int:
    return int(np.count_nonzero(model.predict(X) != y))


def side_by_side(root: Node, theirs: dict[str, Any]) -> Iterator[tuple[Node, dict[str, Any]]]:
    """Pairs of our nodes and the program's, as far down as both have children."""
    pending = [(root, theirs)]
    while pending:
        pair = pending.pop()
        yield pair
        pending.extend(zip(pair[0].children, pair[1].get("children", []), strict=False))


def difference(node: Node, theirs: dict[str, Any]) -> str | None:
    if len(node.children) != len(theirs.get("children", [])):
        return f"{len(node.children)} children"
    if str(node.label) != theirs["class"]:
        return f"class {node.label} against {theirs['class']}"
    # The program copies the parent's class weights into an empty leaf; here they are zero.
    dist = theirs["dist"] if theirs["n"] > 0 else [0] * len(theirs["dist"])
    if not np.allclose(list(node.counts.values()), dist, atol=1e-3, rtol=1e-5):
        return f"class weights {node.counts} against {dist}"
    return None if node.is_leaf else condition_difference(node, theirs)


def condition_difference(node: Node, theirs: dict[str, Any]) -> str | None:
    if node.feature != theirs["attribute"]:
        return f"{node.feature} against {theirs['attribute']}"
    condition = node.condition
    if isinstance(condition, Threshold):
        # Thresholds were printed in single precision.
        same = np.isclose(condition.threshold, theirs["cut"], rtol=1e-5, atol=1e-9)
        return None if same else f"{condition.threshold} against {theirs['cut']}"
    assert isinstance(condition, Multiway)
    labels = node.tree.schema.features[condition.feature].categories
    return None if list(labels) == theirs["values"] else f"{labels} against {theirs['values']}"


def path_to(node: Node) -> str:
    steps = []
    while (above := node.parent) is not None:
        branch = above.children.index(node)
        steps.append(above.condition.describe(above.tree.schema, branch))
        node = above
    return ", ".join(reversed(steps)) or "the root"
