"""PMML says what the model says: read by the letter of the standard, and by a scorer."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ExportError
from plaintree.interop.pmml import export_pmml
from plaintree.interop.pmml.verification import DIVIDED, REFUSED, verifiable
from plaintree.interop.verification.rows import VerificationRows, verification_rows
from plaintree.interop.verification.runners import runner
from plaintree.interop.verification.verify import Verification, verify_export
from plaintree.tree.condition import DIVIDES, STOPS, NodeKind, Surrogate, Threshold
from plaintree.tree.conventions import CART
from plaintree.tree.predict import class_codes, class_shares, predicted_numbers
from plaintree.tree.surrogates import surrogate_arrays
from plaintree.tree.tree import Tree
from tests.support.export_models import (
    LEARNERS_OF_STANDARDS,
    NUMERIC_LEARNERS,
    golf_model,
    large_tree_with_surrogates,
    model_of_large_categories,
    model_of_moments,
    rows_for,
    tree_of_labels,
    verified,
    with_missing_children,
    with_numbers,
    with_surrogates,
)
from tests.support.reference_tables import load, needs_shared
from tests.support.trees import (
    TENNIS_SCHEMA,
    XY_SCHEMA,
    build,
    chain_spec,
    random_rows,
    specs,
    tennis,
)

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"
lacking = runner("pmml").absent()
needs_scorer = pytest.mark.skipif(lacking is not None, reason=lacking or "")

HOSTILE = [
    "]]>",
    "a \"quoted\" 'name' & <b>",
    "tab\tnew line\nreturn\r",
    " spaces ",
    '\\ \\" back',
    "😀",
    "\u202eright to left",
    "é\u0301",
    "",
]


# ---------------------------------------------------------------- a reading of the standard


class Reading:
    """A TreeModel of a document, scored by what the standard says, without any engine."""

    def __init__(self, text: str) -> None:
        model = ElementTree.fromstring(text).find(f"{NAMESPACE}TreeModel")
        assert model is not None
        self.strategy = model.get("missingValueStrategy")
        self.last = model.get("noTrueChildStrategy") == "returnLastPrediction"
        root = model.find(f"{NAMESPACE}Node")
        assert root is not None
        self.root = root

    def shares(self, row: Mapping[str, Any]) -> tuple[str | None, dict[str, float]]:
        """The score (None where several nodes answer together) and the confidences."""
        return self._score(self.root, row)

    def _score(self, node: Any, row: Mapping[str, Any]) -> tuple[str | None, dict[str, float]]:
        while children := node.findall(f"{NAMESPACE}Node"):
            truths = [self._truth(child, row) for child in children]
            first = next((i for i, truth in enumerate(truths) if truth is not False), None)
            if first is None:
                assert self.last, "no branch fits, and there is no last prediction"
                return self._own(node)
            if truths[first] is True:
                node = children[first]
            elif self.strategy == "defaultChild":
                node = next(c for c in children if c.get("id") == node.get("defaultChild"))
            else:
                assert self.strategy == "weightedConfidence"
                scored = [
                    c for c, truth in zip(children, truths, strict=True) if truth is not False
                ]
                return None, self._together(scored, row)
        return self._own(node)

    def _together(self, nodes: list[Any], row: Mapping[str, Any]) -> dict[str, float]:
        counts = [float(node.get("recordCount")) for node in nodes]
        total: dict[str, float] = {}
        for node, count in zip(nodes, counts, strict=True):
            for label, confidence in self._score(node, row)[1].items():
                total[label] = total.get(label, 0.0) + confidence * count / sum(counts)
        return total

    @staticmethod
    def _own(node: Any) -> tuple[str, dict[str, float]]:
        found = node.findall(f"{NAMESPACE}ScoreDistribution")
        return node.get("score"), {d.get("value"): float(d.get("confidence")) for d in found}

    def _truth(self, node: Any, row: Mapping[str, Any]) -> bool | None:
        predicate = next(e for e in node if e.tag.endswith("Predicate"))
        return self._predicate(predicate, row)

    def _joined(self, element: Any, row: Mapping[str, Any]) -> bool | None:
        parts = [self._predicate(part, row) for part in element]
        if element.get("booleanOperator") == "surrogate":
            return next((part for part in parts if part is not None), None)
        decisive = element.get("booleanOperator") == "or"
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive

    def _predicate(self, element: Any, row: Mapping[str, Any]) -> bool | None:
        kind = element.tag.removeprefix(NAMESPACE)
        if kind in ("True", "False"):
            return kind == "True"
        if kind == "CompoundPredicate":
            return self._joined(element, row)
        value = row[element.get("field")]
        if kind == "SimpleSetPredicate":
            array = element.find(f"{NAMESPACE}Array")
            inside = value in array.text.split()
            return None if value is None else inside == (element.get("booleanOperator") == "isIn")
        return _simple(element.get("operator"), value, element.get("value"))


def _simple(operator: str, value: Any, other: str) -> bool | None:
    if operator in ("isMissing", "isNotMissing"):
        return (value is None) == (operator == "isMissing")
    if value is None:
        return None
    match operator:
        case "lessOrEqual":
            return bool(value <= float(other))
        case "greaterThan":
            return bool(value > float(other))
        case "equal":
            return bool(value == other)
        case "notEqual":
            return bool(value != other)
    raise AssertionError(operator)


def rows_of(schema: Schema, columns: list[np.ndarray]) -> list[dict[str, Any]]:
    """Encoded columns as rows of labels and numbers, None where missing."""
    rows = []
    for values in zip(*(column.tolist() for column in columns), strict=True):
        row = {}
        for attribute, value in zip(schema.features, values, strict=True):
            missing = value != value or (attribute.categories and value < 0)  # noqa: PLR0124
            labels = attribute.categories
            row[attribute.name] = None if missing else labels[int(value)] if labels else value
        rows.append(row)
    return rows


def check_reading(tree: Tree, columns: list[np.ndarray]) -> None:
    """A tree and the standard's reading of its document answer alike."""
    reading = Reading(export_pmml(tree))
    columns = [c if c.dtype.kind == "f" else c.astype(np.int32) for c in columns]
    if not tree.schema.classes:
        numbers = predicted_numbers(tree, columns).tolist()
        scores = [reading.shares(row)[0] for row in rows_of(tree.schema, columns)]
        assert [float(score) for score in scores] == numbers
        return
    answers, shares = class_codes(tree, columns), class_shares(tree, columns)
    classes = tree.schema.classes
    for row, answer, right in zip(rows_of(tree.schema, columns), answers, shares, strict=True):
        label, found = reading.shares(row)
        assert [found[str(c)] for c in classes] == pytest.approx(right.tolist(), abs=1e-12)
        assert label is None or label == str(classes[answer])


