"""A worksheet depends on what is given: the columns, their values, the number of rows per class."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.teaching.derive.introduction import MISSING_VALUES
from plaintree.teaching.derive.solution import Derivation, derive
from plaintree.teaching.derive.words import path_text
from plaintree.tree.conventions import Conventions
from tests.support.random_tables import (
    CLASS_CRITERIA,
    Case,
    cases,
    kinds_with,
    many,
    surrogate_print,
)

NOTATIONS = ("to_text", "to_markdown", "to_latex", "to_html")
MODELS = {
    "ID3": pt.ID3Classifier(),
    "ID3, a branch for missing values": pt.ID3Classifier(missing="branch"),
    "ID3, significant splits": pt.ID3Classifier(significance=0.05),
    "C4.5": pt.C45Classifier(),
    "C4.5, unpruned": pt.C45Classifier(pruning=None),
    "C4.5, grouped": pt.C45Classifier(categorical="grouped", pruning=None),
    "C4.5, 5 rows per branch": pt.C45Classifier(min_samples_branch=5, pruning=None),
    "CART": pt.CARTClassifier(),
    "CART, one against the rest": pt.CARTClassifier(categorical="one_vs_rest"),
}


def with_missing(X: pl.DataFrame) -> pl.DataFrame:
    """The table with every fifth value missing, in a different row of each column."""
    number = pl.int_range(pl.len())
    return X.with_columns(
        pl.when(number % 5 == i % 5).then(None).otherwise(pl.col(name)).alias(name)
        for i, name in enumerate(X.columns)
    )


def many_values(n: int = 60) -> pl.DataFrame:
    """Numbers with more thresholds, and a column with more categories, than a sheet lists."""
    random = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "size": random.permutation(n).astype(float),
            "shape": random.choice(list("abcdefgh"), n),
            "few": random.integers(0, 3, n).astype(float),
            "same": ["x"] * n,
        }
    )


def three_classes(n: int) -> list[str]:
    return (["low"] * (n // 2) + ["middle"] * (n // 4) + ["high"] * n)[:n]


TABLES: dict[str, tuple[pl.DataFrame, list[Any]]] = {
    "tennis": (pt.datasets.load_tennis().X, list(pt.datasets.load_tennis().y)),
    "golf": (pt.datasets.load_golf().X, list(pt.datasets.load_golf().y)),
    "golf with missing values": (
        with_missing(pt.datasets.load_golf().X),
        list(pt.datasets.load_golf().y),
    ),
    "many values": (many_values(), three_classes(60)),
}


def sheet_of(model: Any, X: pl.DataFrame, y: list[Any], **options: Any) -> Derivation:
    return derive(model.fit(X, y), X, y, worksheet=True, **options)


def without_table(text: str) -> str:
    """A worksheet from its conventions on: the table of rows, which is given, is left out."""
    return text[text.index("Conventions") :]


def orders(y: list[Any], n: int = 2) -> list[list[Any]]:
    """The same classes given to the rows in other orders: every answer changes, nothing given."""
    random = np.random.default_rng(1)
    return [sorted(y, key=str), *(random.permutation(y).tolist() for _ in range(n))]


class TestAnswersDoNotShow:
    @pytest.mark.parametrize("name", TABLES)
    @pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
    def test_the_same_sheet_whatever_the_answers_are(self, name: str, model: Any) -> None:
        X, y = TABLES[name]
        found = [sheet_of(model, X, other, max_rows=5) for other in orders(y)]
        for notation in NOTATIONS:
            written = {without_table(getattr(sheet, notation)()) for sheet in found}
            assert len(written) == 1, notation

    @pytest.mark.parametrize("options", [{"level": "table"}, {"level": "summary"}, {"rows": 2}])
    @pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
    def test_with_every_option(self, options: dict[str, Any], model: Any) -> None:
        X, y = TABLES["golf with missing values"]
        given = options | ({"rows": X.head(2)} if "rows" in options else {})
        found = [sheet_of(model, X, other, **given) for other in orders(y)]
        assert len({without_table(sheet.to_text()) for sheet in found}) == 1

    @pytest.mark.parametrize("missing", MISSING_VALUES)
    @many(6)
    @given(data=st.data())
    def test_on_random_tables_and_conventions(self, data: st.DataObject, missing: Any) -> None:
        case = data.draw(cases("worksheet", gaps=missing != "error"))
        rules = Conventions(
            criterion=data.draw(st.sampled_from(CLASS_CRITERIA)),
            categorical=data.draw(st.sampled_from(kinds_with(missing))),
            missing=missing,
            **data.draw(surrogate_print(missing, "worksheet")),
            min_samples_leaf=data.draw(st.sampled_from([1, 3])),
            zero_gain=data.draw(st.booleans()),
        )
        written = set()
        for y in (case.y, case.y[::-1], sorted(case.y)):
            plain = Case(case.columns, case.n_categories, y, case.n_classes, None)
            tree = plain.grow(rules)
            sheet = derive(tree, table_of(plain), y, worksheet=True, max_rows=3)
            written.add(without_table(sheet.to_text()))
        assert len(written) == 1

    def test_an_edited_tree_gives_away_neither_the_edit_nor_the_answer(self) -> None:
        X, y = TABLES["tennis"]
        tree = pt.ID3Classifier().fit(X, y).tree_
        sheets = {
            derive(edited, X, y, worksheet=True).to_html()
            for edited in (tree, tree.cut(0), tree.cut(0).graft(0, "Wind"), tree.relabel(1, "No"))
        }
        assert len(sheets) == 1

    @pytest.mark.parametrize("name", TABLES)
    @pytest.mark.parametrize("model", ["ID3", "C4.5, unpruned", "CART"])
    def test_no_figure_of_the_solution_is_on_the_sheet(self, name: str, model: str) -> None:
        """Decimals with four digits are results: gains, impurities, ratios."""
        X, y = TABLES[name]
        key = derive(MODELS[model].fit(X, y), X, y, max_rows=3)
        for notation in NOTATIONS:
            assert re.search(r"\d\.\d{4}", getattr(key, notation)())
            assert not re.search(r"\d\.\d{4}", getattr(key.worksheet(), notation)())

    @pytest.mark.parametrize("notation", NOTATIONS)
    def test_neither_a_path_nor_the_number_of_steps(self, notation: str) -> None:
        X, y = TABLES["golf"]
        key = derive(pt.C45Classifier(pruning=None).fit(X, y), X, y)
        sheet = without_table(getattr(key.worksheet(), notation)())
        paths = [path_text(key.steps.tree, s.node, key.steps.schema) for s in key.steps.in_order]
        assert any(" and " in path or "," in path for path in paths)
        assert not any(path in sheet for path in paths if "," in path)
        assert "Step 2" not in sheet


class TestTests:
    def test_all_thresholds_are_given_or_none(self) -> None:
        X, y = TABLES["golf"]
        sheet = sheet_of(pt.C45Classifier(), X, y, max_rows=3).to_text()
        assert sheet.count("\n<= ") == 11 + 8  # temperature and humidity
        X, y = TABLES["many values"]
        sheet = sheet_of(pt.CARTClassifier(), X.select("size"), y).to_text()
        assert "<= " not in sheet[sheet.index("Step 1") :]
        assert "... and 47 more" in sheet

    def test_the_groups_of_categories_are_to_be_found(self) -> None:
        X, y = TABLES["many values"]
        model = pt.C45Classifier(categorical="grouped", pruning=None).fit(X.select("shape"), y)
        assert "shape in" in derive(model, X.select("shape"), y).to_text()
        sheet = derive(model, X.select("shape"), y, worksheet=True).to_text()
        assert "shape in" not in sheet
        assert sheet.count("  H(......) = ") == 8  # room for a group of every category

    def test_what_stands_in_for_a_missing_value_is_to_be_found(self) -> None:
        X, y = TABLES["golf with missing values"]
        model = pt.ID3Classifier().fit(X, y)
        assert "Treated as" in derive(model, X, y).to_text()
        assert "Treated as" not in derive(model, X, y, worksheet=True).to_text()

    def test_the_way_of_pruning_is_given(self) -> None:
        X, y = TABLES["golf"]
        sheet = sheet_of(pt.C45Classifier(), X, y).to_text()
        assert "Pruning: error based" in sheet
        assert "upper confidence limit of their number, at 0.25" in sheet


def table_of(case: Case) -> dict[str, list[Any]]:
    """The columns of a case as anybody gives them."""
    columns = {}
    for name, (column, n) in zip(case.schema.names, case.parts, strict=True):
        missing = [value < 0 if n else np.isnan(value) for value in column]
        kind = int if n else float
        pairs = zip(column, missing, strict=True)
        columns[name] = [None if gone else kind(value) for value, gone in pairs]
    return columns
