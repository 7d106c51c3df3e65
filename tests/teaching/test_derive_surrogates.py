"""Worked solutions of trees with surrogate splits: by hand, and against the naive search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.rows import Rows
from plaintree.teaching.derive.cases import Cases
from plaintree.teaching.derive.solution import Derivation, derive
from plaintree.teaching.derive.steps import work_out
from plaintree.tree.condition import STOPS
from plaintree.tree.conventions import CART
from tests.oracle.engine_check import condition_at
from tests.oracle.naive_surrogates import find_surrogates
from tests.support.random_tables import cases, kinds_with, many, surrogate_print

GONE = None
ANIMALS: dict[str, list[Any]] = {
    "length": [12, 15, 18, GONE, 20, 45, 50, GONE, 58, 62],
    "weight": [1, 2, 2, 1, GONE, 9, 11, 12, 10, 15],
    "home": ["tree", "tree", "tree", "tree", "den", "den", "den", "den", GONE, "den"],
}
KIND = ["squirrel"] * 5 + ["fox"] * 5


def animals(X: Any = ANIMALS, rows: Any = None, **options: Any) -> Derivation:
    model = pt.CARTClassifier(missing="surrogate", **options).fit(X, KIND)
    found = derive(model, X, KIND, rows=rows)
    assert found.agrees
    return found


def flat(text: str) -> str:
    """A text with single spaces: tables and wrapped lines."""
    return " ".join(text.split())


def text(*given: Any, **options: Any) -> str:
    return flat(animals(*given, **options).to_text())


class TestByHand:
    """The root splits at weight <= 5.5, which 9 rows know; 4 of them go to the first branch."""

    def test_the_gain_is_of_the_known_rows(self) -> None:
        assert "Gain(weight <= 5.5) ≈ 9/10 × (0.4938 - 0) ≈ 0.4444" in text()

    def test_agreement_counts_a_row_without_a_value_as_disagreeing(self) -> None:
        """Row 9 has no home; rows 4 and 8 have no length."""
        told = text()
        assert "of which weight <= 5.5 has 4 and weight > 5.5 has 5." in told
        assert "length length <= 19 7/9 5/9 0.5 surrogate 2" in told
        assert "home home = tree 8/9 5/9 0.75 surrogate 1" in told
        assert "adjusted(home = tree) = (8/9 - 5/9) / (1 - 5/9) = 0.75" in told

    def test_agreement_among_the_rows_that_know_both(self) -> None:
        """Both agree on every such row: the first column is asked first."""
        told = text(surrogate_style=1)
        assert "length length <= 19 7/7 4/7 1 surrogate 1" in told
        assert "home home = tree 8/8 4/8 1 surrogate 2" in told

    def test_at_most_so_many_are_kept(self) -> None:
        assert "0.5 at most 1 are kept" in text(max_surrogates=1)

    def test_a_surrogate_sends_a_row(self) -> None:
        assert "- Row 5: home = den, so to weight > 5.5." in text()

    def test_a_row_goes_to_the_larger_branch(self) -> None:
        """Weight and home agree with length <= 32.5, which 1 row is of 5, no more than 4/5."""
        told = text()
        assert "3/5 4/5 -1 agrees no more than" in told
        assert "- Row 8: to the larger branch, length > 32.5." in told

    @pytest.mark.parametrize("options", [{"use_surrogate": 0}, {"max_surrogates": 0}])
    def test_every_row_without_a_value_stays(self, options: Any) -> None:
        found = animals(**options)
        told = flat(found.to_text())
        assert "They stay at the node, which predicts them." in told
        assert "- Row 5: this node predicts it." in told
        assert "adjusted(" not in told
        below = [row for node in (1, 2) for row, _ in found.steps.by_node[node].rows]
        assert sorted(below) == [0, 1, 2, 3, 5, 6, 7, 8, 9]

    def test_a_row_that_no_surrogate_knows_stays(self) -> None:
        """A row that only its weight could send, which is missing."""
        home = [*ANIMALS["home"][:4], GONE, *ANIMALS["home"][5:]]
        X = {"weight": ANIMALS["weight"], "home": home}
        told = text(X, use_surrogate=1)
        assert "- Row 5: no surrogate has a value, so this node predicts it." in told

    def test_equal_branches_have_no_larger_one(self) -> None:
        X = {"x": [1, 2, 3, 4, GONE]}
        model = pt.CARTClassifier(missing="surrogate").fit(X, list("aabba"))
        assert model.tree_.missing_child[0] == STOPS
        assert derive(model, X, list("aabba")).agrees

    def test_new_rows(self) -> None:
        told = text(rows=[{"length": None, "weight": None, "home": "tree"}])
        words = "weight is missing: by the surrogate home = tree, it goes with weight <= 5.5"
        assert words in told

    def test_a_worksheet_does_not_give_them_away(self) -> None:
        sheet = flat(animals().worksheet().to_text())
        assert "The adjusted agreement is (agreement - m) / (1 - m)" in sheet
        assert "surrogate 1" not in sheet

    def test_numbers(self) -> None:
        X, y = {name: ANIMALS[name] for name in ("length", "weight")}, list(range(10))
        model = pt.CARTRegressor(missing="surrogate", max_depth=2).fit(X, y)
        found = derive(model, X, y)
        assert found.agrees
        assert "adjusted(" in found.to_text()

    def test_other_surrogates_are_a_difference(self) -> None:
        X = ANIMALS
        tree = pt.CARTClassifier(missing="surrogate", max_depth=1).fit(X, KIND).tree_
        assert tree.conventions is not None
        rules = replace(tree.conventions, max_surrogates=1)
        found = derive(replace(tree, conventions=rules), X, KIND)
        assert found.steps.by_node[0].differences == ("surrogates",)
        told = (
            "The tree has other surrogates here: home = tree, length <= 19 instead of home = tree."
        )
        assert told in flat(found.to_text())


@pytest.mark.parametrize("use_surrogate", [0, 1, 2])
@pytest.mark.parametrize(
    "pruning", [{"name": "cost_complexity", "alpha": 0.01}, {"name": "reduced_error"}]
)
@pytest.mark.parametrize("learner", [pt.CARTClassifier, pt.CARTRegressor])
def test_pruned_trees(learner: Any, pruning: dict[str, Any], use_surrogate: int) -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(80, 3)).round(1)
    y = (x.sum(axis=1) + random.normal(size=80)).round(1)
    x[random.random(x.shape) < 0.2] = np.nan
    name, options = pruning["name"], {k: v for k, v in pruning.items() if k != "name"}
    model = learner(
        missing="surrogate",
        use_surrogate=use_surrogate,
        pruning=name,
        pruning_options=options or None,
    )
    target = y if learner is pt.CARTRegressor else np.where(y > 0, "up", "down")
    found = derive(model.fit(x, target), x, target, level="table")
    assert found.agrees
    assert found.to_text()


@pytest.mark.parametrize("seed", [14, 34])
def test_error_based_pruning(seed: int) -> None:
    """Rows that a branch takes over go by the surrogates of its nodes."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(90, 4)).round(1)
    y = np.where(x.sum(axis=1) + random.normal(size=90) > 0, "up", "down")
    x[random.random(x.shape) < 0.15] = np.nan
    model = pt.CARTClassifier(missing="surrogate", pruning="error_based", min_samples_leaf=3)
    assert derive(model.fit(x, y), x, y, level="table").agrees


