"""Verification of exports: the rows that it generates, and that it finds every fault."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from math import inf, nextafter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import plaintree as pt
from plaintree.data.encode import encode
from plaintree.data.schema import Feature, Schema
from plaintree.data.table import table_from
from plaintree.errors import ExportError, ParameterError
from plaintree.interop.program.c import CSource, export_c
from plaintree.interop.program.python import export_python
from plaintree.interop.program.sql import export_sql
from plaintree.interop.verification.rows import (
    unseen_label,
    verification_batches,
    verification_rows,
)
from plaintree.interop.verification.runners import Predictions, runner
from plaintree.interop.verification.verify import (
    Verification,
    VerificationResult,
    compare,
    expected_predictions,
    verify_export,
)
from plaintree.tree.condition import STOPS, Grouped, Surrogate, Threshold
from plaintree.tree.predict import predicting_nodes
from plaintree.tree.surrogates import surrogate_arrays
from plaintree.tree.walk import walk_row
from tests.support.export_models import (
    golf_model,
    models_of_kinds,
    rows_for,
    verified,
)
from tests.support.trees import TENNIS_SCHEMA, TENNIS_SPEC, XY_SCHEMA, build, chain_spec, tennis

# -------------------------------------------------------------------- the rows


def test_both_sides_of_a_threshold_every_category_missing_and_unseen() -> None:
    rows = verification_rows(tennis()).rows
    humidity = {row["humidity"] for row in rows if row["outlook"] == "Sunny"}
    assert {75.0, nextafter(75.0, inf), nextafter(75.0, -inf), None} <= humidity
    assert {row["outlook"] for row in rows} == {"Overcast", "Rain", "Sunny", "unseen", None}


@pytest.mark.parametrize("learner", [pt.CARTClassifier, pt.ID3Classifier, pt.C45Classifier])
def test_rows_come_to_every_leaf_with_training_rows(learner: Any) -> None:
    model, _ = models_of_kinds(learner)
    tree = model.tree_
    columns = encode(table_from(verification_rows(model, limit=3000).columns()), tree.schema)
    reached = set(predicting_nodes(tree, columns).tolist())
    leaves = np.flatnonzero((tree.n_children == 0) & (tree.weight > 0)).tolist()
    assert set(leaves) <= reached


def test_rows_come_to_every_surrogate() -> None:
    tree = build(XY_SCHEMA, ("x <=", 0, [1, 2], ("size <=", 0.5, [3, 1], [0, 4], STOPS), STOPS))
    color = Surrogate(Grouped(3, (0, 1, -1, 1)))
    surrogates = [[Surrogate(Threshold(1, 2.5)), color], [], [color], [], []]
    tree = replace(tree, **surrogate_arrays(surrogates))
    columns = encode(table_from(verification_rows(tree).columns()), tree.schema)
    found = {
        (visit.node, visit.surrogate, visit.branch)
        for row in range(len(columns[0]))
        for visit in walk_row(tree, columns, row)
    }
    decided = {(node, place, way) for node, place in ((0, 0), (0, 1), (2, 0)) for way in (0, 1)}
    assert decided | {(0, -1, -1), (2, -1, -1)} <= found  # -1, -1: none decides


def test_given_rows_come_first_and_keep_their_values() -> None:
    model, X = models_of_kinds(pt.ID3Classifier, numeric="intervals")
    rows = verification_rows(model, X).rows
    assert [row["number"] for row in rows[:240]] == X["number"]
    assert [row["day"] for row in rows[:240]] == X["day"]
    assert [row["single"] for row in rows[:240]] == [float(v) for v in X["single"]]


def test_the_same_rows_every_time_and_no_more_than_asked_for() -> None:
    tree = build(XY_SCHEMA, chain_spec(2_000))
    made = verification_rows(tree, limit=300)
    assert made.rows == verification_rows(tree, limit=300).rows
    assert 200 <= len(made) <= 330


def test_rules_have_rows_that_fire_each_of_them() -> None:
    model, _ = golf_model("rules")
    fired = model.rules_.fired(verification_rows(model).columns())
    assert set(fired.tolist()) == {-1, 0, 1, 2, 3}


def test_rows_that_the_model_refuses_are_marked() -> None:
    model, _ = golf_model("errors")
    rows = verification_rows(model)
    for row, refused in zip(rows.rows, rows.refused, strict=True):
        gaps = any(value is None for value in row.values())
        assert refused == (gaps or row["outlook"] == "unseen")
    assert 0 < sum(rows.refused) < len(rows)


@pytest.mark.parametrize(
    ("labels", "unseen"),
    [
        (("a", "unseen"), "unseen_"),
        ((1, 30), 31),
        ((2**53 + 1, 2**53 + 3), 2**53 + 4),
        ((0.5, 2.0), 3.5),
        ((False, True), None),
        ((True,), False),
        (("a", 1), "unseen"),
    ],
)
def test_an_unseen_label_is_of_the_same_type(labels: Any, unseen: Any) -> None:
    found = unseen_label(Feature("c", "categorical", "text", labels))
    assert (found, type(found)) == (unseen, type(unseen))


def test_dates_are_dates() -> None:
    schema = Schema((Feature("day", "numeric", "date"),), ("A", "B"))
    tree = build(schema, ("day <=", 86_400_000_000.0 * 19782.5, [1, 0], [0, 1]))
    days = {row["day"] for row in verification_rows(tree).rows}
    assert {date(2024, 2, 29), date(2024, 3, 1), None} <= days


# -------------------------------------------------------------------- the comparison


def test_the_model_itself_is_asked() -> None:
    model, X = golf_model("bagged")
    rows = verification_rows(model, X)
    expected = expected_predictions(model, rows)
    assert expected.labels == model.predict(rows.columns()).tolist()
    assert expected.probabilities == model.predict_proba(rows.columns()).tolist()


@pytest.mark.parametrize("names", [None, [0, 1], ["a", "b"]])
def test_a_model_is_asked_with_names_only_if_it_has_any(names: Any) -> None:
    """What it says of other names would be a warning, and so an error here."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    table = X if names is None else pd.DataFrame(X, columns=names)
    for learner in (
        pt.CARTClassifier(),
        pt.C45RulesClassifier(),
        pt.BaggedTreesClassifier(n_estimators=3),
    ):
        assert verified(export_python, learner.fit(table, X[:, 0] > X[:, 1]), table).n_given == 40


