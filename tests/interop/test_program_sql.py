"""Models as SQL: an expression, a query or a view that answers exactly as the model does."""

from __future__ import annotations

import re
import sqlite3
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ExportError, ParameterError
from plaintree.interop.program.sql import export_sql
from plaintree.interop.program.sql_words import Dialect
from plaintree.interop.verification.runners import runner
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import DIVIDES, STOPS, Grouped
from plaintree.tree.tree import Tree
from tests.support.export_models import (
    GOLF_LEARNERS,
    HOSTILE,
    NUMERIC_LEARNERS,
    golf_model,
    hostile_tree,
    large_tree_with_surrogates,
    model_of_large_categories,
    models_of_kinds,
    random_tree,
    random_voters,
    rows_for,
    unseen_conventions,
    verified,
    with_numbers,
    with_surrogates,
)
from tests.support.trees import XY_SCHEMA, build, chain_spec, specs

LACKING = {name: runner(name).absent() for name in ("duckdb", "postgres")}
needs_duckdb = pytest.mark.skipif(LACKING["duckdb"] is not None, reason=str(LACKING["duckdb"]))
needs_postgres = pytest.mark.skipif(
    LACKING["postgres"] is not None, reason=str(LACKING["postgres"])
)
KINDS = [
    (pt.CARTClassifier, {}),
    (pt.C45Classifier, {}),
    (pt.ID3Classifier, {"numeric": "intervals", "unseen": "stop"}),
    (pt.C45RulesClassifier, {}),
    (pt.CARTRegressor, {"missing": "fractional"}),
]


def sqlite_answers(expression: str, columns: str, *rows: tuple[Any, ...]) -> list[Any]:
    """What an expression gives for rows of a table with these columns."""
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE t ({columns})")
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO t VALUES ({marks})", rows)
        return [row[0] for row in connection.execute(f"SELECT {expression} FROM t")]


def one_test(threshold: float, unit: Any = "number") -> Tree:
    schema = Schema((Feature("x", "numeric", unit),), ("low", "high"))
    return build(schema, ("x <=", threshold, [1, 0], [0, 1], 1))


# -------------------------------------------------------------------- sqlite


@pytest.mark.parametrize("name", GOLF_LEARNERS)
def test_every_learner_and_every_treatment_of_gaps(name: str) -> None:
    found = verified(export_sql, *golf_model(name), proba=True)
    assert (found.n_given, found.with_probabilities, found.left_out) == (14, True, {})
    assert (found.n_refused > 0) == (name == "errors")


@pytest.mark.parametrize("name", NUMERIC_LEARNERS)
@pytest.mark.parametrize("dialect", ["sqlite", pytest.param("duckdb", marks=needs_duckdb)])
def test_trees_and_forests_of_numbers(dialect: Any, name: str) -> None:
    found = verified(export_sql, *golf_model(name), dialect=dialect, table="days")
    assert (found.n_given, found.numbers, found.left_out) == (14, True, {})
    assert (found.n_refused > 0) == (name == "numbers, errors")


def test_a_numeric_target_has_no_probabilities() -> None:
    with pytest.raises(
        ParameterError, match=r"numeric, so there are no class.*leave out proba=True"
    ):
        export_sql(golf_model("numbers")[0], proba=True)


@pytest.mark.parametrize(("learner", "options"), KINDS)
def test_columns_of_every_kind(learner: Any, options: dict[str, Any]) -> None:
    model, X = models_of_kinds(learner, **options)
    proba = learner is not pt.CARTRegressor
    found = verified(export_sql, model, X, proba=proba)
    assert (found.n_given, found.with_probabilities) == (240, proba)


@pytest.mark.parametrize("of_numbers", [False, True])
@settings(max_examples=30)
@given(specs(), st.integers(0, 2**32), st.sampled_from(unseen_conventions()))
def test_random_trees(of_numbers: bool, spec: Any, seed: int, conventions: Any) -> None:
    tree = random_tree(spec, np.random.default_rng(seed), conventions)
    if of_numbers:
        tree = with_numbers(tree, seed)
    found = verified(export_sql, tree, limit=100, proba=not of_numbers)
    assert found.n_generated >= rows_for(tree, limit=100)


