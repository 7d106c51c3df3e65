"""Trees as C4.5 Release 8 prints them: read back, with what print leaves out stated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plaintree import C45Classifier
from plaintree.data import Schema
from plaintree.data.encode import encode, learn_schema
from plaintree.data.schema import Feature
from plaintree.data.table import table_from
from plaintree.errors import ArgumentTypeError, FileError, ParameterError, TreeError
from plaintree.interop.foreign.c45 import from_c45
from plaintree.tree.condition import Grouped, Threshold
from plaintree.tree.predict import class_codes
from plaintree.tree.tree import Tree
from tests.support.printed_trees import GOLF, GOLF_PRUNED
from tests.support.reference_tables import description, golden, load, names_in, needs_shared

NAMES = """Play, Don't Play.

outlook: sunny, overcast, rain.
temperature: continuous.
humidity: continuous.
windy: true, false.
"""


def tree_of(*lines: str, **options: Any) -> Tree:
    return from_c45("Decision Tree:\n\n" + "\n".join(lines) + "\n", **options)


class TestReading:
    def test_tests_answers_and_counts(self) -> None:
        tree = from_c45(GOLF)
        assert (tree.n_nodes, tree.n_leaves, tree.size) == (8, 5, 3)
        assert tree.root.counts == {"Play": 9.0, "Don't Play": 5.0}
        assert [node.label for node in tree.walk() if node.is_leaf] == [
            "Play",
            "Play",
            "Don't Play",
            "Don't Play",
            "Play",
        ]

    def test_without_a_schema_all_is_taken_as_it_comes(self) -> None:
        schema = from_c45(GOLF).schema
        assert schema.names == ("outlook", "humidity", "windy")
        assert schema.features[0].categories == ("overcast", "sunny", "rain")
        assert schema.classes == ("Play", "Don't Play")

    def test_the_names_file_gives_columns_and_order(self, file: Any) -> None:
        names = file("golf.names", NAMES)
        tree = from_c45(file("golf.out", GOLF), names)
        assert tree.schema.names == ("outlook", "temperature", "humidity", "windy")
        assert tree.schema.features[0].categories == ("sunny", "overcast", "rain")
        assert [child.n_rows for child in tree.root.children] == [5, 4, 5]

    def test_discrete_attributes_take_their_values_from_the_tree(self, file: Any) -> None:
        names = file("golf.names", NAMES.replace("sunny, overcast, rain", "discrete 3"))
        tree = from_c45(GOLF, names)
        assert tree.schema.features[0].categories == ("overcast", "sunny", "rain")

    def test_missing_values_are_divided(self) -> None:
        tree = from_c45(GOLF)
        assert (tree.missing_child == -1).all()

    def test_windows_line_ends(self) -> None:
        assert from_c45(GOLF.replace("\n", "\r\n")).difference(from_c45(GOLF)) is None

    def test_a_single_leaf(self) -> None:
        tree = tree_of(" Play (14.0/5.0)", schema=Schema((), ("Play", "Don't Play")))
        assert tree.root.counts == {"Play": 9.0, "Don't Play": 5.0}

    def test_names_with_the_signs_of_tests_inside(self) -> None:
        schema = Schema(
            (Feature("a = b", "categorical", "text", ("x: y", "<= 3")),), ("no", "yes: maybe")
        )
        tree = tree_of("a = b = x: y: yes: maybe (2.0)", "a = b = <= 3: no (1.0)", schema=schema)
        assert [child.label for child in tree.root.children] == ["yes: maybe", "no"]

    def test_errors_of_two_classes_are_of_the_other_one(self) -> None:
        tree = tree_of("x <= 1 : a (3.0/1.0)", "x > 1 : b (4.0)")
        assert tree.root.children[0].counts == {"a": 2.0, "b": 1.0}

    def test_errors_of_many_classes_are_shared_out(self) -> None:
        tree = tree_of(
            "x <= 1 : a (5.0/2.0)", "x > 1 :", "|   y <= 2 : b (4.0)", "|   y > 2 : c (1.0)"
        )
        assert tree.root.children[0].counts == {"a": 3.0, "b": 1.0, "c": 1.0}


class TestSubtrees:
    def test_broken_off_subtrees_are_put_back(self) -> None:
        tree = tree_of(
            "x <= 1 : a (3.0)",
            "x > 1 :[S1]",
            "",
            "Subtree [S1]",
            "",
            "y <= 2 : b (4.0)",
            "y > 2 :[S2]",
            "",
            "Subtree [S2]",
            "",
            "x <= 7 : a (1.0)",
            "x > 7 : b (2.0)",
        )
        assert (tree.size, tree.depth) == (3, 3)
        assert tree.condition(4) == Threshold(0, 7.0)

    def test_a_subtree_that_is_not_there(self) -> None:
        with pytest.raises(TreeError, match=r"line 4 .*refers to a subtree that is not there.*S1"):
            tree_of("x <= 1 : a (3.0)", "x > 1 :[S1]")


class TestGroups:
    """The tests of -s: groups of values."""

    def test_groups_and_single_values(self) -> None:
        tree = tree_of("c in {red,blue}: a (3.0)", "c = green: b (1.0)")
        assert tree.root.condition == Grouped(0, (0, 0, 1))

    def test_long_groups_go_on_in_the_next_line(self) -> None:
        tree = tree_of(
            "x <= 1 : a (1.0)",
            "x > 1 :",
            "|   color in {crimson,vermilion,",
            "|             scarlet}: a (3.0)",
            "|   color in {navy,azure}: b (1.0)",
        )
        assert tree.schema.features[1].categories == (
            "crimson",
            "vermilion",
            "scarlet",
            "navy",
            "azure",
        )
        assert tree.condition(2) == Grouped(1, (0, 0, 0, 1, 1))

    def test_values_that_cannot_get_there_belong_to_no_group(self) -> None:
        tree = tree_of(
            "c in {red,blue}:",
            "|   c = red: a (3.0)",
            "|   c = blue: b (1.0)",
            "c = green: b (1.0)",
        )
        assert tree.condition(1) == Grouped(0, (0, 1, -1))


class TestSections:
    def test_the_simplified_tree_is_taken(self) -> None:
        schema = from_c45(GOLF).schema
        assert from_c45(GOLF_PRUNED, schema).n_nodes == 1

    def test_or_the_other(self) -> None:
        assert from_c45(GOLF_PRUNED, pruned=False).difference(from_c45(GOLF)) is None

    def test_estimated_errors_become_errors_made(self) -> None:
        tree = from_c45(GOLF_PRUNED, from_c45(GOLF).schema)
        assert tree.root.counts == {"Play": 9.0, "Don't Play": 5.0}

    def test_several_trees_are_refused(self) -> None:
        with pytest.raises(TreeError, match="begins one more tree"):
            from_c45(GOLF + GOLF)


class TestRefusals:
    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            (("x <= 1 : a (3.0)",), "line 3 .*is the only branch of its split"),
            (("x <= 1 : a (3.0)", "x = 1: b (1.0)"), "line 3 .*does not form a split with"),
            (("x <= 1 : a (3.0)", "x > 2 : b (1.0)"), "line 4 .*another value.*1 and 2"),
            (("x <= 1 : a (3.0)", "y > 1 : b (1.0)"), "line 4 .*another feature.*'y' beside 'x'"),
            (
                ("x <= one : a (3.0)", "x > one : b (1.0)"),
                "line 3 .*threshold that is not a number",
            ),
            (("x <= 1 : a (3.0)", "x > 1 :"), "line 4 .*neither a leaf nor lines below"),
            (("x <= 1 : a (3.0)", "|   y <= 1 : a (1.0)"), "line 4 .*already has a leaf"),
            (("x <= 1 :", "|   |   y <= 1 : a (1.0)"), "line 4 .*indented too far"),
            (("x <= 1 : a (3.0)", "nonsense"), "line 4 .*is not a branch of a split.*nonsense"),
            (("c = r: a (3.0)", "c = r: b (1.0)"), "line 4 .*another branch has taken.*'r'"),
            (("x <= 1 [0.5,1.5]: a (3.0)",), r"line 3 .*soft threshold"),
            ((), "no tree in the text"),
        ],
    )
    def test_text_that_is_no_tree_names_its_line(
        self, lines: tuple[str, ...], message: str
    ) -> None:
        with pytest.raises(TreeError, match=message):
            tree_of(*lines)

    def test_what_the_schema_does_not_have(self) -> None:
        schema = from_c45(GOLF).schema
        with pytest.raises(TreeError, match=r"feature that is not in the schema.*did you mean"):
            from_c45(GOLF.replace("humidity", "humidty"), schema)
        with pytest.raises(TreeError, match=r"line 9 .*not a category of 'outlook'.*'overcat'"):
            from_c45(GOLF.replace("overcast", "overcat"), schema)
        with pytest.raises(TreeError, match=r"line 9 .*class that is not in the schema.*'Plays'"):
            from_c45(GOLF.replace("overcast: Play", "overcast: Plays"), schema)

    def test_wrong_arguments(self, file: Any) -> None:
        with pytest.raises(FileError, match="there is no file"):
            from_c45("nowhere.out")
        with pytest.raises(ArgumentTypeError, match="neither text nor a file"):
            from_c45(3)  # type: ignore[arg-type]
        with pytest.raises(ArgumentTypeError, match="neither a Schema nor a file"):
            from_c45(GOLF, 3)  # type: ignore[arg-type]
        with pytest.raises(FileError, match="not a file that declares columns"):
            from_c45(GOLF, file("golf.csv", "a,b\n1,2\n"))
        with pytest.raises(ParameterError, match="confidence is out of range"):
            from_c45(GOLF, confidence=0)


# -------------------------------------------------------------------- real trees


def printed(node: dict[str, Any], *, width: int = 80) -> str:
    """A stored tree as the program prints it: ending branches first, wide subtrees broken off."""
    sections, out = [node], ["Decision Tree:\n"]
    for number, root in enumerate(sections):
        out.append(f"\n\nSubtree [S{number}]\n" if number else "")
        if "children" not in root:
            out.append(answer_text(root))
        pending = [(root, branch, 0) for branch in reversed(printing_order(root))]
        while pending:
            above, branch, depth = pending.pop()
            child = above["children"][branch]
            out.append("\n" + "|   " * depth + branch_text(above, branch))
            if "children" not in child:
                out.append(answer_text(child))
            elif 4 * (depth + 1) + widest_line(child) > width and len(sections) < 99:
                sections.append(child)
                out.append(f"[S{len(sections) - 1}]")
            else:
                pending += [(child, b, depth + 1) for b in reversed(printing_order(child))]
        out.append("\n")
    return "".join(out)


def printing_order(node: dict[str, Any]) -> list[int]:
    children = node.get("children", [])
    return sorted(range(len(children)), key=lambda branch: "children" in children[branch])


def branch_text(node: dict[str, Any], branch: int) -> str:
    if "cut" in node:
        return f"{node['attribute']} {('<=', '>')[branch]} {node['cut']:g} :"
    return f"{node['attribute']} = {node['values'][branch]}:"


def answer_text(leaf: dict[str, Any]) -> str:
    errors = f"/{leaf['errors']:.1f}" if leaf["errors"] > 0 else ""
    return f" {leaf['class']} ({leaf['n']:.1f}{errors})"


def widest_line(node: dict[str, Any]) -> int:
    widths = []
    for branch, child in enumerate(node["children"]):
        value = 4 if "cut" in node else len(node["values"][branch])
        widths.append(value + 1 + (0 if "children" in child else len(child["class"]) + 6))
    return len(node["attribute"]) + 4 + max(widths)


def answers(tree: Tree, X: Any) -> np.ndarray:
    return np.array(tree.schema.classes)[class_codes(tree, encode(table_from(X), tree.schema))]


def declared(name: str) -> Schema:
    about = description(name)
    return learn_schema(table_from(load(name)[0]), classes=about["classes"])[0]


@needs_shared
@pytest.mark.parametrize("which", ["unpruned", "pruned"])
@pytest.mark.parametrize("name", names_in("c45"))
def test_stored_trees_are_read_back(name: str, which: str) -> None:
    """Shape, conditions and class weights of the trees that the program itself printed."""
    about = golden("c45", name)["variants"]["default"]
    text = printed(about[f"tree_{which}"])
    if which == "pruned":
        text = "Simplified " + text
    tree = from_c45(text, declared(name))
    figures = about["float"]
    found = (tree.n_nodes, tree.n_leaves, tree.depth)
    assert found == tuple(figures[f"{which}_{key}"] for key in ("size", "leaves", "depth"))
    pairs = [(tree.root, about[f"tree_{which}"])]
    for node, theirs in pairs:
        assert str(node.label) == theirs["class"] or not node.is_leaf
        if node.is_leaf and theirs["n"] > 0:
            own = theirs["dist"][node.tree.schema.classes.index(node.label)]
            assert node.counts[node.label] == pytest.approx(own, abs=0.25 + 0.01 * node.weight)
        pairs += zip(node.children, theirs.get("children", []), strict=True)
    if figures == about["double"]:  # the same tree in both builds
        X, y = load(name)
        wrong = np.count_nonzero(answers(tree, X) != y)
        assert wrong == figures[f"{which}_errors"]


@needs_shared
@pytest.mark.parametrize("name", names_in("c45"))
def test_the_learner_here_grows_what_is_read(name: str) -> None:
    about = golden("c45", name)["variants"]["default"]
    read = from_c45(printed(about["tree_unpruned"]), declared(name))
    grown = C45Classifier(pruning=None).fit(*load(name)).tree_
    for array in ("kind", "feature", "first_child", "n_children", "label"):
        np.testing.assert_array_equal(getattr(read, array), getattr(grown, array))
    np.testing.assert_allclose(read.threshold, grown.threshold, rtol=1e-5)
    np.testing.assert_allclose(read.weight, grown.weight, atol=0.06 * read.n_leaves)