FAULTS = {
    "a threshold one step up": ("75.0", "75.00000000000001"),
    "a threshold one step down": ("75.0", "74.99999999999999"),
    "two categories swapped": ("'Overcast': 0, 'Rain': 1", "'Overcast': 1, 'Rain': 0"),
    "unseen as a category": ("_TEXTS[column].get(str.__str__(value), -2)", "0"),
    "another class": ("CLASSES = ('No', 'Yes', )", "CLASSES = ('Yes', 'No', )"),
    "missing on one side": ("(1, 1, -1, -1, ())", "(1, 1, 0, -1, ())"),
    "shares off by a bit": ("part * _WEIGHT[child] / total", "part / total * _WEIGHT[child]"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_found(fault: str) -> None:
    tree, text = tennis(), export_python(tennis())
    before, after = FAULTS[fault]
    assert verify_export(tree, text, "python").n_generated >= rows_for(tree)
    assert text.count(before) == 1
    with pytest.raises(
        ExportError, match=r"exported model predicts .* where the model predicts .* Got the row {"
    ):
        verify_export(tree, text.replace(before, after), "python")


def test_a_proof_tells_what_was_compared() -> None:
    model, X = golf_model("errors")
    rows = verification_rows(model, X)
    told = verified(export_python, model, X)
    counts = (14, len(rows) - 14, sum(rows.refused))
    assert told == VerificationResult(*counts, with_probabilities=True)
    assert told.n_rows == len(rows)
    assert verified(export_sql, model, X) == replace(told, with_probabilities=False)
    assert verified(export_python, model) == replace(told, n_given=0)


def test_a_result_as_text() -> None:
    told = VerificationResult(14, 50, 3, with_probabilities=False, left_out={"a": 6, "b": 1})
    assert str(told) == (
        "64 rows predicted alike (14 given, 50 generated); 3 of them refused by both; "
        "classes, not probabilities, compared; 6 left out: a; 1 left out: b"
    )


def test_the_limit_sets_the_number_of_generated_rows() -> None:
    tree = build(XY_SCHEMA, chain_spec(400))
    assert [verified(export_python, tree, limit=n).n_generated for n in (100, 600)] == [120, 660]


# -------------------------------------------------------------------- many rows


class CountingRunner:
    """The runner of Python, with the sizes of what it was asked."""

    def __init__(self) -> None:
        self.inner, self.sizes, self.n_started = runner("python"), [], 0
        self.TOLERANCE, self.absent = self.inner.TOLERANCE, self.inner.absent

    @contextmanager
    def started(self, artefact: Any, schema: Schema) -> Any:
        self.n_started += 1
        with self.inner.started(artefact, schema) as run:

            def counted(rows: Any) -> Predictions:
                self.sizes.append(len(rows))
                return run(rows)

            yield counted


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> CountingRunner:
    """Tables are compared four rows at a time."""
    counting = CountingRunner()
    monkeypatch.setattr("plaintree.interop.verification.verify.runner", lambda _: counting)
    monkeypatch.setattr(verification_batches, "__kwdefaults__", {"limit": 1000, "size": 4})
    return counting


def test_a_table_is_compared_some_rows_at_a_time(counting: CountingRunner) -> None:
    model, X = golf_model("c45")
    done: list[tuple[str, int, int | None]] = []
    check = Verification(X, progress=lambda *step: done.append(step))
    export_python(model, verify=check)
    made = len(verification_rows(model))
    assert (counting.n_started, counting.sizes) == (1, [4, 4, 4, 2, made])
    assert done == [("verifying rows", n, None) for n in (4, 8, 12, 14, 14 + made)]
    assert check.result == VerificationResult(14, made)


@pytest.mark.usefixtures("counting")
def test_the_first_row_that_differs_is_named_by_its_number_in_the_table() -> None:
    X = {"x": [1.0] * 10 + [3.0, 1.0, 3.0]}
    tree = build(Schema((Feature("x", "numeric"),), ("A", "B")), ("x <=", 2, [1, 0], [0, 1]))
    wrong = export_python(tree).replace("2.0", "4.0")
    with pytest.raises(ExportError, match=r"Got the row {'x': 3\.0}, row 11 of the table"):
        verify_export(tree, wrong, "python", X)


@pytest.mark.parametrize("name", ["errors", "divided, stop", "intervals", "bagged", "rules"])
@pytest.mark.usefixtures("counting")
def test_batches_of_every_kind_of_model_are_compared_like_one_table(name: str) -> None:
    model, _ = golf_model(name)
    gappy = {
        "outlook": ["sunny", None, "snow", "rain", "rain", "overcast"],
        "temperature": [85, 70.5, None, 60, 61, 62],
        "humidity": [None, 80, 81, 82, 83, None],
        "windy": [True, False, None, True, False, True],
    }
    rows = verification_rows(model, gappy)
    found = verified(export_python, model, gappy)
    assert (found.n_given, found.n_rows, found.n_refused) == (6, len(rows), sum(rows.refused))


@pytest.mark.parametrize("limit", [0, -1, inf, "many"])
def test_a_limit_of_no_rows_is_refused(limit: Any) -> None:
    with pytest.raises(ParameterError, match="limit is out of range"):
        Verification(limit=limit)


def test_a_failed_verification_leaves_no_older_result() -> None:
    check, tree = Verification(), tennis()
    text = export_python(tree, verify=check)
    assert check.result is not None
    with pytest.raises(ExportError, match="where the model predicts"):
        verify_export(tree, text.replace("75.0", "76.0"), "python", check)
    assert check.result is None


def test_a_prediction_where_the_model_refuses_is_a_fault() -> None:
    model, _ = golf_model("errors")
    lax = export_python(model).replace("_REFUSES_UNSEEN = True", "_REFUSES_UNSEEN = False")
    with pytest.raises(ExportError, match=r"predicts .* where the model raises an error"):
        verify_export(model, lax, "python")


def test_a_row_too_few_is_a_fault() -> None:
    rows = verification_rows(build(TENNIS_SCHEMA, TENNIS_SPEC))
    with pytest.raises(ExportError, match="does not predict every row"):
        compare(Predictions(["No"]), Predictions(["No"]), rows, runner("python"))


def test_without_the_tool_verification_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ExportError, match=r"cannot be verified here\. Got there is no gcc"):
        export_c(tennis(), verify=True)


@pytest.mark.skipif(runner("c").absent() is not None, reason=str(runner("c").absent()))
def test_what_does_not_compile_is_an_error_that_says_why() -> None:
    with pytest.raises(ExportError, match=r"(?s)C does not run\. Got gcc: .*error"):
        verify_export(tennis(), CSource("int main(", "model", ["a", "b", "c"]), "c")


def test_timestamps_of_a_time_zone_can_be_verified() -> None:
    days = [datetime(2021, 1, 1, tzinfo=UTC) + timedelta(days=i) for i in range(40)]
    model = pt.CARTClassifier().fit({"when": days}, ["a"] * 20 + ["b"] * 20)
    for export in (pt.export_python, pt.export_sql):
        assert export(model, verify={"when": days})
