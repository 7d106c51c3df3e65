"""Broken texts of other programs are read as something valid, or refused in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from plaintree.errors import PlaintreeError
from plaintree.interop.foreign.c45 import from_c45
from plaintree.interop.foreign.rpart import from_rpart
from plaintree.interop.foreign.weka import from_weka
from plaintree.interop.model_file.reading import from_bytes, to_bytes
from plaintree.tree.tree import Tree
from tests.support.printed_trees import GOLF_PRUNED, IRIS, NODES, WEATHER

READERS: dict[str, tuple[Any, str]] = {
    "c45": (from_c45, GOLF_PRUNED),
    "weka": (from_weka, WEATHER),
    "rpart": (from_rpart, IRIS),
}
PIECES = [
    "|   ",
    ": ",
    "(",
    ")",
    "/",
    " = ",
    "<= ",
    " in {",
    "}",
    "[S1]",
    "\n",
    "1e99",
    "-1",
    "nan",
]
VALUES = st.sampled_from([None, -1, 0, 2**70, float("nan"), float("inf"), "x", [], {}, True, "a<b"])
changes = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 30),
        st.sampled_from(PIECES) | st.text(max_size=3),
    ),
    min_size=1,
    max_size=4,
)


def assert_valid_or_refused(read: Callable[[Any], Tree], source: Any) -> None:
    """What is read holds together, and can be kept in a file and read again as it is."""
    try:
        tree = read(source)
    except PlaintreeError:
        return
    tree.validate()
    assert tree.difference(from_bytes(to_bytes(tree))) is None


@given(st.sampled_from(sorted(READERS)), changes)
def test_changed_texts(name: str, made: list[tuple[float, int, str]]) -> None:
    read, text = READERS[name]
    for place, length, piece in made:
        at = int(place * len(text))
        text = text[:at] + piece + text[at + length :]
    assert_valid_or_refused(read, text + "\n")


@given(st.integers(0, 2), st.sampled_from(sorted(NODES[0])), VALUES)
def test_changed_nodes(place: int, key: str, value: Any) -> None:
    nodes = [dict(node) for node in NODES]
    nodes[place][key] = value
    assert_valid_or_refused(from_rpart, {"nodes": nodes, "classes": ["no", "yes"]})


@given(st.sampled_from(["nodes", "classes", "splits"]), VALUES)
def test_changed_tables(key: str, value: Any) -> None:
    table: dict[str, Any] = {"nodes": NODES, "classes": ["no", "yes"], "splits": []}
    assert_valid_or_refused(from_rpart, table | {key: value})
