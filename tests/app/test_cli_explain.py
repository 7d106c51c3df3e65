"""The command line that explains one prediction: `plaintree explain`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from plaintree.interop.model_file import save
from tests.support.command_line import GOLF, MODEL, Outcome, X, Y, plaintree, rows


def explained(*options: str) -> Outcome:
    return plaintree("explain", GOLF, "--target", "play", *options)


def test_row_of_the_table_is_explained_as_in_python() -> None:
    outcome = explained("--row", "4")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == pt.explain(MODEL, X[3:4]).to_text(100) + "\n"


def test_row_of_a_table_behind_a_model_file(saved: str) -> None:
    assert plaintree("explain", saved, GOLF, "--row", "4").out == explained("--row", "4").out


def test_values_are_read_as_the_model_means_them(saved: str) -> None:
    values = ("--value", "outlook=sunny", "--value", "humidity=90", "--value", "windy=TRUE")
    outcome = plaintree("explain", saved, *values, "--value", "temperature=")
    row = {"outlook": "sunny", "humidity": 90, "windy": True, "temperature": None}
    assert outcome.out == pt.explain(MODEL, row).to_text(100) + "\n"
    assert outcome.err == ""


def test_values_that_are_not_given_are_missing_and_told(saved: str) -> None:
    outcome = plaintree("explain", saved, "--value", "outlook=sunny")
    assert "Decision paths (2, because missing values divide the row)" in outcome.out
    assert "note: columns without a value are missing: temperature, humidity, windy" in outcome.err


def test_immutable_columns_and_intervals(saved: str) -> None:
    outcome = plaintree(
        "explain", saved, GOLF, "--row", "1", "--immutable", "outlook", "--interval", "0.9"
    )
    assert "humidity: 75 instead of 85" in outcome.out
    assert "(90% Wilson intervals" in outcome.out


def test_options_of_the_learner_count() -> None:
    outcome = explained("--row", "1", "--learner", "cart", "--max-depth", "1", "--json")
    assert len(outcome.json["paths"][0]["steps"]) == 1


def test_json_is_the_explanation_as_data(saved: str) -> None:
    found = plaintree("explain", saved, GOLF, "--row", "1", "--json").json
    assert found == pt.explain(MODEL, X[:1]).to_dict()


def test_rules_say_which_of_them_fires(tmp_path: Path) -> None:
    model = pt.C45RulesClassifier().fit(X, Y)
    save(model, tmp_path / "rules.json")
    path = str(tmp_path / "rules.json")
    found = model.explain(X[:1])
    assert plaintree("explain", path, GOLF, "--row", "1").out == found.to_text(100) + "\n"
    assert plaintree("explain", path, GOLF, "--row", "1", "--json").json == found.to_dict()
    wider = plaintree("explain", path, GOLF, "--row", "1", "--interval", "0.5").out
    assert "(50% Wilson intervals" in wider
    frozen = plaintree("explain", path, GOLF, "--row", "1", "--immutable", "outlook")
    assert frozen.code == 2
    assert "and this is a rule list. Got immutable" in frozen.err


def test_dates_can_be_given(file: Any) -> None:
    days = [f"2024-01-{day:02}" for day in range(1, 21)]
    table = file("days.csv", rows("day,late", days, ["no"] * 10 + ["yes"] * 10))
    options = ("--target", "late", "--learner", "id3")
    outcome = plaintree("explain", str(table), *options, "--value", "day=2024-01-15")
    assert outcome.out.startswith("Prediction: yes\nDecision path:\n  day > 2024-01-10")
    wrong = plaintree("explain", str(table), *options, "--value", "day=soon")
    assert wrong.code == 2
    assert "column 'day' has a value that is not a date. Got 'soon'" in wrong.err


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ((), 2, "a row is given either by its number or by its values. Got neither"),
        (("--row", "2", "--value", "outlook=rain"), 2, "Got both"),
        (("--row", "15"), 2, "--row 15 of a table of 14 rows"),
        (("--value", "outlook"), 2, "a value is not given by name"),
        (("--value", "outlok=rain"), 2, "did you mean 'outlook'?"),
        (("--value", "humidity=wet"), 2, "has a value that is not a number. Got 'wet'"),
        (("--row", "1", "--immutable", "outlok"), 2, "did you mean 'outlook'?"),
        (
            ("--row", "1", "--interval", "2"),
            2,
            "--interval must be between 0 and 1. Got --interval 2.",
        ),
    ],
)
def test_wrong_use_is_told(options: tuple[str, ...], code: int, words: str) -> None:
    outcome = explained(*options)
    assert outcome.code == code
    assert words in outcome.err
    assert outcome.out == ""


def test_what_a_model_file_cannot_do_is_told(saved: str) -> None:
    assert "a model file has no rows" in plaintree("explain", saved, "--row", "1").err
    table = plaintree("explain", GOLF, "--row", "1")
    assert table.code == 2
    assert "a table needs a target to grow a tree from it" in table.err
    grown = plaintree("explain", saved, GOLF, "--row", "1", "--max-depth", "2")
    assert "options of the learner do not apply to a model file" in grown.err


def test_a_pipe_is_a_model_or_with_a_target_a_table(saved: str) -> None:
    expected = explained("--row", "4").out
    model, table = Path(saved).read_text(), Path(GOLF).read_text()
    assert plaintree("explain", "-", GOLF, "--row", "4", stdin=model).out == expected
    assert plaintree("explain", saved, "-", "--row", "4", stdin=table).out == expected
    grown = ("explain", "-", "--target", "play", "--row", "4")
    assert plaintree(*grown, stdin=table).out == expected
    untold = plaintree("explain", "-", "--row", "4", stdin=table)
    assert untold.code == 2
    assert "standard input without --target" in untold.err


class TestForests:
    """Many trees that vote, and one of them."""

    FOREST = pt.RandomForestClassifier(20, random_state=0).fit(X, Y)

    @pytest.fixture
    def forest(self, tmp_path: Path) -> str:
        save(self.FOREST, tmp_path / "forest.model")
        return str(tmp_path / "forest.model")

    def test_the_vote_is_told_as_in_python(self, forest: str) -> None:
        outcome = plaintree("explain", forest, GOLF, "--row", "4")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out == self.FOREST.explain(X[3:4]).to_text(100) + "\n"
        asked = plaintree("explain", forest, GOLF, "--row", "4", "--json")
        assert asked.json == self.FOREST.explain(X[3:4]).to_dict()

    def test_one_of_its_trees_is_explained_as_any_tree(self, forest: str) -> None:
        outcome = plaintree("explain", forest, GOLF, "--row", "4", "--tree", "5")
        assert outcome.out == pt.explain(self.FOREST.trees_[5], X[3:4]).to_text(100) + "\n"

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--tree", "20"), "there is no such tree. Got --tree 20 of 20 trees"),
            (("--immutable", "outlook"), "for single trees only, and this is an ensemble"),
        ],
    )
    def test_what_it_does_not_have_is_told(
        self, forest: str, options: tuple[str, ...], words: str
    ) -> None:
        outcome = plaintree("explain", forest, GOLF, "--row", "1", *options)
        assert (outcome.code, outcome.out) == (2, "")
        assert words in outcome.err

    def test_a_single_tree_has_no_number(self, saved: str) -> None:
        numbered = plaintree("explain", saved, GOLF, "--row", "1", "--tree", "0")
        assert numbered.code == 2
        assert (
            "this model is not an ensemble of trees. Got --tree 0 of a C45Classifier"
            in numbered.err
        )
        assert (
            "--tree chooses a tree of a saved forest" in explained("--row", "1", "--tree", "0").err
        )


def test_numbers_are_explained_with_a_change_into_a_range(tmp_path: Path) -> None:
    model = pt.CARTRegressor(min_samples_leaf=2).fit(
        {"hours": [1.0, 2.0, 8.0, 9.0]}, [10, 14, 30, 32]
    )
    saved, table = tmp_path / "model.json", tmp_path / "table.csv"
    save(model, saved)
    table.write_text("hours\n2\n8\n")
    outcome = plaintree("explain", str(saved), str(table), "--row", "1", "--above", "20")
    expected = pt.explain(model, {"hours": 2.0}, above=20)
    assert outcome.out == expected.to_text(100) + "\n"
    assert "Counterfactual: 31, above 20, with one change" in outcome.out
    wrong = plaintree("explain", str(saved), "--value", "hours=2", "--above", "2", "--below", "1")
    assert "no number is above the one and below the other" in wrong.err
    assert "--above 2, --below 1" in wrong.err
