"""The command line that writes the worked solution of a tree: `plaintree derive`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from plaintree.app.study.derive import FORMATS, LEVELS
from tests.support.command_line import GOLF, Outcome, plaintree

X, Y = pt.read_table(GOLF, "play")


def derived(*options: str) -> Outcome:
    return plaintree("derive", GOLF, "--target", "play", *options)


def test_text_is_that_of_derive() -> None:
    outcome = derived("--width", "90")
    assert outcome.code == 0
    expected = pt.derive(pt.C45Classifier().fit(X, Y), X, Y).to_text(width=90)
    assert outcome.out == expected.rstrip("\n") + "\n"


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_goes_to_a_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    outcome = derived("--format", form, "-o", str(path), "--learner", "id3", "--digits", "3")
    assert (outcome.code, outcome.out) == (0, "")
    expected = pt.derive(pt.ID3Classifier().fit(X, Y), X, Y)
    write = getattr(expected, f"to_{form}")
    options: dict[str, Any] = {"width": 100} if form == "text" else {}
    assert path.read_text(encoding="utf-8").rstrip("\n") == write(digits=3, **options).rstrip("\n")


@pytest.mark.parametrize("level", LEVELS)
def test_levels_say_less_and_less(level: str) -> None:
    text = derived("--level", level).out
    assert ("Gain(outlook)" in text) == (level == "full")
    assert "outlook = overcast" in text


def test_worksheet_has_blanks() -> None:
    assert "____" in derived("--worksheet").out
    assert "____" not in derived().out


def test_options_of_the_learner_count() -> None:
    shallow = derived("--max-depth", "1", "--json").json
    assert shallow["parameters"]["max_depth"] == 1
    assert max(step["path"].count("=") for step in shallow["steps"]) == 1


def test_new_rows_are_classified(file: Any) -> None:
    new = file("new.csv", "play,windy,humidity,temperature,outlook\n,true,80,70,sunny\n")
    assert "outlook = sunny" in derived("--rows", str(new)).out.split("Rules")[-1]


def test_json_has_every_step_with_the_candidates() -> None:
    found = derived("--json", "--learner", "id3").json
    assert found["agrees"] is True
    root = found["steps"][0]
    assert (root["node"], root["path"], root["rows"]) == (0, "", 14)
    assert root["class_weights"] == [5.0, 9.0]
    assert root["split"] == "outlook"
    scores = {offer["feature"]: offer["score"] for offer in root["offers"]}
    assert max(scores, key=scores.__getitem__) == "outlook"
    assert round(scores["outlook"], 4) == 0.2467
    assert [step["leaf"] for step in found["steps"] if step["split"] is None] == ["pure"] * 5


def test_answers_are_not_in_the_json_of_a_worksheet() -> None:
    assert derived("--worksheet", "--json").json["steps"] == []


def test_table_can_come_from_a_pipe() -> None:
    text = Path(GOLF).read_text()
    outcome = plaintree("derive", "-", "--target", "play", "--level", "summary", stdin=text)
    assert outcome.code == 0
    assert "The chosen splits" in outcome.out


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--format", "word"), 2, "there is no such format. Got --format word"),
        (("--level", "tables"), 2, "did you mean 'table'?"),
        (("--learner", "id4"), 2, "did you mean 'id3'?"),
        (("--learner", "cart", "--max-bins", "4"), 3, "thresholds between bins cannot be derived"),
        (("-o", "/no/such/folder/x"), 3, "there is no directory /no/such/folder"),
        (("--rows", "/no/such/file.csv"), 3, "there is no file"),
    ],
)
def test_wrong_use_is_told(options: tuple[str, ...], code: int, words: str) -> None:
    outcome = derived(*options)
    assert outcome.code == code
    assert words in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_debug_shows_where_an_error_arose() -> None:
    assert "Traceback" in derived("--format", "word", "--debug").err


def test_help_has_examples() -> None:
    assert "plaintree derive golf.csv -t play\n" in plaintree("derive", "--help").out
