"""Surrogate splits in a tree: reading, routing, changing, storing, refusing damaged ones."""

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.data.schema import MISSING, UNSEEN, Feature, Schema
from plaintree.errors import ParameterError, TreeError
from plaintree.interop.model_file.document import Document
from plaintree.interop.model_file.packed_form import packed_bytes, read_packed
from plaintree.tree.build import NodeDescription, build_tree, described_nodes
from plaintree.tree.condition import DIVIDES, STOPS, Grouped, Surrogate, Threshold
from plaintree.tree.conventions import CART
from plaintree.tree.forest import PackedForest
from plaintree.tree.predict import class_codes, class_shares, predicting_nodes
from plaintree.tree.surrogates import SURROGATE_DTYPES
from plaintree.tree.tree import Tree
from plaintree.tree.walk import walk_row, walk_rows

SCHEMA = Schema(
    (
        Feature("size", "numeric"),
        Feature("weight", "numeric"),
        Feature("color", "categorical", "text", ("red", "green", "blue", "grey")),
    ),
    ("no", "yes"),
)
BY_COLOR = Surrogate(Grouped(2, (0, 1, -1, 1)), False, agreement=0.9, adjusted=0.75)
BY_WEIGHT = Surrogate(Threshold(1, 5.0), True, agreement=0.8, adjusted=0.5)


def tree_of(missing_child: int = STOPS) -> Tree:
    """size <= 3, with color and weight as surrogates; then weight, with color."""
    nodes = [
        NodeDescription(
            Threshold(0, 3.0), (1, 2), missing_child=missing_child, surrogates=(BY_COLOR, BY_WEIGHT)
        ),
        NodeDescription(class_weights=(6, 1)),
        NodeDescription(Threshold(1, 1.0), (3, 4), surrogates=(BY_COLOR,)),
        NodeDescription(class_weights=(0, 2)),
        NodeDescription(class_weights=(3, 1)),
    ]
    return build_tree(SCHEMA, nodes)


def columns(*rows: tuple[float, float, int]) -> list[Any]:
    size, weight, color = zip(*rows, strict=True)
    return [np.array(size), np.array(weight), np.array(color, dtype=np.int32)]


GONE = np.nan
ROWS: dict[str, tuple[tuple[float, float, int], int]] = {
    "known": ((2.0, 9.0, 1), 1),
    "by the first surrogate": ((GONE, GONE, 0), 1),
    "by the second: no category": ((GONE, 9.0, MISSING), 1),
    "by the second: a category without a side": ((GONE, 9.0, 2), 1),
    "by the second: an unseen category": ((GONE, 0.5, UNSEEN), 3),
    "by a surrogate at two nodes": ((GONE, GONE, 3), 4),
    "stops where no surrogate decides": ((GONE, GONE, 2), 0),
}


# -------------------------------------------------------------------- reading


def test_a_tree_reads_its_surrogates_in_order() -> None:
    tree = tree_of()
    assert tree.surrogates(0) == (BY_COLOR, BY_WEIGHT)
    assert tree.surrogates(1) == ()
    assert tree.surrogates(2) == (BY_COLOR,)
    assert tree.has_surrogates
    assert tree.used_columns() == {0, 1, 2}


def test_a_tree_without_surrogates_has_empty_arrays() -> None:
    tree = build_tree(SCHEMA, [NodeDescription(class_weights=(1, 2))])
    assert not tree.has_surrogates
    assert tree.surrogates(0) == ()
    assert all(getattr(tree, name).size == 0 for name in SURROGATE_DTYPES)


def test_a_surrogate_formats_what_goes_to_a_branch() -> None:
    assert BY_COLOR.describe(SCHEMA, 0) == "color = red"
    assert BY_COLOR.describe(SCHEMA, 1) == "color in {green, grey}"
    assert BY_WEIGHT.describe(SCHEMA, 0) == "weight > 5"


def test_text_shows_surrogates_above_the_branches() -> None:
    assert pt.export_text(tree_of(), show_surrogates=True).splitlines()[:4] == [
        "class: 13 rows (no: 9, yes: 4)",
        "│  surrogate: color = red for size <= 3 (agreement 0.9, adjusted 0.75)",
        "│  surrogate: weight > 5 for size <= 3 (agreement 0.8, adjusted 0.5)",
        "├─ size <= 3: no (7; no: 6, yes: 1)",
    ]
    assert "surrogate" not in pt.export_text(tree_of())


# -------------------------------------------------------------------- routing


@pytest.mark.parametrize("name", ROWS)
def test_a_row_without_a_branch_goes_by_the_surrogates(name: str) -> None:
    row, node = ROWS[name]
    tree = tree_of()
    assert predicting_nodes(tree, columns(row)).tolist() == [node]
    assert [visit.node for visit in walk_row(tree, columns(row))][-1] == node


