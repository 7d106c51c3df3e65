"""Predictions from the features: one tree, trees that vote, or rules, in one graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto

from plaintree.tree.prediction import predicted_classes, predicted_values
from plaintree.tree.tree import Tree
from plaintree.tree.walk import divides

from ..members import Members
from .divided import DividedTree
from .ensemble import Ensemble, Leaf, RuleSource, TreeSource
from .features import Treatment, write_features
from .graph import Graph

if TYPE_CHECKING:
    from plaintree.rules.rule_list import RuleList

LABEL, SHARES, NUMBER = "label", "probabilities", "prediction"
"""The names of the outputs, unless columns have them."""


def write_model(model: Members | RuleList, *, matrix: bool) -> bytes:
    """The finished ONNX model."""
    graph = Graph(model.schema.names)
    if isinstance(model, Members):
        _write_members(graph, model, matrix)
    else:
        _write_rules(graph, model, matrix)
    return graph.to_bytes()


def _write_members(graph: Graph, members: Members, matrix: bool) -> None:
    conventions = members.conventions
    missing = conventions.missing if conventions else "branch"
    unseen = conventions.unseen if conventions else "missing"
    treatment = Treatment(
        "error" if missing == "error" else "keep", "keep" if unseen == "stop" else unseen
    )
    features = write_features(graph, members.schema, treatment, matrix=matrix)
    if any(divides(tree) or tree.has_surrogates for tree in members.trees):
        _write_divided(graph, features, members)
    elif members.voting == "alone":
        _write_single(graph, features, members)
    else:
        _write_sums(graph, features, members)


def _write_single(graph: Graph, features: str, members: Members) -> None:
    """Write a tree that returns the node where a row ends; tables have its prediction."""
    tree = members.trees[0]
    ensemble = Ensemble()
    ends = [Leaf(float(node), 0) for node in range(tree.n_nodes)]
    ensemble.add(TreeSource.enter(0), TreeSource(tree, ends, members.stops))
    node = graph.apply("Cast", ensemble.apply(graph, features, 1), to=int(TensorProto.INT64))
    node = graph.apply("Reshape", node, graph.constant([-1], np.int64))
    values = graph.apply("Gather", graph.constant(predicted_values(tree)), node, axis=0)
    label = None
    if members.schema.classes:
        labels = graph.constant(predicted_classes(tree), np.int64)
        label = graph.apply("Gather", labels, node, axis=0)
    _write_outputs(graph, members, values, label)


def _write_sums(graph: Graph, features: str, members: Members) -> None:
    """Write trees that each return a row of a table; these rows are added in order."""
    ensemble, added, n_added = Ensemble(), [], 0
    for target, tree in enumerate(members.trees):
        ends = [Leaf(float(n_added + node), target) for node in range(tree.n_nodes)]
        ensemble.add(TreeSource.enter(0), TreeSource(tree, ends, members.stops))
        added.append(_added(members, target, tree))
        n_added += tree.n_nodes
    n_trees = len(members.trees)
    place = graph.apply("Cast", ensemble.apply(graph, features, n_trees), to=int(TensorProto.INT64))
    parts = graph.apply("Gather", graph.constant(np.concatenate(added)), place, axis=0)
    _write_means(graph, graph.running_sum(parts, n_trees), members)


def _write_divided(graph: Graph, features: str, members: Members) -> None:
    """Write trees that divide rows or have surrogates; their predictions are added in order."""
    trees = [DividedTree(graph, features, tree, members.stops) for tree in members.trees]
    ends = [tree.ends() for tree in trees]
    if members.voting == "alone":
        values = trees[0].values(*ends[0])
        label = trees[0].label(ends[0][1], values) if members.schema.classes else None
        _write_outputs(graph, members, values, label)
        return
    if members.voting == "soft":
        parts = [tree.parts(*end) for tree, end in zip(trees, ends, strict=True)]
        n_parts = sum(len(nodes) for _, nodes in ends)
    else:
        identity, axis = np.eye(len(members.schema.classes)), graph.constant([1], np.int64)
        weights = members.weights or (1.0,) * len(trees)
        parts, n_parts = [], len(trees)
        for tree, end, weight in zip(trees, ends, weights, strict=True):
            label = tree.label(end[1], tree.values(*end))
            vote = graph.apply("Gather", graph.constant(weight * identity), label, axis=0)
            parts.append(graph.apply("Unsqueeze", vote, axis))
    _write_means(graph, graph.running_sum(graph.apply("Concat", *parts, axis=1), n_parts), members)


def _write_means(graph: Graph, total: str, members: Members) -> None:
    """Write the outputs of trees that were added up."""
    means = graph.apply("Div", total, graph.constant(_given(members)))
    _write_outputs(graph, members, means)


def _added(members: Members, number: int, tree: Tree) -> Any:
    """Return what each node of a tree adds to the values."""
    if members.voting == "soft":
        return predicted_values(tree)
    weight = members.weights[number] if members.weights else 1.0
    return weight * np.eye(len(members.schema.classes))[predicted_classes(tree)]


def _given(members: Members) -> float:
    """All votes together, added in the order of the trees."""
    given = 0.0
    for weight in members.weights or (1.0,) * len(members.trees):
        given += weight
    return given


def _write_rules(graph: Graph, rules: RuleList, matrix: bool) -> None:
    """Write rules that return 1 where they fire, as the default does; the first one predicts."""
    features = write_features(graph, rules.schema, Treatment("keep", "keep"), matrix=matrix)
    ensemble = Ensemble()
    firing = [
        (position, rule)
        for position, rule in enumerate(rules.rules)
        if rule.accuracy is None or rule.accuracy >= rules.min_accuracy
    ]
    clauses = [*(rule.conditions for _, rule in firing), ()]
    for target, asked in enumerate(clauses):
        ensemble.add(0, RuleSource.of(asked, rules.schema.features, target))
    first = graph.greatest(ensemble.apply(graph, features, len(clauses)))
    positions = np.array([*(position for position, _ in firing), -1], dtype=np.int64)
    classes = rules.schema.classes
    labels = [*(rule.label for _, rule in firing), rules.default]
    answers = graph.constant([classes.index(label) for label in labels], np.int64)
    answer = graph.apply("Gather", answers, first, axis=0)
    shares = graph.apply("Gather", graph.constant(rules.probabilities_of(positions)), first, axis=0)
    _write_outputs(graph, rules, shares, answer)


def _write_outputs(
    graph: Graph, model: Members | RuleList, values: str, label: str | None = None
) -> None:
    """Write the outputs from the values, rows x classes, or rows x 1 of a numeric target.

    ``label`` is the position of each row's class; by default that of the greatest value.
    """
    classes = model.schema.classes
    if not classes:
        number = graph.apply("Reshape", values, graph.constant([-1], np.int64))
        graph.output(number, NUMBER, TensorProto.DOUBLE, None)
        return
    labels, type_ = graph.labels(classes)
    found = graph.apply("Gather", labels, label or graph.greatest(values), axis=0)
    graph.output(found, LABEL, type_, None)
    graph.output(values, SHARES, TensorProto.DOUBLE, len(classes))