def divisible(tree: Tree) -> bool:
    """Whether every inner node has training rows below it."""
    return bool((tree.weight[tree.n_children > 0] > 0).all())


@given(specs(), st.integers(0, 1000))
@settings(max_examples=40)
def test_divided_rows_are_divided_as_the_standard_says(spec: Any, seed: int) -> None:
    tree = build(XY_SCHEMA, spec)
    assume(divisible(tree))
    check_reading(tree, random_rows(XY_SCHEMA, 20, seed, gaps=True))


@given(specs(), st.integers(0, 1000), st.sampled_from([0.5, 1.0]))
@settings(max_examples=40)
def test_a_branch_may_take_missing_values_at_some_nodes_or_at_all(
    spec: Any, seed: int, share: float
) -> None:
    tree = with_missing_children(build(XY_SCHEMA, spec), seed, share)
    assume(divisible(tree))
    check_reading(tree, random_rows(XY_SCHEMA, 20, seed, gaps=True))


@pytest.mark.parametrize("numbers", [False, True])
@given(specs(), st.integers(0, 1000))
@settings(max_examples=40)
def test_surrogates_decide_in_their_order(numbers: bool, spec: Any, seed: int) -> None:
    tree = with_surrogates(with_missing_children(build(XY_SCHEMA, spec), seed), seed)
    columns = random_rows(XY_SCHEMA, 40, seed, gaps=True)
    check_reading(with_numbers(tree, seed) if numbers else tree, columns)


