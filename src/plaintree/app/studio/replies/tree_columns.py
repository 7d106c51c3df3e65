"""The tree of a document as columns, with facts of the whole."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from plaintree.data.schema import Schema
from plaintree.data.words import plain, shown_schema
from plaintree.evaluation.quality import Quality, out_of_bag_quality
from plaintree.tree.condition import Condition
from plaintree.tree.conventions import criterion_of
from plaintree.tree.to_columns import branch_texts, distinct_splits, plain_numbers, split_texts
from plaintree.tree.tree import Tree

from ..messages.nodes import MissingValues, TreeColumns, TreeFacts, TreeRequest
from .measuring import training_quality
from .missing_values import missing_values
from .names import gain_name, impurity_name, number, score_name
from .node_measures import gains, intervals, spreads, training_errors
from .open_leaves import open_leaves
from .replay import OF_ENSEMBLE, Work

DIGITS = 9
"""Significant digits of impurities, scores and gains: more than are ever shown."""


def tree(work: Work, request: TreeRequest) -> TreeColumns:
    """The tree of a document, or one of the trees of its ensemble."""
    return columns_of(work, request.member)


def columns_of(work: Work, member: int = 0) -> TreeColumns:
    """The columns of a tree, which are kept for the document."""
    found: TreeColumns = work.kept_for_tree(("tree", member), partial(_columns, work, member))
    return found


def _columns(work: Work, member: int) -> TreeColumns:
    tree = work.tree(member)
    opened = open_leaves(work) if work.single else {}
    missing = missing_values(tree, work.rows) if work.single else []
    tied = tree.n_tied.copy()
    tied[list(opened)] = list(opened.values())
    classes = tree.schema.classes
    criterion = criterion_of(tree.conventions, tree.schema)
    shown = shown_schema(tree.schema)
    split, edge = _texts(tree, shown)
    return TreeColumns(
        hash=tree.content_hash(),
        facts=_facts(work, tree, len(opened), int(np.count_nonzero(tied))),
        edits=list(work.state.edits),
        n_children=tree.n_children.tolist(),
        feature=tree.feature.tolist(),
        features=list(shown.names),
        names=list(tree.schema.names),
        edge=edge,
        split=split,
        open=list(opened),
        n_rows=tree.n_rows.tolist(),
        weight=plain_numbers(tree.weight),
        label=tree.label.tolist() if classes else [-1] * tree.n_nodes,
        classes=[plain(label) for label in classes],
        class_weights=_class_weights(tree) if classes else [],
        prediction=[] if classes else tree.prediction.tolist(),
        deviation=[] if classes else spreads(tree).tolist(),
        impurity=plain_numbers(tree.impurity, DIGITS),
        score=plain_numbers(tree.score, DIGITS),
        missing=missing,
        tied=tied.tolist(),
        impurity_name=impurity_name(criterion),
        score_name=score_name(criterion),
        gain_name=gain_name(criterion),
        **_measures(tree, missing),
    )


def _texts(tree: Tree, shown: Schema) -> tuple[list[str], list[str]]:
    """By node: its split, empty in a leaf; the branch that leads to it, empty for the root."""
    of_nodes, splits = distinct_splits(tree)
    texts = [split_texts(shown, condition, own_child=own) for condition, own in splits]
    edges = [""]
    for place in of_nodes:  # the children of one node follow those of the node before it
        if place >= 0:
            edges += texts[place][1]
    return ["" if place < 0 else texts[place][0] for place in of_nodes], edges


def _class_weights(tree: Tree) -> list[list[float]]:
    weights, n = plain_numbers(tree.class_weights.ravel()), len(tree.schema.classes)
    return [weights[i : i + n] for i in range(0, len(weights), n)]


def _measures(tree: Tree, missing: list[MissingValues]) -> dict[str, list[Any]]:
    """Gain, training errors and interval of each node; of what a tree does not have, nothing."""
    apart = np.zeros(tree.n_nodes)
    for facts in missing:
        apart[facts.node] = facts.weight
    gain, errors, (low, high) = gains(tree, apart), training_errors(tree), intervals(tree)
    return {
        "gain": [] if gain is None else plain_numbers(gain, DIGITS),
        "errors": [] if errors is None else plain_numbers(errors),
        "low": plain_numbers(low, DIGITS),
        "high": plain_numbers(high, DIGITS),
    }


def edge_texts(tree: Tree, condition: Condition, n: int | None = None) -> list[str]:
    """The branches of a condition as the edges below its node are written."""
    texts = branch_texts(shown_schema(tree.schema), condition)
    return texts + ["is missing"] * ((n or 0) - len(texts))


def _facts(work: Work, tree: Tree, n_open: int, n_tied: int) -> TreeFacts:
    measure, value, n_measured = _training(work)
    return TreeFacts(
        n_nodes=tree.n_nodes,
        n_leaves=tree.n_leaves,
        n_open=n_open,
        depth=tree.depth,
        n_rows=work.training.X.n_rows,
        measure=measure,
        training=number(value),
        n_measured=n_measured,
        n_tied=n_tied,
        n_members=work.n_members,
        editable=work.single,
        reason="" if work.single else OF_ENSEMBLE,
    )


def _training(work: Work) -> tuple[str, float, int]:
    """What is measured of the whole model, with the rows, its value, and how many rows."""
    if work.single:
        quality, rows = training_quality(work), "training"
    elif hasattr(work.model, "oob_score_"):
        quality, rows = out_of_bag_quality(work.model, np.asarray(work.training.y)), "out-of-bag"
    else:
        quality, rows = training_quality(work), "training"
    if isinstance(quality, Quality):
        return f"{rows} errors", float(quality.n_errors), quality.n_rows
    return f"{rows} RMSE", quality.rmse, quality.n_rows
