"""Rules: one per leaf, every attribute at most once, and together they say what the tree says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import MISSING, UNSEEN, Feature, Schema
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.rules.extract import export_rules, rules_of
from plaintree.rules.rule import Clause
from plaintree.tree.condition import Equals, Multiway, Subset, Threshold
from tests.support.trees import TENNIS_SCHEMA, XY_SCHEMA, build, random_rows, route, specs, tennis

X, COLOR = 0, 3


def clause(*branches: tuple[Any, int]) -> Clause:
    """The clause of some branches of conditions on one attribute, intersected in order."""
    first, *others = (Clause.of(condition, branch, XY_SCHEMA) for condition, branch in branches)
    for other in others:
        first = first.intersected(other)
    return first


# ---------------------------------------------------------------- clauses


@pytest.mark.parametrize(
    ("branches", "words"),
    [
        ([(Threshold(X, 5), 0), (Threshold(X, 3), 0)], "x <= 3"),
        ([(Threshold(X, 3), 0), (Threshold(X, 5), 0)], "x <= 3"),
        ([(Threshold(X, 2), 1), (Threshold(X, 4), 1)], "x > 4"),
        ([(Threshold(X, 2), 1), (Threshold(X, 5), 0)], "2 < x <= 5"),
        ([(Threshold(X, 5), 0), (Threshold(X, 2), 1), (Threshold(X, 3.5), 0)], "2 < x <= 3.5"),
        ([(Threshold(X, 1), 1), (Threshold(X, 1 + 1e-9), 0)], "1 < x <= 1.000000001"),
        ([(Threshold(X, np.inf), 0)], "x <= inf"),
        ([(Threshold(2, 0.5), 1), (Threshold(2, 1.5), 0)], "small < size <= middle"),
        ([(Multiway(COLOR, 4), 2)], "color = blue"),
        ([(Equals(COLOR, 0), 1)], "color != red"),
        ([(Equals(COLOR, 0), 1), (Equals(COLOR, 2), 1)], "color in {green, grey}"),
        ([(Equals(COLOR, 0), 1), (Equals(COLOR, 2), 1), (Equals(COLOR, 3), 1)], "color = green"),
        ([(Subset(COLOR, (0, 1)), 0), (Subset(COLOR, (1, 2)), 0)], "color = green"),
        ([(Subset(COLOR, (0, 1, 3)), 0)], "color != blue"),
        ([(Subset(COLOR, (1, 2)), 1)], "color in {red, grey}"),
        ([(Subset(COLOR, (0, 1)), 0), (Equals(COLOR, 1), 1)], "color = red"),
        ([(Equals(COLOR, 0), 0), (Equals(COLOR, 0), 1)], "color in {}"),
        ([(Threshold(X, 5), 2)], "x is missing"),
        ([(Threshold(X, 5), 2), (Threshold(X, 3), 0)], "x is missing AND x <= 3"),
    ],
)
def test_clauses_are_merged_to_the_shortest_words(branches: Any, words: str) -> None:
    assert clause(*branches).describe(XY_SCHEMA) == words


def test_excluding_few_of_many_categories_is_said_by_exclusion() -> None:
    letters = Schema((Feature("c", "categorical", "text", tuple("abcdefgh")),), ("A", "B"))
    several = Clause.of(Subset(0, (1, 3, 5)), 1, letters)
    assert several.describe(letters) == "c not in {b, d, f}"
    assert several.codes == (0, 2, 4, 6, 7)


def test_the_same_set_is_the_same_clause_however_it_was_reached() -> None:
    reached = clause((Subset(COLOR, (1, 2)), 0), (Equals(COLOR, 1), 1))
    assert reached == clause((Multiway(COLOR, 4), 2)) == clause((Equals(COLOR, 2), 0))


def test_a_clause_matches_known_values_only() -> None:
    numbers = np.array([1.0, 2.0, 3.0, np.nan, -np.inf, np.inf])
    codes = np.array([0, 1, 2, 3, MISSING, UNSEEN], dtype=np.int32)
    between = clause((Threshold(X, 1), 1), (Threshold(X, 2), 0))
    assert between.matches(numbers).tolist() == [False, True, False, False, False, False]
    below = clause((Threshold(X, 2), 0))
    assert below.matches(numbers).tolist() == [True, True, False, False, True, False]
    not_red = clause((Equals(COLOR, 0), 1))
    assert not_red.matches(codes).tolist() == [False, True, True, True, False, False]


def test_is_missing_matches_missing_values_only() -> None:
    assert clause((Threshold(X, 1), 2)).matches(np.array([1.0, np.nan])).tolist() == [False, True]
    codes = np.array([0, MISSING, UNSEEN])
    assert clause((Equals(COLOR, 0), 2)).matches(codes).tolist() == [False, True, False]


def test_missing_and_known_at_once_matches_nothing() -> None:
    both = clause((Threshold(X, 5), 0), (Threshold(X, 3), 2))
    assert not both.matches(np.array([1.0, np.nan, 9.0])).any()


# ---------------------------------------------------------------- rules


def test_a_rule_knows_its_leaf() -> None:
    rules = rules_of(build(XY_SCHEMA, ("x <=", 1, [1, 3], [0, 0])))
    assert [(r.label, r.weight, r.confidence, r.leaf) for r in rules] == [
        ("B", 4.0, 0.75, 1),
        ("B", 0.0, 0.0, 2),
    ]
    assert rules[0].class_weights == (1.0, 3.0)


def test_rules_come_in_the_order_of_a_walk() -> None:
    tree = tennis()
    leaves = [node.index for node in tree.walk() if node.is_leaf]
    assert [rule.leaf for rule in rules_of(tree)] == leaves


@given(specs(), st.integers(0, 2**32 - 1))
def test_every_complete_row_matches_exactly_one_rule_and_its_answer(spec: Any, seed: int) -> None:
    tree = build(XY_SCHEMA, spec)
    columns = random_rows(XY_SCHEMA, 50, seed)
    rules = rules_of(tree)
    matching = np.array([rule.matches(columns) for rule in rules])
    assert (matching.sum(axis=0) == 1).all()
    chosen = np.argmax(matching, axis=0)
    leaves = route(tree, columns)
    assert [rules[i].leaf for i in chosen] == leaves.tolist()
    assert [rules[i].label for i in chosen] == [XY_SCHEMA.classes[c] for c in tree.label[leaves]]


@given(specs())
def test_every_leaf_has_a_rule_and_every_rule_mentions_an_attribute_once(spec: Any) -> None:
    tree = build(XY_SCHEMA, spec)
    rules = rules_of(tree)
    assert len(rules) == tree.n_leaves
    assert sum(rule.weight for rule in rules) == tree.weight[0]
    for rule in rules:
        attributes = [c.feature for c in rule.conditions]
        assert len(attributes) == len(set(attributes))


def test_rows_with_gaps_match_the_rules_of_missing_branches() -> None:
    colors = {"red": [1, 0], "green": [1, 0], "blue": [0, 1], "grey": [0, 1]}
    tree = build(XY_SCHEMA, ("color", colors, ("y <=", 2, [1, 0], [0, 1], [3, 0])))
    columns = random_rows(XY_SCHEMA, 200, seed=1, gaps=True)
    matching = np.array([rule.matches(columns) for rule in rules_of(tree)])
    assert (matching.sum(axis=0) == 1).all()
    leaves = np.array([rule.leaf for rule in rules_of(tree)])[np.argmax(matching, axis=0)]
    assert leaves.tolist() == route(tree, columns).tolist()


def test_a_single_leaf_matches_anything() -> None:
    (rule,) = rules_of(build(TENNIS_SCHEMA, [5, 9]))
    assert str(rule) == "IF anything THEN Yes   (support 14, confidence 0.64)"
    assert rule.matches(random_rows(TENNIS_SCHEMA, 3, seed=0, gaps=True)).all()


def test_a_row_for_each_of_many_categories_takes_little_room() -> None:
    attribute = Feature("id", "categorical", "text", tuple(map(str, range(20_000))))
    spec = ("id", {c: [1, 0] for c in attribute.categories})
    rules = rules_of(build(Schema((attribute,), ("A", "B")), spec))
    assert str(rules[-1]) == "IF id = 19999 THEN A   (support 1, confidence 1.00)"
    assert max(rule.conditions[0].allowed or 0 for rule in rules) == 1


# ---------------------------------------------------------------- text


def test_rules_are_written_if_then() -> None:
    text = (
        "IF outlook = Overcast THEN Yes   (support 4, confidence 1.00)\n"
        "IF outlook = Rain AND wind = Strong THEN No   (support 2, confidence 1.00)\n"
        "IF outlook = Rain AND wind = Weak THEN Yes   (support 3, confidence 1.00)\n"
        "IF outlook = Sunny AND humidity <= 75 THEN Yes   (support 2, confidence 1.00)\n"
        "IF outlook = Sunny AND humidity > 75 THEN No   (support 3, confidence 1.00)"
    )
    assert export_rules(tennis()) == text
    assert export_rules(SimpleNamespace(tree_=tennis())) == text


def test_rules_without_training_rows_come_last() -> None:
    spec = ("color", {"red": [1, 0], "green": [0, 0], "blue": [0, 3], "grey": [999, 1]})
    assert export_rules(build(XY_SCHEMA, spec)).split("\n") == [
        "IF color = red THEN A   (support 1, confidence 1.00)",
        "IF color = blue THEN B   (support 3, confidence 1.00)",
        "IF color = grey THEN A   (support 1000, confidence >0.99)",
        "IF color = green THEN A   (no training rows)",
    ]


def test_a_long_rule_is_wrapped_between_conditions() -> None:
    spec = ("x <=", 5, ("y <=", 2, ("size <=", 0, ("color =", "red", [1, 0], [0, 1]),
            [1, 0]), [1, 0]), [0, 1])  # fmt: skip
    first = export_rules(build(XY_SCHEMA, spec), width=40).split("\n")[:3]
    assert first == [
        "IF x <= 5 AND y <= 2 AND size <= small",
        "   AND color = red",
        "   THEN A   (support 1, confidence 1.00)",
    ]


def test_a_long_set_is_wrapped_and_never_shortened() -> None:
    labels = tuple(f"label{i:02d}" for i in range(40))
    schema = Schema((Feature("c", "categorical", "text", labels),), ("A", "B"))
    text = export_rules(build(schema, ("c in", labels[:15], [1, 0], [0, 1])), width=50)
    lines = text.split("\n")
    assert max(map(len, lines)) <= 50
    assert lines[0] == "IF c in {label00, label01, label02, label03,"
    assert all(text.count(label) == 2 for label in labels[:15])


def test_wide_characters_take_two_columns() -> None:
    schema = Schema((Feature("気温", "numeric"), Feature("湿度", "numeric")), ("晴れ", "雨"))
    tree = build(schema, ("気温 <=", 20, ("湿度 <=", 75.25, [1, 0], [0, 1]), [0, 1]))
    assert export_rules(tree, width=40).split("\n")[:2] == [
        "IF 気温 <= 20 AND 湿度 <= 75.25",
        "   THEN 晴れ   (support 1, confidence",
    ]


def test_names_are_made_printable() -> None:
    schema = Schema((Feature("x\ny", "numeric"),), ("a, b", "c"))
    text = export_rules(build(schema, ("x\ny <=", 1, [1, 0], [0, 1])))
    assert text.startswith(r'IF x\ny <= 1 THEN "a, b"   (support 1')


# ---------------------------------------------------------------- errors


def test_only_known_formats_are_written() -> None:
    with pytest.raises(ParameterError, match=r"Got format='prose'. Hint: use one of 'text'"):
        export_rules(tennis(), format="prose")  # type: ignore[arg-type]


def test_what_has_no_tree_has_no_rules() -> None:
    with pytest.raises(ArgumentTypeError, match="no tree to read"):
        export_rules("tree")