def test_surrogates_are_those_of_the_standard() -> None:
    tree = build(XY_SCHEMA, ("x <=", 2, [1, 0], [0, 1], STOPS))
    other = Surrogate(Threshold(1, 5.5), reversed=True)
    text = export_pmml(replace(tree, **surrogate_arrays([[other], [], []])))
    root = ElementTree.fromstring(text)
    compound = next(root.iter(f"{NAMESPACE}CompoundPredicate"))
    assert compound.get("booleanOperator") == "surrogate"
    assert [(e.get("field"), e.get("operator"), e.get("value")) for e in compound] == [
        ("x", "lessOrEqual", "2.0"),
        ("y", "greaterThan", "5.5"),
        (None, None, None),  # <False/>: such a row stops at the node
    ]
    assert root.find(f"{NAMESPACE}TreeModel").get("noTrueChildStrategy") == "returnLastPrediction"


def test_rows_divided_where_no_surrogate_decides_are_refused() -> None:
    tree = build(XY_SCHEMA, ("x <=", 2, [1, 0], [0, 1]))
    with pytest.raises(ExportError, match=r"cannot divide rows that no surrogate.*node 0"):
        export_pmml(replace(tree, **surrogate_arrays([[Surrogate(Threshold(1, 5.5))], [], []])))


@needs_scorer
@given(specs(), st.integers(0, 1000), st.sampled_from(["missing", "stop"]))
@settings(max_examples=12)
def test_divided_rows_of_numbers_are_scored_alike(spec: Any, seed: int, unseen: Any) -> None:
    tree = with_surrogates(build(XY_SCHEMA, spec), seed, (DIVIDES, STOPS, 0, 1))
    tree = with_numbers(replace(tree, conventions=replace(CART, unseen=unseen)), seed)
    found = verified(export_pmml, tree, limit=300)
    assert found.n_rows >= rows_for(tree, limit=300)
    assert found.left_out == {}


def test_numbers_are_divided_by_fractions_of_rows() -> None:
    text = export_pmml(with_numbers(build(XY_SCHEMA, ("x <=", 2, [1, 0], [0, 3]))))
    assert "<TreeModel" not in text
    assert attribute_values(text, "RegressionModel", "functionName") == ["regression"]
    names = ["part_0_0", "part_0_1", "part_0_2", "part_mean"]
    assert attribute_values(text, "DerivedField", "name") == names


def test_fractions_of_a_deep_tree_are_refused() -> None:
    tree = with_numbers(build(XY_SCHEMA, chain_spec(101)))
    with pytest.raises(ExportError, match=r"too deep for the fractions.*101 splits on a path"):
        export_pmml(tree)


@needs_scorer
@pytest.mark.parametrize("unseen", ["missing", "stop"])
@pytest.mark.parametrize("numbers", [False, True])
def test_surrogates_are_scored_alike(numbers: bool, unseen: Any) -> None:
    tree = large_tree_with_surrogates(numbers=numbers, divides=False)
    conventions = replace(CART, unseen=unseen, criterion="squared_error" if numbers else "gini")
    found = verified(export_pmml, replace(tree, conventions=conventions))
    assert found.n_rows >= rows_for(tree)
    assert (found.numbers, found.left_out) == (numbers, {})


def test_missing_values_may_have_a_branch_of_their_own() -> None:
    spec = ("x <=", 2, [1, 0], ("color in", ["red", "blue"], [0, 2], [3, 1], [0, 5]), [4, 0])
    tree = build(XY_SCHEMA, spec)
    check_reading(tree, random_rows(XY_SCHEMA, 50, 1, gaps=True))


# ---------------------------------------------------------------- the document