def test_a_visit_names_the_surrogate_that_decided() -> None:
    visits = list(walk_row(tree_of(), columns((GONE, 0.5, UNSEEN))))
    assert [(v.node, v.branch, v.surrogate) for v in visits[:2]] == [(0, 1, 1), (2, 0, -1)]


def test_rows_of_a_table_go_where_each_goes_by_itself() -> None:
    tree, rows = tree_of(), [row for row, _ in ROWS.values()]
    ends = np.full(len(rows), -1)
    for at in walk_rows(tree, columns(*rows), np.ones(len(rows))):
        ends[at.rows[at.ends]] = at.node
    assert ends.tolist() == [node for _, node in ROWS.values()]
    assert predicting_nodes(tree, columns(*rows * 40)).tolist() == ends.tolist() * 40


def test_a_row_that_stops_is_predicted_by_the_node() -> None:
    stopped = columns((GONE, GONE, 2))
    assert class_codes(tree_of(), stopped).tolist() == [0]
    np.testing.assert_allclose(class_shares(tree_of(), stopped), [[9 / 13, 4 / 13]])


def test_rows_without_a_surrogate_may_also_be_divided_or_follow_a_child() -> None:
    last = columns((GONE, GONE, 2))
    np.testing.assert_allclose(class_shares(tree_of(DIVIDES), last)[0, 0], 9 / 13)
    assert predicting_nodes(tree_of(0), last).tolist() == [1]


def test_an_unseen_category_stops_before_surrogates_are_tried() -> None:
    node = NodeDescription(Grouped(2, (0, 1, 1, 0)), (1, 2), surrogates=(BY_WEIGHT,))
    leaves = [NodeDescription(class_weights=(n, 1)) for n in (1, 2)]
    tree = build_tree(SCHEMA, [node, *leaves], conventions=replace(CART, unseen="stop"))
    rows = columns((0.0, 9.0, UNSEEN), (0.0, 9.0, MISSING))
    assert predicting_nodes(tree, rows).tolist() == [0, 1]
    assert [at.node for at in walk_rows(tree, rows, np.ones(2)) if at.ends.any()] == [0, 1]


def test_many_rows_stop_side_by_side_in_a_tree_of_thresholds() -> None:
    nodes = [
        NodeDescription(Threshold(0, 3.0), (1, 2), missing_child=STOPS),
        *(NodeDescription(class_weights=(n, 1)) for n in (1, 2)),
    ]
    schema = replace(SCHEMA, features=SCHEMA.features[:1])
    sizes = np.array([1.0, GONE, 4.0] * 50)
    tree = build_tree(schema, nodes)
    assert predicting_nodes(tree, [sizes]).tolist() == [1, 0, 2] * 50
    forest = PackedForest.from_trees([tree])
    np.testing.assert_array_equal(forest.shares([sizes], "soft"), class_shares(tree, [sizes]))


# -------------------------------------------------------------------- changes and files


def test_cutting_keeps_the_surrogates_of_the_other_nodes() -> None:
    assert tree_of().cut(2).surrogates(0) == (BY_COLOR, BY_WEIGHT)
    assert tree_of().cut(2).surrogates(2) == ()
    assert not tree_of().cut(0).has_surrogates


def test_a_grown_tree_with_categories_as_surrogates_can_be_changed() -> None:
    X = {"x": [1, 2, 3, 4, 5, 6], "color": ["red", "red", "red", "red", "blue", "blue"]}
    tree = pt.CARTClassifier(missing="surrogate").fit(X, [0, 0, 0, 0, 1, 1]).tree_
    assert tree.surrogates(0)
    assert np.isnan(tree.surrogate_threshold).all()
    assert tree.relabel(1, 1).surrogates(0) == tree.surrogates(0)


def test_descriptions_make_the_same_tree() -> None:
    tree = tree_of()
    again = build_tree(SCHEMA, described_nodes(tree))
    assert again.difference(tree) is None
    assert again.content_hash() == tree.content_hash()


def test_other_surrogates_are_a_difference_and_another_hash() -> None:
    tree = tree_of()
    other = build_tree(
        SCHEMA, [replace(n, surrogates=n.surrogates[:1]) for n in described_nodes(tree)]
    )
    assert tree.difference(other) == (
        "at the root: surrogates color = red (agreement 0.9), weight > 5 (agreement 0.8) "
        "against surrogates color = red (agreement 0.9)"
    )
    assert tree.content_hash() != other.content_hash()
    assert tree_of(0).difference(tree) == (
        "at the root: missing values at size <= 3 against missing values predicted by the node"
    )


