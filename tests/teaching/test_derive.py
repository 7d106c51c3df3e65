"""The worked solution: what is in it at each level, what it says, and what it refuses."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import plaintree as pt
from plaintree.errors import (
    ArgumentTypeError,
    ParameterError,
    PlaintreeError,
    TableError,
    TreeError,
)
from plaintree.teaching.derive import solution
from plaintree.teaching.derive.introduction import MISSING_VALUES
from plaintree.teaching.derive.solution import FOLLOWED, Derivation, derive
from plaintree.tree.conventions import Conventions
from tests.support.trees import tennis as tennis_tree


def tennis(**options: Any) -> Derivation:
    X, y = pt.datasets.load_tennis()
    return derive(pt.ID3Classifier().fit(X, y), X, y, **options)


def golf(model: Any = None, **options: Any) -> Derivation:
    X, y = pt.datasets.load_golf()
    return derive((model or pt.C45Classifier()).fit(X, y), X, y, **options)


class TestContents:
    def test_the_task_and_the_table(self) -> None:
        text = tennis().to_text(width=100)
        assert "from 14 rows and the attributes Outlook, Temperature, Humidity, Wind" in text
        assert "The classes are No: 5, Yes: 9." in text
        assert " 14  Rain      Mild         High      Strong  No" in text

    def test_the_conventions(self) -> None:
        text = golf().to_text(width=200)
        assert "The conventions are c4.5r8." in text
        assert "Only attributes whose gain is at least average qualify." in text

    def test_entropy_with_fractions_filled_in(self) -> None:
        assert "  H(S) = -5/14 log2 5/14 - 9/14 log2 9/14 ≈ 0.9403 bits" in tennis().to_text()

    def test_candidates_as_formula_numbers_result(self) -> None:
        text = tennis().to_text()
        assert "H(S | Wind) ≈ 6/14 × 1 + 8/14 × 0.8113 ≈ 0.8922" in text
        assert "Gain(Wind) ≈ 0.9403 - 0.8922 ≈ 0.0481" in text

    def test_the_choice_the_runner_up_and_the_margin(self) -> None:
        text = tennis().to_text(width=200)
        assert (
            "Outlook has the greatest gain, 0.2467. The runner-up is Humidity with 0.1518, a "
            "margin of 0.0949."
        ) in text

    def test_branches_and_the_reason_why_a_leaf_is_a_leaf(self) -> None:
        text = tennis().to_text()
        assert "- Outlook = Overcast: 4 rows, all Yes, a leaf: Yes." in text
        assert "- Outlook = Rain: 5 rows, No: 2, Yes: 3; see step 2." in text

    def test_the_tree_after_each_step(self) -> None:
        text = tennis().to_text()
        assert text.count("The tree so far:") == 2
        assert "└─ Outlook = Sunny: No (5; No: 3, Yes: 2)" in text

    def test_every_threshold_tried(self) -> None:
        text = golf(max_rows=None).to_text()
        humidity = text[text.index("humidity\n~") : text.index("windy\n~")]
        for value in (65, 70, 75, 78, 80, 85, 90, 95):
            assert f"<= {value} " in humidity

    def test_long_tables_are_cut_short_and_say_so(self) -> None:
        assert "... and 8 more" in golf(max_rows=3).to_text()
        assert "more\n" not in golf(max_rows=None).to_text()

    def test_many_classes_are_told_in_words_and_many_branches_cut_short(self) -> None:
        X = {"a": [f"v{i}" for i in range(40)], "b": list(range(40))}
        y = [f"c{i % 8}" for i in range(40)]
        model = pt.ID3Classifier(max_depth=1).fit(X, y)
        text = derive(model, X, y).to_text()
        assert "a = v0   c0: 1       1  0" in text
        assert "... and 10 more" in text
        assert "test     if so (rows)  if not (rows)" in text
        assert "... and 10 more" in derive(model, X, y, level="table").to_text()

    def test_terms_of_a_formula_are_not_torn_apart(self) -> None:
        lines = golf().to_text(width=60).split("\n")
        formulas = [line for line in lines if line.startswith("  ")]
        assert not [line for line in formulas if line.endswith((" log2", " ×", " -", " +"))]

    def test_penalty_and_average(self) -> None:
        text = golf().to_text()
        assert "Gain(temperature <= 70) ≈ 0.9403 - 0.8950 - log2 9 / 14 ≈ -0.1811" in text
        assert "no gain is left after the penalty" in golf().to_text(width=200)
        assert text.count("too few rows") >= 2  # eleven thresholds less two: the 9 in log2 9
        assert "where k is the number of thresholds with enough rows" in " ".join(text.split())
        assert "The average gain is 0.1474." in text

    def test_gini(self) -> None:
        text = golf(pt.CARTClassifier()).to_text()
        assert "Gini(S) = 1 - (5/14)² - (9/14)² ≈ 0.4592" in text

    def test_error(self) -> None:
        text = golf(pt.CARTClassifier("error")).to_text()
        assert "Error(S) = 1 - 9/14 ≈ 0.3571" in text

    def test_the_ratio_by_the_conditional_entropy_can_be_infinite(self) -> None:
        X, y = pt.datasets.load_emails(x6=True)
        model = pt.ID3Classifier("gain_ratio_conditional").fit(X, y)
        assert "GainRatio(algorithm) ≈ 0.9710 / 0 = infinity" in derive(model, X, y).to_text()

    def test_a_single_leaf(self) -> None:
        text = derive(pt.ID3Classifier().fit([[1], [2]], ["a", "a"]), [[1], [2]], ["a", "a"])
        assert "2 rows, all a, a leaf: a." in str(text)

    def test_a_leaf_whose_rows_are_weighted_says_rows_and_weight(self) -> None:
        X, y = {"x": ["p", "p", "q", "q"]}, ["a", "b", "b", "b"]
        weights = [0.5, 1.0, 0.5, 0.25]
        model = pt.ID3Classifier().fit(X, y, sample_weight=weights)
        text = derive(model, X, y, weights).to_text()
        assert "- x = q: 2 rows of weight 3/4, all b, a leaf: b." in text
        assert "So this is a leaf, which predicts b: no attribute is left to split on." in text

    def test_steps_are_frozen_data_too(self) -> None:
        first = tennis().steps.in_order[0]
        assert first.counts == (5, 9)
        assert first.choice is not None
        assert first.choice.margin == pytest.approx(0.0949, abs=1e-4)

    def test_repr(self) -> None:
        assert repr(tennis()) == "<Derivation of a tree of 3 internal nodes>"


class TestMissingValues:
    X: ClassVar = {"a": ["x", "x", None, "y", "y", "y"], "b": [1.0, 2, 3, 4, None, 6]}
    y: ClassVar = ["n", "n", "y", "y", "y", "n"]

    def text(self, missing: Any, rows: Any = None) -> str:
        model = pt.DecisionTreeClassifier(
            criterion="information_gain", categorical="multiway", missing=missing
        )
        return derive(model.fit(self.X, self.y), self.X, self.y, rows=rows).to_text(width=200)

    def test_rows_divided(self) -> None:
        text = self.text("fractional")
        assert "Gain(a) ≈ 5/6 × (0.9710 - 0.5510) ≈ 0.35" in text
        assert "Missing values: y: 1." in text

    def test_the_most_common_value(self) -> None:
        assert "Missing values: y: 1. Treated as y." in self.text("most_common")

    def test_the_most_common_value_of_the_class(self) -> None:
        assert "Treated, by class, as y: y." in self.text("most_common_in_class")

    def test_a_branch_of_their_own(self) -> None:
        assert "a is missing  0  1     1       0" in self.text("branch")

    def test_a_new_row_is_divided_with_its_weights(self) -> None:
        rows = [{"a": None, "b": 1.5}]
        text = self.text("fractional", rows)
        row = text[text.index("Row 1") :]
        assert "b <= 2.5" in row or "the row is divided" in row

    def test_the_shares_of_a_divided_row_add_up(self) -> None:
        X, y = pt.datasets.load_golf()
        row = {"outlook": None, "temperature": 70, "humidity": 72, "windy": True}
        model = pt.C45Classifier().fit(X, y)
        text = derive(model, X, y, rows=[row]).to_text(width=200)
        assert "the row is divided, 2/7 to outlook = overcast, 5/14 to outlook = rain" in text
        assert "P(yes) = 2/7 × 4/4 + 5/14 × 2/2 ≈ 0.6429" in text
        assert "Prediction: yes." in text

    def test_a_category_not_seen_in_training(self) -> None:
        X, y = pt.datasets.load_tennis()
        row = {"Outlook": "Fog", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
        model = pt.ID3Classifier(unseen="stop").fit(X, y)
        text = derive(model, X, y, rows=[row]).to_text()
        assert "Outlook has a value not seen in training: the row stops here" in text
        assert "a node: Yes (No: 5, Yes: 9)" in text


class TestAnswersAgreeWithTheModel:
    @pytest.mark.parametrize("missing", ["fractional", "most_common", "branch"])
    def test_on_random_rows_with_missing_values(self, missing: Any) -> None:
        random = np.random.default_rng(3)
        X = random.normal(size=(60, 3))
        y = (X[:, 0] + X[:, 1] > 0).astype(int)
        X[random.random(X.shape) < 0.15] = np.nan
        model = pt.DecisionTreeClassifier(missing=missing, max_depth=4).fit(X, y)
        text = derive(model, X, y, rows=X, level="summary").to_text(width=200)
        answers = [line[12:-1] for line in text.split("\n") if line.startswith("Prediction: ")]
        assert answers == [str(label) for label in model.predict(X)]


class TestLevels:
    def test_table_has_figures_but_no_formulas(self) -> None:
        text = tennis(level="table").to_text()
        assert "Outlook      0.6935  0.2467  chosen" in text
        assert "log2 5/14" not in text[text.index("Step 1") + 300 :]

    def test_answer_is_short(self) -> None:
        text = tennis(level="summary").to_text()
        assert "Step 1" not in text
        assert "   1  (all)" in text
        assert len(text) < len(tennis(level="table").to_text()) < len(tennis().to_text())

    def test_an_unknown_level(self) -> None:
        with pytest.raises(ParameterError, match=r"level has a value that is not allowed.*'all'"):
            tennis(level="all")


class TestWorksheet:
    def test_has_blanks_where_the_key_has_results(self) -> None:
        sheet = tennis(worksheet=True).to_text()
        assert "  H(S) = ________________________ = ________" in sheet
        assert "Outlook = Sunny     ________  ________  ________  ________" in sheet

    @pytest.mark.parametrize("answer", ["0.2467", "0.9403", "chosen", "see step", "log2 5/14"])
    def test_gives_nothing_away(self, answer: str) -> None:
        key = tennis()
        assert answer in key.to_text()
        for form in (key.worksheet().to_text(), key.worksheet().to_html()):
            assert answer not in form

    def test_does_not_name_the_best_threshold(self) -> None:
        sheet = golf().worksheet().to_text()
        assert "Gain(......) = " in sheet
        assert "temperature <= 70" not in sheet

    def test_does_not_betray_pure_and_empty_branches(self) -> None:
        """Every branch has the same room, whether or not there is something to work out."""
        key = tennis().to_text()
        assert "  H(Outlook = Overcast) = 0 bits\n" in key
        assert "Temperature = Hot    0    0     0\n" in key
        sheet = tennis(worksheet=True).to_text()
        rooms = re.findall(r"^  H\([^)]*\) = (.*)$", sheet, re.M)
        assert set(rooms) == {"________________________ = ________"}
        cells = re.findall(r"^Temperature = Hot   (.*)$", sheet, re.M)
        assert len(cells) == sheet.count("  H(Temperature = Hot) = ") == 1
        assert set(cells) == {"________  ________  ________  ________"}

    def test_does_not_betray_whether_pruning_cuts(self) -> None:
        assert "Nothing is pruned" in golf().to_text()
        assert "Nothing is pruned" not in golf(worksheet=True).to_text()

    def test_depends_on_what_is_given_only(self) -> None:
        """Other classes make another tree; the sheet differs in the table of rows alone."""
        X = pt.datasets.load_tennis().X
        sheets = []
        for y in (list("ab") * 7, list("aabbabbabbbaab"), list("aaaaaaabbbbbbb")):
            sheet = derive(pt.ID3Classifier().fit(X, y), X, y, worksheet=True).to_text()
            sheets.append(sheet[sheet.index("Conventions") :])
        assert sheets[0] == sheets[1] == sheets[2]

    def test_the_tree_is_room_to_draw_in(self) -> None:
        assert "├─" not in tennis().worksheet().to_text()

    def test_blanks_fit_on_a_line(self) -> None:
        for width in (60, 80):
            sheet = tennis(worksheet=True).to_text(width=width)
            assert max(map(len, sheet.splitlines())) <= width

    def test_key_and_worksheet_can_be_written_again_and_again(self) -> None:
        key = tennis()
        sheet = key.worksheet()
        assert key.to_text() == key.to_text()
        assert sheet.to_text() == sheet.to_text() != key.to_text()

    def test_repr(self) -> None:
        assert repr(tennis(worksheet=True)) == "<Worksheet of a tree>"


class TestDisagreement:
    def test_is_told_clearly_and_the_tree_followed(self) -> None:
        X, y = pt.datasets.load_flu()
        tree = pt.ID3Classifier("gain_ratio").fit(X, y).tree_
        assert tree.conventions is not None
        other = replace(tree, conventions=replace(tree.conventions, criterion="information_gain"))
        found = derive(other, X, y)
        assert not found.agrees
        text = found.to_text(width=200)
        told = (
            "The tree splits on Headache here, with a gain of 0.5216; "
            "the criterion prefers Temperature, with 0.5917."
        )
        assert f"!! {told} The derivation follows the tree." in text
        assert f"- At the root: {told}" in text
        assert "- Headache = no: 3 rows, all no, a leaf: no." in text

    def test_a_cut_tree_is_derived_with_a_remark(self) -> None:
        X, y = pt.datasets.load_tennis()
        tree = pt.ID3Classifier().fit(X, y).tree_.cut(2)
        text = derive(tree, X, y).to_text(width=200)
        why = "although growing would continue with Wind"
        told = f"The tree has a leaf here, which predicts Yes, {why}."
        assert f"!! {told}" in text
        assert f"- At Outlook = Rain: {told}" in text
        assert "The tree was edited by hand after it was grown: cut." in text


class TestSources:
    def test_a_bare_tree(self) -> None:
        X, y = pt.datasets.load_tennis()
        assert derive(pt.ID3Classifier().fit(X, y).tree_, X, y).agrees

    def test_rules_of_a_rule_learner(self) -> None:
        X, y = pt.datasets.load_golf()
        model = pt.C45RulesClassifier().fit(X, y)
        text = derive(model, X, y).to_text(width=200)
        assert "estimated accuracy" in text[text.index("Rules\n---") :]

    def test_intervals(self) -> None:
        X, y = pt.datasets.load_golf()
        model = pt.ID3Classifier(numeric="intervals").fit(X, y)
        found = derive(model, X, y)
        assert found.agrees
        assert "Numbers were discretised first" in found.to_text(width=200)

    def test_weights(self) -> None:
        X, y = pt.datasets.load_tennis()
        weights = np.arange(1, 15) / 2
        model = pt.CARTClassifier().fit(X, y, weights)
        found = derive(model, X, y, weights)
        assert found.agrees
        assert "weight" in found.to_text()

    def test_a_forest_has_no_single_derivation(self) -> None:
        forest = RandomForestClassifier(n_estimators=2).fit([[0], [1]], [0, 1])
        with pytest.raises(ArgumentTypeError, match="an ensemble cannot be derived as one tree"):
            derive(forest, [[0], [1]], [0, 1])

    def test_an_unfitted_model(self) -> None:
        with pytest.raises(ArgumentTypeError, match="call fit first"):
            derive(pt.ID3Classifier(), [[0]], [0])

    def test_a_tree_that_no_score_has_chosen(self) -> None:
        with pytest.raises(TreeError, match="not chosen by a score"):
            derive(tennis_tree(), [[0]], [0])
        X, y = pt.datasets.load_tennis()
        with pytest.raises(TreeError, match="splits without a score"):
            derive(pt.MemorizingTreeClassifier().fit(X, y), X, y)

    def test_bins(self) -> None:
        X, y = pt.datasets.load_golf()
        with pytest.raises(TreeError, match="grow it with max_bins=None"):
            derive(pt.CARTClassifier(max_bins=4).fit(X, y), X, y)

    def test_conventions_that_the_steps_do_not_follow(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        names = {field.name for field in fields(Conventions)}
        assert names >= FOLLOWED
        assert "max_bins" not in FOLLOWED
        monkeypatch.setattr(solution, "FOLLOWED", FOLLOWED - {"min_separation"})
        X, y = pt.datasets.load_golf()
        with pytest.raises(TreeError, match="a tree grown with min_separation cannot be derived"):
            derive(pt.C45Classifier().fit(X, y), X, y)
        monkeypatch.delitem(MISSING_VALUES, "branch")
        model = pt.CARTClassifier(missing="branch").fit(X, y)
        with pytest.raises(TreeError, match="grow it with the default of missing"):
            derive(model, X, y)

    @pytest.mark.parametrize(
        "given", [{"splitter": "random"}, {"forbid": ["outlook"]}, {"first": "windy"}]
    )
    def test_splits_that_are_constrained_or_random(self, given: Any) -> None:
        X, y = pt.datasets.load_golf()
        with pytest.raises(
            TreeError, match=f"a tree grown with {next(iter(given))} cannot be derived"
        ):
            derive(pt.CARTClassifier(**given).fit(X, y), X, y)

    def test_other_rows_than_the_training_rows(self) -> None:
        X, y = pt.datasets.load_tennis()
        with pytest.raises(TableError, match="not the rows that the tree was grown from"):
            derive(pt.ID3Classifier().fit(X, y), X[:10], y[:10])

    @pytest.mark.parametrize("options", [{"max_rows": 0}, {"max_rows": 1.5}, {"max_rows": True}])
    def test_max_rows(self, options: Any) -> None:
        with pytest.raises(ParameterError, match="max_rows is out of range"):
            tennis(**options)

    def test_every_error_is_one_of_ours(self) -> None:
        with pytest.raises(PlaintreeError, match="lacks columns"):
            tennis(rows={"Outlook": ["Sunny"]})
