"""A tree as columns of plain values, for viewers and JSON: one list per property of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_number
from plaintree.data.schema import Schema
from plaintree.data.words import shown_schema

from .condition import Condition, Equals, Grouped, Multiway, Subset, Threshold
from .condition_data import condition_to_data
from .tree import Tree, tree_of

LISTED = 4
"""Categories named in the text of a split or a branch; of more, their number is given."""


def tree_to_columns(tree: Any, *, digits: int | None = 6) -> dict[str, dict[str, list[Any]]]:
    """Return a tree as columns of nodes and of splits, plain lists that JSON can hold.

    Nodes have the numbers they have in the tree: level by level, the children of a node next to
    each other. Nodes with the same split share one entry of ``splits``, as strings and conditions
    are most of the size. A viewer needs no schema to show them.

    Parameters
    ----------
    tree : Tree or fitted estimator of a single tree
        The tree.
    digits : int or None, default=6
        Significant digits of impurities and scores. None keeps all of them. Counts, weights,
        thresholds and predictions are never rounded.

    Returns
    -------
    dict
        ``nodes`` is a dictionary of lists with one value per node:

        - ``parent``, ``first_child``, ``n_children``, ``depth``: the shape; -1 for none.
        - ``branch``: the number of the node among its siblings; -1 for the root. The branches
          from the root down are the path that :func:`node_at` takes.
        - ``kind``: a :class:`NodeKind`; 0 is a leaf.
        - ``split``: the position of its split in ``splits``; -1 in a leaf.
        - ``missing_child``: the branch of rows without a value; -1 divides them, -2 stops them.
        - ``n_rows``, ``weight``: training rows and the sum of their weights.
        - ``class_weights``: a list per node, in the order of ``schema.classes``; and ``label``,
          the position of the predicted class. For a numeric target ``prediction`` instead.
        - ``impurity``, ``score``, ``n_tied``: of the node, of its split (None in a leaf or where
          it has none), and the number of other features with the same score.

        ``splits`` is a dictionary of lists with one value per distinct split:

        - ``feature``: the position of the feature in ``schema.features``.
        - ``text``: the split as text, such as "humidity <= 77.5" or "outlook".
        - ``edges``: a list of strings, one for each branch, such as ``["<= 77.5", "> 77.5"]``: the
          edges to the children. "is missing" is a branch of missing values.
        - ``condition``: the split as data, see :func:`condition_to_data`.

    See Also
    --------
    plaintree.pruning.node_alphas : The alpha at which each node is pruned.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.tree import tree_to_columns
    >>> X, y = pt.datasets.load_tennis()
    >>> columns = tree_to_columns(pt.ID3Classifier().fit(X, y))
    >>> nodes, splits = columns["nodes"], columns["splits"]
    >>> nodes["split"][:3], nodes["score"][:3], nodes["class_weights"][2]
    ([0, -1, 1], [0.24675, None, 0.970951], [2, 3])
    >>> splits["text"], splits["edges"][1], splits["condition"][1]
    (['Outlook', 'Wind', 'Humidity'], ['= Strong', '= Weak'], {'column': 'Wind'})
    """
    tree = tree_of(tree)
    if digits is not None:
        digits = int(check_number("digits", digits, 1, 17))
    above = tree.parent.astype(np.int64)
    branch = np.where(above >= 0, np.arange(tree.n_nodes) - tree.first_child[above], -1)
    of_nodes, splits = _splits(tree)
    nodes: dict[str, list[Any]] = {
        "parent": above.tolist(),
        "branch": branch.tolist(),
        "first_child": tree.first_child.tolist(),
        "n_children": tree.n_children.tolist(),
        "depth": tree.node_depths.tolist(),
        "kind": tree.kind.tolist(),
        "split": of_nodes,
        "missing_child": tree.missing_child.tolist(),
        "n_rows": tree.n_rows.tolist(),
        "weight": plain_numbers(tree.weight),
        "impurity": plain_numbers(tree.impurity, digits),
        "score": plain_numbers(tree.score, digits),
        "n_tied": tree.n_tied.tolist(),
    }
    if tree.schema.classes:
        weights = plain_numbers(tree.class_weights.ravel())
        n = len(tree.schema.classes)
        nodes["class_weights"] = [weights[i : i + n] for i in range(0, len(weights), n)]
        nodes["label"] = tree.label.tolist()
    else:
        nodes["prediction"] = plain_numbers(tree.prediction)
    return {"nodes": nodes, "splits": splits}


def plain_numbers(values: NDArray[np.float64], digits: int | None = None) -> list[Any]:
    """Numbers as JSON holds them shortest: integers without a point, None where there is none.

    >>> plain_numbers(np.array([2.0, 1 / 3, np.nan]), 3)
    [2, 0.333, None]
    """
    numbers: list[Any] = values.tolist()
    if digits is not None:
        numbers = [float(f"{number:.{digits}g}") for number in numbers]
    whole = (np.abs(values) < 2**53) & (values == np.round(values))
    known = np.isfinite(values)
    for i in np.flatnonzero(whole).tolist():
        numbers[i] = int(numbers[i]) if digits is None else int(values[i])
    for i in np.flatnonzero(~known).tolist():
        numbers[i] = None
    return numbers


def _splits(tree: Tree) -> tuple[list[int], dict[str, list[Any]]]:
    """For each node the position of its split, and the distinct splits as columns."""
    shown = shown_schema(tree.schema)
    of_nodes, found = distinct_splits(tree)
    splits: dict[str, list[Any]] = {"feature": [], "text": [], "edges": [], "condition": []}
    for condition, own_child in found:
        text, edges = split_texts(shown, condition, own_child=own_child)
        splits["feature"].append(condition.feature)
        splits["text"].append(text)
        splits["edges"].append(edges)
        splits["condition"].append(condition_to_data(tree.schema, condition))
    return of_nodes, splits


def distinct_splits(tree: Tree) -> tuple[list[int], list[tuple[Condition, bool]]]:
    """For each node the position of its split, -1 in a leaf; and the distinct splits, each with
    whether missing values have a branch of their own."""
    found: dict[tuple[Condition, bool], int] = {}
    of_nodes = [-1] * tree.n_nodes
    n_children = tree.n_children.tolist()
    for node in np.flatnonzero(tree.n_children).tolist():
        condition = tree.condition(node)
        assert condition is not None, "a node with children has a condition"
        own_child = n_children[node] > condition.n_branches
        of_nodes[node] = found.setdefault((condition, own_child), len(found))
    return of_nodes, list(found)


def split_texts(shown: Schema, condition: Condition, *, own_child: bool) -> tuple[str, list[str]]:
    """A split as text, and its branches, with that of missing values if they have their own."""
    edges, name = branch_texts(shown, condition), shown.features[condition.feature].name
    many = isinstance(condition, Multiway | Grouped)
    return name if many else f"{name} {edges[0]}", [*edges, *["is missing"] * own_child]


def branch_texts(shown: Schema, condition: Condition) -> list[str]:
    """The branches as text without the name of the feature; long lists of categories by number."""
    if isinstance(condition, Threshold):
        _, value = condition.operator_and_value(shown, 0)
        return [f"<= {value}", f"> {value}"]
    if isinstance(condition, Equals):
        label = shown.features[condition.feature].categories[condition.category]
        return [f"= {label}", f"!= {label}"]
    n_categories = len(shown.features[condition.feature].categories)
    if isinstance(condition, Subset):
        sizes = [len(condition.categories)] * 2
    elif isinstance(condition, Grouped):
        sizes = np.bincount([g for g in condition.groups if g >= 0]).tolist()
    else:
        sizes = [1] * condition.n_branches
    told = []
    for branch, size in enumerate(sizes):
        if size > LISTED:
            outside = "not " if isinstance(condition, Subset) and branch else ""
            told.append(f"{outside}in {size} of {n_categories} values")
        else:
            told.append(" ".join(condition.operator_and_value(shown, branch)))
    return told
