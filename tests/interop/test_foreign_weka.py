"""Trees as Weka's J48 prints them, read back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

from plaintree.data import Schema
from plaintree.errors import FileError, TreeError
from plaintree.interop.foreign.weka import from_weka
from plaintree.tree.condition import Equals, Multiway, NodeKind, Threshold
from plaintree.tree.node import Node
from plaintree.tree.tree import Tree
from tests.support.printed_trees import WEATHER
from tests.support.reference_tables import class_codes, golden, load, names_in, needs_shared
from tests.support.trees import XY_SCHEMA, build, specs
from tests.support.weka import j48_r

BINARY = """J48 pruned tree
------------------

outlook = overcast: yes (4.0)
outlook != overcast
|   windy = TRUE: no (4.0/1.0)
|   windy != TRUE
|   |   outlook = sunny: no (3.0/1.0)
|   |   outlook != sunny: yes (3.0)

Number of Leaves  : \t4

Size of the tree : \t7
"""
ARFF = """@relation weather
@attribute outlook {sunny, overcast, rainy}
@attribute temperature numeric
@attribute humidity numeric
@attribute windy {TRUE, FALSE}
@attribute play {yes, no}
@data
"""


class TestReading:
    def test_many_way_tests(self) -> None:
        tree = from_weka(WEATHER)
        assert tree.root.counts == {"yes": 9.0, "no": 5.0}
        assert tree.condition(0) == Multiway(0, 3)
        assert tree.condition(1) == Threshold(1, 75.0)
        assert (tree.missing_child == -1).all()

    def test_the_arff_file_gives_columns_and_order(self, file: Any) -> None:
        tree = from_weka(file("out.txt", WEATHER), file("weather.arff", ARFF))
        assert tree.schema.names == ("outlook", "temperature", "humidity", "windy")
        assert (tree.schema.classes, tree.schema.target) == (("yes", "no"), "play")

    def test_another_target(self, file: Any) -> None:
        arff = ARFF.replace("@data", "@attribute day {mon, tue}\n@data")
        tree = from_weka(WEATHER, file("weather.arff", arff), target="play")
        assert tree.schema.names[-1] == "day"

    def test_binary_tests_of_categories(self, file: Any) -> None:
        tree = from_weka(BINARY, file("weather.arff", ARFF))
        assert tree.condition(0) == Equals(0, 1)
        assert tree.root.counts == {"yes": 9.0, "no": 5.0}

    def test_binary_tests_need_a_schema(self) -> None:
        """x != a does not say what else x may be."""
        with pytest.raises(TreeError, match=r"line 5 .*excludes a value.*schema="):
            from_weka(BINARY)

    def test_a_single_leaf(self) -> None:
        text = "J48 pruned tree\n------------------\n: yes (14.0/5.0)\n\nNumber of Leaves  : \t1\n"
        tree = from_weka(text, Schema((), ("no", "yes")))
        assert tree.root.counts == {"no": 5.0, "yes": 9.0}

    def test_large_numbers_as_java_writes_them(self) -> None:
        tree = from_weka("x <= 1.5E-4: a (1.25E7/2.0)\nx > 1.5E-4: b (3.0)\n")
        assert tree.condition(0) == Threshold(0, 1.5e-4)
        assert tree.root.weight == 12500003.0

    def test_a_category_that_looks_like_an_answer(self) -> None:
        text = "c = big (10)\n|   x <= 1: a (1.0)\n|   x > 1: b (2.0)\nc = small: a (3.0)\n"
        assert from_weka(text).schema.features[0].categories == ("big (10)", "small")


class TestRefusals:
    def test_lines_that_were_lost(self) -> None:
        text = WEATHER.replace("outlook = overcast: yes (4.0)\n", "")
        with pytest.raises(TreeError, match=r"not complete.*4, but.*Number of Leaves"):
            from_weka(text)
        with pytest.raises(TreeError, match=r"line 12 .*is the only branch of its split"):
            from_weka(WEATHER.replace("|   windy = FALSE: yes (3.0)\n", ""))

    def test_lines_that_are_no_tree(self) -> None:
        with pytest.raises(TreeError, match=r"line 2 .*is not a branch of a split"):
            from_weka("x <= 1: a (2.0)\nsome other words\n")
        with pytest.raises(TreeError, match="no tree in the text"):
            from_weka("\n\n")
        with pytest.raises(TreeError, match="begins one more tree"):
            from_weka(WEATHER + WEATHER)

    def test_a_file_that_is_not_there(self) -> None:
        with pytest.raises(FileError, match="there is no file"):
            from_weka("nowhere.txt")
        with pytest.raises(FileError, match="there is no file"):
            from_weka(WEATHER, "nowhere.arff")

    def test_a_target_that_is_not_declared(self, file: Any) -> None:
        with pytest.raises(FileError, match=r"declares no column for the target.*'plays'"):
            from_weka(WEATHER, file("weather.arff", ARFF), target="plays")


# -------------------------------------------------------------------- printed and read back


def printed(tree: Tree) -> str:
    """A tree as J48 prints it."""
    if tree.n_nodes == 1:
        return f": {answer(tree.root)}\n"
    lines = []
    for node in list(tree.walk())[1:]:
        above = node.parent
        assert above is not None
        operator, value = above.condition.operator_and_value(
            tree.schema, above.children.index(node)
        )
        text = "|   " * above.depth + f"{above.feature} {operator} {value}"
        lines.append(f"{text}: {answer(node)}" if node.is_leaf else text)
    counts = f"\nNumber of Leaves  : \t{tree.n_leaves}\n\nSize of the tree : \t{tree.n_nodes}\n"
    return "J48 unpruned tree\n------------------\n\n" + "\n".join(lines) + "\n" + counts


def answer(leaf: Node) -> str:
    errors = leaf.weight - leaf.counts[leaf.label]
    return f"{leaf.label} ({leaf.weight}{f'/{errors}' if errors else ''})"


WITHOUT_ORDER = Schema(
    tuple(a for a in XY_SCHEMA.features if a.kind != "ordered"), XY_SCHEMA.classes
)


@given(specs(WITHOUT_ORDER))
def test_a_printed_tree_is_read_back(spec: Any) -> None:
    tree = build(WITHOUT_ORDER, spec)
    assume(not (tree.kind == NodeKind.SUBSET).any())  # J48 makes no tests of sets
    read = from_weka(printed(tree), WITHOUT_ORDER)
    assert read.difference(replace(tree, score=read.score)) is None


READ_EXACTLY = [name for name in names_in("weka") if name != "autos"]
"""Autos has six classes and gaps: which classes a leaf's errors are of is not printed, and counts
where a row is divided."""


@needs_shared
@pytest.mark.parametrize("name", READ_EXACTLY)
def test_reduced_error_pruning_as_weka_does_it(name: str) -> None:
    """Our J48 -R, printed and read back, has Weka's size, leaves and training errors."""
    X, y = load(name)
    model = j48_r(X, y, class_codes(name))
    read = from_weka(printed(model.tree_), model.tree_.schema)
    run = golden("weka", name)["runs"]["J48_R"]
    model.tree_ = read
    wrong = int(np.count_nonzero(model.predict(X) != y))
    assert (read.n_nodes, read.n_leaves) == (run["size"], run["leaves"])
    assert wrong == run["train"]["incorrect"]
