"""Reading the nodes of an rpart model: its printed form, or a table as dicts or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from pathlib import Path
from typing import Any

from plaintree.errors import ArgumentTypeError, TreeError, not_allowed

from .declared import source_text
from .rpart_splits import NodeSplits, node_splits

METHODS = ("class", "anova", "poisson")
_NODE = re.compile(r"\s*\d+\) ")
_COUNT = r"\d+(?:\.\d+)?(?:e[-+]\d{1,2})?"
_PRINTED = re.compile(
    rf"\s*(\d+)\) (.+)\s+({_COUNT})\s+({_COUNT}) (.+?) \(({_COUNT}(?: {_COUNT})*)\)\s*\*?\s*",
    re.ASCII,
)
_NUMERIC = re.compile(
    rf"\s*(\d+)\) (.+)\s+({_COUNT})\s+({_COUNT})\s+(-?{_COUNT})\s*\*?\s*", re.ASCII
)


@dataclass(frozen=True)
class RpartNode:
    """A node as rpart has it.

    ``edge`` is the branch that leads to it (empty if only the table of splits has it), ``n`` and
    ``weight`` its rows and their weight, ``loss`` the errors of predicting ``label``, or the
    deviance of a number, ``weights`` the rows of each class.
    """

    id: int
    edge: str
    n: float
    loss: float
    label: str
    weights: tuple[float, ...] | None = None
    weight: float | None = None


@dataclass(frozen=True)
class RpartTree:
    """A tree as it was read.

    ``method`` is "class", "anova" or "poisson" (None: not given), ``use_surrogates`` rpart's
    option ``usesurrogate``.
    """

    nodes: dict[int, RpartNode]
    classes: tuple[str, ...] = ()
    splits: Mapping[int, NodeSplits] = field(default_factory=dict)
    method: str | None = None
    use_surrogates: int = 2

    @property
    def is_numeric(self) -> bool:
        """Whether the nodes predict numbers."""
        return self.method in ("anova", "poisson")


def read_rpart(source: Any) -> RpartTree:
    """Return the tree as it is written."""
    if isinstance(source, str | Path):
        stripped = isinstance(source, str) and source.lstrip()[:1] in ("{", "[")
        text = source if isinstance(source, str) and stripped else source_text(source)
        if text.lstrip()[:1] not in ("{", "["):
            return RpartTree(_by_number(_printed_nodes(text)))
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
    for key in ("classes", "splits", "csplit"):
        if not isinstance(table.get(key, []), list | tuple):
            raise ArgumentTypeError(
                f"{key} of the rpart tree is not a list", got=f"{table[key]!r}"[:200]
            )
    method = table.get("method")
    if method not in (None, *METHODS):
        raise not_allowed("method", method, METHODS)
    splits = node_splits(table, [_checked(record) for record in table["nodes"]])
    return RpartTree(
        nodes=_by_number([_node(record) for record in table["nodes"]]),
        classes=tuple(str(label) for label in table.get("classes", ())),
        splits=splits,
        method=method,
        use_surrogates=_amount_of(table),
    )


def _amount_of(table: Mapping[str, Any]) -> int:
    """rpart's option ``usesurrogate``; R writes a number as a list of one."""
    given = table.get("usesurrogate", 2)
    given = given[0] if isinstance(given, list) and len(given) == 1 else given
    if given not in (0, 1, 2):
        raise not_allowed("usesurrogate", given, (0, 1, 2))
    return int(given)


def _checked(record: Any) -> Mapping[str, Any]:
    if not isinstance(record, Mapping):
        raise _not_described(record)
    return record


def _not_described(record: Any) -> TreeError:
    return TreeError(
        "a node of the rpart tree is not described",
        got=f"{record!r}"[:200],
        hint="every node needs id, edge, n, dev and yval.",
    )


def _by_number(records: Sequence[RpartNode]) -> dict[int, RpartNode]:
    nodes = {node.id: node for node in records}
    if len(nodes) < len(records):
        raise TreeError("a node of the rpart tree is there twice", got=f"{len(records)} nodes")
    return nodes


def _node(record: Mapping[str, Any]) -> RpartNode:
    try:
        counts = record.get("counts")
        return RpartNode(
            id=int(record["id"]),
            edge=str(record["edge"] if "var" not in record else record.get("edge", "")),
            n=_amount(record["n"]),
            loss=_amount(record["dev"]),
            label=str(record["yval"]),
            weights=None if counts is None else tuple(map(_amount, counts)),
            weight=_amount(record["wt"]) if "wt" in record else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _not_described(record) from error


def _amount(value: Any) -> float:
    """Return a number of rows, or a deviance; ValueError for other values."""
    number = float(value)
    if not 0 <= number < inf:
        raise ValueError(f"{value!r} is not a number of rows")
    return number


def _printed_nodes(text: str) -> list[RpartNode]:
    nodes = []
    for number, line in enumerate(text.split("\n"), 1):
        if not _NODE.match(line):
            continue
        found, numeric = _PRINTED.fullmatch(line), _NUMERIC.fullmatch(line)
        if found:
            n = float(found[3])
            weights = tuple(_near_whole(float(share) * n) for share in found[6].split())
            nodes.append(RpartNode(int(found[1]), found[2], n, float(found[4]), found[5], weights))
        elif numeric and all(node.weights is None for node in nodes):
            n, deviance = float(numeric[3]), float(numeric[4])
            nodes.append(RpartNode(int(numeric[1]), numeric[2].strip(), n, deviance, numeric[5]))
        else:
            raise TreeError(
                f"line {number} of the printed tree is not a node of an rpart tree",
                got=repr(line.strip()),
                hint="a node looks like: 2) size< 2.5 11 1 no (0.909 0.0909) *, or of a numeric "
                "target: 2) size< 2.5 11 99 16 *",
            )
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


def is_number(text: str) -> bool:
    """Whether a prediction is a finite number."""
    try:
        return isfinite(float(text))
    except ValueError:
        return False
