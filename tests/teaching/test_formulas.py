"""Formulas of single numbers: each address computes the number that it stands at."""

from __future__ import annotations

import json
from fractions import Fraction
from math import isfinite, isnan
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.errors import ArgumentTypeError, ParameterError, TableError, TreeError
from plaintree.teaching import Address, Formula, Formulas, formula_of
from plaintree.teaching.derive.formula import evaluated, numbers_with_addresses, plainly
from plaintree.tree import Threshold, path_of

TERMINAL = {"class_weight", "sum", "sum_of_squares"}
"""Measures that are counted, not computed."""


def gappy(seed: int = 3, n: int = 40) -> tuple[pl.DataFrame, list[str], list[float]]:
    """A table with missing values in each column, classes and numbers to predict."""
    random = np.random.default_rng(seed)
    x, z = random.integers(0, 8, n), random.normal(size=n).round(1)
    color = random.choice(["red", "green", "blue"], n)
    labels = np.where((x > 3) ^ (color == "red"), "yes", "no")
    targets = (x + 2 * (color == "blue") + random.integers(0, 3, n)).astype(float)
    columns = {"x": x, "z": z, "color": color}
    frame = pl.DataFrame(
        {
            name: [None if random.random() < 0.15 else v for v in values.tolist()]
            for name, values in columns.items()
        }
    )
    return frame, labels.tolist(), targets.tolist()


CLASSIFIERS: dict[str, Any] = {
    "information_gain": pt.ID3Classifier(),
    "gain_ratio": pt.C45Classifier(pruning=None),
    "grouped": pt.C45Classifier(categorical="grouped", pruning=None),
    "conditional": pt.ID3Classifier("gain_ratio_conditional"),
    "conditional, divided": pt.DecisionTreeClassifier(
        criterion="gain_ratio_conditional", missing="fractional"
    ),
    "gini": pt.CARTClassifier(),
    "subsets, divided": pt.DecisionTreeClassifier(
        criterion="gini", categorical="subset", missing="fractional"
    ),
    "one against rest": pt.DecisionTreeClassifier(
        criterion="error", categorical="one_vs_rest", missing="branch"
    ),
    "surrogates": pt.CARTClassifier(missing="surrogate"),
    "pruned": pt.CARTClassifier(pruning="reduced_error"),
}
REGRESSORS: dict[str, Any] = {
    "squared_error": pt.CARTRegressor(max_depth=3),
    "absolute_error": pt.CARTRegressor(criterion="absolute_error", max_depth=3),
    "poisson": pt.CARTRegressor(criterion="poisson", max_depth=3),
    "squared, divided": pt.DecisionTreeRegressor(missing="fractional", max_depth=3),
    "squared, surrogates": pt.CARTRegressor(missing="surrogate", max_depth=3),
}


def same(one: Any, other: Any) -> bool:
    """Whether two exact numbers are equal, or two floats but for rounding."""
    if isinstance(one, float) or isinstance(other, float):
        both_none = isnan(one) and isnan(other)
        return both_none or float(one) == pytest.approx(float(other), rel=1e-12, abs=1e-15)
    return bool(one == other)


def walk(formulas: Formulas, start: Formula, seen: set[Address]) -> None:
    """Follow all addresses of a formula down to counts, and compare each number on the way."""
    pending = [start]
    while pending:
        formula = pending.pop()
        data = json.dumps(formula.to_dict(), allow_nan=False)
        assert json.loads(data)["text"] == formula.to_text()
        *_, filled, result = map(plainly, formula.equation.parts)
        told = formula.address.measure == "centre" and "median" in str(formula)  # a list, no sum
        if len(formula.equation.parts) > 2 and isfinite(result.value) and not told:
            assert evaluated(filled) == pytest.approx(float(result.value), abs=1e-12)
        inside = list(numbers_with_addresses(formula))
        if formula.address.measure in TERMINAL:
            assert inside == []
        for number in inside:
            below = formulas.at(number.address)
            assert same(below.value, number.value), (str(formula), number.address, str(below))
            if number.address not in seen:
                seen.add(number.address)
                pending.append(below)


