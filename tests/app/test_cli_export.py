"""The command line that writes models in other languages: `plaintree export`."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from plaintree.app.study.export import LANGUAGES, READINGS, TARGETS
from plaintree.interop.model_file import save
from plaintree.interop.program.python import export_python
from plaintree.interop.program.sql import export_sql
from plaintree.interop.verification.runners import runner
from tests.support.command_line import GOLF, MODEL, X, Y, plaintree


@pytest.mark.parametrize("to", TARGETS)
def test_every_language_is_written_to_a_file(saved: str, to: str, tmp_path: Path) -> None:
    if to == "onnx":
        pytest.importorskip("onnx")
    out = tmp_path / "out"
    outcome = plaintree("export", saved, "--to", to, "-o", str(out))
    assert (outcome.code, outcome.out, outcome.err) == (0, "", f"wrote {out}\n")
    assert b"humidity" in out.read_bytes()


def test_text_goes_to_standard_output_as_python_would_write_it(saved: str) -> None:
    written = plaintree("export", saved, "--to", "python").out
    assert written == export_python(MODEL).rstrip("\n") + "\n"


def test_options_of_sql(saved: str) -> None:
    options = ("--dialect", "duckdb", "--table", "days", "--view", "answers", "--proba")
    outcome = plaintree("export", saved, "--to", "sql", *options)
    expected = export_sql(MODEL, dialect="duckdb", table="days", view="answers", proba=True)
    assert outcome.out.rstrip("\n") == expected.rstrip("\n")


def test_other_options(saved: str) -> None:
    assert "golf_predict" in plaintree("export", saved, "--to", "c", "--name", "golf").out
    document = plaintree("export", saved, "--to", "tikz", "--standalone").out
    assert "\\documentclass" in document
    folded = plaintree("export", saved, "--to", "text", "--max-depth", "0").out
    assert "humidity" not in folded


def test_rules_are_written_as_text_or_as_a_table(saved: str) -> None:
    narrow = plaintree("export", saved, "--to", "rules", "--width", "60")
    assert narrow.out == pt.export_rules(MODEL, width=60) + "\n"
    assert max(map(len, narrow.out.splitlines())) <= 60
    table = plaintree("export", saved, "--to", "rules", "--format", "markdown").out
    assert table == pt.export_rules(MODEL, format="markdown") + "\n"


def test_formula_of_a_class(saved: str) -> None:
    asked = ("export", saved, "--to", "formula", "--class", "no")
    assert plaintree(*asked).out == pt.export_formula(MODEL, "no", width=100) + "\n"
    for style in ("text", "unicode", "latex"):
        written = plaintree(*asked, "--format", style, "--width", "60").out
        assert written == pt.export_formula(MODEL, "no", style=style, width=60) + "\n"
    every_leaf = plaintree(*asked, "--no-simplify").out
    assert every_leaf == pt.export_formula(MODEL, "no", simplify=False, width=100) + "\n"


def test_formulas_of_all_classes_have_headings(saved: str) -> None:
    assert plaintree("export", saved, "--to", "formula", "--width", "60").out.splitlines() == [
        "play = no:",
        "(outlook = rain AND windy = True)",
        "OR (outlook = sunny AND humidity > 75)",
        "",
        "play = yes:",
        "(outlook = overcast)",
        "OR (outlook = rain AND windy = False)",
        "OR (outlook = sunny AND humidity <= 75)",
    ]
    latex = plaintree("export", saved, "--to", "formula", "--format", "latex").out
    assert latex.startswith("% play = no:\n(\\text{outlook} = ")


def test_classes_that_are_truth_values_are_named_as_texts(tmp_path: Path) -> None:
    bits, either = pt.datasets.load_or()
    model = pt.ID3Classifier().fit(bits, either == 1)
    save(model, tmp_path / "or")
    for name in ("True", "true"):
        written = plaintree("export", str(tmp_path / "or"), "--to", "formula", "--class", name)
        assert written.out == "(x2 > 0.5) OR (x1 > 0.5)\n"


def test_a_list_of_rules_is_written_as_such(tmp_path: Path) -> None:
    model = pt.C45RulesClassifier().fit(X, Y)
    for name, kept in (("model", model), ("list", model.rules_)):
        path = str(tmp_path / name)
        save(kept, path)
        outcome = plaintree("export", path, "--to", "rules")
        assert (outcome.out, outcome.err) == (f"{model.rules_.describe(width=100)}\n", "")
        formula = plaintree("export", path, "--to", "formula")
        assert formula.code == 3
        assert "a formula describes a tree, and this model predicts with a rule list" in formula.err
    drawn = plaintree("export", str(tmp_path / "model"), "--to", "text")
    assert drawn.out == pt.export_text(model, width=100) + "\n"
    assert "note: this is the tree that the rules were made from" in drawn.err


@pytest.mark.parametrize("to", ["python", "sql"])
def test_export_is_verified_with_a_table(saved: str, to: str) -> None:
    outcome = plaintree("export", saved, "--to", to, "--verify", GOLF, "--json")
    assert outcome.code == 0
    assert outcome.json["verified"] is True
    proof = outcome.json["verification"]
    assert (proof["n_given"], proof["n_refused"], proof["left_out"]) == (14, 0, {})
    assert proof["rows"] == 14 + proof["n_generated"]
    assert proof["with_probabilities"] is (to == "python")
    told = f"verified: {proof['rows']} rows"
    assert told in outcome.err


@pytest.mark.slow
@pytest.mark.skipif(runner("pmml").absent() is not None, reason=str(runner("pmml").absent()))
def test_rows_that_were_not_compared_are_told(saved: str) -> None:
    told = "the model divides them over branches"
    outcome = plaintree("export", saved, "--to", "pmml", "--verify", GOLF, "--json")
    left_out = outcome.json["verification"]["left_out"][told]
    assert left_out > 0
    assert f"{left_out} left out: {told}." in outcome.err


def test_difference_is_told_with_the_row(saved: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: Any) -> str:
        return "def predict(row):\n    return 'no'\ndef predict_proba(row):\n    return {}\n"

    monkeypatch.setattr("plaintree.interop.program.python.python_text", wrong)
    outcome = plaintree("export", saved, "--to", "python", "--verify", GOLF)
    assert outcome.code == 3
    assert "where the model predicts" in outcome.err
    assert "Got the row {'outlook': 'sunny'" in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize("before", [None, "an earlier export"])
def test_failed_verification_writes_no_file_and_keeps_an_earlier_one(
    saved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    place = tmp_path / "new"
    place.mkdir()
    if before is not None:
        (place / "golf.py").write_text(before)
    monkeypatch.setattr("plaintree.interop.program.python.python_text", lambda *_: "predict = 1")
    out = str(place / "golf.py")
    assert plaintree("export", saved, "--to", "python", "--verify", GOLF, "-o", out).code != 0
    kept = {path.name: path.read_text() for path in place.iterdir()}
    assert kept == ({} if before is None else {"golf.py": before})


def test_json_says_what_was_written(saved: str) -> None:
    found = plaintree("export", saved, "--to", "dot", "--json").json
    text = pt.export_dot(MODEL)
    assert found == {"to": "dot", "verified": False, "verification": None, "text": text}


def test_bytes_are_written_as_such(saved: str) -> None:
    pytest.importorskip("onnx")
    found = plaintree("export", saved, "--to", "onnx", "--json").json
    assert b"humidity" in base64.b64decode(found["base64"])


def test_forest_is_exported_where_that_makes_sense(tmp_path: Path) -> None:
    save(pt.RandomForestClassifier(3, random_state=0).fit(X, Y), tmp_path / "forest")
    path = str(tmp_path / "forest")
    assert plaintree("export", path, "--to", "python", "--verify", GOLF).code == 0
    drawn = plaintree("export", path, "--to", "svg")
    assert drawn.code == 2
    assert "an ensemble cannot be exported to svg, which shows one tree" in drawn.err
    assert "Hint: choose one of its trees, such as --tree 0" in drawn.err
    assert "the whole ensemble to sql, python, c, javascript, java, pmml, onnx." in drawn.err


def test_one_tree_of_a_forest_is_exported_like_any_tree(tmp_path: Path) -> None:
    forest = pt.RandomForestClassifier(3, random_state=0).fit(X, Y)
    save(forest, tmp_path / "forest")
    for to, written in (("svg", pt.export_svg), ("text", pt.export_text), ("sql", pt.export_sql)):
        outcome = plaintree("export", str(tmp_path / "forest"), "--to", to, "--tree", "1")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.rstrip("\n") == written(forest.trees_[1]).rstrip("\n")
    beyond = plaintree("export", str(tmp_path / "forest"), "--to", "svg", "--tree", "3")
    assert beyond.code == 2
    assert "--tree 3 of 3 trees" in beyond.err


def test_help_names_every_language() -> None:
    assert (*LANGUAGES, *READINGS) == tuple(TARGETS)
    help_text = " ".join(plaintree("export", "--help").out.replace("│", " ").split())
    assert f"{', '.join(LANGUAGES)}; to read: {', '.join(READINGS)}." in help_text
    assert "(rules) text or markdown; (formula) text, unicode or latex." in help_text


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--to", "jav"), 2, "did you mean 'java'?"),
        (("--to", "svg", "--dialect", "sqlite"), 2, "svg has no option --dialect"),
        (
            ("--to", "dot", "--verify", GOLF),
            2,
            "an export to dot is not code, so it cannot be verified",
        ),
        (("--to", "rules", "--format", "frame"), 2, "no such format of rules. Got --format frame"),
        (("--to", "formula", "--class", "yess"), 2, "Got --class yess. Hint: did you mean 'yes'?"),
        (("--to", "formula", "--class", "9"), 2, "the classes are no, yes."),
        (("--to", "rules", "--class", "no"), 2, "rules has no option --class"),
        (("--to", "rules", "--no-simplify"), 2, "Got --no-simplify. Hint: it is for formula."),
        (("--to", "sql", "--dialect", "oracle"), 2, "dialect has a value that is not allowed"),
        (("--to", "sql", "--view", "v"), 2, "a view needs a table"),
        (("--to", "sql", "-o", "/no/folder/x"), 3, "there is no directory /no/folder"),
        (("--to", "sql", "--verify", "none.csv"), 3, "there is no file none.csv"),
    ],
)
def test_wrong_use_is_told(saved: str, options: tuple[str, ...], code: int, words: str) -> None:
    outcome = plaintree("export", saved, *options)
    assert outcome.code == code
    assert words in outcome.err
    assert "Traceback" not in outcome.err


def test_table_is_no_model() -> None:
    outcome = plaintree("export", GOLF, "--to", "sql")
    assert outcome.code == 3
    assert "the file is not a model file" in outcome.err


def test_formula_of_a_range_of_numbers(tmp_path: Path) -> None:
    saved = tmp_path / "model.json"
    model = pt.CARTRegressor().fit({"hours": [1.0, 2.0, 8.0, 9.0]}, [0, 14, 30, 32])
    save(model, saved)
    asked = ("export", str(saved), "--to", "formula")
    assert plaintree(*asked, "--above", "0", "--below", "31").out == "1.5 < hours <= 8.5\n"
    assert "pass --above 30 or --below 30" in plaintree(*asked).err
    assert "needs a range of numbers" in plaintree(*asked, "--class", "no").err


def test_ranges_are_for_numbers(saved: str) -> None:
    outcome = plaintree("export", saved, "--to", "formula", "--above", "3")
    assert outcome.code == 2
    assert "a formula needs a class" in outcome.err
