"""Every figure that the course notes work out, grown by the learners themselves.

The notes are named by their place: Cagliari, Tehran, Lisbon (and Turin, in its own file). Printed
figures are often cut off or computed from rounded ones, so each comparison says how far it may be
off. Where a printed figure is wrong, the test gives the right one and says why.
"""

from __future__ import annotations

from itertools import product
from math import inf
from typing import Any

import polars as pl
import pytest

from plaintree import C45Classifier, CARTClassifier, ID3Classifier
from plaintree.datasets import (
    load_and,
    load_emails,
    load_golf,
    load_lisbon_letters,
    load_lisbon_signs,
    load_or,
    load_tennis,
    load_xor,
)
from plaintree.tree.condition import NodeKind
from tests.support.worked_steps import branch, fitted, outline, remaining, score, stump

ROUNDED = 0.0015
"""Figures with three digits, computed from rounded ones."""
CUT_OFF = 1.01e-4
"""Figures with four digits, cut off or rounded."""


class TestCagliari:
    """Ten e-mails with the words research (x1), cheap, travel, conference and price (x5)."""

    def test_class_ratios_of_the_root_candidates(self) -> None:
        emails = load_emails()
        ratios = {
            "price": ((3, 2), (3, 2)),
            "travel": ((4, 2), (2, 2)),
            "research": ((4, 1), (2, 3)),
            "cheap": ((3, 3), (3, 1)),
            "conference": ((3, 3), (3, 1)),
        }
        for word, (if_true, if_false) in ratios.items():
            node = stump(emails, word)
            assert tuple(branch(node, True).counts.values()) == if_true, word
            assert tuple(branch(node, False).counts.values()) == if_false, word

    def test_conditional_entropy_of_x5(self) -> None:
        node = stump(load_emails(), "price")
        assert branch(node, True).impurity == pytest.approx(0.97, abs=0.005)
        assert branch(node, False).impurity == pytest.approx(0.97, abs=0.005)
        assert remaining(node) == pytest.approx(0.97, abs=0.005)

    def test_conditional_entropy_of_x1(self) -> None:
        node = stump(load_emails(), "research")
        assert branch(node, True).impurity == pytest.approx(0.72, abs=0.005)
        assert branch(node, False).impurity == pytest.approx(0.97, abs=0.005)
        # Printed 0.845, from the rounded 0.72 and 0.97; it is 0.8464.
        assert remaining(node) == pytest.approx(0.845, abs=0.002)

    def test_x2_splits_the_emails_without_x1_perfectly(self) -> None:
        node = stump(load_emails(), "cheap", research=False)
        assert remaining(node) == 0
        assert [child.weight for child in node.children] == [2, 3]

    def test_x3_leaves_0_4_bits_among_the_emails_with_x1(self) -> None:
        node = stump(load_emails(), "travel", research=True)
        assert branch(node, True).impurity == 0
        assert branch(node, False).impurity == 1
        assert remaining(node) == pytest.approx(0.4)

    def test_x6_alone_is_a_perfect_stump(self) -> None:
        tree = fitted(ID3Classifier(), load_emails(x6=True)).tree_
        assert outline(tree.root) == {"algorithm": {"False": "Spam", "True": "Legitimate"}}
        assert tree.size == 1
        # The notes print P(Legitimate | x6 = False) = 0/0; it is 0/4.
        assert branch(tree.root, False).counts == {"Legitimate": 0, "Spam": 4}

    def test_the_tree_of_size_4(self) -> None:
        """The notes' tree, with x3 before x2 and x4: where x1 is true, x2 ties with x3."""
        emails = load_emails()
        order = ["research", "travel", "conference", "cheap", "price"]
        tree = ID3Classifier().fit(emails.X.select(order), emails.y).tree_
        assert outline(tree.root) == {
            "research": {
                "False": {"cheap": {"False": "Legitimate", "True": "Spam"}},
                "True": {
                    "travel": {
                        "False": {"conference": {"False": "Spam", "True": "Legitimate"}},
                        "True": "Legitimate",
                    }
                },
            }
        }
        assert tree.size == 4

    def test_the_tie_goes_to_the_first_column_and_is_recorded(self) -> None:
        model = fitted(ID3Classifier(), load_emails())
        with_x1 = branch(model.tree_.root, True)
        assert with_x1.feature == "cheap"
        assert model.tree_.n_tied[with_x1.index] == 1
        assert model.tree_.size == 4
        assert model.score(*load_emails()) == 1

    def test_gain_ratio_of_the_notes_divides_by_the_conditional_entropy(self) -> None:
        emails = load_emails()
        gain, left = 0.970951 - 0.846439, 0.846439
        ratio = score(emails, "research", "gain_ratio_conditional")
        assert ratio == pytest.approx(gain / left, abs=1e-5)
        assert score(emails, "cheap", "gain_ratio_conditional", research=False) == inf
        tree = fitted(ID3Classifier(criterion="gain_ratio_conditional"), emails).tree_
        assert tree.root.feature == "research"
        assert tree.size == 4

    def test_subtrees_with_fewer_than_3_emails_become_leaves(self) -> None:
        emails = load_emails()
        order = ["research", "travel", "conference", "cheap", "price"]
        tree = ID3Classifier(min_samples_split=3).fit(emails.X.select(order), emails.y).tree_
        assert tree.size == 3
        leaf = branch(branch(tree.root, True), False)
        assert leaf.is_leaf
        # One e-mail of each class: the notes answer "e.g., Spam", the first class is Legitimate.
        assert leaf.counts == {"Legitimate": 1, "Spam": 1}
        assert leaf.label == "Legitimate"

    def test_threshold_lies_between_two_values(self) -> None:
        # Printed (x(k+1) - x(k)) / 2, which is half their distance; the midpoint is half the sum.
        tree = ID3Classifier().fit({"x": [1.0, 3.0]}, ["a", "b"]).tree_
        assert tree.root.condition.threshold == 2

    def test_birth_date_misleads_gain_but_is_tamed_by_gain_ratio(self) -> None:
        """A different value for each person: entropy 0 is left, and the gain is the greatest."""
        frame = pl.DataFrame(
            {
                "birth": [f"day {i}" for i in range(8)],
                "test": ["high"] * 4 + ["low"] * 3 + ["high"],
            }
        )
        y = ["ill"] * 4 + ["healthy"] * 4
        assert ID3Classifier().fit(frame, y).tree_.root.feature == "birth"
        assert ID3Classifier("gain_ratio").fit(frame, y).tree_.root.feature == "test"


