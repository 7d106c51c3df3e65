"""A tree as a numbered list of nodes, as textbooks on information theory print it.

    1 if x2 <= -0.125 then node 2 elseif x2 > -0.125 then node 3 else false
    4 class = false

Nodes are numbered level by level from 1. The part after "else" is for rows that no branch takes,
because the value is missing or was not seen in training: the node that the tree sends them to, or,
if the tree divides them over all branches, the majority class or the number of the node.
"""

from __future__ import annotations

from plaintree.data.schema import Schema
from plaintree.data.words import shown_schema
from plaintree.tree.prediction import answer_text
from plaintree.tree.tree import Tree


def listing(tree: Tree, *, ascii: bool = False) -> str:
    """Write a tree as a numbered list of nodes.

    The part after "else" is for rows whose value is missing: a node or a class. It is left out if
    they have a branch of their own.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.show.listing import listing
    >>> X, y = pt.datasets.load_and()
    >>> print(listing(pt.ID3Classifier(missing="fractional").fit(X, y).tree_))
    1 if x1 <= 0.5 then node 2 elseif x1 > 0.5 then node 3 else 0
    2 y = 0
    3 if x2 <= 0.5 then node 4 elseif x2 > 0.5 then node 5 else 0
    4 y = 0
    5 y = 1
    """
    schema = shown_schema(tree.schema, ascii=ascii)
    return "\n".join(f"{node + 1} {_line(tree, node, schema)}" for node in range(tree.n_nodes))


def _line(tree: Tree, node: int, schema: Schema) -> str:
    condition, label = tree.condition(node), answer_text(tree, node, schema)
    if condition is None:
        return f"{schema.target} = {label}"
    first, n = int(tree.first_child[node]), int(tree.n_children[node])
    taken = [
        f"if {condition.describe(schema, branch)} then node {first + branch + 1}"
        for branch in range(n)
    ]
    missing = int(tree.missing_child[node])
    if missing < 0:
        return " else".join([*taken, f" {label}"])
    if missing < condition.n_branches:
        return " else".join([*taken, f" node {first + missing + 1}"])
    return " else".join(taken)