@pytest.mark.parametrize("name", LEARNERS_OF_STANDARDS)
def test_documents_follow_the_schema(name: str) -> None:
    etree = pytest.importorskip("lxml.etree", reason="lxml is not installed")
    scorer = pytest.importorskip("jpmml_evaluator", reason="the schema comes with a scorer")
    folder = Path(scorer.__file__).parent / "dependencies"
    with zipfile.ZipFile(next(folder.glob("pmml-model-[0-9]*.jar"))) as jar:
        schema = etree.XMLSchema(etree.fromstring(jar.read("pmml.xsd")))
    schema.validate(etree.fromstring(export_pmml(golf_model(name)[0]).encode()))
    assert [str(fault) for fault in schema.error_log] == []


def attribute_values(text: str, element: str, attribute: str) -> list[str | None]:
    return [e.get(attribute) for e in ElementTree.fromstring(text).iter(NAMESPACE + element)]


def test_thresholds_are_written_to_the_last_bit() -> None:
    threshold = 0.1 + 0.2
    text = export_pmml(build(XY_SCHEMA, ("x <=", threshold, [1, 0], [0, 1])))
    values = attribute_values(text, "SimplePredicate", "value")
    assert [float(value or "nan") for value in values] == [threshold, threshold]


def test_the_weights_of_the_classes_are_counts() -> None:
    text = export_pmml(tennis())
    assert attribute_values(text, "ScoreDistribution", "recordCount")[:2] == ["5", "9"]
    assert attribute_values(text, "Node", "recordCount")[0] == "14"


def test_columns_tell_their_values_and_what_becomes_of_others() -> None:
    text = export_pmml(tennis())
    assert attribute_values(text, "DataField", "optype") == [
        "categorical",
        "continuous",
        "categorical",
        "categorical",
    ]
    assert attribute_values(text, "Value", "value")[:3] == ["Overcast", "Rain", "Sunny"]
    treatments = attribute_values(text, "MiningField", "invalidValueTreatment")
    assert treatments == [None, "asMissing", "asMissing", "asMissing"]


def test_a_document_carries_rows_with_their_answers() -> None:
    X, y = pt.datasets.load_golf()
    text = export_pmml(pt.ID3Classifier().fit(X, y))
    root = ElementTree.fromstring(text)
    rows = list(root.iter(f"{NAMESPACE}row"))
    assert len(rows) >= 10
    assert {row.findtext(f"{NAMESPACE}label") for row in rows} == {"no", "yes"}


def test_fields_never_have_the_same_name() -> None:
    names = ("class", "predicted_class", "probability_a", "confidence")
    schema = Schema(tuple(Feature(name, "numeric") for name in names), ("a", "b"))
    text = export_pmml(build(schema, ("class <=", 1, [1, 0], [0, 1])))
    used = attribute_values(text, "DataField", "name")
    used += attribute_values(text, "OutputField", "name")
    assert len(set(used)) == len(used)


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_that_xml_can_hold_comes_back_as_it_was(name: str) -> None:
    column = name or "no name"  # a field needs one
    schema = Schema((Feature(column, "categorical", "text", ("a", name)),), (name, "z"), name)
    text = export_pmml(build(schema, (f"{column} =", name, [1, 0], [0, 1])))
    assert attribute_values(text, "DataField", "name")[0] == column
    assert "" not in attribute_values(text, "DataField", "name")
    assert attribute_values(text, "Value", "value")[:2] == ["a", name]
    assert name in attribute_values(text, "SimplePredicate", "value")


@pytest.mark.parametrize("name", ["null \0", "bell \x07", "half \ud800", "not \uffff"])
def test_characters_that_xml_cannot_hold_are_refused(name: str) -> None:
    schema = replace(TENNIS_SCHEMA, classes=(name, "Yes"))
    with pytest.raises(ExportError, match=r"character that XML does not allow.*rename"):
        export_pmml(replace(tennis(), schema=schema))