@pytest.mark.parametrize("categorical", kinds_with("surrogate"))
@many(40)
@given(data=st.data())
def test_every_proportion_is_that_of_the_naive_search(
    data: st.DataObject, categorical: Any
) -> None:
    case = data.draw(cases(categorical, "surrogates"))
    given = data.draw(surrogate_print("surrogate", categorical))
    rules = replace(CART, categorical=categorical, missing="surrogate", max_depth=3, **given)
    if not case.is_exact(rules):  # a decimal is not quite the double that is written so
        case = replace(case, weights=None)
    tree = case.grow(rules)
    weights = None if case.weights is None else np.array(case.weights)
    columns = [np.array(c, np.int32 if n else np.float64) for c, n in case.parts]
    table = Cases.of(tree.schema, Rows(columns, np.array(case.y, np.int32), weights), rules)
    place = {row: number for number, (row, _) in enumerate(table.everyone)}  # without weight 0
    for step in work_out(tree, table).in_order:
        condition = condition_at(tree, step.node)
        if step.sending is None or condition is None:
            continue
        rows = [(place[row], float(weight)) for row, weight in step.rows]
        naive = find_surrogates(case.naive, rows, condition, rules)
        kept = sorted((c for c in step.sending.candidates if c.place), key=lambda c: c.place)
        assert [(c.feature, c.agreement, c.adjusted) for c in kept] == [
            (s.feature, s.agreement, s.adjusted) for s in naive
        ]
        assert step.surrogates == "same"