def check(model: Any, X: Any, y: Any, sample_weight: Any = None) -> set[Address]:
    """Walk from the score of each candidate and from the split of each node of a tree."""
    tree = model.fit(X, y, sample_weight).tree_
    formulas, seen = Formulas(model, X, y, sample_weight), set[Address]()
    for node in tree.walk():
        impurity = formulas.of(node.index)
        assert float(impurity.value) == pytest.approx(node.impurity, abs=1e-12)
        assert float(formulas.of(node, measure="weight").value) == pytest.approx(node.weight)
        walk(formulas, impurity, seen)
        if node.condition is not None and isfinite(node.score):
            score = formulas.of(path_of(tree, node), measure="score")
            assert float(score.value) == pytest.approx(node.score, rel=1e-9, abs=1e-12)
            walk(formulas, score, seen)
        for name in tree.schema.names:
            try:
                score = formulas.of(node, feature=name, measure="score")
            except ParameterError as error:
                if "no split on" not in str(error):
                    raise
                continue
            walk(formulas, score, seen)
    return seen


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_addresses_of_classes_compute_their_numbers(name: str, weighted: bool) -> None:
    X, labels, _ = gappy()
    weights = np.where(np.arange(len(labels)) % 3, 1.0, 2.5) if weighted else None
    seen = check(CLASSIFIERS[name], X, labels, weights)
    measures = {address.measure for address in seen}
    assert {"impurity", "remainder", "weight", "class_weight"} <= measures
    if name in ("gain_ratio", "grouped"):
        assert {"gain", "split_information", "missing_weight"} <= measures
    if name == "conditional, divided":
        assert "known_remainder" in measures


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("weighted", [False, True])
def test_addresses_of_numbers_compute_their_numbers(name: str, weighted: bool) -> None:
    X, _, targets = gappy()
    weights = np.where(np.arange(len(targets)) % 3, 1.0, 2.5) if weighted else None
    seen = check(REGRESSORS[name], X, targets, weights)
    measures = {address.measure for address in seen}
    assert {"impurity", "remainder", "deviation", "weight"} <= measures
    assert ("sum_of_squares" in measures) == name.startswith("squared")


@pytest.mark.parametrize("name", ["tennis", "golf", "flu", "lisbon_signs", "emails"])
def test_addresses_of_bundled_tables_compute_their_numbers(name: str) -> None:
    X, y = getattr(pt.datasets, f"load_{name}")()
    for model in (pt.ID3Classifier(), pt.C45Classifier(pruning=None), pt.CARTClassifier()):
        assert check(model, X, y)


# -------------------------------------------------------------------- figures of textbooks


def tennis(criterion: str = "information_gain") -> Formulas:
    X, y = pt.datasets.load_tennis()
    return Formulas(pt.ID3Classifier(criterion).fit(X, y), X, y)


def test_the_formulas_of_tennis_have_the_figures_of_the_textbook() -> None:
    formulas = tennis()
    assert str(formulas.of()) == "H(S) = -5/14 log2 5/14 - 9/14 log2 9/14 ≈ 0.9403 bits"
    gains = {"Outlook": "0.2467", "Temperature": "0.0292", "Humidity": "0.1518", "Wind": "0.0481"}
    for name, gain in gains.items():
        assert str(formulas.of(feature=name, measure="gain")).endswith(f" ≈ {gain}")
    sunny = formulas.of([2], feature="Humidity", measure="score")
    assert str(sunny) == ("Gain(Humidity) = H(S) - H(S | Humidity) ≈ 0.9710 - 0 ≈ 0.9710")


def test_the_gain_ratio_of_outlook_is_quinlans() -> None:
    ratio = tennis("gain_ratio").of(feature="Outlook", measure="score")
    assert str(ratio) == (
        "GainRatio(Outlook) = Gain(Outlook) / SplitInfo(Outlook) ≈ 0.2467 / 1.5774 ≈ 0.1564"
    )
    assert [address.measure for address in ratio.addresses()] == ["gain", "split_information"]


