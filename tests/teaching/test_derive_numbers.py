"""Worked solutions of regression trees: by hand, and every value by naive fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import log
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

import plaintree as pt
from plaintree.errors import TableError
from plaintree.pruning.path import path_of
from plaintree.teaching.derive.cases import Cases, Rows
from plaintree.teaching.derive.introduction import MISSING_VALUES
from plaintree.teaching.derive.solution import Derivation, derive
from plaintree.teaching.derive.steps import Step, Steps, work_out
from plaintree.teaching.derive.weakest_links import Pruner, weakest_links
from plaintree.tree.condition import Subset, Threshold
from plaintree.tree.conventions import Conventions
from tests.support.random_tables import kinds_with, many, surrogate_print
from tests.support.random_targets import TargetCase, target_cases, target_fine_print

CRITERIA = ["squared_error", "absolute_error", "poisson"]
CATEGORICAL = ["multiway", "one_vs_rest", "subset"]
MISSING = [policy for policy in MISSING_VALUES if policy != "most_common_in_class"]
HOURS = {"hours": [1, 2, 3, 6, 7, 8], "kind": list("abaccb")}
SCORE = [10, 12, 11, 30, 31, 32]


def study(criterion: Any = "squared_error", y: Any = SCORE, **options: Any) -> Derivation:
    model = pt.DecisionTreeRegressor(criterion=criterion, max_depth=1).set_params(**options)
    return derive(model.fit(HOURS, y), HOURS, y)


def text_of(*found: Any, **options: Any) -> str:
    return study(*found, **options).to_text(width=200)


def steps_of_case(case: TargetCase, rules: Conventions) -> Steps:
    tree = case.grow(rules)
    return work_out(tree, Cases.of(tree.schema, case.rows, rules))


# ---------------------------------------------------------------- by hand


class TestSquaredErrorByHand:
    def test_the_task(self) -> None:
        text = text_of()
        assert text.startswith("A regression tree for target\n")
        assert "The targets are numbers from 10 to 32." in text
        assert "A leaf predicts the mean of its targets." in text

    def test_the_variance_from_the_sum_and_the_sum_of_squares(self) -> None:
        text = text_of()
        assert "  mean(S) = 126 / 6 = 21\n" in text
        assert "  SSE(S) = 3250 - 126² / 6 = 604\n" in text
        assert "  Var(S) = 604 / 6 ≈ 100.6667\n" in text

    def test_both_sides_of_a_threshold(self) -> None:
        text = text_of()
        assert "hours <= 4.5     3   33             365    11    2\n" in text
        assert "hours > 4.5      3   93            2885    31    2\n" in text
        assert "  SSE(hours > 4.5) = 2885 - 93² / 3 = 2\n" in text
        assert "  Var(S | hours <= 4.5) = (2 + 2) / 6 ≈ 0.6667\n" in text
        assert "  Gain(hours <= 4.5) ≈ 100.6667 - 0.6667 = 100\n" in text

    def test_subsets_are_cuts_of_the_order_of_means(self) -> None:
        text = text_of()
        assert "Categories by mean: a (10.5), b (22), c (30.5)." in text
        assert "it is among the cuts of this order." in " ".join(text.split())
        offer = study().steps.by_node[0].choice.offers[1]  # type: ignore[union-attr]
        assert [t.condition for t in offer.tried] == [Subset(1, (0,)), Subset(1, (2,))]

    def test_other_subsets_are_tried_where_a_cut_is_refused(self) -> None:
        text = text_of(min_samples_leaf=2)
        assert "Where such a cut is not allowed, other subsets are tried as well." in text

    def test_a_node_lists_its_rows_with_their_targets(self) -> None:
        text = text_of(max_depth=2)
        below = text[text.index("Step 2: hours <= 4.5") :]
        assert "  2      2  b         12\n" in below[: below.index("mean(S)")]

    def test_leaves(self) -> None:
        text = text_of(max_depth=2)
        assert "- hours <= 1.5: 1 row, a leaf: 10." in text
        assert "- hours > 1.5: 2 rows, mean 11.5, a leaf: 11.5; the maximum depth, 2," in text
        X, y = {"x": [1, 1, 2, 2]}, [3, 3, 5, 6]
        text = derive(pt.CARTRegressor().fit(X, y), X, y).to_text()
        assert "- x <= 1.5: 2 rows, all 3, a leaf: 3." in text
        assert "A node is a leaf if all its targets are equal or no split is left." in text

    def test_weights(self) -> None:
        X, y, w = {"x": [1, 2, 3]}, [1, 2, 6], [2, 1, 0.5]
        model = pt.CARTRegressor(max_depth=1).fit(X, y, w)
        text = derive(model, X, y, w).to_text()
        assert "S: 3 rows of weight 7/2." in text
        assert "  mean(S) = 7 / 3.5 = 2\n" in text
        assert "  SSE(S) = 24 - 7² / 3.5 = 10\n" in text

    def test_decimals_are_taken_as_they_are_written(self) -> None:
        found = study(y=[0.1, 0.2, 0.3, 1.1, 1.2, 1.3])
        assert found.steps.by_node[0].counts == (6, 42, 448)  # in tenths, and their squares
        assert "  SSE(S) = 4.48 - 4.2² / 6 = 1.54\n" in found.to_text()

    def test_large_targets_do_not_cancel(self) -> None:
        near, far = (study(y=[y + offset for y in SCORE]) for offset in (0, 2**40))
        gains = [found.steps.by_node[0].taken.measures.gain for found in (near, far)]  # type: ignore[union-attr]
        assert gains[0] == gains[1]
        assert far.agrees

    def test_negative_targets_have_one_sign(self) -> None:
        text = text_of("absolute_error", y=[-3, -1, 2, 5, 5, 5])
        assert "SAD(hours <= 2.5) = |-3 + 2| + |-1 + 2| = 2\n" in text


class TestAbsoluteErrorByHand:
    def test_the_median_and_the_deviations_from_it(self) -> None:
        text = text_of("absolute_error")
        assert "  median(S) = median(10, 11, 12, 30, 31, 32) = 21\n" in text
        terms = " + ".join(f"|{y} - 21|" for y in sorted(SCORE))
        assert f"  SAD(S) = {terms} = 60\n" in text
        assert "  MAD(S) = 60 / 6 = 10\n" in text
        assert "  MAD(S | hours <= 4.5) = (2 + 2) / 6 ≈ 0.6667\n" in text
        assert "  Gain(hours <= 4.5) ≈ 10 - 0.6667 ≈ 9.3333\n" in text

    def test_repeated_targets(self) -> None:
        text = text_of("absolute_error", y=[1, 1, 4, 9, 9, 9])
        assert "median(hours <= 4.5) = median(1, 1, 4) = 1\n" in text
        assert "SAD(hours <= 4.5) = 2 × |1 - 1| + |4 - 1| = 3\n" in text

    def test_the_order_of_medians_is_no_guarantee(self) -> None:
        assert "By absolute error, another subset may be better." in text_of("absolute_error")

    def test_long_formulas_are_left_out(self) -> None:
        X, y = {"x": list(range(20))}, list(range(20))
        text = derive(pt.CARTRegressor("absolute_error", max_depth=1).fit(X, y), X, y).to_text()
        assert "  SAD(S) = 100\n" in text


class TestPoissonByHand:
    def test_logarithms_as_those_of_entropies(self) -> None:
        y = [0, 2, 1, 5, 5, 8]
        text = text_of("poisson", y=y)
        half = sum(v * log(v / 3.5) for v in y if v)
        terms = "1 ln 1 + 2 ln 2 + 2 × 5 ln 5 + 8 ln 8 - 21 ln 21/6"
        assert f"  Dev(S) = {terms} ≈ {half:.4f}\n" in text
        assert f"  MDev(S) ≈ {half:.4f} / 6 ≈ {half / 6:.4f}\n" in text

    def test_no_branch_of_zeros(self) -> None:
        X, y = {"x": [1, 2, 3, 4, 5]}, [0, 0, 4, 5, 9]
        found = derive(pt.CARTRegressor("poisson", max_depth=1).fit(X, y), X, y)
        assert found.agrees
        offer = found.steps.by_node[0].choice.offers[0]  # type: ignore[union-attr]
        assert [test.allowed for test in offer.tried] == [False, False, True, True]
        text = " ".join(found.to_text().split())
        assert "No branch may have a mean of 0" in text
        assert "<= 1.5 1, 0 4, 4.5 1.2588 0.8033 a mean of 0" in text
        X, y = {"x": [1, 2]}, [0, 4]
        text = derive(pt.CARTRegressor("poisson").fit(X, y), X, y).to_text()
        assert "No split is possible: a branch would have too few rows or a mean of 0." in text


class TestMissingValues:
    def text(self, missing: str) -> str:
        X = {"x": [1.0, 2, None, 4], "z": ["a", "b", "b", None]}
        y = [1, 2, 6, 7]
        model = pt.CARTRegressor(missing=missing, max_depth=1)  # type: ignore[arg-type]
        found = derive(model.fit(X, y), X, y)
        assert found.agrees
        return found.to_text(width=200)

    def test_replaced(self) -> None:
        assert "Missing values: weight 1, mean 6. Treated as 2." in self.text("most_common")

    def test_divided(self) -> None:
        text = self.text("fractional")
        assert "  Var(x known) = 20.6667 / 3 ≈ 6.8889" in text.replace("≈ 20.6667", "= 20.6667")
        assert "× (6.8889 - 0.1667)" in text

    def test_a_branch_of_their_own(self) -> None:
        assert "mean(x is missing) = 6 / 1 = 6" in self.text("branch")


# ---------------------------------------------------------------- against the core


class TestAgreement:
    @pytest.mark.parametrize(
        ("criterion", "categorical", "missing"),
        [(c, k, m) for c, k, m in product(CRITERIA, CATEGORICAL, MISSING) if k in kinds_with(m)],
    )
    @many(8)
    @given(data=st.data())
    def test_every_choice_of_the_core_is_found_again(
        self, data: st.DataObject, criterion: Any, categorical: Any, missing: Any
    ) -> None:
        subject = (criterion, categorical, missing)
        case = data.draw(target_cases(*subject, gaps=missing != "error"))
        more = data.draw(target_fine_print(*subject) | st.just({}))
        more |= data.draw(surrogate_print(missing, *subject))
        for step in steps_of_case(case, Conventions(*subject, **more)).in_order:
            assert set(step.differences) <= {"tie"}

    @pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
    @many(20)
    @given(data=st.data())
    def test_groups_of_categories(self, data: st.DataObject, criterion: Any) -> None:
        case = data.draw(target_cases(criterion, "grouped"))
        missing = data.draw(st.sampled_from(["most_common", "fractional", "branch"]))
        rules = Conventions(criterion, "grouped", missing)  # type: ignore[arg-type]
        for step in steps_of_case(case, rules).in_order:
            assert set(step.differences) <= {"tie"}

    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_scores_are_those_of_the_tree(self, criterion: Any) -> None:
        random = np.random.default_rng(3)
        X = {"x": random.normal(size=40).round(1), "z": random.choice(list("abcd"), 40).tolist()}
        y = random.poisson(3, 40) + (X["x"] > 0)
        tree = pt.CARTRegressor(criterion).fit(X, y).tree_
        found = derive(tree, X, y)
        assert found.agrees
        for step in found.steps.in_order:
            assert float(step.impurity) == pytest.approx(tree.impurity[step.node])
            assert float(step.expected) == pytest.approx(tree.prediction[step.node])
            if step.taken is not None:
                assert float(step.taken.measures.score) == pytest.approx(tree.score[step.node])


# ---------------------------------------------------------------- by naive fractions


def naive_impurity(criterion: str, rows: list[tuple[Fraction, Fraction]]) -> Fraction | float:
    """Of targets with weights: by their definitions, one after the other."""
    weight = sum(w for _, w in rows)
    mean = sum((y * w for y, w in rows), Fraction()) / weight
    if criterion == "squared_error":
        return sum((w * (y - mean) ** 2 for y, w in rows), Fraction()) / weight
    if criterion == "absolute_error":  # no number has smaller deviations than a median, a target
        return min(sum((w * abs(y - m) for y, w in rows), Fraction()) for m, _ in rows) / weight
    return sum(float(w * y) * log(y / mean) for y, w in rows if y) / float(weight)


def naive_gain(criterion: str, case: TargetCase, step: Step, missing: str) -> Fraction | float:
    """What the split of a step removes of the impurity, from its rows one by one."""
    condition = step.condition
    assert condition is not None
    values = case.columns[condition.feature]

    def of(rows: Rows) -> list[tuple[Fraction, Fraction]]:
        return [(Fraction(case.y[row]), Fraction(weight)) for row, weight in rows]

    def side(value: float) -> int:
        if isinstance(condition, Threshold):
            return int(value > condition.threshold)
        return int(condition.route(np.array([value], dtype=np.int32))[0])

    absent = case.schema.features[condition.feature].is_missing
    is_there = [(row, w) for row, w in step.rows if not absent(values[row])]
    known = is_there if missing != "error" else step.rows
    sides = {side(values[row]) for row, _ in known}
    parts = [of([c for c in known if side(values[c[0]]) == branch]) for branch in sides]
    whole, everyone = (sum(Fraction(w) for _, w in rows) for rows in (known, step.rows))
    left = sum(sum(w for _, w in p) / whole * naive_impurity(criterion, p) for p in parts)
    return whole / everyone * (naive_impurity(criterion, of(known)) - left)


@pytest.mark.parametrize(
    ("criterion", "missing"), list(product(CRITERIA, ["fractional", "surrogate", "error"]))
)
@many(40)
@given(data=st.data())
def test_every_figure_is_that_of_its_definition(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(target_cases(criterion, missing, "figures", gaps=missing != "error"))
    case = replace(case, y=[1.0, *(float(round(4 * y) % 50) / 4 for y in case.y[1:])])
    rules = Conventions(criterion, "subset", missing, zero_gain=False)

    def same(value: Fraction | float) -> Any:
        return pytest.approx(value, abs=1e-9) if criterion == "poisson" else value

    for step in steps_of_case(case, rules).in_order:
        rows = [(Fraction(case.y[row]), Fraction(weight)) for row, weight in step.rows]
        if not rows:
            continue
        assert step.impurity == same(naive_impurity(criterion, rows))
        if step.taken is not None:
            gain = naive_gain(criterion, case, step, missing)
            assert step.taken.measures.gain == same(gain)


# ---------------------------------------------------------------- pruning, errors, new rows


def noisy(n: int = 60) -> tuple[dict[str, Any], list[float]]:
    random = np.random.default_rng(5)
    x, z = random.normal(size=n).round(2), random.choice(list("abc"), n)
    y = (3 * (x > 0) + 2 * (z == "a") + random.normal(size=n)).round(1)
    return {"x": x, "z": z.tolist()}, y.tolist()


class TestPruning:
    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_the_account_leads_to_the_tree_of_the_model(self, criterion: Any) -> None:
        X, y = noisy()
        y = [abs(v) for v in y]
        model = pt.CARTRegressor(criterion, ccp_alpha=0.021).fit(X, y)
        found = derive(model, X, y)
        assert found.agrees
        assert found.steps.tree.n_nodes > model.tree_.n_nodes > 1
        text = found.to_text()
        assert "The pruned tree:" in text
        assert "- The risk of a node is its S" in text or criterion == "poisson"

    @pytest.mark.parametrize("criterion", CRITERIA)
    @pytest.mark.parametrize(
        ("pruning", "options"),
        [
            ("reduced_error", {}),
            ("reduced_error", {"order": "greedy"}),
            ("cost_complexity", {"cp": 0.05}),
            ("cost_complexity", {"choice": "one_se", "folds": 4}),
            ("limits", {"max_depth": 3, "min_samples_leaf": 3}),
            ("cut", {"nodes": [1]}),
        ],
    )
    def test_every_method(self, criterion: Any, pruning: Any, options: Any) -> None:
        X, y = noisy()
        y = [abs(v) for v in y]
        model = pt.CARTRegressor(criterion, pruning=pruning, pruning_options=options).fit(X, y)
        found = derive(model, X, y)
        assert found.agrees
        assert found.steps.tree.n_nodes > model.tree_.n_nodes > 1
        text = " ".join(found.to_text().split())
        if pruning == "reduced_error":
            total = {"squared_error": "SSE", "absolute_error": "SAD", "poisson": "Dev"}[criterion]
            assert f"18 rows were held out. {'The' if options else 'Bottom-up,'}" in text
            assert f"{total} as a leaf" in text
        if "cp" in options:
            assert "With cp = 0.05, alpha is 0.05 times the risk of the root" in text

    def test_alphas_are_those_of_the_path(self) -> None:
        X, y = noisy()
        steps = derive(pt.CARTRegressor().fit(X, y), X, y).steps
        links = weakest_links(Pruner(steps, {}, None, steps.tree), "impurity")
        alphas = {round(float(link), 10) for _, link, _, _ in links}
        path = path_of(steps.tree, "impurity")
        assert alphas == {round(alpha, 10) for alpha in path.alphas[1:].tolist()}

    def test_an_alpha_by_hand(self) -> None:
        """Of the root: (604 - 2 - 2) / (2 leaves - 1) over 6 rows."""
        text = text_of(ccp_alpha=150)
        assert "(the root)    100   100.6667        0.6667       2  prune" in text

    def test_classifiers_have_an_alpha_as_well(self) -> None:
        X, y = pt.datasets.load_golf()
        found = derive(pt.CARTClassifier(ccp_alpha=0.09).fit(X, y), X, y)
        assert found.agrees
        assert "The pruned tree:" in found.to_text()

    def test_another_number_than_pruning_gives_is_told(self) -> None:
        X, y = noisy()
        model = pt.CARTRegressor(ccp_alpha=0.2).fit(X, y)
        prediction = model.tree_.prediction.copy()
        prediction[-1] += 1
        model.tree_ = replace(model.tree_, prediction=prediction)
        text = derive(model, X, y).to_text()
        assert "1 leaf of the model's tree does not predict the mean of its rows." in text


class TestTrainingError:
    @pytest.mark.parametrize("missing", ["most_common", "fractional", "branch"])
    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_it_is_that_of_the_predictions(self, criterion: Any, missing: Any) -> None:
        random = np.random.default_rng(1)
        values = np.where(random.random(30) < 0.2, np.nan, random.integers(0, 9, 30))
        X, y, w = {"x": values}, random.integers(1, 9, 30), random.integers(1, 4, 30)
        model = pt.CARTRegressor(criterion, missing=missing, max_depth=2).fit(X, y, w)
        text = derive(model, X, y, w).to_text(digits=6)
        told = dict(line.split("(tree)") for line in text.split("\n") if "(tree)" in line)
        for name, score in (
            ("MSE", mean_squared_error),
            ("MAE", mean_absolute_error),
            ("R2", r2_score),
        ):
            value = float(told[f"  {name}"].split()[-1])
            assert value == pytest.approx(score(y, model.predict(X), sample_weight=w), abs=1e-6)

    def test_r2_of_equal_targets_is_left_out(self) -> None:
        X, y = {"x": [1, 2]}, [3, 3]
        text = derive(pt.CARTRegressor().fit(X, y), X, y).to_text()
        assert "  MSE(tree) = 0 / 2 = 0\n" in text
        assert "R2(tree)" not in text


class TestNewRows:
    def test_a_value_for_a_row(self) -> None:
        model = pt.CARTRegressor(max_depth=1).fit(HOURS, SCORE)
        rows = [{"hours": 5, "kind": "a"}]
        text = derive(model, HOURS, SCORE, rows=rows).to_text()
        assert "- hours > 4.5\n- a leaf: 31 (3 rows)\n\nPrediction: 31.\n" in text

    def test_the_mean_of_the_leaves_of_a_divided_row(self) -> None:
        model = pt.CARTRegressor(max_depth=1, missing="fractional").fit(HOURS, SCORE)
        rows = [{"hours": None, "kind": "a"}]
        text = derive(model, HOURS, SCORE, rows=rows).to_text()
        assert "  mean(target) = 1/2 × 11 + 1/2 × 31 = 21\n" in text
        assert text.rstrip().endswith("Prediction: 21.")
        assert model.predict(rows).tolist() == [21.0]


class TestDifferences:
    def test_a_cut_tree(self) -> None:
        tree = pt.CARTRegressor(max_depth=2).fit(HOURS, SCORE).tree_.cut(1)
        found = derive(tree, HOURS, SCORE)
        assert not found.agrees
        words = "The tree has a leaf here, which predicts 11, although growing would continue"
        assert words in " ".join(found.to_text().split())

    def test_another_prediction(self) -> None:
        tree = pt.CARTRegressor(max_depth=1).fit(HOURS, SCORE).tree_
        found = derive(replace(tree, prediction=np.array([21.0, 11, 30])), HOURS, SCORE)
        assert [step.differences for step in found.steps.in_order] == [(), (), ("label",)]
        assert "the label 30 differs from the mean, 31" in found.to_text(width=200)

    def test_any_median_is_as_good_as_their_mean(self) -> None:
        tree = pt.CARTRegressor("absolute_error", max_depth=0).fit(HOURS, SCORE).tree_
        for number, agrees in ((12.0, True), (29.5, True), (30.5, False)):
            other = replace(tree, prediction=np.array([number]))
            assert derive(other, HOURS, SCORE).agrees == agrees

    def test_other_rows_than_the_training_rows(self) -> None:
        tree = pt.CARTRegressor().fit(HOURS, SCORE).tree_
        with pytest.raises(TableError, match="6 rows of mean 22 instead of 6 rows, predicted 21"):
            derive(tree, HOURS, [y + 1 for y in SCORE])


# ---------------------------------------------------------------- worksheets and notations

NOTATIONS = ("to_text", "to_markdown", "to_latex", "to_html")


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("options", [{}, {"missing": "branch"}, {"categorical": "multiway"}])
def test_a_worksheet_does_not_depend_on_the_answers(criterion: Any, options: Any) -> None:
    """The same targets given to the rows in another order leave all but the table as it was."""
    X = pt.datasets.load_golf().X.with_columns(
        pl.when(pl.int_range(pl.len()) % 5 == 1)
        .then(None)
        .otherwise(pl.col("humidity"))
        .alias("humidity")
    )
    y = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 2.5, 7.25]
    model = pt.DecisionTreeRegressor(criterion=criterion, **options)
    sheets = [derive(model.fit(X, z), X, z, worksheet=True, rows=X[:1]) for z in (y, y[::-1])]
    for notation in NOTATIONS:
        written = {getattr(s, notation)().partition("Conventions")[2] for s in sheets}
        assert len(written) == 1, notation
        assert "Training error" in written.pop()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_notation_writes_every_formula(criterion: Any) -> None:
    found = study(criterion)
    assert found.to_html().count("<math") > 10
    marks = {"squared_error": r"\frac{126^2}{6}", "absolute_error": r"\left|10 - 21\right|"}
    mark = marks.get(criterion, r"10\, \ln 10")
    assert mark in found.to_latex()
    assert mark in found.to_markdown()
    assert found.to_text(ascii=True).isascii()
    assert max(map(len, found.to_text(width=60).split("\n"))) <= 60


@pytest.mark.parametrize("level", ["table", "summary"])
def test_levels(level: Any) -> None:
    model = pt.CARTRegressor(max_depth=1).fit(HOURS, SCORE)
    text = derive(model, HOURS, SCORE, level=level).to_text()
    assert "Training error" in text
    assert ("   1  (all)         6  mean 21  hours <= 4.5   100" in text) == (level == "summary")
