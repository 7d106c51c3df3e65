"""Explanations of ensembles: the vote, the features of the trees, and the typical tree."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import plaintree as pt
from plaintree.errors import ColumnError, ParameterError, TableError
from plaintree.show.explain.vote import FeatureUse
from plaintree.stats.intervals import wilson
from tests.support.trees import XY_SCHEMA, build

X, Y = pt.datasets.load_golf()
ROW = {"x": 1.0, "y": 9.0, "size": "small", "color": "red"}
MODELS = {
    "forest": pt.RandomForestClassifier(25, random_state=0),
    "shares": pt.RandomForestClassifier(25, voting="soft", min_samples_leaf=3, random_state=1),
    "bagged": pt.BaggedTreesClassifier(n_estimators=9, random_state=0),
    "boosted": pt.BoostedTreesClassifier(pt.CARTClassifier(max_depth=2), n_estimators=9),
    "fractions": pt.BoostedTreesClassifier(n_estimators=4),
}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Any:
    return MODELS[request.param].fit(X, Y)


def gapped_rows() -> list[dict[str, Any]]:
    rows = list(X.iter_rows(named=True))
    return [*rows, *(row | {"outlook": None} for row in rows), rows[0] | {"outlook": "fog"}]


def hand_built(*specs: Any, voting: Any = "hard") -> Any:
    return pt.RandomForestClassifier.from_trees(
        [build(XY_SCHEMA, spec) for spec in specs], voting=voting
    )


class TestTheVote:
    """It is that of predicting."""

    def test_prediction_and_probabilities_are_those_of_the_model(self, model: Any) -> None:
        for row in gapped_rows():
            explanation = model.explain(row)
            assert explanation.prediction == model.predict([row])[0]
            found = [p.probability for p in explanation.probabilities]
            assert found == model.predict_proba([row])[0].tolist()

    @pytest.mark.slow
    def test_every_tree_answers_once(self, model: Any) -> None:
        for row in gapped_rows():
            explanation = model.explain(row)
            own = Counter(str(pt.explain(tree, row).prediction) for tree in model.trees_)
            assert explanation.vote.votes == (own["no"], own["yes"])
            assert explanation.vote.n_agreeing == own[explanation.prediction]
            assert explanation.vote.n_trees == len(model.trees_)

    def test_intervals_are_wilson_s_with_the_trees_as_the_number(self) -> None:
        explanation = hand_built([3, 0], [3, 0], [0, 3]).explain(ROW, confidence=0.9)
        (first, second) = explanation.probabilities
        assert (first.probability, second.probability) == pytest.approx((2 / 3, 1 / 3))
        assert (first.low, first.high) == pytest.approx(wilson(2 / 3, 3, 1.6448536))
        assert "(90% Wilson intervals over the trees" in str(explanation)

    def test_boosted_trees_are_not_drawn_and_have_no_interval(self) -> None:
        explanation = MODELS["boosted"].fit(X, Y).explain(X[:1])
        assert all(np.isnan([p.low, p.high]).all() for p in explanation.probabilities)
        assert "There are no intervals: each tree is grown on the errors" in str(
            explanation
        ).replace("\n    ", " ")
        data = explanation.to_dict()
        assert (data["interval"], data["probabilities"][0]["low"]) == (None, None)
        assert data["vote"]["method"] == "weighted"

    def test_shares_can_outvote_the_trees(self) -> None:
        forest = hand_built([10, 0], [4, 6], [4, 6], voting="soft")
        explanation = forest.explain(ROW)
        assert (explanation.prediction, explanation.vote.n_agreeing) == ("A", 1)
        assert str(explanation).startswith("Prediction: A (mean probability of 3 trees: 60%)\n")

    def test_an_answer_that_no_tree_gives(self) -> None:
        schema = pt.data.Schema(XY_SCHEMA.features, ("A", "B", "C"))
        trees = [build(schema, [6, 5, 0]), build(schema, [0, 5, 6])]
        explanation = pt.RandomForestClassifier.from_trees(trees).explain(ROW)
        assert (explanation.prediction, explanation.vote.n_agreeing) == ("B", 0)
        assert "Decision path of tree 0, the most typical of all trees:" in str(explanation)


class TestWhatIsTested:
    """On the row's way, not anywhere in the trees."""

    FOREST = hand_built(
        ("y <=", 5.0, [2, 0], ("x <=", 3.0, [0, 3], [3, 0])),
        ("x <=", 3.0, [0, 3], ("y <=", 5.0, [2, 0], [2, 0])),
        ("color =", "red", [0, 3], [3, 0]),
        ("x <=", 2.0, ("size <=", 0.5, [3, 0], [0, 3]), [3, 0]),
    )

    def test_attributes_are_counted_by_trees_the_commonest_first(self) -> None:
        vote = self.FOREST.explain(ROW).vote
        assert vote.uses == (
            FeatureUse("x", 3),
            FeatureUse("y", 1),
            FeatureUse("size", 1),
            FeatureUse("color", 1),
        )

    def test_all_ways_of_a_divided_row_count(self) -> None:
        vote = self.FOREST.explain(ROW | {"x": None}).vote
        assert vote.uses[:2] == (FeatureUse("x", 3), FeatureUse("y", 2))

    def test_only_the_commonest_are_written(self) -> None:
        columns = {f"x{i}": np.arange(12) % (i + 2) for i in range(10)}
        target = ["a", "b", "c"] * 4
        forest = pt.RandomForestClassifier(60, max_features=1, random_state=0).fit(columns, target)
        explanation = forest.explain({name: [values[0]] for name, values in columns.items()})
        uses = explanation.vote.uses
        assert len(uses) == 10
        assert f"  {uses[7].feature}   {uses[7].n_trees:>2}\n" in str(explanation)
        assert "  and 2 more features\n" in str(explanation)

    def test_single_leaves_test_nothing(self) -> None:
        explanation = hand_built([3, 1], [3, 1]).explain(ROW)
        assert explanation.vote.uses == ()
        assert "Features on the decision paths" not in str(explanation)