@settings(max_examples=20)
@given(specs(), st.integers(0, 2**32), st.sampled_from(unseen_conventions()))
def test_random_surrogates(spec: Any, seed: int, conventions: Any) -> None:
    tree = random_tree(spec, np.random.default_rng(seed), conventions)
    tree = with_surrogates(tree, seed, (STOPS, 0, 1, DIVIDES))
    found = verified(export_sql, tree, limit=200, proba=True)
    assert found.n_generated >= rows_for(tree, limit=200)


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("dialect", ["sqlite", pytest.param("duckdb", marks=needs_duckdb)])
def test_surrogate_splits(dialect: Any, numbers: bool) -> None:
    tree = large_tree_with_surrogates(numbers=numbers)
    found = verified(export_sql, tree, dialect=dialect, limit=300)
    assert found.n_generated >= rows_for(tree, limit=300)
    assert found.numbers == numbers


def test_a_deep_tree_with_surrogates_goes_on_in_steps() -> None:
    tree = with_surrogates(build(XY_SCHEMA, chain_spec(60)), 1)
    assert verified(export_sql, tree, limit=100).n_generated >= rows_for(tree, limit=100)


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_random_trees_that_vote(voting: str) -> None:
    voters = random_voters(8, voting, "stop")
    assert verified(export_sql, voters, limit=80, proba=True).n_generated >= rows_for(
        voters, limit=80
    )


# -------------------------------------------------------------------- other databases


@needs_duckdb
@pytest.mark.parametrize("name", ["c45", "rules", "own branch, stop", "errors", "forest"])
def test_learners_in_duckdb(name: str) -> None:
    found = verified(export_sql, *golf_model(name), dialect="duckdb", proba=True)
    assert (found.n_given, found.with_probabilities) == (14, True)


@needs_duckdb
@pytest.mark.parametrize(("learner", "options"), KINDS)
def test_columns_of_every_kind_in_duckdb(learner: Any, options: dict[str, Any]) -> None:
    found = verified(export_sql, *models_of_kinds(learner, **options), dialect="duckdb")
    assert (found.n_given, found.with_probabilities) == (240, False)


@needs_duckdb
def test_hostile_names_in_duckdb() -> None:
    tree = hostile_tree(nul=True)
    found = verified(export_sql, tree, dialect="duckdb", table=HOSTILE[0])
    assert found.n_generated >= rows_for(tree)


@needs_postgres
def test_columns_of_every_kind_in_postgres() -> None:
    found = verified(export_sql, *models_of_kinds(pt.C45Classifier), dialect="postgres", proba=True)
    assert (found.n_given, found.with_probabilities) == (240, True)


@pytest.mark.slow
@needs_postgres
def test_numbers_and_surrogates_in_postgres() -> None:
    for name in ("forest of numbers, divided", "numbers, errors"):
        found = verified(export_sql, *golf_model(name), dialect="postgres", limit=200)
        assert (found.n_given, found.numbers) == (14, True)
    tree = large_tree_with_surrogates()
    assert verified(export_sql, tree, dialect="postgres", limit=200, proba=True).n_generated == 220


@pytest.mark.slow
@needs_postgres
def test_hostile_names_in_postgres() -> None:
    tree = hostile_tree()
    found = verified(export_sql, tree, dialect="postgres", table=HOSTILE[0], view="v")
    assert found.n_generated >= rows_for(tree)


@pytest.mark.slow
@needs_postgres
def test_long_names_and_those_of_the_proof_itself_in_postgres() -> None:
    tree = named("n" * 80, "number of the row", classes=("c" * 80 + "1", "c" * 80 + "2"))
    found = verified(export_sql, tree, dialect="postgres", table="t" * 80, proba=True)
    assert found.n_generated >= rows_for(tree)


@pytest.mark.slow
@needs_postgres
def test_votes_and_rules_in_postgres() -> None:
    for name in ("forest", "rules"):
        found = verified(export_sql, *golf_model(name), dialect="postgres", proba=True)
        assert (found.n_given, found.with_probabilities) == (14, True)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_nan_is_missing_in_databases_that_have_it(dialect: Any) -> None:
    schema = Schema((Feature("x", "numeric"),), ("low", "high"))
    to_low = build(schema, ("x <=", 1.5, [1, 0], [0, 1], 0))
    assert "NULLIF(\"x\", 'NaN'::float8) > '1.5'::float8" in export_sql(to_low, dialect=dialect)