def test_a_branch_has_formulas_of_its_own() -> None:
    formulas = tennis()
    weak = formulas.of(feature="Wind", branch=1)
    assert str(weak) == "H(Wind = Weak) = -2/8 log2 2/8 - 6/8 log2 6/8 ≈ 0.8113 bits"
    counts = {str(formulas.at(address)) for address in weak.addresses()}
    assert counts == {
        "n(Wind = Weak) = 2 + 6 = 8",
        "n(Wind = Weak, No) = 2",
        "n(Wind = Weak, Yes) = 6",
    }


def test_the_average_gain_leads_to_the_gains() -> None:
    X, y = pt.datasets.load_golf()
    formulas = Formulas(pt.C45Classifier().fit(X, y), X, y)
    average = formulas.of(measure="average_gain")
    assert str(average) == (
        "average gain(S) = (Gain(outlook) + Gain(windy)) / 2 ≈ (0.2467 + 0.0481) / 2 ≈ 0.1474"
    )
    walk(formulas, average, set())


def test_a_penalty_and_a_given_threshold_are_measured() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    by_text = formula_of(model, X, y, [2], condition="humidity <= 75", measure="gain")
    by_data = formula_of(
        model, X, y, [2], condition={"column": "humidity", "cut": 75}, measure="gain"
    )
    by_object = formula_of(model, X, y, [2], condition=Threshold(2, 75.0), measure="gain")
    assert by_text.address == by_data.address == by_object.address
    assert str(by_text) == (
        "Gain(humidity <= 75) = H(S) - H(S | humidity <= 75) - log2 2 / 5 ≈ "
        "0.9710 - 0 - log2 2 / 5 ≈ 0.7710"
    )
    assert "thresholds that were tried" in by_text.definition


# -------------------------------------------------------------------- writing


def test_exact_fractions_are_written_as_such() -> None:
    formulas = tennis("gini")
    exact = formulas.of(feature="Wind", measure="remainder", exact=True)
    assert str(exact).endswith("= 6/14 × 1/2 + 8/14 × 3/8 = 3/7")
    assert exact.value == Fraction(3, 7)
    assert exact.to_latex().endswith(r"= \tfrac{3}{7}")
    assert exact.note == ""
    rounded = formulas.of(feature="Wind", measure="remainder")
    assert str(rounded).endswith("≈ 0.4286")


def test_the_dictionary_has_every_part_with_its_address() -> None:
    data = tennis().of(feature="Wind", measure="gain", digits=3).to_dict()
    assert data["text"] == "Gain(Wind) = H(S) - H(S | Wind) ≈ 0.940 - 0.892 ≈ 0.048"
    name, symbols, filled, result = data["parts"]
    assert (name["kind"], name["name"], name["of"], name["relation"]) == (
        "call",
        "Gain",
        "Wind",
        None,
    )
    assert [term["sign"] for term in symbols["children"]] == ["+", "-"]
    before, after = (term["children"][0] for term in filled["children"])
    assert before["address"] == {"node": [], "measure": "impurity"}
    assert after["address"] == {"node": [], "measure": "remainder", "split": {"column": "Wind"}}
    assert after["text"] == "0.892"
    assert (result["kind"], result["value"]) == ("number", data["value"])
    assert symbols["children"][1]["children"][0]["address"] == after["address"]


def test_an_entropy_is_a_sum_of_products_of_counted_fractions() -> None:
    parts = tennis().of().to_dict()["parts"]
    terms = parts[1]["children"]
    assert [term["sign"] for term in terms] == ["-", "-"]
    ratio, logarithm = terms[0]["children"][0]["children"]
    top, bottom = ratio["children"]
    assert (ratio["kind"], ratio["text"], logarithm["base"]) == ("ratio", "5/14", "2")
    assert top["address"] == {"node": [], "measure": "class_weight", "class": "No"}
    assert bottom["address"] == {"node": [], "measure": "weight"}


