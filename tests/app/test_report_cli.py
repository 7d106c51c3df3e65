"""Keeping what the command line grows: --save and --report of grow, rules and forest."""

from __future__ import annotations

from pathlib import Path

import pytest

import plaintree as pt
from plaintree.app.report.living import bundle
from plaintree.interop.model_file import load
from tests.support.command_line import GOLF, plaintree
from tests.support.living import data_of

X, Y = pt.read_table(GOLF, "play")


def test_grown_tree_is_saved_and_reported(tmp_path: Path) -> None:
    model, page = tmp_path / "golf.json", tmp_path / "golf.html"
    kept = ("--save", str(model), "--report", str(page))
    outcome = plaintree("grow", GOLF, "--target", "play", "--learner", "cart", *kept)
    assert outcome.code == 0
    assert "\nTree (cart)\n" in outcome.out
    assert load(model).tree_.difference(pt.CARTClassifier().fit(X, Y).tree_) is None
    text = page.read_text(encoding="utf-8")
    assert "A decision tree for play" in text
    accuracy = next(line for line in outcome.out.splitlines() if line.startswith("CV accuracy"))
    assert f"accuracy {accuracy.split()[2]} (standard deviation" in text


def test_report_leaves_out_what_was_left_out(tmp_path: Path) -> None:
    page = tmp_path / "golf.html"
    plaintree(
        "grow", GOLF, "--target", "play", "--drop", "outlook", "--cv", "0", "--report", str(page)
    )
    text = page.read_text(encoding="utf-8")
    assert "outlook" not in text
    assert "cross-validation" not in text


def test_json_goes_on_being_json(tmp_path: Path) -> None:
    outcome = plaintree(
        "grow", GOLF, "--target", "play", "--json", "--save", str(tmp_path / "golf.json")
    )
    assert outcome.json["learner"] == "c45"


def test_rules_are_saved_as_a_model_that_answers_by_them(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    outcome = plaintree("rules", GOLF, "--target", "play", "--cv", "0", "--save", str(path))
    assert outcome.code == 0
    model = load(path)
    assert str(model.rules_) == str(pt.C45RulesClassifier().fit(X, Y).rules_)
    assert model.training_.n_rows == 14


@pytest.mark.filterwarnings("ignore:.*in the sample of every tree")
def test_forest_is_saved_and_reported(tmp_path: Path) -> None:
    path, page = tmp_path / "forest.model", tmp_path / "forest.html"
    kept = ("--save", str(path), "--report", str(page))
    outcome = plaintree("forest", GOLF, "--target", "play", "--n-estimators", "20", *kept)
    assert outcome.code == 0
    assert len(load(path).trees_) == 20
    assert "A forest of 20 trees for play" in page.read_text(encoding="utf-8")


def test_place_that_cannot_be_written_to_is_told_without_a_traceback(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none" / "file")
    for option in ("--save", "--report"):
        for place, code, words in (
            (nowhere, 3, f"error: there is no directory {tmp_path / 'none'}"),
            (str(tmp_path), 3, "is a directory"),
            ("-", 2, "this is not written to standard output"),
            ("/dev/full", 3, "Got /dev/full"),
        ):
            outcome = plaintree("grow", GOLF, "--target", "play", "--cv", "0", option, place)
            assert outcome.code == code
            assert words in outcome.err
            assert "Traceback" not in outcome.err


def test_place_that_is_not_there_is_told_before_anything_is_grown(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none" / "file")
    for command in ("grow", "rules", "forest"):
        outcome = plaintree(command, GOLF, "--target", "play", "--save", nowhere)
        assert (outcome.code, outcome.out) == (3, "")


def test_rows_of_the_table_are_in_the_report_if_asked_for(tmp_path: Path) -> None:
    few, all_rows = tmp_path / "few.html", tmp_path / "all.html"
    tree = ("grow", GOLF, "--target", "play", "--cv", "0")
    assert plaintree(*tree, "--report", str(few)).code == 0
    assert plaintree(*tree, "--report", str(all_rows), "--report-rows").code == 0
    if bundle() is None:
        assert few.read_text() == all_rows.read_text()
    else:
        assert "cells" not in data_of(few.read_text())["replies"]
        ((_, cells),) = data_of(all_rows.read_text())["replies"]["cells"]
        assert cells["n_found"] == 14
