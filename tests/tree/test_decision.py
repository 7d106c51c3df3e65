"""Priors, costs of misclassification and decision thresholds: which class is predicted."""

from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.tree.conventions import Conventions
from plaintree.tree.decision import DecisionRule
from plaintree.tree.prediction import class_probabilities, node_risks

CLASSES = ("healthy", "sick")
ROOT = np.array([60.0, 40.0])


def rule(**conventions: Any) -> DecisionRule:
    return DecisionRule.of(Conventions(**conventions), CLASSES, ROOT)


# -------------------------------------------------------------------- groups of rows


def test_without_costs_the_majority_is_predicted() -> None:
    assert rule().classes(np.array([[3.0, 1.0], [1.0, 3.0], [2.0, 2.0]])).tolist() == [0, 1, 0]


def test_the_class_of_the_least_expected_cost_is_predicted() -> None:
    """Of 4 rows, one of them sick, it costs 5 to predict healthy and 3 to predict sick."""
    costs = {("sick", "healthy"): 5}
    group = np.array([[3.0, 1.0]])
    assert rule(costs=costs).expected_costs(group).tolist() == [[5.0, 3.0]]
    assert rule(costs=costs).classes(group).tolist() == [1]
    assert rule(costs=costs).risks(group).tolist() == [3.0]


def test_of_equal_costs_the_first_class_is_predicted() -> None:
    assert rule(costs={("sick", "healthy"): 3}).classes(np.array([[3.0, 1.0]])).tolist() == [0]


def test_priors_replace_the_fractions_of_the_classes() -> None:
    """Half of all are sick by the prior, 40 of 100 in the table: a sick row counts 1.25."""
    found = rule(priors={"healthy": 0.5, "sick": 0.5}).votes(np.array([[6.0, 5.0]]))
    np.testing.assert_allclose(found, [[6 * 0.5 / 0.6, 5 * 0.5 / 0.4]])


def test_altered_priors_are_those_of_the_book() -> None:
    """A class counts by its prior times the sum of its costs; the total weight stays."""
    priors, costs = {"healthy": 0.8, "sick": 0.2}, {("sick", "healthy"): 8}
    factors = rule(priors=priors, costs=costs).altered(ROOT)
    assert factors is not None
    np.testing.assert_allclose(factors * ROOT / 100, [0.8 / 2.4, 0.2 * 8 / 2.4])


def test_equal_costs_alter_nothing() -> None:
    assert rule(costs={("sick", "healthy"): 1}).altered(ROOT) is None
    assert rule().altered(ROOT) is None


@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_the_second_class_is_predicted_above_the_threshold(threshold: float) -> None:
    sick = np.linspace(0, 1, 11)
    found = rule(decision_threshold=threshold).classes(np.column_stack([1 - sick, sick]))
    assert found.tolist() == (sick > threshold + 1e-9).astype(int).tolist()


# -------------------------------------------------------------------- trees

X = np.array([[i, i % 3] for i in range(30)], dtype=float)
Y = np.array(["sick" if i % 5 == 0 or i > 25 else "healthy" for i in range(30)])


def test_a_tree_has_the_weights_of_the_rows_whatever_the_priors() -> None:
    model = pt.CARTClassifier(priors={"sick": 0.7, "healthy": 0.3}, max_depth=2).fit(X, Y)
    assert model.tree_.class_weights[0].tolist() == [20.0, 10.0]
    assert (model.tree_.class_weights == model.tree_.class_weights.round()).all()
    np.testing.assert_allclose(class_probabilities(model.tree_)[0], [0.3, 0.7])
    ends = model.apply(X)
    np.testing.assert_allclose(model.predict_proba(X), class_probabilities(model.tree_)[ends])


def test_priors_and_costs_grow_the_tree_of_altered_weights() -> None:
    """Whose splits are those of rows that weigh as much as they count."""
    priors, costs = {"healthy": 0.5, "sick": 0.5}, {("sick", "healthy"): 2, ("healthy", "sick"): 3}
    tree = pt.CARTClassifier(priors=priors, costs=costs).fit(X, Y).tree_
    weights = np.where(Y == "sick", 0.5 / 10 * 2, 0.5 / 20 * 3)
    weighted = pt.CARTClassifier().fit(X, Y, weights).tree_
    for name in ("feature", "threshold", "first_child", "n_rows"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(weighted, name))
    np.testing.assert_allclose(tree.impurity, weighted.impurity, atol=1e-12)
    np.testing.assert_allclose(tree.importances(), weighted.importances())


