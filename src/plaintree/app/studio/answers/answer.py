"""One registry: the name of a message, and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plaintree.errors import ParameterError, nearest
from plaintree.progress import Progress

from ..messages.documents import Answer, Request
from .candidates import candidates, measure
from .held import Held
from .replay import Work, replayed
from .tree_columns import tree

OF_WORK: dict[str, Callable[[Work, Any], Answer]] = {
    "tree": tree,
    "candidates": candidates,
    "measure": measure,
}


def answer(held: Held, name: str, request: Request, progress: Progress) -> Answer:
    """Answer a message by the table that a worker holds.

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
    Answer
        The answer, of the type that the message has.

    Raises
    ------
    PlaintreeError
        If there is no answer; it says what happened, what was got, and a hint.
    """
    work = replayed(held, request.document, progress)
    return OF_WORK[name](work, request)
