"""rpart's trees, printed or as a table of nodes, read back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from plaintree import CARTClassifier
from plaintree.data import Schema
from plaintree.data.encode import encode, learn_schema
from plaintree.data.schema import Feature
from plaintree.data.table import table_from
from plaintree.errors import ArgumentTypeError, FileError, TreeError
from plaintree.interop.foreign.rpart import from_rpart
from plaintree.tree.condition import Grouped, Subset, Threshold
from plaintree.tree.predict import class_codes
from plaintree.tree.tree import Tree
from tests.support.printed_trees import IRIS, NODES
from tests.support.reference_tables import description, golden, load, names_in, needs_shared

COLORS = Feature("color", "categorical", "text", ("blue", "green", "red"))
SIZE = Feature("size", "numeric")
ANSWERS = ("no", "yes")


def answers(tree: Tree, X: Any) -> np.ndarray:
    return np.array(tree.schema.classes)[class_codes(tree, encode(table_from(X), tree.schema))]


class TestPrinted:
    def test_nodes_classes_and_counts(self) -> None:
        tree = from_rpart(IRIS)
        assert tree.schema.names == ("Petal.Length", "Petal.Width")
        assert tree.schema.classes == ("setosa", "versicolor", "virginica")
        assert tree.class_weights.tolist() == [
            [50, 50, 50],
            [50, 0, 0],
            [0, 50, 50],
            [0, 49, 5],
            [0, 1, 45],
        ]

    def test_below_a_cut_is_at_most_the_number_before_it(self) -> None:
        """A value of 2.45 goes right, as in rpart."""
        tree = from_rpart(IRIS)
        assert tree.condition(0) == Threshold(0, np.nextafter(2.45, -np.inf))
        rows = {"Petal.Length": [2.45, 2.44], "Petal.Width": [1.0, 1.0]}
        assert answers(tree, rows).tolist() == ["versicolor", "setosa"]

    def test_missing_values_go_with_most_rows(self) -> None:
        assert from_rpart(IRIS).missing_child.tolist() == [1, -1, 0, -1, -1]

    def test_labels_that_are_numbers(self) -> None:
        text = IRIS.replace("setosa", "0").replace("versicolor", "1").replace("virginica", "2")
        assert from_rpart(text).schema.classes == ("0", "1", "2")

    def test_classes_that_no_node_answers_are_not_named(self) -> None:
        text = "\n".join(line for line in IRIS.split("\n") if "    " not in line[:4]).replace(
            "versicolor", "virginica"
        )
        with pytest.raises(TreeError, match=r"does not name all its classes.*schema="):
            from_rpart(text)

    def test_a_line_that_is_no_node(self) -> None:
        with pytest.raises(TreeError, match="line 7 of the printed tree is not a node"):
            from_rpart(IRIS.replace("50   0 setosa (1.0", "50   setosa  1.0"))
        with pytest.raises(TreeError, match="no rpart tree in the text"):
            from_rpart("some\nwords\n")


class TestTables:
    def test_a_list_a_dict_json_and_a_file(self, file: Any) -> None:
        tree = from_rpart(NODES)
        assert tree.schema.features[0].categories == ("blue", "green", "red")
        assert tree.root.counts == {"no": 6.0, "yes": 4.0}
        assert from_rpart({"nodes": NODES}).difference(tree) is None
        assert from_rpart(json.dumps(NODES)).difference(tree) is None
        assert from_rpart(file("tree.json", json.dumps({"nodes": NODES}))).difference(tree) is None

    def test_every_category_on_a_side(self) -> None:
        assert from_rpart(NODES, Schema((COLORS,), ANSWERS)).condition(0) == Subset(0, (0, 2))

    def test_categories_on_no_side_count_as_missing(self) -> None:
        colors = Feature("color", "categorical", "text", ("blue", "green", "grey", "red"))
        tree = from_rpart(NODES, Schema((colors,), ANSWERS))
        assert tree.condition(0) == Grouped(0, (0, 1, -1, 0))
        assert answers(tree, {"color": ["grey", "green"]}).tolist() == ["no", "yes"]

    def test_counts_and_classes(self) -> None:
        counts = [[6, 4, 0], [5, 0, 1], [1, 3, 0]]
        nodes = [node | {"counts": count} for node, count in zip(NODES, counts, strict=True)]
        tree = from_rpart({"nodes": nodes, "classes": ["no", "yes", "maybe"]})
        assert tree.class_weights.tolist() == counts

    def test_names_as_r_writes_them(self) -> None:
        schema = Schema((Feature("tear prod/rate", "numeric"),), ANSWERS)
        nodes = [
            NODES[0],
            NODES[1] | {"edge": "tear.prod.rate>=2"},
            NODES[2] | {"edge": "tear.prod.rate< 2"},
        ]
        tree = from_rpart(nodes, schema)
        assert [child.n_rows for child in tree.root.children] == [4, 6]  # the lower side first

    def test_the_table_of_splits_has_all_digits(self) -> None:
        leaf = {"var": "<leaf>", "ncompete": 0, "nsurrogate": 0}
        nodes = [
            NODES[0] | {"var": "size", "ncompete": 1, "nsurrogate": 0},
            NODES[1] | leaf | {"edge": "size< 2.346"},
            NODES[2] | leaf | {"edge": "size>=2.346"},
        ]
        splits = [
            {"var": "size", "ncat": -1, "index": 2.3456789},
            {"var": "color", "ncat": 3, "index": 1},
        ]
        tree = from_rpart({"nodes": nodes, "splits": splits}, Schema((SIZE, COLORS), ANSWERS))
        assert tree.threshold[0] == np.nextafter(2.3456789, -np.inf)


class TestRefusals:
    @pytest.mark.parametrize(
        ("nodes", "message"),
        [
            (NODES[1:], "no root"),
            (NODES[:2], "only one child"),
            ([*NODES, NODES[2]], "there twice"),
            ([*NODES, NODES[1] | {"id": 12}], r"has no parent.*node 12"),
            ([NODES[0], NODES[1], NODES[2] | {"edge": "size< 2"}], "do not belong to one split"),
            (
                [NODES[0], NODES[1], NODES[2] | {"edge": "nothing"}],
                r"is not a condition.*'nothing'",
            ),
            ([NODES[0] | {"n": "many"}], "is not described"),
            ([{"id": 1}], r"is not described.*every node needs"),
            (["root"], "is not described"),
        ],
    )
    def test_nodes_that_make_no_tree(self, nodes: list[Any], message: str) -> None:
        with pytest.raises(TreeError, match=message):
            from_rpart(nodes)

    def test_what_the_schema_does_not_have(self) -> None:
        with pytest.raises(TreeError, match=r"feature that is not in the schema.*'color=red,blue'"):
            from_rpart(NODES, Schema((SIZE,), ANSWERS))
        with pytest.raises(TreeError, match=r"predicts a class that is not in the schema.*'no'"):
            from_rpart(NODES, Schema((COLORS,), ("nein", "ja")))
        short = Feature("color", "categorical", "text", ("blue", "green"))
        with pytest.raises(TreeError, match=r"not a category of 'color'.*'red'.*minlength = 0"):
            from_rpart(NODES, Schema((short,), ANSWERS))

    def test_what_is_no_tree_at_all(self) -> None:
        with pytest.raises(ArgumentTypeError, match="neither printed text nor a table"):
            from_rpart(3)
        with pytest.raises(TreeError, match="is not JSON"):
            from_rpart('{"nodes": [')
        with pytest.raises(FileError, match="there is no file"):
            from_rpart("nowhere.txt")


# -------------------------------------------------------------------- real trees

STORED = [
    (name, run)
    for name in names_in("rpart")
    for run, figures in dict(golden("rpart", name)["runs"]).items()
    if "nodes" in figures
]


@needs_shared
@pytest.mark.parametrize(("name", "run"), STORED)
def test_stored_trees(name: str, run: str) -> None:
    """Size, depth and, where there are no gaps (surrogates!), every training error."""
    figures = golden("rpart", name)["runs"][run]
    X, y = load(name)
    schema, _ = learn_schema(table_from(X), classes=description(name)["classes"])
    tree = from_rpart(figures, schema)
    assert (tree.n_nodes, tree.n_leaves) == (figures["n_nodes"], figures["n_leaves"])
    assert tree.depth == figures["depth"]
    wrong = int(np.count_nonzero(answers(tree, X) != y))
    if description(name)["n_missing"] == 0:
        assert wrong == figures["train_errors"]
    else:
        assert abs(wrong - figures["train_errors"]) <= 5


@needs_shared
@pytest.mark.parametrize("name", ["banknote", "ionosphere", "iris", "wdbc", "wine"])
def test_the_learner_here_grows_what_is_read(name: str) -> None:
    """Numeric tables without ties: the same thresholds and counts, whichever side is first."""
    X, y = load(name)
    grown = CARTClassifier(zero_gain=False).fit(X, y).tree_
    read = from_rpart(golden("rpart", name)["runs"]["gini_cpneg1"], grown.schema)
    mine, theirs = (
        sorted((n.feature, n.condition.threshold, n.n_rows) for n in t.walk() if not n.is_leaf)
        for t in (grown, read)
    )
    assert [(a, n) for a, _, n in mine] == [(a, n) for a, _, n in theirs]
    np.testing.assert_allclose([t for _, t, _ in mine], [t for _, t, _ in theirs], rtol=1e-9)
