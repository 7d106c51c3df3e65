"""A tree as a Mermaid flowchart: its lines, and names that mean nothing to Mermaid."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError
from plaintree.show.picture.mermaid import export_mermaid
from plaintree.tree.tree import Tree
from tests.support.trees import build, tennis


def named(name: str) -> Tree:
    schema = Schema((Feature("a", "categorical", "text", (name, "c")),), (name, "no"))
    return build(schema, ("a", {name: [1, 0], "c": [0, 1]}))


def test_nodes_edges_and_colours() -> None:
    lines = export_mermaid(tennis()).splitlines()
    assert lines[0] == "flowchart TD"
    assert lines[1] == '  n0["outlook<br>No: 5, Yes: 9"]'
    assert lines[2] == '  n1(["Yes<br>4 rows"])'
    assert lines[9] == '  n0 -->|"Overcast"| n1'
    assert lines[16] == "  style n0 fill:#ffffff,stroke:#6b6b6b,color:#1b1b1b"
    assert len(lines) == 1 + 8 + 7 + 8


def test_folded_nodes_are_dashed() -> None:
    code = export_mermaid(tennis(), max_depth=1)
    assert code.count("leaves below") == code.count("stroke-dasharray") == 2


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a#b", "a#35;b"),
        ('say "hi"', "say #34;hi#34;"),
        ("1. first", "1#46; first"),
        ("<b>", "#60;b#62;"),
        ("`x` *y* _z_", "#96;x#96; #42;y#42; #95;z#95;"),
        ("end", "end"),
    ],
)
def test_signs_are_written_as_numbers(name: str, written: str) -> None:
    assert f'|"{written}"|' in export_mermaid(named(name))


@given(st.text(min_size=1, max_size=30).filter(lambda name: name not in ("c", "no")))
def test_no_name_leaves_its_label(name: str) -> None:
    lines = export_mermaid(named(name)).splitlines()
    shape = re.compile(
        r'  n\d+(\[|\(\[)"[^"<>`*\\]*(<br>[^"<>`*\\]*)?"(\]|\]\))'
        r'|  n\d+ -->\|"[^"<>`*\\|]*"\| n\d+'
        r"|  style n\d+ [-\w:#, ]+"
    )
    assert all(shape.fullmatch(line) for line in lines[1:])


def test_what_has_no_tree_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="there is no tree to read"):
        export_mermaid("tree")
