"""Bytes of a model file to a model, and back; whatever is wrong with them is a ModelFileError."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from plaintree.errors import ModelFileError, PlaintreeError
from plaintree.tree.tree import Tree

from .document import document_of, fitted_attributes, fitted_part, model_from, storable_class
from .head import Head, beyond_limits
from .packed_form import BEGINNING, packed_bytes, read_packed
from .text_form import read_text, text_bytes

MOST_NODES_AS_TEXT = 50_000
"""A tree of more nodes is packed, because people would not read it."""
UNFORESEEN = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
STATE_KEY = "model_file"
"""Key of the bytes in the pickled state of a model."""
FITTED = ("schema_", "classes_", "n_features_in_", "tree_", "trees_", "rules_")
"""The attributes that they replace."""


def to_bytes(model: object) -> bytes:
    """Return the bytes of a model file: JSON if people may read it, otherwise packed."""
    document = document_of(model)
    many = document.holds in ("boosted", "forest")
    if many or sum(tree.n_nodes for tree in document.trees) > MOST_NODES_AS_TEXT:
        return packed_bytes(document)
    text = text_bytes(document)
    return text if beyond_limits(text) is None else packed_bytes(document)


def from_bytes(data: bytes) -> Any:
    """The model of a file's bytes."""
    with refusing():
        head, trees = read_bytes(data)
        return model_from(head.document, trees)


def read_bytes(data: bytes) -> tuple[Head, Iterable[Tree]]:
    """The head of a file's bytes, and its trees, each checked as it is made."""
    return read_packed(data) if data.startswith(BEGINNING) else read_text(data)


@contextmanager
def refusing() -> Iterator[None]:
    """Turn whatever goes wrong while bytes are read into a ModelFileError.

    Checks find what is wrong with a file. This is for errors that no check foresees:
    a file must never do worse than to be refused.
    """
    try:
        with np.errstate(all="ignore"):  # whatever the numbers are, the checks judge them
            yield
    except ModelFileError:
        raise
    except PlaintreeError as error:  # a tree or conventions that are not valid
        raise ModelFileError(
            f"the file does not have a valid model: {error.happened}",
            got=error.got,
            hint="the file was changed or damaged after it was written.",
        ) from error
    except MemoryError as error:
        raise ModelFileError("there is not enough memory to load the file") from error
    except UNFORESEEN as error:
        raise ModelFileError(
            "the file does not have a model",
            got=f"{type(error).__name__}: {str(error)[:100]}",
            hint="the file was changed or damaged after it was written.",
        ) from error


# -------------------------------------------------------------------- pickling


def packed_state(model: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The state of a fitted model with its trees and rules as the bytes of a model file.

    Parameters and other attributes are unchanged, so models of derived classes, and with parameters
    that no model file stores, can also be pickled.
    """
    name = storable_class(type(model))
    if name is None or not {"schema_", "training_"} <= state.keys():
        return state
    try:
        stored = packed_bytes(fitted_part(model, name))
    except PlaintreeError:  # labels or trees of someone's own making
        return state
    rest = {key: value for key, value in state.items() if key not in FITTED}
    return rest | {STATE_KEY: stored}


def unpacked_state(state: dict[str, Any]) -> dict[str, Any]:
    """The inverse of :func:`packed_state`."""
    if STATE_KEY not in state:
        return state
    rest = {key: value for key, value in state.items() if key != STATE_KEY}
    with refusing():
        head, trees = read_bytes(state[STATE_KEY])
        return rest | fitted_attributes(head.document, trees)