# -------------------------------------------------------------------- forms


def test_a_query_names_what_it_adds() -> None:
    model, X = golf_model("cart")
    text = export_sql(model, table="golf days", proba=True, verify=X)
    assert text.startswith("SELECT *,\nCASE")
    assert text.endswith("END AS `proba_yes`\nFROM `golf days`")
    assert "END AS `prediction`" in text


def test_a_view() -> None:
    model, X = golf_model("c45")
    text = export_sql(model, table="golf", view="answered", proba=True, verify=X)
    assert text.startswith("CREATE VIEW `answered` AS\nSELECT *,\nCOALESCE(CASE")


def test_new_columns_get_out_of_the_way_of_the_table() -> None:
    schema = Schema((Feature("Prediction", "numeric"), Feature("proba_a", "numeric")), ("a",))
    text = export_sql(build(schema, ("Prediction <=", 1, [1], [2], 1)), table="t", proba=True)
    assert "AS `prediction_`" in text
    assert "AS `proba_a_`" in text


def test_steps_have_names_that_no_column_has() -> None:
    names = ("pt_w0", "PT__b0", "pt_s1")
    schema = Schema(tuple(Feature(name, "numeric") for name in names), ("A", "B"))
    spec: Any = [1, 2]
    for level in range(12):
        spec = (f"{names[level % 3]} <=", level / 2, [2, 1 + level], spec)
    tree = build(schema, spec)
    assert verified(export_sql, tree, proba=True).n_generated >= rows_for(tree)


def test_a_view_needs_a_table_and_a_dialect_is_one_of_three() -> None:
    model, _ = golf_model("cart")
    with pytest.raises(ParameterError, match="a view needs a table"):
        export_sql(model, view="v")
    with pytest.raises(ParameterError, match="use one of 'sqlite', 'duckdb', 'postgres'"):
        export_sql(model, dialect="oracle")  # type: ignore[arg-type]


def test_rows_that_the_model_refuses_are_null() -> None:
    expression = export_sql(golf_model("errors")[0])
    columns = "outlook TEXT, temperature REAL, humidity REAL, windy INTEGER"
    rows = [("rain", 70, 80, 1), ("snow", 70, 80, 1), ("rain", None, 80, 1)]
    assert sqlite_answers(expression, columns, *rows) == ["no", None, None]


# -------------------------------------------------------------------- names and numbers


def test_hostile_names() -> None:
    tree = hostile_tree(nul=True)
    found = verified(export_sql, tree, table=HOSTILE[0], view=HOSTILE[1], proba=True)
    assert found.n_generated >= rows_for(tree)


def test_a_column_that_is_not_there_is_an_error_not_a_text() -> None:
    expression = export_sql(golf_model("cart")[0])
    with pytest.raises(sqlite3.OperationalError, match="no such column: outlook"):
        sqlite_answers(expression, "sky TEXT", ("rain",))


def test_a_backslash_is_safe_whatever_postgres_is_told() -> None:
    assert Dialect("postgres").text("a\\' OR 1 = 1 --") == "E'a\\\\'' OR 1 = 1 --'"


def named(*names: str, classes: tuple[str, str] = ("A", "B")) -> Tree:
    """A tree that tests the first of some columns."""
    schema = Schema(tuple(Feature(name, "numeric") for name in names), classes)
    return build(schema, (f"{names[0]} <=", 1, [1, 0], [0, 1]))


def test_names_that_sql_cannot_write_are_refused() -> None:
    with pytest.raises(ExportError, match="cannot express this name"):
        export_sql(named("nul\0"))
    with pytest.raises(ExportError, match="not valid Unicode"):
        export_sql(named("\ud800"))
    with pytest.raises(ExportError, match="two columns have the same name in sqlite"):
        export_sql(named("x", "X"))
    with pytest.raises(ExportError, match="two columns have the same name in postgres"):
        export_sql(named("n" * 80 + "a", "n" * 80 + "b"), dialect="postgres")
    with pytest.raises(ExportError, match=r"a column of this name in every table. Got 'ctid'"):
        export_sql(named("ctid"), dialect="postgres")
    with pytest.raises(ExportError, match="postgres does not allow the character NUL"):
        export_sql(hostile_tree(nul=True), dialect="postgres")


