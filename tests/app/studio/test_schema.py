"""The JSON schema of the messages, from which the types of the page are made."""

from __future__ import annotations

import json
import subprocess
import sys

from plaintree.app.studio.messages import REQUESTS
from plaintree.app.studio.schema import schema, schema_text


def test_the_schema_is_the_same_each_time() -> None:
    command = [sys.executable, "-m", "plaintree.app.studio.schema"]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    assert done.stdout == schema_text()


def test_every_message_is_in_the_schema() -> None:
    found = schema()
    assert set(REQUESTS) <= set(found["properties"]["requests"]["properties"])
    assert set(REQUESTS) <= set(found["properties"]["replies"]["properties"])
    for name in ("TreeRequest", "TreeColumns", "Document", "SplitEdit", "Failure", "Part"):
        assert name in found["$defs"]


def test_every_reference_leads_somewhere() -> None:
    found = schema()
    parts = json.dumps(found).split('"#/$defs/')[1:]
    assert {part.partition('"')[0] for part in parts} <= set(found["$defs"])


def test_replies_have_all_their_fields_and_requests_no_others() -> None:
    found = schema()["$defs"]
    assert "kind" in found["Failure"]["required"]
    assert "member" not in found["TreeRequest"]["required"]
    assert found["TreeRequest"]["additionalProperties"] is False