def test_costs_change_predictions_and_not_probabilities() -> None:
    shallow: dict[str, Any] = {"max_depth": 1, "min_samples_leaf": 10}
    model = pt.CARTClassifier(costs={("sick", "healthy"): 9}, **shallow).fit(X, Y)
    assert set(model.predict(X)) == {"sick"}
    np.testing.assert_allclose(
        class_probabilities(model.tree_), model.tree_.class_weights / model.tree_.weight[:, None]
    )


def test_costs_of_predicting_a_row_that_is_divided() -> None:
    table = X.copy()
    table[:4] = np.nan
    costs = {("sick", "healthy"): 9}
    model = pt.CARTClassifier(costs=costs, missing="fractional", max_depth=2).fit(table, Y)
    rows = np.full((1, 2), np.nan)
    shares = model.predict_proba(rows)
    assert shares[0, 0] > 0.5
    assert model.predict(rows).tolist() == ["sick"]


def test_a_decision_threshold_leaves_the_tree_as_it_is() -> None:
    plain = pt.CARTClassifier(max_depth=2).fit(X, Y)
    model = pt.CARTClassifier(max_depth=2, decision_threshold=0.2).fit(X, Y)
    np.testing.assert_array_equal(model.tree_.threshold, plain.tree_.threshold)
    np.testing.assert_array_equal(node_risks(model.tree_), node_risks(plain.tree_))
    expected = np.where(plain.predict_proba(X)[:, 1] > 0.2, "sick", "healthy")
    assert model.predict(X).tolist() == expected.tolist()


def test_the_order_of_rows_does_not_matter() -> None:
    order = np.random.RandomState(0).permutation(30)
    options: dict[str, Any] = {
        "costs": {("sick", "healthy"): 3},
        "priors": {"sick": 0.3, "healthy": 0.7},
    }
    tree = pt.CARTClassifier(**options).fit(X, Y).tree_
    assert pt.CARTClassifier(**options).fit(X[order], Y[order]).tree_.difference(tree) is None
    assert pt.CARTClassifier(n_jobs=2, **options).fit(X, Y).tree_.difference(tree) is None


def test_new_leaves_predict_by_the_costs() -> None:
    model = pt.CARTClassifier(costs={("sick", "healthy"): 9}).fit(X, Y)
    assert model.tree_.cut(0).root.label == "sick"
    assert model.tree_.refit(X, Y).label.tolist() == model.tree_.label.tolist()


def test_pruning_weighs_costs() -> None:
    """At an alpha that the errors saved are not worth, but their costs are."""
    options: dict[str, Any] = {"pruning": "cost_complexity", "pruning_options": {"alpha": 0.05}}
    cheap = pt.CARTClassifier(**options).fit(X, Y)
    costly = pt.CARTClassifier(costs={("sick", "healthy"): 8, ("healthy", "sick"): 8}, **options)
    assert cheap.tree_.n_leaves < costly.fit(X, Y).tree_.n_leaves


@pytest.mark.parametrize("method", ["error_based", "pessimistic", "mdl"])
def test_methods_that_count_errors_refuse_costs(method: Any) -> None:
    model = pt.CARTClassifier(costs={("sick", "healthy"): 3}).fit(X, Y)
    rows = (X, Y) if method == "error_based" else ()
    with pytest.raises(ParameterError, match=f"'{method}' counts errors"):
        pt.prune(model, method, *rows)


def test_files_keep_priors_and_costs(tmp_path: Any) -> None:
    options: dict[str, Any] = {"costs": {(1, 0): 3}, "priors": {0: 0.25, 1: 0.75}}
    model = pt.CARTClassifier(feature_costs={"x1": 2.5}, **options).fit(
        X, (Y == "sick").astype(int)
    )
    pt.save(model, tmp_path / "model.json")
    again = pt.load(tmp_path / "model.json")
    assert again.get_params() == model.get_params()
    assert again.tree_.conventions == model.tree_.conventions
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


# -------------------------------------------------------------------- costs of features


def test_a_score_is_divided_by_the_cost_of_its_feature() -> None:
    plain = pt.CARTClassifier(max_depth=1).fit(X, Y).tree_
    name = plain.root.feature
    costly = pt.CARTClassifier(max_depth=1, feature_costs={name: 1.5}).fit(X, Y).tree_
    assert costly.root.feature == name
    assert costly.score[0] == pytest.approx(plain.score[0] / 1.5)
    other = pt.CARTClassifier(max_depth=1, feature_costs={name: 1e6}).fit(X, Y).tree_
    assert other.root.feature != name