def test_names_that_only_look_the_same() -> None:
    tree = named("\u00e9", "\u00c9")
    assert verified(export_sql, tree).n_generated >= rows_for(tree)
    assert export_sql(named("x", "X"), dialect="postgres")


def test_new_columns_keep_apart_where_postgres_cuts_names_short() -> None:
    wide = "\U0001f333" * 30
    text = export_sql(
        named("x", classes=(f"{wide}a", f"{wide}b")), dialect="postgres", table="t", proba=True
    )
    names = re.findall(r'AS "(.*)"', text)
    assert names[0] == "prediction"
    cut = [name.encode()[:63] for name in names]
    assert len(set(cut)) == 3
    assert len(names[2].encode()) <= 63


@settings(max_examples=300)
@given(st.floats(allow_nan=False))
def test_sqlite_reads_back_every_number(number: float) -> None:
    found = sqlite_answers(Dialect("sqlite").number(number), "x", (1,))[0]
    assert Fraction(found) == Fraction(number) if abs(number) != inf else found == number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (2.45, "2.45"),
        (75.0, "75.0"),
        (-0.1, "-0.1"),
        (0.30000000000000004, "(1351079888211149 / 4503599627370496.0)"),
        (1e23, "(5960464477539062 * 16777216.0)"),
    ],
)
def test_numbers_are_plain_where_every_sqlite_reads_them_right(number: float, text: str) -> None:
    assert Dialect("sqlite").number(number) == text


def test_thresholds_are_exact() -> None:
    for threshold in (0.1, 1 / 3, 0.30000000000000004, 5e-324, 123456789.12345679):
        tried = [(threshold,), (nextafter(threshold, inf),), (nextafter(threshold, -inf),)]
        answers = sqlite_answers(export_sql(one_test(threshold)), "x REAL", *tried)
        assert answers == ["low", "high", "low"]


def test_large_integers_are_rounded_as_the_model_rounds_them() -> None:
    expression = export_sql(one_test(2.0**53, "integer"))
    rows = [(2**53,), (2**53 + 1,), (2**53 + 2,)]
    assert sqlite_answers(expression, "x INTEGER", *rows) == ["low", "low", "high"]


@pytest.mark.parametrize(
    "dialect",
    [
        "sqlite",
        pytest.param("duckdb", marks=needs_duckdb),
        pytest.param("postgres", marks=needs_postgres),
    ],
)
def test_large_whole_numbers_are_categories_of_their_own(dialect: Any) -> None:
    found = verified(export_sql, *model_of_large_categories(), dialect=dialect)
    assert (found.n_given, found.left_out) == (8, {})


def test_large_categories_are_found_in_columns_of_integers_and_of_text() -> None:
    model, _ = model_of_large_categories()
    numbers = [2**53, 2**53 + 1, 2**63 - 1]
    expected = model.predict({"id": numbers}).tolist()
    for columns, rows in (("id INTEGER", numbers), ("id TEXT", map(str, numbers))):
        assert sqlite_answers(export_sql(model), columns, *((row,) for row in rows)) == expected


@needs_duckdb
def test_large_categories_are_found_in_large_integers_of_duckdb() -> None:
    import duckdb

    model, X = model_of_large_categories()
    values = ", ".join(f"({number}::HUGEINT)" for number in X["id"])
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES {values}) AS v(id)")
        query = f"SELECT {export_sql(model, dialect='duckdb')} FROM t"
        found = [row[0] for row in connection.execute(query).fetchall()]
    assert found == [*"abcdefgh"]


def test_dates_compare_as_text_in_sqlite_with_or_without_a_clock() -> None:
    noon = 1_709_208_000_000_000.0  # 2024-02-29 12:00
    expression = export_sql(one_test(noon, "datetime"))
    days = ["2024-02-29", "2024-02-29 12:00:00", "2024-02-29 12:00:00.000001", "2024-03-01"]
    rows = [(day,) for day in days]
    assert sqlite_answers(expression, "x TEXT", *rows) == ["low", "low", "high", "high"]


# -------------------------------------------------------------------- limits