def test_a_column_without_a_name_is_refused() -> None:
    schema = Schema((Feature("", "numeric"),), ("a", "b"))
    with pytest.raises(ExportError, match="a field of PMML needs a name"):
        export_pmml(build(schema, (" <=", 1, [1, 0], [0, 1])))


def test_a_deep_tree_is_written_without_recursion() -> None:
    text = export_pmml(build(XY_SCHEMA, chain_spec(3000)))
    assert text.count("<Node ") == 6001


def test_a_division_without_training_rows_is_refused_by_the_node() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, [1, 0], ("y <=", 2, [0, 0], [0, 0])))
    with pytest.raises(ExportError, match=r"there are none.*node 2, a split on y"):
        export_pmml(tree)


def grouped_tree() -> Tree:
    """color in {red} | {green, blue}; grey has no branch, but can reach the node."""
    tree = build(XY_SCHEMA, ("color in", ["red"], [2, 1], [1, 3]))
    levels = np.array([0, 1, 1, -1])
    ends = np.array([4, 4, 4])
    kinds = np.array([NodeKind.GROUPED, 0, 0])
    return replace(tree, kind=kinds, levels=levels, level_begin=np.array([0, 4, 4]), level_end=ends)


def test_dividing_a_category_without_a_branch_is_refused_by_the_node() -> None:
    with pytest.raises(ExportError, match=r"category that has no branch.*grey at node 0"):
        export_pmml(grouped_tree())


def test_a_category_without_a_branch_goes_where_missing_values_go() -> None:
    tree = replace(grouped_tree(), missing_child=np.array([1, -1, -1]))
    columns = [np.zeros(5), np.zeros(5), np.zeros(5), np.array([0, 1, 2, 3, -1])]
    check_reading(tree, columns)


# ---------------------------------------------------------------- a scorer


@needs_scorer
@pytest.mark.parametrize("name", LEARNERS_OF_STANDARDS)
def test_a_scorer_answers_as_the_model_does(name: str) -> None:
    model, X = golf_model(name)
    found = verified(export_pmml, model, X)
    assert found.n_given == 14
    assert found.numbers == (name in NUMERIC_LEARNERS)
    assert found.with_probabilities == (name != "rules" and not found.numbers)
    assert set(found.left_out) <= {REFUSED} if found.numbers else {DIVIDED, REFUSED}


@needs_scorer
@pytest.mark.parametrize(
    ("name", "reason"), [("id3", None), ("c45", DIVIDED), ("errors", REFUSED), ("rules", None)]
)
def test_rows_that_a_scorer_cannot_be_asked_are_counted(name: str, reason: str | None) -> None:
    model, X = golf_model(name)
    found, rows = verified(export_pmml, model, X), verification_rows(model, X)
    n = {None: 0, DIVIDED: 66, REFUSED: sum(rows.refused)}[reason]
    assert found.left_out == ({} if reason is None else {reason: n})
    assert found.n_rows + n == len(rows)
    assert found.n_refused == 0


def test_rows_with_gaps_in_what_c45_tests_are_left_out() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, [2, 1], ("y <=", 2, [0, 1], [3, 0])))
    rows = [{"x": x, "y": y, "size": None, "color": None} for x in (0, 2, None) for y in (1, None)]
    asked = verifiable(tree, VerificationRows(XY_SCHEMA, rows, [False] * 6, range(3)))
    assert [(row["x"], row["y"]) for row in asked.rows] == [(0, 1), (0, None), (2, 1)]
    assert (asked.n_given, asked.left_out) == (3, {DIVIDED: 3})


def test_a_proof_without_a_row_to_ask_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = runner("pmml")
    monkeypatch.setattr(scorer, "absent", lambda: None)
    nothing = VerificationRows(XY_SCHEMA, [], [], left_out={DIVIDED: 7})
    monkeypatch.setattr(scorer, "predictable", lambda *_: nothing)
    with pytest.raises(
        ExportError, match=r"nothing could be verified.*7 left out: the model divides"
    ):
        export_pmml(build(XY_SCHEMA, ("x <=", 1, [2, 1], [0, 3])), verify=True)


