"""One registry: the name of a message, and the function that replies to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plaintree.errors import ParameterError
from plaintree.progress import Progress

from ..messages.documents import Reply, Request
from .candidates import candidates, measure
from .comparing import compare
from .cut_points import cuts
from .ensemble import ensemble
from .explaining import explain
from .exporting import export
from .formula_parts import formula
from .held import Held
from .pruning_view import pruning
from .quality_view import quality
from .regions import regions
from .replay import Work, replayed
from .rule_views import rules
from .steps import steps
from .table_rows import cells, rows
from .tables import hello, open_table
from .tree_columns import tree

OF_TABLES: dict[str, Callable[[Held, Any], Reply]] = {
    "hello": hello,
    "open": open_table,
}
"""Messages about a table."""
OF_EITHER: dict[str, Callable[[Held, Any, Progress], Reply]] = {
    "cells": cells,
    "compare": compare,
}
"""Messages about a table with a document or without, and about two documents."""
OF_DOCUMENTS: dict[str, Callable[[Work, Any], Reply]] = {
    "tree": tree,
    "candidates": candidates,
    "measure": measure,
    "cuts": cuts,
    "formula": formula,
    "rows": rows,
    "regions": regions,
    "rules": rules,
    "explain": explain,
    "ensemble": ensemble,
    "steps": steps,
}
"""Messages about the tree of a document."""
OF_LONG_WORK: dict[str, Callable[[Work, Any, Progress], Reply]] = {
    "pruning": pruning,
    "quality": quality,
    "export": export,
}
"""Messages about a document that report their progress."""


def reply(held: Held, name: str, request: Request, progress: Progress) -> Reply:
    """Reply to a message by the table that a worker holds.

    Parameters
    ----------
    held : Held
        The table, with what was computed from it.
    name : str
        The name of the message, as ``messages.REQUESTS`` has it.
    request : Request
        What is asked.
    progress : callable
        Called with a stage, how much is done, and the total or None.

    Returns
    -------
    msgspec.Struct
        The reply, of the type that the message has.

    Raises
    ------
    PlaintreeError
        If there is no reply; it says what happened, what was got, and a hint.

    Examples
    --------
    >>> from plaintree.app.studio.messages import OpenRequest
    >>> facts = reply(Held(), "open", OpenRequest(example="golf"), lambda *_: None)
    >>> facts.target, facts.classes, facts.class_counts
    ('play', ['no', 'yes'], [5, 9])
    """
    if name in OF_TABLES:
        return OF_TABLES[name](held, request)
    if name in OF_EITHER:
        return OF_EITHER[name](held, request, progress)
    document = getattr(request, "document", None)
    if document is None or not (name in OF_DOCUMENTS or name in OF_LONG_WORK):
        raise ParameterError("there is no such message", got=repr(name))
    work = replayed(held, document, progress)
    if name in OF_LONG_WORK:
        return OF_LONG_WORK[name](work, request, progress)
    return OF_DOCUMENTS[name](work, request)
