"""Rows whose value of the column of a split is missing: how many there are, and where they go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows
from plaintree.data.words import shown_schema, weight_text
from plaintree.tree.condition import DIVIDES, Condition
from plaintree.tree.to_columns import branch_texts
from plaintree.tree.tree import Tree
from plaintree.tree.walk import Floats, ended_parts

from ..messages.nodes import MissingValues

MOST_SHARES = 4
"""Branches whose shares of a divided row are written out."""
LARGEST_FRACTION = 99
"""Rows with a value, up to which shares are fractions of them and not percentages."""
ROUNDING = 1e-9


def missing_values(tree: Tree, rows: Rows) -> list[MissingValues]:
    """The inner nodes where rows have no value of the column, with the classes of the others."""
    weights = _missing_weights(tree, rows)
    found = []
    for node in np.flatnonzero(weights.sum(axis=1) > ROUNDING).tolist():
        condition, first = tree.condition(node), int(tree.first_child[node])
        assert condition is not None, "leaves have no column"
        n_missing = float(weights[node].sum())
        below = tree.weight[first : first + int(tree.n_children[node])].tolist()
        goes = destination(tree, condition, int(tree.missing_child[node]), below, n_missing)
        known = tree.class_weights[node] - weights[node] if tree.schema.classes else []
        found.append(
            MissingValues(
                node=node,
                weight=n_missing,
                known=[max(0.0, round(float(part), 9)) for part in known],
                text=missing_text(n_missing, goes),
            )
        )
    return found


def _missing_weights(tree: Tree, rows: Rows) -> Floats:
    """By node and class: the weight of the rows that have no value there; numbers are one class.

    Rows climb from where they end to the root.
    """
    features = tree.schema.features
    absent = np.array(
        [features[i].missing(column) for i, column in enumerate(rows.columns)]
    ).reshape(len(features), len(rows.target))
    absent[np.setdiff1d(np.arange(len(features)), tree.feature)] = False
    some = absent.any(axis=0)
    classes = tree.schema.classes
    weights = np.zeros((tree.n_nodes, len(classes) or 1))
    if not some.any():
        return weights
    absent, chosen = absent[:, some], rows[np.asarray(some)]
    codes = chosen.codes if classes else np.zeros(len(chosen.target), dtype=np.intp)
    ended = ended_parts(tree, chosen)
    nodes, numbers, parts = ended.nodes, ended.rows, ended.weights
    parent = tree.parent.astype(np.int64)
    while len(nodes):
        lacks = (tree.n_children[nodes] > 0) & absent[tree.feature[nodes], numbers]
        np.add.at(weights, (nodes[lacks], codes[numbers[lacks]]), parts[lacks])
        below = nodes > 0
        nodes, numbers, parts = parent[nodes[below]], numbers[below], parts[below]
    return weights


def missing_text(n_missing: float, goes: str) -> str:
    """How many rows have no value, and where they go; empty if there are none."""
    if not n_missing:
        return ""
    has = "row has" if n_missing == 1 else "rows have"
    return f"{weight_text(n_missing)} {has} no value: {goes}"


def destination(
    tree: Tree, condition: Condition, child: int, weights: Sequence[float], n_missing: float
) -> str:
    """Where rows without a value go at a split, given the weights of its branches with them."""
    policy = tree.conventions.missing if tree.conventions else ""
    texts = branch_texts(shown_schema(tree.schema), condition)
    branch = _to_branch(texts[child] if child < len(texts) else None) if child >= 0 else ""
    if policy == "surrogate":
        return f"by surrogate splits; others {branch or 'stay here'}"
    if policy == "most_common_in_class":
        return "counted as the most common value of their class"
    if branch:
        return branch
    if child == DIVIDES and policy == "fractional":
        return divided(weights, n_missing)
    return "not allowed" if policy == "error" else "stay here"


def _to_branch(text: str | None) -> str:
    """One branch as a destination; none of the condition is that of missing values."""
    if text is None:
        return "go to the branch missing"
    return f"counted as {text[2:]}" if text.startswith("= ") else f"go to {text}"


def divided(weights: Sequence[float], n_missing: float) -> str:
    """The shares of a divided row: those of the rows with a value in each branch.

    >>> divided([2.8, 4.2], 2), divided([1] * 9, 3)
    ('divided 2/5 to 3/5', 'divided over 9 branches')
    >>> print(divided([300, 100], 0))
    divided 75\N{NO-BREAK SPACE}% to 25\N{NO-BREAK SPACE}%
    """
    if len(weights) > MOST_SHARES or not sum(weights):
        return f"divided over {len(weights)} branches"
    shares: NDArray[np.float64] = np.array(weights) / sum(weights)
    n_known = sum(weights) - n_missing
    counts = shares * n_known
    if n_known < LARGEST_FRACTION + 0.5 and np.allclose(counts, counts.round(), atol=1e-6):
        parts = [f"{count:.0f}/{n_known:.0f}" for count in counts.tolist()]
    else:
        parts = [f"{100 * share:.0f}\N{NO-BREAK SPACE}%" for share in shares.tolist()]
    return f"divided {' to '.join(parts)}"
