"""ONNX graphs answer as the model does, to the last bit, in onnxruntime and by the reference."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ExportError, ParameterError
from plaintree.estimators.forest import RandomForestClassifier
from plaintree.interop.onnx import export_onnx
from plaintree.interop.verification.verify import Verification, verify_export
from plaintree.rules.rule import Clause, Rule
from plaintree.rules.rule_list import RuleList
from plaintree.tree.condition import DIVIDES, STOPS
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree
from tests.support.export_models import (
    LEARNERS_OF_STANDARDS,
    fitted,
    model_of_moments,
    rows_for,
    tree_of_labels,
    verified,
    with_missing_children,
    with_numbers,
    with_surrogates,
)
from tests.support.reference_tables import load, needs_shared
from tests.support.trees import XY_SCHEMA, build, chain_spec, specs, tennis

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
ort = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

HOSTILE = ["]]>", "quote ' \" `", "nu\0ll", "new\nline", "😀", "\u202ertl", "--; DROP", " ", "é"]


def session(artefact: bytes) -> Any:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    return ort.InferenceSession(artefact, options, providers=["CPUExecutionProvider"])


# ---------------------------------------------------------------- random trees


def drawn_tree(spec: Any, seed: int, share: float, **conventions: Any) -> Tree:
    """A random tree under some conventions."""
    tree = with_missing_children(build(XY_SCHEMA, spec), seed, share)
    return replace(tree, conventions=Conventions(**conventions))


def assert_proved(tree: Tree, refused: bool = False) -> None:
    """Rows for every test of a tree are answered as the tree does, class shares included."""
    for found in (verified(export_onnx, tree), verified(export_onnx, with_numbers(tree))):
        assert found.n_generated >= rows_for(tree)
        assert found.with_probabilities != found.numbers
        assert not found.left_out
        assert (found.n_refused > 0) == refused


@pytest.mark.slow
@given(specs(), st.integers(0, 1000), st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=60)
def test_random_trees_answer_alike_to_the_last_bit(spec: Any, seed: int, share: float) -> None:
    assert_proved(drawn_tree(spec, seed, share))


@given(specs(), st.integers(0, 1000), st.sampled_from([0.0, 1.0]))
@settings(max_examples=30)
def test_a_node_may_answer_unseen_categories_itself(spec: Any, seed: int, share: float) -> None:
    assert_proved(drawn_tree(spec, seed, share, unseen="stop"))


@given(specs(), st.sampled_from([("error", "error"), ("branch", "error"), ("error", "missing")]))
@settings(max_examples=15)
def test_rows_that_the_model_refuses_are_refused(spec: Any, policies: tuple[str, str]) -> None:
    missing, unseen = policies
    tree = drawn_tree(spec, 0, 1.0, missing=missing, unseen=unseen)
    used = [tree.schema.features[column] for column in tree.used_columns()]
    asks = any(feature.categories for feature in used)  # only then can a category be unseen
    assert_proved(tree, refused=missing == "error" or asks)


@given(specs(), st.integers(0, 1000), st.sampled_from(["missing", "stop"]))
@settings(max_examples=30)
def test_surrogates_decide_before_a_row_stops_or_is_divided(
    spec: Any, seed: int, unseen: str
) -> None:
    tree = with_surrogates(drawn_tree(spec, seed, 0.5, unseen=unseen), seed, (STOPS, 0, 1, DIVIDES))
    assert_proved(tree)


@given(specs(), st.integers(0, 1000))
@settings(max_examples=20)
def test_rows_without_a_value_may_stop_at_a_node(spec: Any, seed: int) -> None:
    tree = drawn_tree(spec, seed, 1.0)
    stops = (tree.n_children > 0) & (np.arange(tree.n_nodes) % 2 == 0)
    assert_proved(replace(tree, missing_child=np.where(stops, STOPS, tree.missing_child)))


def test_missing_values_may_have_a_branch_of_their_own() -> None:
    colours = {"red": [1, 2], "green": [3, 1], "blue": [0, 1], "grey": [5, 5]}
    spec = ("x <=", 2, ("color", colours, [0, 3]), ("size <=", 0.5, [0, 2], [3, 1], [0, 5]), [4, 0])
    assert_proved(build(XY_SCHEMA, spec))


def test_a_label_wins_ties_only_where_a_row_was_not_divided() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, ("y <=", 3, [2, 2], [0, 0]), [1, 4]))
    assert_proved(replace(tree, label=np.where(tree.node_depths == 2, 1, tree.label)))


def test_a_tree_may_be_a_single_leaf() -> None:
    assert_proved(build(XY_SCHEMA, [2, 3]))


# ---------------------------------------------------------------- fitted models


@pytest.mark.parametrize("name", LEARNERS_OF_STANDARDS)
@pytest.mark.parametrize("table", ["golf", "tennis"])
def test_models_of_every_kind_answer_alike(name: str, table: str) -> None:
    model, X = fitted(name, *getattr(pt.datasets, f"load_{table}")())
    check = Verification(X)
    artefact = export_onnx(model, verify=check)
    assert check.result is not None
    assert (check.result.n_given, check.result.left_out) == (14, {})
    onnx.checker.check_model(onnx.load_from_string(artefact), full_check=True)


@needs_shared
@pytest.mark.parametrize(
    "name", ["breast_cancer", "horse_colic", "hypothyroid", "monk1", "nursery", "soybean"]
)
def test_models_of_real_tables_answer_alike(name: str) -> None:
    X, y = load(name)
    X, y = X[:400], y[:400]
    forest = RandomForestClassifier(5, random_state=0)
    for model in (pt.ID3Classifier(), pt.C45Classifier(), pt.C45RulesClassifier(), forest):
        assert verified(export_onnx, model.fit(X, y), X[:100]).n_given == 100


@pytest.mark.parametrize("missing", ["most_common", "fractional"])
def test_the_reference_implementation_agrees(missing: str) -> None:
    reference = pytest.importorskip("onnx.reference")
    X, y = pt.datasets.load_golf()
    model = pt.DecisionTreeClassifier(missing=missing, categorical="subset").fit(X, y)
    proto = onnx.load_from_string(export_onnx(model))
    feed = {
        "outlook": np.array([["sunny"], ["rain"], ["overcast"], ["never seen"], [""]]),
        "temperature": np.array([[70.0], [np.nan], [64.0], [71.0], [80.0]]),
        "humidity": np.array([[70.0], [90.0], [np.nan], [75.0], [np.nan]]),
        "windy": np.array([[0.0], [1.0], [np.nan], [0.0], [1.0]]),
    }
    table = {
        "outlook": ["sunny", "rain", "overcast", "never seen", None],
        "temperature": feed["temperature"].ravel(),
        "humidity": feed["humidity"].ravel(),
        "windy": [False, True, None, False, True],
    }
    labels, shares = reference.ReferenceEvaluator(proto).run(None, feed)
    assert labels.tolist() == model.predict(table).tolist()
    assert shares.tolist() == model.predict_proba(table).tolist()


def test_a_wrong_graph_is_found_out() -> None:
    tree = tennis()
    shifted = np.where(tree.threshold == 75, np.nextafter(75.0, 0), tree.threshold)
    wrong = export_onnx(replace(tree, threshold=shifted))
    with pytest.raises(ExportError, match=r"where the model predicts.*'humidity': 75\.0"):
        verify_export(tree, wrong, "onnx", True)


# ---------------------------------------------------------------- rules


def rule_list(*rules: tuple[tuple[Clause, ...], str]) -> RuleList:
    made = tuple(
        Rule(clauses, label, 2.0, 0.5, (1.0, 1.0), leaf, XY_SCHEMA)
        for leaf, (clauses, label) in enumerate(rules)
    )
    return RuleList(XY_SCHEMA, made, "B", (1.0, 3.0))


def test_the_first_rule_that_fires_answers() -> None:
    interval = Clause(0, low=1.0, high=5.0)
    missing = Clause(0, is_missing=True)
    colours = Clause(3, allowed=0b101, n_categories=4)
    ordered = Clause(2, high=0.5)
    never = (Clause(0, low=1.0, is_missing=True),)
    rules = rule_list(
        ((interval, colours), "A"), ((missing,), "A"), (never, "A"), ((ordered,), "B"), ((), "A")
    )
    assert verified(export_onnx, rules).n_generated >= 120


def test_an_unseen_category_is_not_missing_to_a_rule() -> None:
    rules = rule_list(((Clause(3, is_missing=True),), "A"))
    feed = {
        "x": np.zeros((3, 1)),
        "y": np.zeros((3, 1)),
        "size": np.array([["small"]] * 3, dtype=object),
        "color": np.array([["red"], ["purple"], [""]], dtype=object),
    }
    labels = session(export_onnx(rules)).run(["label"], feed)[0]
    assert labels.tolist() == ["B", "B", "A"]


def test_without_rules_the_default_answers() -> None:
    assert verified(export_onnx, rule_list()).n_generated == 100


# ---------------------------------------------------------------- what comes in and goes out


def test_columns_are_inputs_and_the_outputs_are_named() -> None:
    running = session(export_onnx(tennis()))
    assert [(i.name, i.type) for i in running.get_inputs()] == [
        ("outlook", "tensor(string)"),
        ("humidity", "tensor(double)"),
        ("wind", "tensor(string)"),
    ]
    assert [o.name for o in running.get_outputs()] == ["label", "probabilities"]


def test_columns_of_numbers_may_be_one_matrix() -> None:
    X = np.random.default_rng(0).normal(size=(200, 5))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = pt.CARTClassifier().fit(X, y)
    artefact = export_onnx(model, matrix=True, verify=X)
    labels, shares = session(artefact).run(None, {"X": X})
    assert labels.dtype == np.int64
    assert labels.tolist() == model.predict(X).tolist()
    assert shares.tolist() == model.predict_proba(X).tolist()


@pytest.mark.parametrize("missing", ["most_common", "fractional"])
def test_a_regressor_has_one_output(missing: Any) -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    X[::7, 1] = np.nan
    model = pt.CARTRegressor(missing=missing).fit(X, X[:, 0] * 100)
    artefact = export_onnx(model, matrix=True, verify=X)
    (numbers,) = session(artefact).run(["prediction"], {"X": X})
    assert numbers.shape == (200,)
    assert numbers.tolist() == model.predict(X).tolist()
    onnx.checker.check_model(onnx.load_from_string(artefact), full_check=True)


def test_a_matrix_cannot_hold_categories() -> None:
    with pytest.raises(ParameterError, match=r"numbers only.*'outlook'.*leave out matrix"):
        export_onnx(tennis(), matrix=True)


def test_single_precision_columns_are_widened_not_rounded() -> None:
    X = np.random.default_rng(1).normal(size=(300, 2)).astype(np.float32)
    y = (X[:, 0] > X[:, 1]).astype(int)
    model = pt.CARTClassifier().fit(X, y)
    labels = session(export_onnx(model, matrix=True)).run(["label"], {"X": X.astype(np.float64)})
    assert labels[0].tolist() == model.predict(X).tolist()


def test_neighbouring_doubles_are_told_apart() -> None:
    threshold = 16777217.1  # float32 has no such number
    tree = build(XY_SCHEMA, ("x <=", threshold, [1, 0], [0, 1], 0))
    assert_proved(tree)


@pytest.mark.parametrize("classes", [(3, 10), (False, True), (0.5, 1.5)], ids=str)
def test_numbers_truth_values_and_large_integers_may_be_labels(classes: Any) -> None:
    assert_proved(tree_of_labels(classes))


def test_dates_and_times_are_microseconds() -> None:
    assert verified(export_onnx, *model_of_moments()).n_given == 8


@pytest.mark.parametrize("missing", [-1, 0, 1])
def test_hostile_names_answer_alike(missing: int) -> None:
    labels = tuple(sorted(HOSTILE))
    schema = Schema((Feature(HOSTILE[2], "categorical", "text", labels),), labels[:2], "label")
    spec = (f"{HOSTILE[2]} in", list(labels[::2]), [1, 0], [0, 1], missing)
    assert_proved(build(schema, spec))


def test_columns_named_as_the_outputs_are_no_trouble() -> None:
    schema = Schema(tuple(Feature(n, "numeric") for n in ("label", "probabilities")), ("a", "b"))
    artefact = export_onnx(build(schema, ("label <=", 1, [1, 0], [0, 1], 0)), verify=True)
    assert [o.name for o in session(artefact).get_outputs()] == ["label_", "probabilities_"]


def test_half_a_character_is_refused() -> None:
    schema = replace(tennis().schema, classes=("\ud800", "Yes"))
    with pytest.raises(ExportError, match=r"surrogate pair.*'\\ud800'"):
        export_onnx(replace(tennis(), schema=schema))


def test_a_category_that_ends_with_null_is_refused() -> None:
    schema = Schema((Feature("a", "categorical", "text", ("x", "x\0")),), ("p", "q"))
    with pytest.raises(ExportError, match=r"of column 'a' ends with a null character.*'x\\x00'"):
        export_onnx(build(schema, ("a =", "x", [1, 0], [0, 1])))


def test_a_class_that_ends_with_null_is_refused() -> None:
    schema = Schema((Feature("a", "numeric"),), ("x", "x\0"))
    with pytest.raises(ExportError, match=r"a class ends with a null character.*'x\\x00'"):
        export_onnx(build(schema, ("a <=", 1, [1, 0], [0, 1])))


def test_an_empty_text_may_be_a_category_beside_missing_values() -> None:
    schema = Schema((Feature("a", "categorical", "text", ("", "?", "x")),), ("p", "q"))
    assert_proved(build(schema, ("a =", "", [3, 1], [1, 2], 1)))


def test_a_column_without_a_name_is_refused() -> None:
    schema = Schema((Feature("", "numeric"),), ("a", "b"))
    with pytest.raises(ExportError, match="needs a name"):
        export_onnx(build(schema, (" <=", 1, [1, 0], [0, 1])))


def chain(n_tests: int) -> Tree:
    """A tree as deep as it has tests, with a branch for missing values."""
    tree = build(XY_SCHEMA, chain_spec(n_tests))
    return replace(tree, missing_child=np.minimum(tree.n_children, 1) - 1)


def test_a_deep_tree_is_written_without_recursion() -> None:
    assert_proved(chain(480))


def test_a_deep_tree_is_loaded_by_a_thread_of_little_stack() -> None:
    artefact = export_onnx(chain(480))
    code = (
        "import sys, threading, onnxruntime\n"
        "given = sys.stdin.buffer.read()\n"
        "threading.stack_size(512 * 1024)\n"
        "thread = threading.Thread(target=lambda: onnxruntime.InferenceSession(given))\n"
        "thread.start()\n"
        "thread.join()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=artefact, check=False)
    assert done.returncode == 0


def test_a_tree_that_would_crash_onnxruntime_is_refused() -> None:
    with pytest.raises(ExportError, match=r"so deep.*more than 500 splits.*prune"):
        export_onnx(chain(600))


def test_many_categories_answer_alike() -> None:
    labels = tuple(f"c{i:04}" for i in range(1500))
    schema = Schema((Feature("c", "categorical", "text", labels),), ("a", "b"))
    spec = ("c in", list(labels[::3]), [3, 1], ("c in", list(labels[1::6]), [2, 0], [0, 5], 0), 1)
    assert_proved(build(schema, spec))


@pytest.mark.slow
def test_without_the_package_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "import plaintree as pt; from plaintree.interop.onnx import export_onnx\n"
        "X, y = pt.datasets.load_tennis()\n"
        "try: export_onnx(pt.ID3Classifier().fit(X, y))\n"
        "except pt.PlaintreeError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "plaintree[onnx]" in done.stdout
