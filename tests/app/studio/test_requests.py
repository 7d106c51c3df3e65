"""Malformed messages: each is a failure with a reason, never a crash and never a bug."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from plaintree.app.studio.messages import REQUESTS, SERVED
from plaintree.app.studio.messages.documents import Document
from plaintree.app.studio.messages.nodes import TreeRequest
from plaintree.app.studio.server.door import decoded
from plaintree.app.studio.server.refusals import Refused
from tests.support.studio_server import Studio, document, running, tree


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    with running() as started:
        assert started.open("golf") == "example-golf"
        yield started


GOOD = document("example-golf")
DEEP = b"[" * 100_000
DEEP_OPTIONS = (
    b'{"document": {"table": {"key": "example-golf", "hash": "", "name": "", "target": ""},'
    b'"settings": {"parameters": {"x": ' + b'{"x":' * 50_000 + b"1" + b"}" * 50_000 + b"}}}}"
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
FIELDS = sorted(
    {field for kind, _ in REQUESTS.values() for field in kind.__struct_fields__} | {"cut", "in"}
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(sorted(REQUESTS)), body=st.binary(max_size=200))
@example("tree", DEEP)
@example("tree", DEEP_OPTIONS)
@example("tree", b'{"document":' * 20_000)
@example("hello", b"")
@example("hello", b"null")
@example("hello", b"\xff\xfe")
@example("hello", b'{"a": "\\ud800"}')
@example("tree", json.dumps({"document": GOOD}).replace('"id3"', "1" * 10_000).encode())
@example("cells", b'{"table": 1e999}')
def test_any_bytes_get_a_reason(studio: Studio, name: str, body: bytes) -> None:
    response = studio.post(name, body)
    assert response.status_code in (200, 400)
    (line,) = (json.loads(line) for line in response.text.splitlines()[-1:])
    if response.status_code == 400:
        assert line["error"]["kind"] == "usage"
        assert line["error"]["what"]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(REQUESTS)),
    fields=st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4),
)
def test_any_json_gets_a_reason(studio: Studio, name: str, fields: dict[str, Any]) -> None:
    whole = {"document": GOOD, **fields}
    for body in (fields, whole):
        response = studio.post(name, json.dumps(body).encode())
        assert response.status_code in (200, 400)
        last = json.loads(response.text.splitlines()[-1])
        assert "result" in last or last["error"]["kind"] in ("usage", "lost")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"unknown": 1}, "unknown field"),
        ({"format": 2}, "Invalid enum value 2"),
        ({"edits": [{"edit": "explode", "at": []}]}, "Invalid value 'explode'"),
        ({"edits": [{"edit": "cut", "at": [-1]}]}, ">= 0"),
        ({"edits": [{"edit": "cut", "at": [1.5]}]}, "Expected `int`, got `float`"),
        ({"edits": [{"edit": "cut", "at": [2**31]}]}, "<= 2147483647"),
        ({"edits": [{"edit": "cut", "at": [], "why": "x" * 10_001}]}, "length <= 10000"),
        ({"edits": [{"edit": "split", "at": [], "split": {"column": 3}}]}, "Expected `str`"),
        ({"settings": {"start": "closed"}}, "Invalid enum value 'closed'"),
        ({"table": {"key": "k" * 2_001}}, "length <= 2000"),
    ],
)
def test_a_document_is_checked_while_it_is_read(
    studio: Studio, change: dict[str, Any], reason: str
) -> None:
    response = studio.post("tree", {"document": {**GOOD, **change}})
    assert response.status_code == 400
    assert reason in response.json()["error"]["got"]


def test_a_document_comes_back_as_it_was() -> None:
    edits = [
        {"edit": "split", "at": [0], "split": {"column": "humidity", "cut": 77.5}, "why": "asked"},
        {"edit": "split", "at": [1], "split": {"column": "outlook", "in": ["rain", 3, True]}},
        {"edit": "label", "at": [2], "label": "yes"},
        {"edit": "grow", "at": [], "max_depth": 3},
        {"edit": "prune", "method": "cost_complexity", "options": {"alpha": 0.1}},
    ]
    given_document = msgspec.json.encode({"document": {**GOOD, "edits": edits}})
    read = decoded(given_document, TreeRequest).document
    again = msgspec.json.decode(msgspec.json.encode(read), type=Document)
    assert again == read
    assert [type(edit).__name__ for edit in read.edits] == [
        "SplitEdit",
        "SplitEdit",
        "LabelEdit",
        "GrowEdit",
        "PruneEdit",
    ]
    assert read.edits[1].split.subset == ["rain", 3, True]  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["nothing", "hello/", "stop/x", "%2e%2e", "", "HELLO", "upload/"])
def test_other_messages_are_not_found(studio: Studio, name: str) -> None:
    assert studio.post(name, {}).status_code in (404, 405)


@pytest.mark.parametrize("body", [{}, {"example": "golf", "key": "x"}])
def test_open_needs_one_table(studio: Studio, body: dict[str, str]) -> None:
    assert "an example or the key" in studio.error("open", body)["what"]


def test_the_page_names_no_path(studio: Studio) -> None:
    assert studio.error("open", {"key": "/etc/passwd"})["kind"] == "lost"
    assert studio.post("open", {"path": "/etc/passwd"}).status_code == 400


def test_stop_of_an_unknown_table_stops_nothing(studio: Studio) -> None:
    assert studio.result("stop", {"key": "none"}) == {"stopped": False}


def test_a_request_that_plaintree_refuses_has_its_error(studio: Studio) -> None:
    failure = studio.error("open", {"example": "golf", "target": "nothing"})
    expected = {"what": "there is no column", "got": "target=nothing", "hint": "use play."}
    assert failure == {**expected, "kind": "usage"}


def test_a_table_to_test_on_is_read_by_the_worker_once(studio: Studio) -> None:
    key = studio.upload("new.csv", b"x,y\n1,2\n").json()["result"]["key"]
    body = {**tree("example-golf"), "rows": "test", "test": key}
    for _ in range(2):
        assert studio.error("quality", body)["got"] == f"tests={key}"
    assert studio.error("quality", {**body, "test": "none"})["kind"] == "lost"


def test_every_message_has_a_request_and_an_reply() -> None:
    for name, (asked, given_back) in {**REQUESTS, **SERVED}.items():
        assert asked is None or asked.__struct_config__.forbid_unknown_fields, name
        assert given_back.__struct_fields__, name


def test_refusals_are_not_errors_of_the_package() -> None:
    with pytest.raises(Refused, match="not what this server expects"):
        decoded(b"[]", TreeRequest)