@pytest.mark.parametrize("finders", [0, 31])
def test_a_feature_that_costs_more_does_not_hide_later_ones(finders: int) -> None:
    """The bound that later features must reach is not that of a score before the division."""
    from plaintree.data.encode import learn_schema
    from plaintree.data.table import table_from
    from plaintree.growing.one_tree import grow_tree

    random = np.random.RandomState(0)
    wide = random.randint(0, 4, (400, 8)).astype(float)
    y = (wide[:, 0] + 0.8 * wide[:, 5] + random.normal(0, 1, 400) > 2.6).astype(np.int32)
    schema, columns = learn_schema(table_from(wide), target="y", classes=(0, 1))
    free = grow_tree(schema, columns, y, None, Conventions(max_depth=1), finders=finders)
    assert free.schema.names[free.feature[0]] == "x0"
    rules = Conventions(feature_costs={"x0": 2.0}, max_depth=1)
    tree = grow_tree(schema, columns, y, None, rules, finders=finders)
    assert tree.schema.names[tree.feature[0]] == "x5"


# -------------------------------------------------------------------- impossible ones

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "priors of another sum": ({"priors": {"sick": 0.5, "healthy": 0.6}}, "sum to 1.1"),
    "a prior of 0": ({"priors": {"sick": 0, "healthy": 1}}, "'sick' has a prior of 0"),
    "a negative prior": ({"priors": {"sick": -1, "healthy": 2}}, "priors must be finite numbers"),
    "priors that are none": ({"priors": 0.5}, "priors must be a dictionary"),
    "a misspelt class": ({"priors": {"sik": 0.5, "healthy": 0.5}}, "did you mean 'sick'"),
    "a class without prior": ({"priors": {"sick": 1.0}}, "priors must name every class"),
    "a negative cost": ({"costs": {("sick", "healthy"): -1}}, "costs must be finite numbers"),
    "a cost of the right class": ({"costs": {("sick", "sick"): 1}}, "right class must be 0"),
    "costs of one class": ({"costs": {"sick": 1}}, r"pairs of classes: \(actual, predicted\)"),
    "errors that cost nothing": (
        {"costs": {("sick", "healthy"): 0}},
        "costs of 0 for all errors on 'sick'",
    ),
    "costs of another class": ({"costs": {("sick", "heathy"): 1}}, "did you mean 'healthy'"),
    "costs of a feature": ({"feature_costs": {"x0": 0}}, "feature_costs must be finite numbers"),
    "an unknown feature": ({"feature_costs": {"x9": 2}}, "names a feature that the table does not"),
    "a threshold": ({"decision_threshold": 1.5}, "decision_threshold is out of range"),
    "costs and a threshold": (
        {"decision_threshold": 0.3, "costs": {("sick", "healthy"): 2}},
        "both decide which class",
    ),
    "priors and class weights": (
        {"priors": {"sick": 0.5, "healthy": 0.5}, "class_weight": "balanced"},
        "class_weight has no effect where the classes have priors",
    ),
    "surrogates without the policy": ({"max_surrogates": 3}, "surrogate splits, which are not"),
    "use of surrogates": ({"missing": "surrogate", "use_surrogate": 3}, "an int from 0 to 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_impossible_values_are_refused(case: str) -> None:
    options, message = REFUSED[case]
    with pytest.raises(ParameterError, match=message):
        pt.CARTClassifier(**options).fit(X, Y)


def test_a_threshold_needs_two_classes() -> None:
    with pytest.raises(ParameterError, match="decision_threshold is for two classes"):
        pt.CARTClassifier(decision_threshold=0.3).fit(X, X[:, 1])


@pytest.mark.parametrize(
    "options",
    [
        {"missing": "surrogate"},
        {"priors": {"sick": 0.5, "healthy": 0.5}},
        {"costs": {("sick", "healthy"): 2}},
        {"decision_threshold": 0.3},
    ],
    ids=lambda options: next(iter(options)),
)
def test_forests_refuse_what_their_trees_do_not_hold(options: dict[str, Any]) -> None:
    forest = pt.BaggedTreesClassifier(pt.CARTClassifier(**options), n_estimators=2)
    with pytest.raises(ParameterError, match=f"{next(iter(options))} of this kind is for single"):
        forest.fit(X, Y)


@pytest.mark.parametrize("name", ["priors", "costs", "decision_threshold"])
def test_numbers_have_no_classes_to_weigh(name: str) -> None:
    value = {"priors": {"a": 1.0}, "costs": {("a", "b"): 1}, "decision_threshold": 0.5}[name]
    rules = Conventions("squared_error", **{name: value})
    with pytest.raises(ParameterError, match=f"{name} needs classes"):
        pt.DecisionTreeRegressor(conventions=rules, criterion="conventions").fit(X, X[:, 0])