class TestTheTypicalTree:
    """Of those that give the answer, the one whose tests are most like the others'."""

    AGREED = ("x <=", 3.0, ("y <=", 5.0, [3, 0], [0, 3]), [3, 0])
    OTHER = ("color =", "red", [0, 3], [3, 0])
    AGAINST = ("x <=", 3.0, ("y <=", 5.0, [0, 3], [3, 0]), [3, 0])

    def test_it_tests_what_the_others_test(self) -> None:
        forest = hand_built(self.OTHER, self.AGAINST, self.AGREED, self.AGREED)
        explanation = forest.explain(ROW)
        assert explanation.prediction == "B"
        assert explanation.vote.typical == 2
        alone = pt.explain(forest.trees_[2], ROW)
        assert explanation.paths == alone.paths

    def test_of_equals_the_shortest_path_then_the_first(self) -> None:
        longer = ("x <=", 3.0, ("y <=", 5.0, [3, 0], ("x <=", 2.0, [0, 3], [0, 3])), [3, 0])
        forest = hand_built(longer, self.AGREED, self.AGREED)
        assert forest.explain(ROW).vote.typical == 1

    def test_a_short_path_is_not_typical_for_being_short(self) -> None:
        sized = ("x <=", 3.0, ("size <=", 0.5, [0, 3], [3, 0]), [3, 0])
        vote = hand_built(self.OTHER, self.AGREED, sized, ("size <=", 0.5, [0, 3], [3, 0])).explain
        assert vote(ROW).vote.typical == 2

    def test_trees_that_say_something_else_are_not_asked(self) -> None:
        forest = hand_built(self.OTHER, self.AGAINST, self.OTHER, self.AGAINST, self.OTHER)
        assert forest.explain(ROW).vote.typical == 0


