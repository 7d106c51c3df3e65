"""The steps of a worked example, read off grown trees: stumps, what they leave, outlines."""

from __future__ import annotations

from typing import Any

from plaintree import ID3Classifier
from plaintree.datasets import Dataset
from plaintree.tree.node import Node


def stump(data: Dataset, column: str, criterion: str = "information_gain", **where: Any) -> Node:
    """The root when only one column may be tested, among the rows that ``where`` selects."""
    frame = data.frame.filter(**where) if where else data.frame
    model = ID3Classifier(criterion=criterion, max_depth=1)
    return model.fit(frame.select(column), frame[data.target]).tree_.root


def score(data: Dataset, column: str, criterion: str = "information_gain", **where: Any) -> float:
    return stump(data, column, criterion, **where).score


def branch(node: Node, value: object) -> Node:
    """The child of a many-way node for one category."""
    categories = node.tree.schema.features[node.condition.feature].categories
    return node.children[categories.index(value)]


def remaining(node: Node) -> float:
    """The entropy that is left after the test: the children's, weighted."""
    return sum(child.weight / node.weight * child.impurity for child in node.children)


def fitted(model: Any, data: Dataset) -> Any:
    return model.fit(data.X, data.y)


def outline(node: Node) -> Any:
    """A tree as nested dictionaries: attribute, then a branch per category or side."""
    if node.is_leaf:
        return node.label
    schema, test = node.tree.schema, node.condition
    answers = [test.operator_and_value(schema, b) for b in range(test.n_branches)]
    keys = [value if word == "=" else f"{word} {value}" for word, value in answers]
    return {node.feature: dict(zip(keys, map(outline, node.children), strict=True))}
