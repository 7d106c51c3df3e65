"""The form of a model file that people can read: one JSON object, with a node of a tree per line.

Its last key, ``sha256``, is a digest of all the others, written without spaces and with keys in
order, so a file may be formatted again but not changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from plaintree.errors import ModelFileError
from plaintree.tree.tree import Tree

from .document import Document
from .head import Head, TreeFacts, check_tree_count, checked, head_from, parsed, written_head
from .node_lines import as_tree, written_nodes
from .values import as_list, as_object


def text_bytes(document: Document) -> bytes:
    """Return the bytes of a model file as JSON."""
    data = written_head(document)
    facts = TreeFacts()
    nodes = [written_nodes(tree.validate()) for tree in facts.noting(document.trees)]
    data["conventions"] = facts.conventions()
    pairs = zip(facts.of_trees, nodes, strict=True)
    data["trees"] = [fact | {"nodes": listed} for fact, listed in pairs]
    data["sha256"] = digest(data)
    return "".join(_lines(data)).encode("utf-8", "backslashreplace")  # half characters: \udc80


def read_text(data: bytes) -> tuple[Head, Iterator[Tree]]:
    """The head of a model file in this form, and its trees, checked."""
    content = parsed(data)
    if content.pop("sha256", None) != digest(content):
        raise ModelFileError(
            "the file was changed or damaged after it was written: its checksum is wrong",
            hint="get it again from where it came from; to change a tree, use its own methods.",
        )
    head = head_from(content)
    given = as_list(content["trees"], "the trees")
    check_tree_count(head.document.model, len(given))
    return head, (_tree(value, head, f"tree {i}") for i, value in enumerate(given))


def _tree(value: Any, head: Head, where: str) -> Tree:
    fact = as_object(value, where, ("nodes",), ("conventions", "edits"))
    conventions, edits = head.facts(fact, where)
    tree = as_tree(fact["nodes"], head.document.schema, conventions, edits, where)
    return checked(tree, head.most_categories)


def digest(content: dict[str, Any]) -> str:
    """Compute the checksum of the content of a file, whatever its formatting."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()


def compact(value: Any) -> str:
    """JSON on one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _lines(data: dict[str, Any], indent: str = "") -> Iterator[str]:
    """JSON for people: an entry of an object per line, and an object of a list per line."""
    opening = "{\n"
    for key, value in data.items():
        yield f"{opening}{indent}  {compact(key)}: "
        opening = ",\n"
        if isinstance(value, dict) and value and len(indent) < 8:
            yield from _lines(value, f"{indent}  ")
        elif isinstance(value, list) and any(isinstance(entry, dict | list) for entry in value):
            for i, entry in enumerate(value):
                yield f"{',' if i else '['}\n{indent}    "
                if key == "trees":
                    yield from _lines(entry, f"{indent}    ")
                else:
                    yield compact(entry)
            yield f"\n{indent}  ]"
        else:
            yield compact(value)
    yield f"\n{indent}}}" + ("" if indent else "\n")