def test_a_deep_tree_goes_on_in_steps() -> None:
    tree = build(XY_SCHEMA, chain_spec(110))  # missing values are divided at every node
    assert verified(export_sql, tree, limit=30, proba=True).n_generated >= rows_for(tree, limit=30)


def test_shares_are_computed_only_for_rows_with_a_missing_or_unseen_value() -> None:
    tree = pt.C45Classifier(pruning=None).fit(*pt.datasets.load_tennis()).tree_
    first_step = export_sql(tree).partition("pt_d0 AS MATERIALIZED")[2].partition("pt_d1")[0]
    assert first_step.endswith(
        "WHERE (`Outlook` IS NULL) OR NOT (`Outlook` IN ('Overcast', 'Rain', 'Sunny'))"
        " OR (`Wind` IS NULL) OR NOT (`Wind` IN ('Strong', 'Weak'))"
        " OR (`Humidity` IS NULL) OR NOT (`Humidity` IN ('High', 'Normal'))),\n"
    )


def test_categories_that_a_node_does_not_know_are_divided() -> None:
    schema = Schema((Feature("c", "categorical", "text", ("a", "b", "z")),), ("A", "B"))
    leaves = [NodeDescription(class_weights=weights) for weights in ((3, 0), (0, 1))]
    split = NodeDescription(Grouped(0, (0, 1, -1)), children=(1, 2))
    grouped = build_tree(schema, [split, *leaves])
    assert verified(export_sql, grouped, proba=True).n_generated >= rows_for(grouped)
    assert sqlite_answers(export_sql(grouped), "c TEXT", ("b",), ("z",)) == ["B", "A"]


def test_a_probability_sums_its_own_class_only() -> None:
    tree = pt.C45Classifier(pruning=None).fit(*pt.datasets.load_tennis()).tree_
    text = export_sql(tree, proba=True)
    prediction, *shares = text.split("pt_d0 AS")[1:]
    assert [{c for c in (0, 1) if f"AS pt_q{c}" in part} for part in shares] == [{0}, {1}]
    assert "AS pt_q0" in prediction
    assert "AS pt_q1" in prediction


@pytest.mark.parametrize("width", [1, 5, 40])
def test_a_large_tree_is_divided_some_subtrees_at_a_time(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plaintree.interop.program.sql_tree.WIDTH", width)
    monkeypatch.setattr("plaintree.interop.program.sql_tree.MOST_TERMS", 2)
    for name in ("c45", "divided, stop"):
        model = golf_model(name)[0]
        assert verified(export_sql, model, proba=True).n_generated >= rows_for(model.tree_)


def test_a_tree_that_is_too_deep_is_refused() -> None:
    with pytest.raises(ExportError, match="too deep for SQL, which allows 500 splits on a path"):
        export_sql(build(XY_SCHEMA, chain_spec(501)))


def test_too_many_shares_are_refused_and_the_node_is_named() -> None:
    wide = tuple(f"c{i}" for i in range(2000))
    schema = Schema((Feature("c", "categorical", "text", wide),), ("A", "B"))
    tree = build(schema, ("c", {c: [1, i % 2] for i, c in enumerate(wide)}))
    with pytest.raises(ExportError, match="node 0 of the tree divides rows whose value is missing"):
        export_sql(tree)


def test_a_model_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plaintree.interop.program.sql_model.MOST_NODES", 20)
    with pytest.raises(ExportError, match="more than 20 nodes in 8 trees"):
        export_sql(random_voters(8, "hard"))


@pytest.mark.parametrize("unit", ["date", "datetime", "time", "duration"])
@pytest.mark.parametrize("threshold", [float("inf"), float("-inf")])
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_all_dates_are_on_one_side_of_an_infinite_threshold(
    dialect: Any, threshold: float, unit: Any
) -> None:
    schema = Schema((Feature("t", "numeric", unit),), ("a", "b", "c"))
    tree = build(schema, ("t <=", threshold, [1, 0, 0], [0, 1, 0], [0, 0, 1]))
    values = {
        "date": date(2024, 2, 29),
        "datetime": datetime(2024, 2, 29, 1),
        "time": time(1, 2, 3),
        "duration": timedelta(hours=1),
    }
    check = pt.interop.Verification({"t": [values[unit], None]})
    export_sql(tree, dialect=dialect, verify=check)
    assert check.result is not None
    assert check.result.n_given == 2
