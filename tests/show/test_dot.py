"""A tree in Graphviz's language: nodes, edges, and names that stay inside their quotation marks."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import Feature, Schema
from plaintree.errors import ParameterError
from plaintree.show.picture.dot import export_dot
from plaintree.show.picture.graph import graph_nodes
from plaintree.show.picture.palette import PAPER
from plaintree.tree.tree import Tree
from tests.support.trees import build, tennis

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def named(name: str) -> Tree:
    schema = Schema((Feature("a", "categorical", "text", (name, "c")),), (name, "no"))
    return build(schema, ("a", {name: [1, 0], "c": [0, 1]}))


def test_nodes_and_edges_of_a_tree() -> None:
    lines = export_dot(tennis()).splitlines()
    assert lines[3] == '  n0 [label="outlook\\nNo: 5, Yes: 9", fillcolor="#ffffff"];'
    assert lines[11:14] == [
        '  n0 -> n1 [label="Overcast"];',
        '  n0 -> n2 [label="Rain"];',
        '  n0 -> n3 [label="Sunny"];',
    ]
    assert lines[-2:] == ['  n3 -> n7 [label="no"];', "}"]


def test_the_graph_behind_it_knows_ends_and_folds() -> None:
    nodes = graph_nodes(tennis(), 1)
    assert [node.parent for node in nodes] == [-1, 0, 0, 0]
    assert [node.is_end for node in nodes] == [False, True, True, True]
    assert [node.is_folded for node in nodes] == [False, False, True, True]
    assert nodes[2].lines == ("Yes", "No: 2, Yes: 3", "… 2 leaves below")
    assert nodes[0].fill == PAPER != nodes[1].fill


def test_a_folded_tree_counts_what_is_below() -> None:
    code = export_dot(tennis(), max_depth=0)
    assert "… 5 leaves below" in code
    assert "->" not in code
    with pytest.raises(ParameterError, match="max_depth must be an int >= 0"):
        export_dot(tennis(), max_depth="auto")


@given(st.text(min_size=1, max_size=30).filter(lambda name: name not in ("c", "no")))
def test_no_name_leaves_its_quotation_marks(name: str) -> None:
    rest = STRING.sub("", export_dot(named(name)))
    assert '"' not in rest
    assert re.sub(r"[\s\[\]=,;{}>\w-]", "", rest) == ""


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
@pytest.mark.parametrize("name", ['"];evil [label="', "\\", "\\N", "&lt;b&gt;", "🎾", "a\nb"])
def test_graphviz_takes_it(name: str) -> None:
    done = subprocess.run(
        ["dot", "-Tplain"], input=export_dot(named(name)).encode(), capture_output=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert done.stdout.count(b"\nnode ") == 3