class TestTehran:
    """Fourteen days, and whether tennis was played."""

    def test_entropies_of_the_classes(self) -> None:
        root = stump(load_tennis(), "Humidity")
        assert root.impurity == pytest.approx(0.940, abs=0.0005)
        assert branch(root, "High").impurity == pytest.approx(0.985, abs=0.0005)
        assert branch(root, "Normal").impurity == pytest.approx(0.592, abs=0.0005)
        wind = stump(load_tennis(), "Wind")
        assert branch(wind, "Weak").impurity == pytest.approx(0.811, abs=0.0005)
        assert branch(wind, "Strong").impurity == pytest.approx(1)

    def test_gains_at_the_root(self) -> None:
        # Humidity is printed as .151; it is 0.1518.
        assert score(load_tennis(), "Humidity") == pytest.approx(0.151, abs=ROUNDED)
        assert score(load_tennis(), "Wind") == pytest.approx(0.048, abs=ROUNDED)

    def test_gains_among_the_sunny_days(self) -> None:
        # Printed .970, .570 and .019, all of them cut off: 0.9710, 0.5710 and 0.0200.
        sunny = {"Outlook": "Sunny"}
        assert stump(load_tennis(), "Humidity", **sunny).impurity == pytest.approx(
            0.970, abs=ROUNDED
        )
        assert score(load_tennis(), "Humidity", **sunny) == pytest.approx(0.970, abs=ROUNDED)
        assert score(load_tennis(), "Temperature", **sunny) == pytest.approx(0.570, abs=ROUNDED)
        assert score(load_tennis(), "Wind", **sunny) == pytest.approx(0.019, abs=ROUNDED)

    @pytest.mark.parametrize("criterion", ["information_gain", "gain_ratio", "gini"])
    def test_the_tennis_tree(self, criterion: str) -> None:
        model = fitted(ID3Classifier(criterion=criterion), load_tennis())
        assert outline(model.tree_.root) == {
            "Outlook": {
                "Overcast": "Yes",
                "Rain": {"Wind": {"Strong": "No", "Weak": "Yes"}},
                "Sunny": {"Humidity": {"High": "No", "Normal": "Yes"}},
            }
        }
        assert model.score(*load_tennis()) == 1

    @pytest.mark.parametrize(
        ("counts", "gini"), [((0, 6), 0.0), ((1, 5), 0.278), ((2, 4), 0.444), ((6, 6), 0.5)]
    )
    def test_gini_examples(self, counts: tuple[int, int], gini: float) -> None:
        y = ["C1"] * counts[0] + ["C2"] * counts[1]
        root = CARTClassifier().fit({"x": [0] * len(y)}, y).tree_.root
        assert root.impurity == pytest.approx(gini, abs=0.0005)

    def test_gini_of_a_binary_split(self) -> None:
        # Printed Gini(N1) = 0.194, Gini(N2) = 0.528 and 0.333 for both: the class counts were
        # divided by 6 instead of by the sizes of the nodes, 7 and 5.
        x = ["N1"] * 7 + ["N2"] * 5
        y = ["C1"] * 5 + ["C2"] * 2 + ["C1"] + ["C2"] * 4
        root = CARTClassifier(max_depth=1).fit({"x": x}, y).tree_.root
        gini = {tuple(child.counts.values()): child.impurity for child in root.children}
        assert gini[5, 2] == pytest.approx(0.408, abs=0.0005)
        assert gini[1, 4] == pytest.approx(0.320, abs=0.0005)
        assert remaining(root) == pytest.approx(0.371, abs=0.0005)
        assert pytest.approx(0.194, abs=0.0005) == 1 - (5 / 6) ** 2 - (2 / 6) ** 2
        assert pytest.approx(0.528, abs=0.0005) == 1 - (1 / 6) ** 2 - (4 / 6) ** 2

    def test_temperature_of_six_days(self) -> None:
        X = {"Temperature": [40, 48, 60, 72, 80, 90]}
        root = ID3Classifier().fit(X, ["No", "No", "Yes", "Yes", "Yes", "No"]).tree_.root
        assert outline(root) == {
            "Temperature": {"<= 54": "No", "> 54": {"Temperature": {"<= 85": "Yes", "> 85": "No"}}}
        }

    @pytest.mark.parametrize(
        ("law", "size"),
        [
            (lambda x: x[0] & x[4], 2),
            (lambda x: x[0] | x[3], 2),
            (lambda x: (x[0] & x[4]) | (x[1] & (1 - x[3])), None),
        ],
        ids=["x1 and x5", "x1 or x4", "(x1 and x5) or (x2 and not x4)"],
    )
    def test_boolean_functions(self, law: Any, size: int | None) -> None:
        rows = list(product((0, 1), repeat=5))
        y = [law(row) for row in rows]
        model = ID3Classifier().fit(rows, y)
        assert model.score(rows, y) == 1
        assert size is None or model.tree_.size == size

    def test_golf_as_c45_grows_it(self) -> None:
        """The tree of Quinlan's book: humidity is cut at 75, a value of the table."""
        assert outline(fitted(C45Classifier(), load_golf()).tree_.root) == {
            "outlook": {
                "overcast": "yes",
                "rain": {"windy": {"False": "yes", "True": "no"}},
                "sunny": {"humidity": {"<= 75": "yes", "> 75": "no"}},
            }
        }