class TestWriting:
    """Text, data and notebooks."""

    FOREST = pt.RandomForestClassifier(20, random_state=0).fit(X, Y)

    def test_the_text_says_all_in_order(self) -> None:
        forest = hand_built(TestTheTypicalTree.AGREED, TestTheTypicalTree.OTHER, [3, 0])
        assert forest.explain(ROW).to_text(70).splitlines() == [
            "Prediction: B (2 of 3 trees)",
            "Class probabilities (votes):",
            "  B   67%   (21% to 94%)",
            "  A   33%   (6% to 79%)",
            "(95% Wilson intervals over the trees: how another forest grown alike",
            "    may vote, not how often it is correct.)",
            "",
            "Features on the decision paths (number of trees, of 3):",
            "  x       1",
            "  y       1",
            "  color   1",
            "",
            "Decision path of tree 0, the most typical of those that predict B:",
            "  x <= 3 (it is 1)",
            "  y > 5 (it is 9)",
            "  leaf: B (100%)",
            "",
            "Counterfactual: for single trees only; explain this tree (trees_[0],",
            "    or --tree 0).",
        ]

    def test_one_tree_is_not_many(self) -> None:
        text = str(hand_built(TestTheTypicalTree.OTHER).explain(ROW))
        assert text.startswith("Prediction: B (1 of 1 tree)\n")

    def test_a_divided_row_follows_its_largest_part(self) -> None:
        text = str(hand_built(("x <=", 3.0, [5, 0], [0, 3])).explain(ROW | {"x": None}))
        assert "  (Missing values divide the row; this path has its largest fraction.)\n" in text
        assert "  x <= 3 (it is missing; 62% takes this branch)\n  leaf: A (100%)" in text

    def test_the_data_are_json(self) -> None:
        data = self.FOREST.explain(X[:1]).to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert data["vote"]["n_trees"] == sum(data["vote"]["votes"]) == 20
        assert data["counterfactual"] is None

    def test_one_tree_has_no_vote(self) -> None:
        assert pt.explain(self.FOREST.trees_[0], X[:1]).to_dict()["vote"] is None

    def test_notebooks_show_the_text_whatever_names_are_in_it(self) -> None:
        nasty = "</pre><script>alert(1)</script>"
        forest = pt.RandomForestClassifier(5, random_state=0).fit({nasty: [1, 2, 3, 4]}, [*"aabb"])
        shown = forest.explain({nasty: [1]})._repr_html_()
        assert shown.startswith("<pre>")
        assert "<script>" not in shown


class TestRefused:
    """What cannot be done is told."""

    FOREST = pt.RandomForestClassifier(5, random_state=0).fit(X, Y)

    @pytest.mark.parametrize("options", [{"immutable": "outlook"}, {"scales": {"humidity": 5}}])
    def test_options_of_a_change_that_is_not_looked_for(self, options: dict[str, Any]) -> None:
        with pytest.raises(ParameterError, match=r"single trees only.*trees_\[0\], or --tree 0"):
            self.FOREST.explain(X[:1], **options)

    def test_two_rows(self) -> None:
        with pytest.raises(TableError, match="only one row"):
            self.FOREST.explain(X[:2])

    def test_columns_that_are_not_there(self) -> None:
        with pytest.raises(ColumnError, match="humidity"):
            self.FOREST.explain(X[:1].drop("humidity"))

    def test_gaps_where_the_trees_refuse_them(self) -> None:
        forest = pt.RandomForestClassifier(5, missing="error", random_state=0).fit(X, Y)
        with pytest.raises(TableError, match="the row has no value for 'outlook'"):
            forest.explain(X.row(0, named=True) | {"outlook": None})

    def test_forests_that_are_not_fitted(self) -> None:
        with pytest.raises(NotFittedError, match="not fitted yet"):
            pt.RandomForestClassifier().explain(X[:1])
