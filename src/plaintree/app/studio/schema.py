"""The JSON schema of all messages, from which the types of the page are made.

``python -m plaintree.app.studio.schema`` writes it to standard output. The same messages give the
same bytes, so a test can compare it with a file.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from .messages import REQUESTS, SERVED
from .messages.documents import Failure, ProgressLine, Reply

REFERENCE = "#/$defs/{name}"


def schema() -> dict[str, Any]:
    """The schema: under ``$defs`` every message, and its properties name them by their request."""
    messages = {**REQUESTS, **SERVED}
    asked = {name: request for name, (request, _) in messages.items() if request is not None}
    given = {name: reply for name, (_, reply) in messages.items()}
    types = [*asked.values(), *given.values(), Failure, ProgressLine]
    _, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    replies = {kind.__name__ for kind in _subclasses(Reply)}
    for name, component in components.items():
        if name in replies:  # these are written with all their fields
            component["required"] = sorted(component["properties"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Messages",
        "type": "object",
        "properties": {
            "requests": _group(asked),
            "replies": _group(given),
            "failure": _reference(Failure),
            "progress": _reference(ProgressLine),
        },
        "required": ["requests", "replies", "failure", "progress"],
        "additionalProperties": False,
        "$defs": components,
    }


def schema_text() -> str:
    """The schema as text, always in the same order."""
    return json.dumps(schema(), indent=2, sort_keys=True) + "\n"


def _subclasses(kind: type) -> list[type]:
    children: list[type] = kind.__subclasses__()
    return [deep for child in children for deep in (child, *_subclasses(child))]


def _group(types: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _reference(kind) for name, kind in types.items()},
        "required": sorted(types),
        "additionalProperties": False,
    }


def _reference(kind: type) -> dict[str, str]:
    return {"$ref": REFERENCE.format(name=kind.__name__)}


if __name__ == "__main__":
    print(schema_text(), end="")