class TestLisbon:
    """Two tables of six rows, rebuilt from the partitions that the notes show."""

    def test_exercise_1_gains_at_the_root(self) -> None:
        signs = load_lisbon_signs()
        root = stump(signs, "F1")
        assert root.impurity == pytest.approx(1)
        assert remaining(root) == pytest.approx(1 / 3)
        # Printed 0.66, cut off.
        assert root.score == pytest.approx(2 / 3)
        assert remaining(stump(signs, "F2")) == pytest.approx(0.9183, abs=CUT_OFF)
        assert score(signs, "F2") == pytest.approx(0.0817, abs=CUT_OFF)
        assert remaining(stump(signs, "F3")) == pytest.approx(1)
        assert score(signs, "F3") == pytest.approx(0, abs=1e-12)

    def test_exercise_1_partitions(self) -> None:
        signs = load_lisbon_signs()
        expected = {
            "F1": {"a": (1, 1), "b": (0, 2), "c": (2, 0)},
            "F2": {"a": (2, 1), "b": (1, 2)},
            "F3": {"a": (1, 1), "c": (2, 2)},
        }
        for column, parts in expected.items():
            node = stump(signs, column)
            found = {value: tuple(branch(node, value).counts.values()) for value in parts}
            assert found == parts

    def test_exercise_1_second_level(self) -> None:
        signs = load_lisbon_signs()
        assert stump(signs, "F2", F1="a").impurity == 1
        assert score(signs, "F2", F1="a") == 1
        assert score(signs, "F3", F1="a") == 1

    def test_exercise_1_tree(self) -> None:
        tree = fitted(ID3Classifier(), load_lisbon_signs()).tree_
        assert outline(tree.root) == {"F1": {"a": {"F2": {"a": "+", "b": "-"}}, "b": "-", "c": "+"}}
        # Both attributes gain one bit: "we can choose either".
        assert tree.n_tied[branch(tree.root, "a").index] == 1

    def test_exercise_2_gains_at_the_root(self) -> None:
        letters = load_lisbon_letters()
        assert stump(letters, "F1").impurity == pytest.approx(1.9183, abs=CUT_OFF)
        figures = {"F1": (1.3333, 0.5850), "F2": (1.0, 0.9183), "F3": (1.2516, 0.6667)}
        for column, (left, gain) in figures.items():
            assert remaining(stump(letters, column)) == pytest.approx(left, abs=CUT_OFF)
            assert score(letters, column) == pytest.approx(gain, abs=CUT_OFF)

    def test_exercise_2_tree(self) -> None:
        tree = fitted(ID3Classifier(), load_lisbon_letters()).tree_
        # The notes say F3 = a twice; the branch that still needs F1 is F3 = b.
        assert outline(tree.root) == {
            "F2": {"a": {"F3": {"a": "y", "b": {"F1": {"c": "n", "d": "m"}}}}, "b": "f"}
        }

    @pytest.mark.parametrize(
        ("load", "size"), [(load_and, 2), (load_or, 2), (load_xor, 3)], ids=["and", "or", "xor"]
    )
    @pytest.mark.parametrize("learner", [ID3Classifier, CARTClassifier])
    def test_exercise_3_logical_functions(self, learner: Any, load: Any, size: int) -> None:
        model = fitted(learner(), load())
        assert model.score(*load()) == 1
        assert model.tree_.size == size
        thresholds = model.tree_.threshold[model.tree_.kind == NodeKind.THRESHOLD]
        assert set(thresholds) == {0.5}

    def test_no_test_gains_anything_for_xor(self) -> None:
        assert fitted(ID3Classifier(), load_xor()).tree_.root.score == pytest.approx(0)
        assert fitted(ID3Classifier(zero_gain=False), load_xor()).tree_.size == 0

    def test_cart_asks_for_one_value_against_the_rest(self) -> None:
        model = fitted(CARTClassifier(categorical="one_vs_rest"), load_lisbon_signs())
        kinds = set(model.tree_.kind.tolist())
        assert kinds == {int(NodeKind.LEAF), int(NodeKind.EQUALS)}
        assert outline(model.tree_.root) == {
            "F1": {"b": "-", "!= b": {"F1": {"a": {"F2": {"a": "+", "!= a": "-"}}, "!= a": "+"}}}
        }
