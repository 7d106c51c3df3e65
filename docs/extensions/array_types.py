"""Shows the types of arrays in signatures as they are written in the sources: NDArray[int32].

Sphinx shows what the alias stands for: ``ndarray[tuple[Any, ...], dtype[int32]]``.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes

LONG = re.compile(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[\w+\]\]")
N_PIECES = 17
"""Names, brackets, commas and spaces of such a type."""


def shorten(parent: nodes.Element) -> None:
    """Replace the types of arrays among the children of a node."""
    place = 0
    while place < len(parent):
        pieces = parent[place : place + N_PIECES]
        for length in range(len(pieces), 0, -1):
            if LONG.fullmatch("".join(piece.astext() for piece in pieces[:length])):
                array, kind = pieces[0], pieces[length - 3]
                text = next(iter(array.findall(nodes.Text)))
                text.parent.replace(text, nodes.Text("NDArray"))
                parent[place : place + length] = [array, pieces[1], kind, pieces[length - 1]]
                break
        place += 1


def shorten_all(_app: Any, doctree: nodes.document, _page: str) -> None:
    """Shorten the types of all signatures of a page, once their links are known."""
    for signature in doctree.findall(addnodes.desc_signature):
        for parent in list(signature.findall(nodes.Element)):
            if any(child.astext() == "ndarray" for child in parent.children):
                shorten(parent)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx when it starts."""
    app.connect("doctree-resolved", shorten_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
