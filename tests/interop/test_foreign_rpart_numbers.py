"""rpart's trees of numbers, and the surrogate splits of its table, read back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.data import Schema
from plaintree.data.schema import Feature
from plaintree.errors import ParameterError, TreeError
from plaintree.interop.foreign.rpart import from_rpart
from plaintree.tree.condition import STOPS, Grouped, Subset, Surrogate, Threshold

PRINTED = """n= 506

node), split, n, deviance, yval
      * denotes terminal node

1) root 506 42716.300 22.53281
  2) rm< 6.941 430 17317.320 19.93372
    4) color=red,light blue 175 3373.251 -14.95600 *
    5) color=green 255 6632.218 1.5e-05 *
  3) rm>=6.941 76 6059.419 37.23816 *
"""
COLOR = Feature("color", "categorical", "text", ("blue", "green", "red"))
AGE = Feature("age", "numeric")
SIZE = Feature("size", "ordered", "text", ("small", "middle", "large"))
SCHEMA = Schema((AGE, COLOR, SIZE), (), "price")
NODES = [
    {"id": 1, "var": "age", "n": 10, "wt": 20, "dev": 80.0, "yval": 5.0},
    {"id": 2, "var": "<leaf>", "n": 6, "wt": 12, "dev": 12.0, "yval": 4.0},
    {"id": 3, "var": "<leaf>", "n": 4, "wt": 8, "dev": 8.0, "yval": 6.5},
]
SPLITS = [
    {"var": "age", "ncat": 1, "index": 40.5, "improve": 0.5, "adj": 0.0},
    {"var": "size", "ncat": 3, "improve": 0.3, "left": ["large"], "right": ["small", "middle"]},
    {"var": "color", "ncat": 3, "index": 1, "improve": 0.9, "adj": 0.75},
    {"var": "size", "ncat": 3, "improve": 0.8, "left": ["large"], "right": ["small", "middle"]},
]


def table(nodes: list[Any] = NODES, splits: list[Any] = SPLITS, **more: Any) -> dict[str, Any]:
    counts = {"ncompete": 1, "nsurrogate": 2}
    return {
        "nodes": [
            node | (counts if node["id"] == 1 else dict.fromkeys(counts, 0)) for node in nodes
        ],
        "splits": splits,
        "csplit": [[1, 3, 2]],
        "xlevels": {"color": ["blue", "green", "red"]},
        **more,
    }


class TestPrinted:
    def test_numbers_and_deviances(self) -> None:
        tree = from_rpart(PRINTED)
        assert tree.schema.classes == ()
        assert tree.schema.features[1].categories == ("green", "light blue", "red")
        assert tree.prediction.tolist() == [22.53281, 19.93372, 37.23816, -14.956, 1.5e-05]
        assert tree.n_rows.tolist() == [506, 430, 76, 175, 255]
        assert tree.impurity[0] == pytest.approx(42716.3 / 506)
        assert tree.condition(0) == Threshold(0, np.nextafter(6.941, -np.inf))

    def test_it_is_read_by_everything(self) -> None:
        tree = from_rpart(PRINTED)
        assert pt.export_formula(tree, above=30) == "rm > 6.941"
        assert pt.explain(tree, {"rm": 8.0, "color": "red"}).prediction == 37.23816
        model = pt.DecisionTreeRegressor.from_tree(tree)
        assert model.predict({"rm": [8.0], "color": ["red"]}) == 37.23816

    def test_a_line_that_is_not_a_node(self) -> None:
        with pytest.raises(TreeError, match=r"line 7 of the printed tree.*or of a numeric target"):
            from_rpart(PRINTED.replace("430 17317.320 19.93372", "430 many 19.93372"))

    def test_classes_and_numbers_do_not_mix(self) -> None:
        with pytest.raises(TreeError, match=r"method anova, which the schema does not fit"):
            from_rpart(table(method="anova"), Schema((AGE, COLOR, SIZE), ("no", "yes")))
        with pytest.raises(TreeError, match=r"predicts something that is not a number.*'many'"):
            from_rpart([NODES[1] | {"id": 1, "yval": "many", "edge": "root"}], SCHEMA)


class TestTables:
    def test_weights_and_the_exact_split_come_from_the_tables(self) -> None:
        tree = from_rpart(table(), SCHEMA)
        assert tree.weight.tolist() == [20.0, 8.0, 12.0]
        assert tree.condition(0) == Threshold(0, np.nextafter(40.5, -np.inf))
        assert tree.prediction.tolist() == [5.0, 6.5, 4.0]  # "< 40.5" goes right: first here
        assert tree.impurity.tolist() == [4.0, 1.0, 1.0]

    def test_surrogates_send_rows_to_the_branches_of_rpart(self) -> None:
        by_color, by_size = from_rpart(table(), SCHEMA).surrogates(0)
        assert by_color == Surrogate(Grouped(1, (1, 0, -1)), False, 0.9, 0.75)
        assert by_size == Surrogate(Threshold(2, 1.5), False, 0.8, 1.0)
        model = pt.DecisionTreeRegressor.from_tree(from_rpart(table(), SCHEMA))
        rows = {
            "age": [50, None, None, None],
            "color": ["green", "blue", "red", "red"],
            "size": ["small", "small", "large", None],
        }
        assert model.predict(rows).tolist() == [4.0, 4.0, 4.0, 4.0]
        assert model.predict({"age": [None], "color": ["green"], "size": ["large"]}) == 6.5

    def test_rows_that_no_surrogate_sends_go_to_more_rows_or_stop(self) -> None:
        assert from_rpart(table(), SCHEMA).missing_child[0] == 1
        equal = [NODES[0], NODES[1] | {"n": 5}, NODES[2] | {"n": 5}]
        assert from_rpart(table(equal), SCHEMA).missing_child[0] == STOPS
        for use in (0, 1, [1]):
            tree = from_rpart(table(usesurrogate=use), SCHEMA)
            assert tree.missing_child[0] == STOPS
            assert len(tree.surrogates(0)) == (0 if use == 0 else 2)

    def test_ordered_categories_are_cut(self) -> None:
        by_size = SPLITS[1] | {"var": "size"}
        nodes = [NODES[0] | {"var": "size"}, *NODES[1:]]
        tree = from_rpart(table(nodes, [by_size, *SPLITS[1:3], SPLITS[0]]), SCHEMA)
        assert tree.condition(0) == Threshold(2, 1.5)
        assert tree.prediction.tolist() == [5.0, 6.5, 4.0]

    def test_the_schema_is_inferred_from_the_tables_as_well(self) -> None:
        tree = from_rpart(table())
        assert tree.schema.names == ("age", "color", "size")
        assert tree.schema.features[1].categories == ("blue", "green")
        assert tree.schema.target == "target"

    def test_sets_without_missing_categories(self) -> None:
        nodes = [NODES[0] | {"var": "color"}, *NODES[1:]]
        by_color = {"var": "color", "ncat": 3, "left": ["red"], "right": ["blue", "green"]}
        tree = from_rpart(table(nodes, [by_color, SPLITS[1], SPLITS[0], SPLITS[3]]), SCHEMA)
        assert tree.condition(0) == Subset(1, (2,))

    def test_the_deviance_of_poisson_is_halved(self) -> None:
        tree = from_rpart(table(method="poisson"), SCHEMA)
        assert tree.impurity[0] == 2.0
        assert pt.rules_of(tree)[0].spread.name == "half deviance"

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"method": "exp"}, "method has a value that is not allowed"),
            ({"usesurrogate": 3}, "usesurrogate has a value that is not allowed"),
        ],
    )
    def test_options_that_rpart_does_not_have(self, given: Any, message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            from_rpart(table(**given), SCHEMA)

    def test_a_surrogate_on_an_unknown_feature(self) -> None:
        odd = [*SPLITS[:3], SPLITS[3] | {"var": "height"}]
        with pytest.raises(TreeError, match=r"a feature that is not in the schema.*'height'"):
            from_rpart(table(splits=odd), SCHEMA)
