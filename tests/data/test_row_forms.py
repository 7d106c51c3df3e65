"""Rows written as Markdown and as a frame, and rules in these forms."""

from __future__ import annotations

import polars as pl

import plaintree as pt
from plaintree.data.row_forms import as_markdown, frame_of, markdown_table
from plaintree.rules.extract import rule_rows
from tests.support.trees import XY_SCHEMA, build, tennis

GOLF_MODEL = pt.C45RulesClassifier().fit(*pt.datasets.load_golf())


def test_nothing_in_words_is_a_mark_of_markdown() -> None:
    assert as_markdown("a_b*c|d") == r"a\_b\*c\|d"
    assert as_markdown("<b>&") == "&lt;b&gt;&amp;"


def test_no_label_ends_a_line_of_the_table() -> None:
    table = pt.export_rules(
        pt.CARTClassifier().fit({"x": [1, 2]}, ["a\nb", "c\r|"]), format="markdown"
    )
    assert table.split("\n")[2:] == [
        r"| 1 | x &lt;= 1.5 | a\\nb | 1 | 1 |",
        r"| 2 | x &gt; 1.5 | c\\r\| | 1 | 1 |",
    ]


def test_numbers_stand_on_the_right_and_gaps_are_empty() -> None:
    rows = [{"n": 1, "of": 2.5, "what": "x"}, {"n": None, "of": 2.0, "what": "y"}]
    assert markdown_table(rows).split("\n") == [
        "| n | of | what |",
        "|---:|---:|---|",
        "| 1 | 2.50 | x |",
        "|  | 2 | y |",
    ]


def test_frame_has_the_columns_and_their_types() -> None:
    frame = frame_of([{"n": None, "what": "x"}, {"n": 1, "what": "y"}])
    assert frame.schema == {"n": pl.Int64(), "what": pl.String()}


def test_rules_of_a_tree_as_a_frame() -> None:
    frame = pt.export_rules(tennis(), format="frame")
    assert frame.columns == ["rule", "if", "then", "support", "confidence"]
    assert frame["support"].sum() == 14
    assert frame.row(0) == (1, "outlook = Overcast", "Yes", 4.0, 1.0)
    assert frame["if"].to_list()[-1] == "outlook = Sunny AND humidity > 75"


def test_rules_without_training_rows_come_last_as_in_text() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, [0, 0], [3, 1]))
    frame = pt.export_rules(tree, format="frame")
    assert frame["support"].to_list() == [4.0, 0.0]
    assert frame["confidence"].to_list() == [0.75, 0.0]


def test_single_leaf_asks_for_nothing() -> None:
    assert pt.export_rules(build(XY_SCHEMA, [1, 0]), format="frame")["if"].to_list() == ["anything"]


def test_list_of_rules_ends_with_the_default_and_has_estimates() -> None:
    rules = GOLF_MODEL.rules_
    frame = pt.export_rules(GOLF_MODEL, format="frame")
    assert frame["rule"].to_list() == [1, 2, 3, 4, None]
    assert frame["if"].to_list()[-1] == "otherwise"
    assert frame["then"].to_list()[-1] == rules.default
    assert frame["estimated_accuracy"].to_list() == [*(rule.accuracy for rule in rules.rules), None]
    assert pt.export_rules(rules, format="frame").equals(frame)


def test_rules_that_never_fire_keep_their_number_but_have_no_row() -> None:
    from dataclasses import replace

    least = sorted(rule.accuracy or 0 for rule in GOLF_MODEL.rules_.rules)[1]
    strict = replace(GOLF_MODEL.rules_, min_accuracy=least)
    kept = [row["rule"] for row in rule_rows(strict)]
    assert kept == [1, 3, 4, None]


def test_labels_keep_their_type() -> None:
    X = {"x": [1, 2, 3, 4]}
    model = pt.ID3Classifier().fit(X, [0, 0, 1, 1])
    assert pt.export_rules(model, format="frame")["then"].to_list() == [0, 1]


def test_rules_as_markdown() -> None:
    text = pt.export_rules(tennis(), format="markdown")
    assert text.split("\n")[:3] == [
        "| rule | if | then | support | confidence |",
        "|---:|---|---|---:|---:|",
        "| 1 | outlook = Overcast | Yes | 4 | 1 |",
    ]
    assert "humidity &lt;= 75" in text