@needs_scorer
def test_a_scorer_refuses_what_the_model_refuses() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.DecisionTreeClassifier(categorical="multiway", missing="error", unseen="error")
    row = {"outlook": "rain", "temperature": 70.0, "humidity": 80.0, "windy": True}
    rows = [row, {**row, "outlook": "snow"}, {**row, "outlook": None}]
    text = export_pmml(model.fit(X, y))
    with runner("pmml").started(text, model.schema_) as run:
        answers = run(VerificationRows(model.schema_, rows, [False, True, True]))
    assert answers.labels == ["no", None, None]


@needs_scorer
@given(specs(), st.integers(0, 1000))
@settings(max_examples=10)
def test_a_scorer_answers_as_random_trees_do(spec: Any, seed: int) -> None:
    tree = with_missing_children(build(XY_SCHEMA, spec), seed)
    found = verified(export_pmml, tree)
    assert found.n_generated >= rows_for(tree)
    assert not found.left_out


@needs_scorer
def test_a_wrong_document_is_found_out() -> None:
    text = export_pmml(tennis())
    wrong = text.replace('operator="lessOrEqual" value="75.0"', 'operator="lessThan" value="75.0"')
    wrong = wrong[: wrong.index("<ModelVerification")] + "</TreeModel></PMML>"
    assert wrong != text
    with pytest.raises(ExportError, match=r"where the model predicts.*'humidity': 75\.0"):
        verify_export(tennis(), wrong, "pmml")


@needs_scorer
def test_the_rows_inside_a_document_find_out_a_wrong_one() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier().fit(X, y)
    wrong = export_pmml(model).replace('score="no"', 'score="yes"')
    with pytest.raises(ExportError, match=r"PMML does not run.*do not match"):
        runner("pmml").started(wrong, model.schema_).__enter__()


@needs_scorer
@pytest.mark.parametrize("kind", ["equals", "multiway", "subset"])
def test_hostile_names_are_scored_alike(kind: str) -> None:
    labels = tuple(sorted(HOSTILE))
    schema = Schema(
        (Feature(']]> & "x" \'\n😀', "categorical", "text", labels),), labels[:2], "</PMML>"
    )
    name = schema.names[0]
    spec = {
        "equals": (f"{name} =", labels[3], [1, 0], [0, 1], 1),
        "subset": (f"{name} in", list(labels[:4]), [1, 0], [0, 1], 1),
        "multiway": (name, {label: [i, 4] for i, label in enumerate(labels)}, 2),
    }[kind]
    tree = build(schema, spec)
    assert verified(export_pmml, tree).n_generated >= rows_for(tree)


@needs_scorer
@pytest.mark.parametrize("classes", [(3, 10), (False, True), (0.5, 1.5)], ids=str)
def test_numbers_truth_values_and_large_integers_may_be_labels(classes: Any) -> None:
    tree = tree_of_labels(classes)
    assert verified(export_pmml, tree).n_generated >= rows_for(tree)


@needs_scorer
def test_dates_and_times_are_microseconds() -> None:
    model, X = model_of_moments()
    check = Verification(X)
    assert "microseconds since 1970-01-01" in export_pmml(model, verify=check)
    assert check.result is not None
    assert check.result.n_given == 8


@needs_scorer
def test_large_whole_numbers_are_categories_of_their_own() -> None:
    assert verified(export_pmml, *model_of_large_categories()).n_given == 8


@needs_shared
@needs_scorer
@pytest.mark.parametrize("name", ["labor", "glass"])
def test_real_tables_are_scored_alike(name: str) -> None:
    X, y = load(name)
    for model in (pt.ID3Classifier(), pt.C45RulesClassifier()):
        found = verified(export_pmml, model.fit(X, y), X[:100])
        assert 20 <= found.n_given <= 100
        assert found.n_given == min(100, len(X)) or DIVIDED in found.left_out
