"""The tree of a document as columns, with facts of the whole."""

from __future__ import annotations

from functools import partial

import numpy as np

from plaintree.data.words import plain, shown_schema
from plaintree.errors import PlaintreeError
from plaintree.evaluation.quality import Quality, out_of_bag_quality
from plaintree.tree.condition import Condition
from plaintree.tree.conventions import criterion_of
from plaintree.tree.prediction import spread_of
from plaintree.tree.to_columns import branch_texts, tree_to_columns
from plaintree.tree.tree import Tree

from ..messages.nodes import TreeColumns, TreeFacts, TreeRequest
from .library import node_alphas
from .measuring import training_quality
from .names import impurity_name, number, numbers, score_name
from .open_leaves import open_leaves
from .replay import OF_ENSEMBLE, Work


def tree(work: Work, request: TreeRequest) -> TreeColumns:
    """The tree of a document, or one of the trees of its ensemble."""
    return columns_of(work, request.member)


def columns_of(work: Work, member: int = 0) -> TreeColumns:
    """The columns of a tree, which are kept for the document."""
    found: TreeColumns = work.kept_for_tree(("tree", member), partial(_columns, work, member))
    return found


def _columns(work: Work, member: int) -> TreeColumns:
    tree = work.tree(member)
    written = tree_to_columns(tree, digits=None)
    nodes, splits = written["nodes"], written["splits"]
    opened = open_leaves(work) if work.single else {}
    tied = tree.n_tied.copy()
    tied[list(opened)] = list(opened.values())
    n, classes = tree.n_nodes, tree.schema.classes
    criterion = criterion_of(tree.conventions, tree.schema)
    return TreeColumns(
        hash=tree.content_hash(),
        facts=_facts(work, tree, len(opened), int(np.count_nonzero(tied))),
        edits=list(work.state.edits),
        parent=nodes["parent"],
        first_child=nodes["first_child"],
        n_children=nodes["n_children"],
        feature=tree.feature.tolist(),
        features=list(shown_schema(tree.schema).names),
        names=list(tree.schema.names),
        edge=_edges(tree, nodes["split"], splits["edges"]),
        split=["" if at < 0 else splits["text"][at] for at in nodes["split"]],
        open=list(opened),
        n_rows=nodes["n_rows"],
        weight=tree.weight.tolist(),
        label=tree.label.tolist() if classes else [-1] * n,
        classes=[plain(label) for label in classes],
        class_weights=tree.class_weights.tolist() if classes else [],
        prediction=[] if classes else tree.prediction.tolist(),
        deviation=[] if classes else [spread_of(tree, node).distance for node in range(n)],
        impurity=tree.impurity.tolist(),
        score=numbers(tree.score),
        tied=tied.tolist(),
        missing_child=nodes["missing_child"],
        weakest_link=_links(tree),
        impurity_name=impurity_name(criterion),
        score_name=score_name(criterion),
    )


def _edges(tree: Tree, split: list[int], edges: list[list[str]]) -> list[str]:
    """The condition of the branch that leads to each node; empty for the root."""
    found = [""] * tree.n_nodes
    parent, first = tree.parent.tolist(), tree.first_child.tolist()
    for node in range(1, tree.n_nodes):
        above = parent[node]
        found[node] = edges[split[above]][node - first[above]]
    return found


def edge_texts(tree: Tree, condition: Condition, n: int | None = None) -> list[str]:
    """The branches of a condition as the edges below its node are written."""
    texts = branch_texts(shown_schema(tree.schema), condition)
    return texts + ["is missing"] * ((n or 0) - len(texts))


def _links(tree: Tree) -> list[float | None]:
    """The alphas of nodes; none where a tree has no counts to prune by."""
    try:
        return node_alphas(tree)
    except PlaintreeError:
        return [None] * tree.n_nodes


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
