"""Trees of the R package rpart: its printed form, or a table of its nodes.

rpart numbers nodes by their place: the children of node i are 2 i and 2 i + 1. A numeric split is
"x < c", which equals "x <= the greatest double below c". Categories that had no rows in
a node are on neither side; they count as missing there, as they do in rpart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nextafter
from pathlib import Path
from typing import Any

from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError, TreeError, nearest
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import Condition, Grouped, Subset, Threshold
from plaintree.tree.condition_text import split_values
from plaintree.tree.tree import Tree

from .declared import Declared, declared_schema, source_text

_NODE = re.compile(r"\s*\d+\) ")
_COUNT = r"\d+(?:\.\d+)?(?:e[-+]\d{1,2})?"
_PRINTED = re.compile(
    rf"\s*(\d+)\) (.+)\s+({_COUNT})\s+({_COUNT}) (.+?) \(({_COUNT}(?: {_COUNT})*)\)\s*\*?\s*",
    re.ASCII,
)
_EDGE = re.compile(r"([^<>=]+)(>=|<|=)\s*(.*)")
_AFTER_NAME = re.compile(r"(>=|<|=)\s*(.*)")


@dataclass(frozen=True)
class RpartNode:
    """A node as rpart has it.

    ``edge`` is the branch that leads to it, ``loss`` the errors of predicting ``label``,
    ``weights`` the rows of each class, ``n_splits`` its lines in the table of splits.
    """

    id: int
    edge: str
    n: float
    loss: float
    label: str
    weights: tuple[float, ...] | None = None
    n_splits: int | None = None


def from_rpart(source: Any, schema: Declared = None) -> Tree:
    """Import the classification tree of an R rpart model.

    Surrogate splits, which rpart uses for rows with missing values, are dropped: a missing value
    goes to the child with more rows, as in rpart without a usable surrogate.

    Parameters
    ----------
    source : str, Path, dict or list of dicts
        The output of ``print(fit)`` or a file of it; or a table of the nodes as a dict, a list of
        dicts, JSON or a JSON file. The how-to page has the lines of R that write one: ``nodes``
        with ``id``, ``edge`` (from ``labels(fit, digits = 15, minlength = 0)``), ``n``, ``dev``,
        ``yval`` and optionally ``counts``, the rows of each class; and ``classes``. With the table
        ``splits``, thresholds are exact.
    schema : Schema, str, Path or None, default=None
        The columns, categories and classes: a :class:`plaintree.data.Schema`, or the path of an
        .arff or .names file. None infers them from the tree. Names are also matched as R writes
        them.

    Returns
    -------
    Tree
        The tree; its ``conventions`` are None.

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
    """
    records, classes, splits = _read(source)
    nodes = {node.id: node for node in records}
    if len(nodes) < len(records):
        raise TreeError("a node of the rpart tree is there twice", got=f"{len(records)} nodes")
    if 1 not in nodes:
        raise TreeError("the rpart tree has no root", got=f"nodes {sorted(nodes)[:5]}")
    order = _order(nodes)
    declared = declared_schema(schema) or _inferred(nodes, order, classes)
    cuts = _exact_cuts(records, splits)
    place = {node: number for number, node in enumerate(order)}
    return build_tree(declared, [_described(nodes, node, place, declared, cuts) for node in order])


# -------------------------------------------------------------------- reading


def _read(source: Any) -> tuple[list[RpartNode], tuple[str, ...], Sequence[Mapping[str, Any]]]:
    """Return the nodes, the classes if given, and the table of splits."""
    if isinstance(source, str | Path):
        stripped = isinstance(source, str) and source.lstrip()[:1] in ("{", "[")
        text = source if isinstance(source, str) and stripped else source_text(source)
        if text.lstrip()[:1] not in ("{", "["):
            return _printed_nodes(text), (), ()
        try:
            source = json.loads(text)
        except json.JSONDecodeError as error:
            raise TreeError("the rpart tree is not JSON", got=str(error)) from error
    table = source if isinstance(source, Mapping) else {"nodes": source}
    if not isinstance(table.get("nodes"), Sequence) or isinstance(table["nodes"], str):
        raise ArgumentTypeError(
            "an rpart tree is neither printed text nor a table of nodes",
            got=f"an object of type {type(source).__name__}",
            hint='pass a list of nodes, or a dict with one under "nodes".',
        )
    for key in ("classes", "splits"):
        if not isinstance(table.get(key, []), list | tuple):
            raise ArgumentTypeError(
                f"{key} of the rpart tree is not a list", got=f"{table[key]!r}"[:200]
            )
    classes = tuple(str(label) for label in table.get("classes", ()))
    return [_node(record) for record in table["nodes"]], classes, table.get("splits", ())


def _node(record: Any) -> RpartNode:
    try:
        counts = record.get("counts")
        return RpartNode(
            id=int(record["id"]),
            edge=str(record["edge"]),
            n=_amount(record["n"]),
            loss=_amount(record["dev"]),
            label=str(record["yval"]),
            weights=None if counts is None else tuple(map(_amount, counts)),
            n_splits=_splits_of(record),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise TreeError(
            "a node of the rpart tree is not described",
            got=f"{record!r}"[:200],
            hint="every node needs id, edge, n, dev and yval.",
        ) from error


def _amount(value: Any) -> float:
    """Return a number of rows; ValueError for other values."""
    number = float(value)
    if not 0 <= number < inf:
        raise ValueError(f"{value!r} is not a number of rows")
    return number


def _splits_of(record: Mapping[str, Any]) -> int | None:
    """Number of lines of a node in the table of splits: its own, competitors, surrogates."""
    if "var" not in record or "ncompete" not in record or "nsurrogate" not in record:
        return None
    inner = record["var"] != "<leaf>"
    return 1 + int(record["ncompete"]) + int(record["nsurrogate"]) if inner else 0


def _printed_nodes(text: str) -> list[RpartNode]:
    nodes = []
    for number, line in enumerate(text.split("\n"), 1):
        if not _NODE.match(line):
            continue
        found = _PRINTED.fullmatch(line)
        if not found:
            raise TreeError(
                f"line {number} of the printed tree is not a node of a classification tree",
                got=repr(line.strip()),
                hint="a node looks like: 2) size< 2.5 11 1 no (0.909 0.0909) *",
            )
        n = float(found[3])
        weights = tuple(_near_whole(float(share) * n) for share in found[6].split())
        nodes.append(RpartNode(int(found[1]), found[2], n, float(found[4]), found[5], weights))
    if not nodes:
        raise TreeError(
            "there is no rpart tree in the text",
            got="no line of a node",
            hint="pass the output of print(fit), or a table of nodes as JSON.",
        )
    return nodes


def _near_whole(weight: float) -> float:
    """Return the integer nearest to a printed proportion times a number of rows."""
    return float(round(weight)) if abs(weight - round(weight)) < 0.01 else weight


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


def _exact_cuts(
    records: Sequence[RpartNode], splits: Sequence[Mapping[str, Any]]
) -> dict[int, float]:
    """The thresholds that the table of splits has for nodes, whose own line comes first there."""
    cuts: dict[int, float] = {}
    at = 0
    for node in records:
        if not splits or node.n_splits is None:
            return {}
        if node.n_splits and at < len(splits):
            cuts |= _cut_of(node, splits[at])
        at += node.n_splits
    return cuts if at == len(splits) else {}


def _cut_of(node: RpartNode, split: Mapping[str, Any]) -> dict[int, float]:
    try:
        return {node.id: float(split["index"])} if abs(split["ncat"]) < 2 else {}
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise TreeError(
            "a line of the table of splits is not valid",
            got=f"{split!r}"[:200],
            hint="every line needs ncat and index.",
        ) from error


# -------------------------------------------------------------------- schema


def _inferred(
    nodes: Mapping[int, RpartNode], order: Sequence[int], classes: tuple[str, ...]
) -> Schema:
    """Infer the columns and the classes from the nodes."""
    values: dict[str, set[str] | None] = {}
    for node in order[1:]:
        name, operator, value = _branch(nodes[node].edge, ())
        if operator == "=":
            known = values.setdefault(name, set())
            if known is not None:
                known.update(split_values(value, ()))
        else:
            values[name] = None
    attributes = tuple(
        Feature(name, "numeric")
        if known is None
        else Feature(name, "categorical", "text", tuple(sorted(known)))
        for name, known in values.items()
    )
    return Schema(attributes, classes or _answered_classes(nodes))


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
    nodes: Mapping[int, RpartNode],
    node: int,
    place: Mapping[int, int],
    schema: Schema,
    cuts: Mapping[int, float],
) -> NodeDescription:
    record, children = nodes[node], _children(nodes, node)
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
    condition: Condition | None = None
    if children:
        condition, swapped = _condition(nodes, children, schema, cuts.get(node))
        children = children[::-1] if swapped else children
    missing = -1 if not children else int(nodes[children[1]].n > nodes[children[0]].n)
    numbers = tuple(place[child] for child in children)
    rows = round(record.n)
    return NodeDescription(condition, numbers, weights, label, missing, rows)


def _condition(
    nodes: Mapping[int, RpartNode], children: tuple[int, ...], schema: Schema, cut: float | None
) -> tuple[Condition, bool]:
    """Return the condition of two children, and whether the second comes first here."""
    left, right = (_branch(nodes[child].edge, schema.names) for child in children)
    column = schema.position(left[0])
    opposite = {"<": ">=", ">=": "<", "=": "="}
    if right[0] != left[0] or right[1] != opposite[left[1]]:
        raise TreeError(
            "two branches of the rpart tree do not belong to one split",
            got=f"{nodes[children[0]].edge!r} beside {nodes[children[1]].edge!r}",
        )
    if left[1] != "=":
        try:
            value = float(left[2]) if cut is None else cut
        except ValueError:
            raise TreeError("a threshold of the rpart tree is not a number", got=left[2]) from None
        return Threshold(column, nextafter(value, -inf)), left[1] == ">="
    attribute = schema.features[column]
    inside, outside = (_codes(branch[2], attribute) for branch in (left, right))
    if len(inside) + len(outside) == len(attribute.categories):
        return Subset(column, tuple(sorted(inside))), False
    side = dict.fromkeys(outside, 1) | dict.fromkeys(inside, 0)
    groups = tuple(side.get(code, -1) for code in range(len(attribute.categories)))
    return Grouped(column, groups), False


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


def _codes(text: str, attribute: Feature) -> list[int]:
    labels = list(map(str, attribute.categories))
    values = split_values(text, labels)
    unknown = [value for value in values if value not in labels]
    if unknown:
        raise TreeError(
            f"the rpart tree has a value that is not a category of {attribute.name!r}",
            got=repr(unknown[0]),
            hint=nearest(unknown[0], labels) or "write the table with minlength = 0.",
        )
    return [labels.index(value) for value in values]


def r_name(name: str) -> str:
    """Convert a name as R does: everything but letters, digits and _ becomes a dot.

    >>> r_name("od280/od315")
    'od280.od315'
    """
    return re.sub(r"[^A-Za-z0-9_.]", ".", name)
