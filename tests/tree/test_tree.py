"""The tree: its size and shape, its nodes, the gate that refuses broken arrays, differences."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from plaintree.data.schema import Feature
from plaintree.errors import TreeError
from plaintree.rules.extract import rules_of
from plaintree.tree.tree import ARRAY_DTYPES, NODE_DTYPES, Tree
from tests.support.trees import (
    TENNIS_SCHEMA,
    TENNIS_SPEC,
    XY_SCHEMA,
    build,
    chain_spec,
    random_rows,
    route,
    specs,
    tennis,
)

COLORS = ("red", "green", "blue", "grey")


def changed(tree: Tree, name: str, node: int, value: Any) -> Tree:
    """The tree with one entry of one array changed."""
    return replace(tree, **entry(tree, name, node, value))


def entry(tree: Tree, name: str, node: int, value: Any) -> dict[str, Any]:
    """One array of a tree with one entry changed."""
    array = getattr(tree, name).copy()
    array[node] = value
    return {name: array}


def counted(tree: Tree, node: int, weights: list[float]) -> Tree:
    """The tree with other class weights at a node."""
    arrays = entry(tree, "class_weights", node, weights) | entry(tree, "weight", node, sum(weights))
    return replace(tree, **arrays)


# ---------------------------------------------------------------- size and shape


def test_a_tree_knows_its_size_and_depth() -> None:
    tree = tennis()
    assert (tree.n_nodes, tree.n_leaves, tree.size, tree.depth) == (8, 5, 3, 2)
    assert tree.node_depths.tolist() == [0, 1, 1, 1, 2, 2, 2, 2]


def test_a_single_leaf_has_size_and_depth_0() -> None:
    tree = build(TENNIS_SCHEMA, [5, 9]).validate()
    assert (tree.n_nodes, tree.n_leaves, tree.size, tree.depth) == (1, 1, 0, 0)


def test_nodes_are_numbered_level_by_level_and_know_their_parent() -> None:
    assert tennis().parent.tolist() == [-1, 0, 0, 0, 2, 2, 3, 3]
    assert tennis().first_child.tolist() == [1, -1, 4, 6, -1, -1, -1, -1]


def test_a_walk_goes_depth_first_with_branches_in_order() -> None:
    assert [node.index for node in tennis().walk()] == [0, 1, 2, 4, 5, 3, 6, 7]


def test_representations_are_short() -> None:
    tree = tennis()
    assert repr(tree) == "<Tree of 3 internal nodes, 5 leaves, depth 2>"
    assert repr(tree.root) == "<Node 0: outlook, weight 14>"
    assert repr(tree.node(1)) == "<Node 1: leaf 'Yes', weight 4>"


# ---------------------------------------------------------------- nodes


def test_a_node_tells_what_is_there() -> None:
    root = tennis().root
    assert root.feature == "outlook"
    assert root.counts == {"No": 5.0, "Yes": 9.0}
    assert (root.weight, root.n_rows, root.label, root.is_leaf) == (14.0, 14, "Yes", False)
    assert root.impurity == pytest.approx(1 - (5 / 14) ** 2 - (9 / 14) ** 2)
    assert root.parent is None


def test_nodes_lead_to_their_children_and_back() -> None:
    rain = tennis().root.children[1]
    assert [child.label for child in rain.children] == ["No", "Yes"]
    assert (rain.children[0].depth, rain.children[0].parent) == (2, rain)


def test_a_leaf_has_no_condition_score_or_children() -> None:
    leaf = tennis().node(1)
    assert leaf.is_leaf
    assert leaf.condition is None
    assert leaf.feature is None
    assert leaf.children == ()
    assert np.isnan(leaf.score)


@pytest.mark.parametrize("index", [-1, 8])
def test_there_is_no_node_outside_the_tree(index: int) -> None:
    with pytest.raises(TreeError, match=f"no such node. Got {index}. Hint: use 0 to 7"):
        tennis().node(index)


# ---------------------------------------------------------------- frozen


@pytest.mark.parametrize("copied", [pickle.loads, copy.deepcopy], ids=["pickle", "deepcopy"])
def test_copies_are_equal_and_read_only(copied: Any) -> None:
    tree = tennis()
    again = copied(pickle.dumps(tree) if copied is pickle.loads else tree)
    assert again.difference(tree) is None
    assert again.content_hash() == tree.content_hash()
    assert not any(getattr(again, name).flags.writeable for name in ARRAY_DTYPES)


@pytest.mark.parametrize("name", ARRAY_DTYPES)
def test_no_array_can_be_written_to(name: str) -> None:
    array = getattr(build(XY_SCHEMA, ("color =", "red", [1, 0], [0, 1])), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0


def test_no_array_can_be_replaced() -> None:
    with pytest.raises(AttributeError, match="cannot assign to field"):
        tennis().label = np.zeros(8)  # type: ignore[misc]


def test_equal_trees_have_equal_hashes_and_others_do_not() -> None:
    tree = tennis()
    assert tree.content_hash() == tennis().content_hash()
    assert tree.content_hash() != changed(tree, "threshold", 3, 76).content_hash()
    assert tree.content_hash() != counted(tree, 1, [0, 5]).content_hash()


# ---------------------------------------------------------------- the gate


@given(specs())
def test_a_built_tree_passes_and_is_returned(spec: Any) -> None:
    tree = build(XY_SCHEMA, spec)
    assert tree.validate() is tree
    leaves = route(tree, random_rows(XY_SCHEMA, 20, seed=0))
    assert (tree.n_children[leaves] == 0).all()


def with_everything() -> Tree:
    """Node 0 is a threshold with a branch for missing values, 2 Equals, 3 Multiway, 6 Subset."""
    subset = ("color in", ["red", "green"], [1, 1], [0, 0], 1)
    colors = {"red": subset, "green": [0, 0], "blue": [2, 0], "grey": [0, 2]}
    equals = ("color =", "blue", [1, 0], [0, 1])
    return build(XY_SCHEMA, ("x <=", 1.0, [1, 0], equals, ("color", colors))).validate()


CORRUPTIONS = {
    "unknown kind": ("kind", 2, 9, "node 2 is of an unknown kind. Got kind 9"),
    "negative kind": ("kind", 2, -1, "node 2 is of an unknown kind"),
    "leaf with attribute": ("feature", 1, 0, "node 1 is a leaf but has a feature"),
    "leaf with children": ("n_children", 1, 2, "node 1 is a leaf but has children"),
    "leaf with first child": ("first_child", 1, 4, "node 1 is a leaf but has a first child"),
    "no children": ("n_children", 2, 0, "node 2 splits on a feature but has no children"),
    "own child": ("first_child", 2, 2, "node 2 does not stand before its children"),
    "negative child": ("first_child", 2, -7, "node 2 does not stand before its children"),
    "child beyond": ("first_child", 6, 11, "node 6 has children beyond the last node"),
    "huge child": ("first_child", 6, 2**31 - 1, "node 6 has children beyond the last node"),
    "root skips a child": ("first_child", 0, 2, "node 1 is the child of no node"),
    "skipped child": ("first_child", 2, 5, "node 4 is the child of no node"),
    "shared child": ("n_children", 2, 3, "node 6 is the child of more than one node"),
    "feature out of range": (
        "feature",
        2,
        4,
        "node 2 splits on a feature that the schema",
    ),
    "negative attribute": ("feature", 2, -1, "node 2 splits on a feature that the schema"),
    "threshold on categories": ("feature", 0, 3, "node 0 puts a threshold on a categorical"),
    "categories of a number": ("feature", 2, 0, "node 2 splits on categories of a numeric"),
    "threshold NaN": ("threshold", 0, np.nan, "node 0 has NaN for a threshold"),
    "needless threshold": ("threshold", 3, 0.0, "node 3 has a threshold but does not test one"),
    "missing beyond": ("missing_child", 2, 2, "node 2 sends missing values to no child"),
    "missing below -2": ("missing_child", 2, -3, "node 2 sends missing values to no child"),
    "stop at a leaf": ("missing_child", 1, -2, "node 1 sends missing values to no child"),
    "missing of a leaf": ("missing_child", 1, 0, "node 1 sends missing values to no child"),
    "idle missing branch": ("missing_child", 0, 1, "node 0 has a child for missing values but"),
    "levels out of range": ("level_end", 6, 9, "node 6 has a slice of levels that is out of range"),
    "levels reversed": ("level_begin", 6, 4, "node 6 has a slice of levels that is out of range"),
    "levels of a leaf": ("level_begin", 7, 0, "node 7 has levels but no condition on them"),
    "no level": (
        "level_begin",
        2,
        1,
        "node 2 has a condition = without exactly one category",
    ),
    "empty set": ("level_begin", 6, 3, "node 6 has a condition on an empty set of categories"),
    "repeated level": ("levels", 2, 0, "node 6 has categories that are not sorted and unique"),
    "unsorted levels": ("levels", 1, 2, "node 6 has categories that are not sorted and unique"),
    "unknown level": (
        "levels",
        0,
        4,
        "node 2 has a condition on an unknown category",
    ),
    "negative level": (
        "levels",
        0,
        -1,
        "node 2 has a condition on an unknown category",
    ),
    "label": ("label", 5, 2, "node 5 predicts an unknown class. Got label 2"),
    "negative label": ("label", 5, -1, "node 5 predicts an unknown class"),
    "negative class weight": ("class_weights", 4, [-1, 2], "node 4 has class weights that are not"),
    "infinite class weight": ("class_weights", 4, [np.inf, 0], "node 4 has class weights that"),
    "class weight NaN": ("class_weights", 4, [np.nan, 0], "node 4 has class weights that are not"),
    "weight": ("weight", 4, 1.001, "node 4 has a weight that is not the sum of its class weights"),
    "weight NaN": ("weight", 4, np.nan, "node 4 has a weight that is not the sum"),
    "infinite weight": ("weight", 4, np.inf, "node 4 has a weight that is not the sum"),
    "n_rows": ("n_rows", 4, -1, "node 4 has a negative number of rows. Got n_rows -1"),
}


@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_a_broken_entry_is_refused_by_node_and_fault(corruption: str) -> None:
    name, node, value, message = CORRUPTIONS[corruption]
    with pytest.raises(TreeError, match=message):
        changed(with_everything(), name, node, value).validate()


@pytest.mark.parametrize("n_children", [1, 4])
def test_a_two_way_node_has_two_children_or_one_more(n_children: int) -> None:
    tree = build(XY_SCHEMA, ("color", {c: [1, 1] for c in COLORS}))
    arrays = {name: getattr(tree, name) for name in ARRAY_DTYPES}
    arrays |= entry(tree, "kind", 0, 1) | entry(tree, "threshold", 0, 0.5)
    arrays |= entry(tree, "feature", 0, 0) | entry(tree, "n_children", 0, n_children)
    arrays = {name: array[: n_children + 1] for name, array in arrays.items()}
    with pytest.raises(TreeError, match=f"one child per branch.* Got n_children {n_children}"):
        replace(tree, **arrays)


def test_a_set_of_all_categories_divides_nothing() -> None:
    spec = ("color in", COLORS, [1, 0], [0, 1])
    with pytest.raises(TreeError, match="node 0 has a condition on all categories"):
        build(XY_SCHEMA, spec).validate()


def test_nodes_must_be_numbered_level_by_level() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, ("y <=", 1, [1, 0], [1, 0]), ("y <=", 1, [1, 0], [1, 0])))
    with pytest.raises(TreeError, match="node 2 has children that are not numbered level by level"):
        replace(tree, first_child=np.array([1, 5, 3, -1, -1, -1, -1]))


@pytest.mark.parametrize("name", [*(n for n in NODE_DTYPES if n != "kind"), "class_weights"])
def test_arrays_of_unequal_length_are_refused(name: str) -> None:
    tree = tennis()
    with pytest.raises(TreeError, match=f"the array {name} does not fit the number of nodes"):
        replace(tree, **{name: getattr(tree, name)[:-1]}).validate()


def test_arrays_of_another_shape_or_type_are_refused() -> None:
    tree = tennis()
    with pytest.raises(TreeError, match=r"class_weights does not fit.*shape \(8, 1\) instead of"):
        replace(tree, class_weights=tree.class_weights[:, :1]).validate()
    with pytest.raises(TreeError, match="the array levels does not fit"):
        replace(tree, levels=np.zeros((2, 2))).validate()
    object.__setattr__(tree, "label", tree.label.astype(np.int64))
    with pytest.raises(TreeError, match=r"the array label is not of type int32. Got type int64"):
        tree.validate()


def test_a_tree_needs_a_root_classes_and_known_kinds() -> None:
    tree = build(XY_SCHEMA, [1, 0])
    nothing = {name: getattr(tree, name)[:0] for name in ARRAY_DTYPES}
    with pytest.raises(TreeError, match="the tree has no nodes"):
        replace(tree, **nothing).validate()
    with pytest.raises(
        TreeError, match="class_weights does not fit the number of nodes or classes"
    ):
        replace(tree, schema=replace(XY_SCHEMA, classes=())).validate()
    strange = replace(XY_SCHEMA, features=(Feature("x", "wavy"),))  # type: ignore[arg-type]
    with pytest.raises(TreeError, match=r"kind of feature 'x' is unknown. Got 'wavy'"):
        replace(tree, schema=strange).validate()


@pytest.mark.parametrize("threshold", [np.inf, -np.inf])
def test_a_threshold_may_be_infinite(threshold: float) -> None:
    assert build(XY_SCHEMA, ("x <=", threshold, [1, 0], [0, 1])).validate().depth == 1


def test_weights_may_be_off_by_rounding() -> None:
    tree = tennis()
    assert changed(tree, "weight", 0, 14 * (1 + 1e-12)).validate()


# ---------------------------------------------------------------- differences


def tennis_with_sunny(spec: Any) -> Tree:
    return build(TENNIS_SCHEMA, ("outlook", {**TENNIS_SPEC[1], "Sunny": spec}))


@given(specs())
def test_a_tree_does_not_differ_from_itself(spec: Any) -> None:
    assert build(XY_SCHEMA, spec).difference(build(XY_SCHEMA, spec)) is None


SUNNY = {
    "humidity <= 75 against wind": ("wind", {"Strong": [0, 2], "Weak": [3, 0]}),
    "humidity <= 75 against humidity <= 75.5": ("humidity <=", 75.5, [0, 2], [3, 0]),
    "humidity <= 75 against leaf No": [3, 2],
    "Threshold(feature=1, threshold=75.0) against Threshold(feature=1, "
    "threshold=75.000000000001)": ("humidity <=", 75 + 1e-12, [0, 2], [3, 0]),
    "missing values divided against missing values at humidity > 75": (
        ("humidity <=", 75, [0, 2], [3, 0], 1)
    ),
    "missing values divided against missing values at humidity is missing": (
        ("humidity <=", 75, [0, 2], [3, 0], [0, 0])
    ),
}


@pytest.mark.parametrize("difference", SUNNY)
def test_a_difference_names_the_first_node_by_its_path(difference: str) -> None:
    other = tennis_with_sunny(SUNNY[difference])
    assert tennis().difference(other) == f"at outlook = Sunny: {difference}"


CHANGED = {
    "at the root: label Yes against label No": ("label", 0, 0),
    "at outlook = Sunny, humidity > 75: label No against label Yes": ("label", 7, 1),
    "at outlook = Rain, wind = Weak: class weights No: 0.0, Yes: 3.0 against "
    "class weights No: 0.0, Yes: 3.5": ("class_weights", 5, [0, 3.5]),
    "at outlook = Overcast: n_rows 4 against n_rows 5": ("n_rows", 1, 5),
    "at outlook = Rain: score 0.48 against score 0.5": ("score", 2, 0.5),
    "at outlook = Overcast: impurity 0.0 against impurity 0.5": ("impurity", 1, 0.5),
}


@pytest.mark.parametrize("difference", CHANGED)
def test_a_difference_in_numbers_names_both(difference: str) -> None:
    name, node, value = CHANGED[difference]
    tree = tennis()
    other = (
        counted(tree, node, value)
        if name == "class_weights"
        else changed(tree, *CHANGED[difference])
    )
    assert tree.difference(other) == difference


def test_the_root_is_called_so() -> None:
    other = build(TENNIS_SCHEMA, ("wind", {"Strong": [2, 4], "Weak": [3, 5]}))
    assert tennis().difference(other) == "at the root: outlook against wind"


def test_sets_of_categories_are_compared() -> None:
    tree, other = (
        build(XY_SCHEMA, ("x <=", 1, ("color =", "blue", [1, 0], [0, 1]), subset))
        for subset in (
            ("color in", ["red", "blue"], [1, 0], [0, 1]),
            ("color in", ["red", "grey"], [1, 0], [0, 1]),
        )
    )
    difference = "at x > 1: color in {red, blue} against color in {red, grey}"
    assert tree.difference(other) == difference


def test_equals_and_a_set_of_one_are_different_conditions() -> None:
    tree = build(XY_SCHEMA, ("color =", "blue", [1, 0], [0, 1]))
    other = build(XY_SCHEMA, ("color in", ["blue"], [1, 0], [0, 1]))
    assert tree.difference(other) == (
        "at the root: Equals(feature=3, category=2) against Subset(feature=3, categories=(2,))"
    )


def test_schemas_are_compared_first() -> None:
    tree, schema = tennis(), TENNIS_SCHEMA
    renamed = replace(schema.features[1], name="damp")
    fewer = replace(schema.features[2], categories=("Strong", "Light, but felt"))
    outlook, humidity, wind = schema.features
    for attributes, difference in [
        ((outlook, renamed, wind), "(outlook, humidity, wind) against (outlook, damp, wind)"),
        ((outlook, humidity, fewer), '(Strong, Weak) against (Strong, "Light, but felt")'),
    ]:
        other = replace(tree, schema=replace(schema, features=attributes))
        assert difference in str(tree.difference(other))
    other = replace(tree, schema=replace(schema, classes=("no", "yes")))
    assert tree.difference(other) == "the classes are (No, Yes) against (no, yes)"
    tree = build(XY_SCHEMA, ("size <=", 1, [1, 0], [0, 1]))
    x, y, size, color = XY_SCHEMA.features
    numeric = (x, y, replace(size, kind="numeric", categories=()), color)
    other = replace(tree, schema=replace(XY_SCHEMA, features=numeric))
    assert tree.difference(other) == "feature size is ordered against numeric"


def test_a_tolerance_lets_small_differences_pass() -> None:
    other = tennis_with_sunny(("humidity <=", 75 + 1e-9, [0, 2], [3, 0]))
    assert tennis().difference(other) is not None
    assert tennis().difference(other, tolerance=1e-9) is None


def test_scores_are_compared_up_to_rounding() -> None:
    tree = tennis()
    assert tree.difference(changed(tree, "score", 0, tree.score[0] * (1 + 1e-12))) is None


# ---------------------------------------------------------------- as large as it gets


@pytest.mark.slow
def test_a_chain_of_100_000_nodes_is_no_trouble() -> None:
    tree = build(XY_SCHEMA, chain_spec(50_000)).validate()
    assert (tree.n_nodes, tree.depth) == (100_001, 50_000)
    assert sum(1 for _ in tree.walk()) == 100_001
    assert str(tree).endswith("[depth 50000] x > 50000: B (1)")
    rules = rules_of(tree)
    assert str(rules[-2]) == "IF 49999 < x <= 50000 THEN A   (support 1, confidence 1.00)"
    other = changed(tree, "label", 100_000, 0)
    assert "x > 4, ... (49992 more), x > 49997" in str(tree.difference(other))