def test_an_address_of_json_leads_to_the_same_formula() -> None:
    X, labels, _ = gappy()
    model = CLASSIFIERS["gain_ratio"].fit(X, labels)
    formulas, schema = Formulas(model, X, labels), model.tree_.schema
    for address in check(CLASSIFIERS["gain_ratio"], X, labels):
        data = json.loads(json.dumps(address.to_dict(schema)))
        assert formulas.at(data).address == address


def test_a_note_says_where_rounded_numbers_do_not_add_up() -> None:
    assert tennis().of(feature="Outlook", measure="gain").note == (
        "The numbers shown are rounded; from them alone the result would be 0.2468."
    )
    assert tennis().of(feature="Wind", measure="gain").note == ""


def test_numbers_keep_their_value_where_a_sign_moves() -> None:
    X, y = {"x": [1, 2, 3, 4]}, [-5.0, -4.0, 3.0, 4.0]
    model = pt.CARTRegressor(criterion="absolute_error").fit(X, y)
    formulas = Formulas(model, X, y)
    walk(formulas, formulas.of([0], measure="deviation"), set())
    assert str(formulas.of([0], measure="centre")) == "median(S) = median(-5, -4) = -4.5"
    text = json.dumps(formulas.of([0], measure="deviation").to_dict())
    assert '"value": -4.5' in text


# -------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"measure": "purity"}, "measure has a value that is not allowed"),
        ({"node": 1, "measure": "gain"}, "the node has no split to measure"),
        ({"feature": "Wnd", "measure": "gain"}, "did you mean 'Wind'"),
        ({"feature": "Wind", "branch": 2}, r"no such branch\. Got branch=2\..*from 0 to 1"),
        ({"measure": "class_weight"}, r"label is not a class of the tree\. Got label=None"),
        ({"measure": "class_weight", "label": "Maybe"}, "the classes are 'No', 'Yes'"),
        ({"measure": "centre"}, "classes have no centre"),
        ({"measure": "split_information"}, "has no split information"),
        ({"measure": "average_gain"}, "have no average gain"),
        ({"feature": "Wind", "condition": "Wind", "measure": "gain"}, "exclude each other"),
        ({"node": [2], "feature": "Outlook", "measure": "gain"}, "no split on 'Outlook'"),
        ({"digits": 16}, "digits is out of range"),
    ],
)
def test_numbers_that_do_not_exist_are_errors(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        tennis().of(**asked)


def test_addresses_are_checked() -> None:
    formulas = tennis()
    with pytest.raises(ArgumentTypeError, match="an address must be an Address or a dictionary"):
        formulas.at("H(S)")  # type: ignore[arg-type]
    with pytest.raises(
        ParameterError, match=r"unknown entry\. Got 'nod'\. Hint: did you mean 'node'"
    ):
        formulas.at({"nod": [], "measure": "impurity"})
    with pytest.raises(ParameterError, match="the address is incomplete"):
        formulas.at({"node": []})
    with pytest.raises(TreeError, match="the path leads to no node"):
        formulas.at(Address((9,), "impurity"))
    with pytest.raises(ParameterError, match="the address names no split"):
        formulas.at(Address((), "gain"))
    with pytest.raises(ParameterError, match=r"names no class of the tree\. Got label=7"):
        formulas.at(Address((), "class_weight", label=7))
    with pytest.raises(ParameterError, match="measure has a value that is not allowed"):
        formulas.at(Address((), "purity"))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="column 9 of 4"):
        formulas.at(Address((), "gain", Threshold(9, 1.0)))
    with pytest.raises(ParameterError, match="does not fit column 'Outlook'"):
        formulas.at(Address((), "gain", Threshold(0, 1.0)))


def test_other_rows_than_those_of_training_are_refused() -> None:
    X, y = pt.datasets.load_tennis()
    model = pt.ID3Classifier().fit(X, y)
    with pytest.raises(TableError, match="are not the rows that the tree was grown from"):
        formula_of(model, X.head(10), y.head(10))