def test_files_and_pickles_keep_surrogates(tmp_path: Path) -> None:
    tree = tree_of()
    pt.save(tree, tmp_path / "tree.json")
    packed = packed_bytes(Document("Tree", SCHEMA, (tree,)))
    (unpacked,) = read_packed(packed)[1]
    for again in (pt.load(tmp_path / "tree.json"), unpacked, pickle.loads(pickle.dumps(tree))):
        assert again.difference(tree) is None
        assert again.surrogates(0) == (BY_COLOR, BY_WEIGHT)
        assert again.content_hash() == tree.content_hash()
    assert pt.interop.model_card(tmp_path / "tree.json").version == 3


def test_files_keep_surrogates_that_the_core_found_on_categories(tmp_path: Path) -> None:
    color = np.array(["red", "green", "blue", "grey"] * 6)
    X = pl.DataFrame({"size": np.arange(24) % 4, "color": color, "weight": np.arange(24) % 7})
    model = pt.CARTRegressor(missing="surrogate", max_depth=1).fit(
        X, X["size"].to_numpy() // 2 * 1.5
    )
    tree = model.tree_
    assert any(isinstance(s.condition, Grouped) for s in tree.surrogates(0))
    pt.save(model, tmp_path / "model.json")
    assert pt.load(tmp_path / "model.json").tree_.content_hash() == tree.content_hash()


def test_a_packed_file_keeps_trees_with_and_without_surrogates() -> None:
    trees = (tree_of(), tree_of().cut(0), tree_of(0), tree_of().cut(2))
    packed = packed_bytes(Document("BoostedTreesClassifier", SCHEMA, trees))
    for again, tree in zip(read_packed(packed)[1], trees, strict=True):
        assert again.difference(tree) is None


def test_a_forest_of_trees_with_surrogates_is_refused() -> None:
    with pytest.raises(ParameterError, match="trees of a forest cannot have surrogate splits"):
        PackedForest.from_trees([tree_of()])


# -------------------------------------------------------------------- damaged trees

DAMAGES: dict[str, tuple[str, int, float, str]] = {
    "slices": ("surrogate_begin", 0, 1, "slices of surrogate_begin do not follow each other"),
    "levels": ("surrogate_level_end", 0, 5, "slices of surrogate_level_begin do not follow"),
    "kind": ("surrogate_kind", 0, 2, "surrogate of node 0 has an unknown kind"),
    "kind of feature": ("surrogate_kind", 0, 1, "condition that its feature does not allow"),
    "feature": ("surrogate_feature", 1, 7, "surrogate of node 0 has an unknown feature"),
    "own feature": ("surrogate_feature", 1, 0, "splits on the feature of its node"),
    "threshold": ("surrogate_threshold", 1, np.nan, "needs a threshold or categories"),
    "needless threshold": ("surrogate_threshold", 2, 1, "of node 2 needs a threshold or"),
    "reversed": ("surrogate_reversed", 0, 1, "is reversed without a threshold"),
    "agreement": ("surrogate_agreement", 1, np.nan, "an agreement not in 0 to 1"),
    "adjusted": ("surrogate_adjusted", 1, 1.5, "an adjusted agreement over 1"),
    "branch": ("surrogate_levels", 1, 2, "sends a category to no branch"),
    "one-sided": ("surrogate_levels", 0, 1, "sends all categories to one branch"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_surrogate_is_refused(damage: str) -> None:
    name, place, value, message = DAMAGES[damage]
    array = getattr(tree_of(), name).copy()
    array[place] = value
    with pytest.raises(TreeError, match=message):
        replace(tree_of(), **{name: array})


@pytest.mark.parametrize("name", [n for n in SURROGATE_DTYPES if n != "surrogate_levels"])
def test_arrays_of_another_length_are_refused(name: str) -> None:
    with pytest.raises(TreeError, match=r"does not fit the number|do not follow each other"):
        replace(tree_of(), **{name: getattr(tree_of(), name)[:-1]})


def test_empty_arrays_have_one_dimension() -> None:
    tree = pt.CARTClassifier().fit(*pt.datasets.load_golf()).tree_
    with pytest.raises(TreeError, match="the array surrogate_begin does not fit"):
        replace(tree, surrogate_kind=np.empty((0, 1), np.int8))


def test_surrogates_need_a_split_with_two_branches() -> None:
    leaf = NodeDescription(class_weights=(1, 1), surrogates=(BY_COLOR,))
    with pytest.raises(TreeError, match="surrogate of node 0 does not have two branches"):
        build_tree(SCHEMA, [leaf])
