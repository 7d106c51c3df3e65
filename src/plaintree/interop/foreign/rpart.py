"""Trees of the R package rpart: its printed form, or a table of its nodes.

rpart numbers nodes by their place: the children of node i are 2 i and 2 i + 1. A numeric split is
"x < c", which equals "x <= the greatest double below c". Categories that had no rows in
a node are on neither side; they count as missing there, as they do in rpart. A row without a side
goes by the surrogate splits (rpart_splits.py), then to the child with more rows; if both have as
many, the node itself predicts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from plaintree.data.schema import Feature, Schema
from plaintree.errors import TreeError, nearest
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import STOPS, Condition, Surrogate
from plaintree.tree.condition_text import split_values
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree

from .declared import Declared, declared_schema
from .rpart_reading import RpartNode, RpartTree, is_number, read_rpart
from .rpart_splits import Sides

_EDGE = re.compile(r"([^<>=]+)(>=|<|=)\s*(.*)")
_AFTER_NAME = re.compile(r"(>=|<|=)\s*(.*)")


def from_rpart(source: Any, schema: Declared = None) -> Tree:
    """Import a tree of the R package rpart: of the methods class, anova and poisson.

    The table of nodes has everything: exact thresholds and, with the table of splits, the surrogate
    splits for rows with missing values, so every row is predicted as in rpart. The printed form has
    rounded thresholds and no surrogates: a missing value goes to the child with more rows.

    Parameters
    ----------
    source : str, Path, dict or list of dicts
        The output of ``print(fit)`` or a file of it; or a table of the nodes as a dict, a list of
        dicts, JSON or a JSON file. The how-to page has the lines of R that write one: ``nodes``
        with ``id``, ``edge`` (from ``labels(fit, digits = 15, minlength = 0)``), ``n``, ``dev``,
        ``yval`` and optionally ``wt`` and ``counts``, the rows of each class; ``classes``,
        ``method`` and ``splits``, with ``csplit`` and ``xlevels`` for categories.
    schema : Schema, str, Path or None, default=None
        The columns, categories and classes: a :class:`plaintree.data.Schema`, or the path of an
        .arff or .names file. None infers them from the tree. Names are also matched as R writes
        them.

    Returns
    -------
    Tree
        The tree. Its ``conventions`` are None; those of a Poisson tree have the criterion, which
        decides what its impurity is.

    Raises
    ------
    TreeError
        If the text is not a complete tree, or does not fit the schema.

    Examples
    --------
    >>> from plaintree.interop.foreign.rpart import from_rpart
    >>> print(from_rpart('''n= 20
    ...
    ... node), split, n, loss, yval, (yprob)
    ...       * denotes terminal node
    ...
    ... 1) root 20 8 no (0.6000000 0.4000000)
    ...   2) size< 2.5 11 1 no (0.9090909 0.0909091) *
    ...   3) size>=2.5 9 2 yes (0.2222222 0.7777778) *
    ... '''))
    class: 20 rows (no: 12, yes: 8)
    ├─ size <= 2.5: no (11; no: 10, yes: 1)
    └─ size > 2.5: yes (9; no: 2, yes: 7)
    >>> print(from_rpart('''n= 20
    ...
    ... node), split, n, deviance, yval
    ...       * denotes terminal node
    ...
    ... 1) root 20 820 21.5
    ...   2) size< 2.5 11 99 16 *
    ...   3) size>=2.5 9 36 28.22 *
    ... '''))
    target: 20 rows (mean 21.5, sd 6.403)
    ├─ size <= 2.5: 16 (11, sd 3)
    └─ size > 2.5: 28.22 (9, sd 2)
    """
    read = read_rpart(source)
    if 1 not in read.nodes:
        raise TreeError("the rpart tree has no root", got=f"nodes {sorted(read.nodes)[:5]}")
    order = _order(read.nodes)
    declared = declared_schema(schema)
    read = replace(read, method=read.method or _method(read, declared))
    if declared is None:
        declared = _inferred(read, order)
    elif bool(declared.classes) == read.is_numeric:
        raise TreeError(
            f"the rpart tree is of the method {read.method}, which the schema does not fit",
            got=f"{len(declared.classes)} classes in the schema",
            hint="a schema without classes is for numbers.",
        )
    place = {node: number for number, node in enumerate(order)}
    conventions = Conventions(criterion="poisson") if read.method == "poisson" else None
    nodes = [_described(read, node, place, declared) for node in order]
    return build_tree(declared, nodes, conventions=conventions)


def _method(read: RpartTree, declared: Schema | None) -> str:
    """The method of a tree that does not name it: numbers if nothing speaks of classes."""
    if declared is not None:
        return "class" if declared.classes else "anova"
    counted = any(node.weights is not None for node in read.nodes.values())
    numbers = all(is_number(node.label) for node in read.nodes.values())
    return "anova" if numbers and not counted and not read.classes else "class"


# -------------------------------------------------------------------- structure


def _children(nodes: Mapping[int, RpartNode], node: int) -> tuple[int, ...]:
    children = tuple(child for child in (2 * node, 2 * node + 1) if child in nodes)
    if len(children) == 1:
        raise TreeError(
            "a node of the rpart tree has only one child",
            got=f"node {node}, with the child {children[0]}",
        )
    return children


def _order(nodes: Mapping[int, RpartNode]) -> list[int]:
    order = [1]
    for node in order:  # grows while it is gone through
        order.extend(_children(nodes, node))
    lost = set(nodes) - set(order)
    if lost:
        raise TreeError("a node of the rpart tree has no parent", got=f"node {min(lost)}")
    return order


# -------------------------------------------------------------------- schema


def _inferred(read: RpartTree, order: Sequence[int]) -> Schema:
    """Infer the columns and the classes from the nodes and the table of splits."""
    values: dict[str, set[str] | None] = {}
    for node in order[1:]:
        if read.nodes[node].edge:
            name, operator, value = _branch(read.nodes[node].edge, ())
            if operator == "=":
                _add(values, name, split_values(value, ()))
            else:
                values[name] = None
    for splits in read.splits.values():
        for sides in (splits.own, *splits.surrogates):
            if sides is not None and sides.cut is None:
                _add(values, sides.name, (*sides.left, *sides.right))
            elif sides is not None:
                values.setdefault(sides.name, None)
    features = tuple(
        Feature(name, "numeric")
        if known is None
        else Feature(name, "categorical", "text", tuple(sorted(known)))
        for name, known in values.items()
    )
    if read.is_numeric:
        return Schema(features, (), "target")
    return Schema(features, read.classes or _answered_classes(read.nodes))


def _add(values: dict[str, set[str] | None], name: str, more: Iterable[str]) -> None:
    """Add categories to those of a column."""
    known = values.setdefault(name, set())
    if known is not None:
        known.update(more)


def _answered_classes(nodes: Mapping[int, RpartNode]) -> tuple[str, ...]:
    """Return the classes that the nodes predict; in the order of class weights, if given."""
    counted = [node for node in nodes.values() if node.weights]
    if not counted:
        return tuple(sorted({node.label for node in nodes.values()}))
    n_classes = len(counted[0].weights or ())
    names: dict[int, str] = {}
    for node in counted:
        weights = list(node.weights or ())
        heaviest = max(weights)
        if weights.count(heaviest) == 1:
            names[weights.index(heaviest)] = node.label
    if sorted(names) != list(range(n_classes)):
        raise TreeError(
            "the printed rpart tree does not name all its classes",
            got=f"{', '.join(names.values())} of {n_classes}",
            hint="pass schema= with all classes in their order.",
        )
    return tuple(names[code] for code in range(n_classes))


# -------------------------------------------------------------------- nodes


def _described(
    read: RpartTree, node: int, place: Mapping[int, int], schema: Schema
) -> NodeDescription:
    record, children = read.nodes[node], _children(read.nodes, node)
    predicted = _number(record, read) if read.is_numeric else _class(node, record, schema)
    if not children:
        return NodeDescription(n_rows=round(record.n), **predicted)
    condition, swapped = _condition(read, node, children, schema)
    left, right = (read.nodes[child].n for child in children)
    missing = STOPS
    if read.use_surrogates == 2 and left != right:
        missing = int(right > left) if not swapped else int(left > right)
    splits = read.splits.get(node)
    surrogates = () if splits is None or not read.use_surrogates else splits.surrogates
    ordered = children[::-1] if swapped else children
    return NodeDescription(
        condition=condition,
        children=tuple(place[child] for child in ordered),
        missing_child=missing,
        n_rows=round(record.n),
        surrogates=tuple(_surrogate(sides, schema, swapped) for sides in surrogates),
        **predicted,
    )


def _class(node: int, record: RpartNode, schema: Schema) -> dict[str, Any]:
    """The label and the class weights of a node."""
    labels = list(map(str, schema.classes))
    if record.label not in labels:
        raise TreeError(
            f"node {node} of the rpart tree predicts a class that is not in the schema",
            got=repr(record.label),
            hint=nearest(record.label, labels),
        )
    label = labels.index(record.label)
    weights = record.weights or tuple(
        record.n - record.loss if code == label else record.loss / (len(labels) - 1)
        for code in range(len(labels))
    )
    return {"class_weights": weights, "label": label}


def _number(record: RpartNode, read: RpartTree) -> dict[str, Any]:
    """The prediction, the weight and the impurity of a node of numbers.

    rpart's deviance of the Poisson method is twice the sum whose mean is the impurity here.
    """
    if not is_number(record.label):
        raise TreeError(
            "a node of the rpart tree predicts something that is not a number",
            got=f"yval {record.label!r} of node {record.id}",
        )
    weight = record.n if record.weight is None else record.weight
    mass = weight * (2.0 if read.method == "poisson" else 1.0)
    impurity = record.loss / mass if mass > 0 else 0.0
    return {"prediction": float(record.label), "weight": weight, "impurity": impurity}


def _surrogate(sides: Sides, schema: Schema, swapped: bool) -> Surrogate:
    column = _column(sides.name, schema)
    return sides.surrogate(column, schema.features[column], swapped)


def _column(name: str, schema: Schema) -> int:
    """The column of a name, which R may have changed."""
    for known in (schema.names, tuple(map(r_name, schema.names))):
        if name in known:
            return known.index(name)
    raise TreeError(
        "the rpart tree splits on a feature that is not in the schema",
        got=repr(name),
        hint=nearest(name, schema.names),
    )


def _condition(
    read: RpartTree, node: int, children: tuple[int, ...], schema: Schema
) -> tuple[Condition, bool]:
    """Return the condition of two children, and whether the second comes first here."""
    splits = read.splits.get(node)
    if splits is not None and splits.own is not None:
        column = _column(splits.own.name, schema)
        if splits.own.cut is None or schema.features[column].kind == "numeric":
            return splits.own.condition(column, schema.features[column])
    edges = [read.nodes[child].edge for child in children]
    left, right = (_branch(edge, schema.names) for edge in edges)
    column = schema.position(left[0])
    opposite = {"<": ">=", ">=": "<", "=": "="}
    if right[0] != left[0] or right[1] != opposite[left[1]]:
        raise TreeError(
            "two branches of the rpart tree do not belong to one split",
            got=f"{edges[0]!r} beside {edges[1]!r}",
        )
    if left[1] == "=":
        labels = list(map(str, schema.features[column].categories))
        inside, outside = (tuple(split_values(branch[2], labels)) for branch in (left, right))
        sides = Sides(left[0], None, True, inside, outside)
        return sides.condition(column, schema.features[column])
    try:
        cut = float(left[2])
    except ValueError:
        raise TreeError("a threshold of the rpart tree is not a number", got=left[2]) from None
    return Sides(left[0], cut, left[1] == "<").condition(column, schema.features[column])


def _branch(edge: str, names: Sequence[str]) -> tuple[str, str, str]:
    """Divide an edge into feature, operator and value: < and >= of numbers, = of categories."""
    for name in sorted(names, key=len, reverse=True):
        for known in (name, r_name(name)):
            found = _AFTER_NAME.fullmatch(edge, len(known)) if edge.startswith(known) else None
            if found:
                return name, found[1], found[2]
    found = _EDGE.fullmatch(edge)
    if not found or names:
        raise TreeError(
            "the rpart tree splits on a feature that is not in the schema"
            if names
            else "a branch of the rpart tree is not a condition",
            got=repr(edge),
            hint=nearest(found[1] if found else edge, names),
        )
    return found[1], found[2], found[3]


def r_name(name: str) -> str:
    """Convert a name as R does: everything but letters, digits and _ becomes a dot.

    >>> r_name("od280/od315")
    'od280.od315'
    """
    return re.sub(r"[^A-Za-z0-9_.]", ".", name)
