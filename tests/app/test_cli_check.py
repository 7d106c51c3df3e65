"""The command line that checks model files, `plaintree check`, and what all commands have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import plaintree as pt
from plaintree.app.cli.help import ORDER
from plaintree.interop.model_file import save
from tests.support.command_line import GOLF, plaintree

X, Y = pt.read_table(GOLF, "play")
MODEL = pt.C45Classifier(min_samples_branch=3).fit(X, Y)


def test_card_says_what_the_file_holds(tmp_path: Path) -> None:
    save(MODEL, tmp_path / "golf.json")
    outcome = plaintree("check", str(tmp_path / "golf.json"))
    assert (outcome.code, outcome.err) == (0, "")
    facts = dict(line.split(maxsplit=1) for line in outcome.out.splitlines() if " " in line)
    assert facts["model"].strip() == "C45Classifier"
    assert facts["classes"].strip() == "no, yes"
    assert facts["training"].split()[:3] == ["table", "14", "rows,"]
    assert facts["min_samples_branch"].strip() == "3"
    assert outcome.out.splitlines()[-1] == "The file is valid."


def test_card_shows_the_columns_and_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    X_odd = X.rename({"outlook": "out\x1b[31mlook"})
    tree = pt.C45Classifier().fit(X_odd, Y).tree_
    odd = replace(tree, edits=({"edit": "cut", "by": "\x1b[31m\nme"},))
    save(odd, tmp_path / "odd")
    lines = plaintree("check", str(tmp_path / "odd")).out.splitlines()
    (row,) = [line.split(maxsplit=3) for line in lines if line.startswith("out")]
    assert [cell.strip() for cell in row] == [
        "out\\x1b[31mlook",
        "categorical",
        "text",
        "overcast, rain, sunny",
    ]
    assert "tree 0: edit cut, by \\x1b[31m\\nme" in lines
    assert all(line.isprintable() for line in lines)


def test_forest_and_rules_have_cards(tmp_path: Path) -> None:
    save(pt.RandomForestClassifier(3, random_state=0).fit(X, Y), tmp_path / "forest")
    assert "trees            3 (" in plaintree("check", str(tmp_path / "forest")).out
    save(pt.C45RulesClassifier().fit(X, Y).rules_, tmp_path / "rules")
    assert "rules" in plaintree("check", str(tmp_path / "rules")).out


def test_changes_by_hand_are_told(tmp_path: Path) -> None:
    save(pt.C45Classifier().fit(X, Y).tree_.cut(3), tmp_path / "cut")
    text = plaintree("check", str(tmp_path / "cut")).out
    assert "Edits by hand" in text
    assert "tree 0: " in text


def test_json_is_the_card(tmp_path: Path) -> None:
    save(MODEL, tmp_path / "golf.json")
    card = plaintree("check", str(tmp_path / "golf.json"), "--json").json
    assert card["model"] == "C45Classifier"
    assert card["n_rows"] == 14
    assert card["parameters"]["min_samples_branch"] == 3
    assert card["table_hash"] == MODEL.training_.table_hash
    assert [a["name"] for a in card["schema"]["features"]] == X.columns


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "golf.json"
    save(MODEL, path)
    text = path.read_text()
    changed = text.replace("outlook", "0utlook", 1)
    path.write_text({"cut": text[:-40], "changed": changed, "empty": ""}[damage])
    outcome = plaintree("check", str(path))
    assert outcome.code == 3
    assert outcome.err.startswith("error: ")
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_debug_shows_where_an_error_arose() -> None:
    assert "Traceback" in plaintree("check", GOLF, "--debug").err


# -------------------------------------------------------------------- all commands together


def test_commands_stand_in_their_order_and_all_of_them_are_there() -> None:
    text = plaintree("--help").out.partition("Commands:")[2].partition("Examples:")[0]
    assert tuple(line.split()[0] for line in text.strip().splitlines()) == ORDER


@pytest.mark.parametrize("command", ORDER)
def test_help_shows_examples(command: str) -> None:
    text = plaintree(command, "--help").out
    assert f"\n    plaintree {command} " in text


def test_help_fits_what_a_command_does_into_a_line() -> None:
    text = plaintree("--help").out.partition("Commands:")[2].partition("Examples:")[0]
    assert len(text.strip().splitlines()) == len(ORDER)
    assert "..." not in text
