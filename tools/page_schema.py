"""Write the JSON schema of the studio's messages, from which the types of the page are made."""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec

from plaintree.app.studio.messages import REQUESTS
from plaintree.app.studio.messages.documents import Answer, Failure, ProgressLine


def page_schema() -> dict[str, Any]:
    """The schema of all messages, and by name what is asked and what is answered."""
    types = [*(kind for pair in REQUESTS.values() for kind in pair), Failure, ProgressLine]
    _, parts = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    answers = {kind.__name__ for kind in _subclasses(Answer)}
    for name, part in parts.items():
        if name in answers:  # answers are written with all their fields
            part["required"] = list(part["properties"])
    names = [[name, asks.__name__, gives.__name__] for name, (asks, gives) in REQUESTS.items()]
    schema = {"title": "Everything", "type": "object", "properties": {}, "$defs": parts}
    return {"schema": schema, "messages": names}


def _subclasses(kind: type) -> list[type]:
    return [deep for child in kind.__subclasses__() for deep in (child, *_subclasses(child))]


if __name__ == "__main__":
    json.dump(page_schema(), sys.stdout, indent=1)
