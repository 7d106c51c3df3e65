"""The command line that explains one answer: `plaintree explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from command_line import GOLF, Outcome, plaintree, rows
from plaintree.model_file import save

X, Y = pt.read_table(GOLF, "play")
MODEL = pt.C45Classifier().fit(X, Y)


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = tmp_path / "golf.json"
    save(MODEL, path)
    return str(path)


def explained(*options: str) -> Outcome:
    return plaintree("explain", GOLF, "--target", "play", *options)


def test_row_of_the_table_is_explained_as_in_python() -> None:
    outcome = explained("--row", "3")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == pt.explain(MODEL, X[3:4]).to_text(100) + "\n"


def test_row_of_a_table_behind_a_model_file(saved: str) -> None:
    assert plaintree("explain", saved, GOLF, "--row", "3").out == explained("--row", "3").out


def test_values_are_read_as_the_model_means_them(saved: str) -> None:
    values = ("--value", "outlook=sunny", "--values", "humidity=90", "--value", "windy=TRUE")
    outcome = plaintree("explain", saved, *values, "--value", "temperature=")
    row = {"outlook": "sunny", "humidity": 90, "windy": True, "temperature": None}
    assert outcome.out == pt.explain(MODEL, row).to_text(100) + "\n"
    assert outcome.err == ""


def test_values_that_are_not_given_are_missing_and_told(saved: str) -> None:
    outcome = plaintree("explain", saved, "--value", "outlook=sunny")
    assert "Missing values divide the row over 2 paths" in outcome.out
    assert "note: not given, so taken as missing: temperature, humidity, windy" in outcome.err


def test_frozen_columns_and_intervals(saved: str) -> None:
    outcome = plaintree(
        "explain", saved, GOLF, "--row", "0", "--frozen", "outlook", "--interval", "0.9"
    )
    assert "humidity: 75 instead of 85" in outcome.out
    assert "(90% Wilson intervals" in outcome.out


def test_options_of_the_learner_count() -> None:
    outcome = explained("--row", "0", "--learner", "cart", "--max-depth", "1", "--json")
    assert len(outcome.json["paths"][0]["steps"]) == 1


def test_json_is_the_explanation_as_data(saved: str) -> None:
    found = plaintree("explain", saved, GOLF, "--row", "0", "--json").json
    assert found == pt.explain(MODEL, X[:1]).to_dict()


def test_rules_say_which_of_them_fires(tmp_path: Path) -> None:
    model = pt.C45RulesClassifier().fit(X, Y)
    save(model, tmp_path / "rules.json")
    path = str(tmp_path / "rules.json")
    text = model.rules_.explain(X[:1])
    assert plaintree("explain", path, GOLF, "--row", "0").out == text + "\n"
    assert plaintree("explain", path, GOLF, "--row", "0", "--json").json == {"text": text}


def test_dates_can_be_given(file: Any) -> None:
    days = [f"2024-01-{day:02}" for day in range(1, 21)]
    table = file("days.csv", rows("day,late", days, ["no"] * 10 + ["yes"] * 10))
    options = ("--target", "late", "--learner", "id3")
    outcome = plaintree("explain", str(table), *options, "--value", "day=2024-01-15")
    assert outcome.out.startswith("The answer is yes, because\n  day > 2024-01-10")
    wrong = plaintree("explain", str(table), *options, "--value", "day=soon")
    assert wrong.code == 2
    assert "column 'day' holds a text that is no date. Got 'soon'" in wrong.err


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ((), 2, "one row is explained, given by its number or by its values. Got neither"),
        (("--row", "1", "--value", "outlook=rain"), 2, "Got both"),
        (("--row", "14"), 2, "--row 14 of a table of 14 rows"),
        (("--value", "outlook"), 2, "a value is not given by name"),
        (("--value", "outlok=rain"), 2, "did you mean 'outlook'?"),
        (("--value", "humidity=wet"), 2, "holds a text that is no number. Got 'wet'"),
        (("--row", "0", "--frozen", "outlok"), 2, "did you mean 'outlook'?"),
        (("--row", "0", "--interval", "2"), 2, "confidence is out of range"),
    ],
)
def test_wrong_use_is_told(options: tuple[str, ...], code: int, words: str) -> None:
    outcome = explained(*options)
    assert outcome.code == code
    assert words in outcome.err
    assert outcome.out == ""


def test_what_a_model_file_cannot_do_is_told(saved: str, tmp_path: Path) -> None:
    assert "a model file has no rows" in plaintree("explain", saved, "--row", "0").err
    table = plaintree("explain", GOLF, "--row", "0")
    assert table.code == 2
    assert "give --target NAME, or a model file" in table.err
    grown = plaintree("explain", saved, GOLF, "--row", "0", "--max-depth", "2")
    assert "not grown anew" in grown.err
    forest = pt.RandomForestClassifier(3, random_state=0).fit(X, Y)
    save(forest, tmp_path / "forest.model")
    many = plaintree("explain", str(tmp_path / "forest.model"), GOLF, "--row", "0")
    assert many.code == 3
    assert "answers by many trees" in many.err
